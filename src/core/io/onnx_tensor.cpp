#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "core/io/onnx_graph.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian and copied as it is");

constexpr std::int64_t kFloat = 1, kDouble = 11;
constexpr std::size_t kMaxDims = 8;

[[noreturn]] void refuse(const Tensor& tensor, const std::string& reason) {
    throw InputError("tensor " + quoted(tensor.name) + ": " + reason + ".");
}

template <class Stored>
std::vector<double> copyOf(std::string_view bytes) {
    std::vector<double> values(bytes.size() / sizeof(Stored));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Stored stored;
        std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
        values[i] = static_cast<double>(stored);
    }
    return values;
}

/// Where the numbers are, once it is sure that exactly `count` of them are there.
std::string_view storedBytes(const Tensor& tensor, double count) {
    const bool isFloat = tensor.type == kFloat;
    const std::string& typed = isFloat ? tensor.floats : tensor.doubles;
    if (tensor.raw && !tensor.raw->empty() && !typed.empty()) refuse(tensor, "it stores its numbers twice, raw and typed");
    const std::string_view bytes = typed.empty() && tensor.raw ? *tensor.raw : std::string_view(typed);
    if (static_cast<double>(bytes.size()) != count * (isFloat ? 4 : 8))
        refuse(tensor, "its shape " + shapeText(tensor.dims) + " needs " + whole(count * (isFloat ? 4 : 8)) +
                           " bytes, but the file holds " + std::to_string(bytes.size()));
    return bytes;
}

}  // namespace

std::string typeName(std::int64_t type) {
    static constexpr const char* kNames[] = {"UNDEFINED", "FLOAT",  "UINT8",     "INT8",       "UINT16",  "INT16",
                                             "INT32",     "INT64",  "STRING",    "BOOL",       "FLOAT16", "DOUBLE",
                                             "UINT32",    "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16"};
    if (type >= 0 && type < static_cast<std::int64_t>(std::size(kNames))) return kNames[type];
    return "type " + std::to_string(type);
}

std::string shapeText(const std::vector<std::int64_t>& dims) {
    if (dims.empty()) return "a single number";
    std::string text;
    for (std::int64_t dim : dims) text += (text.empty() ? "" : " × ") + std::to_string(dim);
    return text;
}

double elementCount(const Tensor& tensor) {
    if (tensor.dims.size() > kMaxDims) refuse(tensor, "it has more than " + std::to_string(kMaxDims) + " dimensions");
    double count = 1;
    for (std::int64_t dim : tensor.dims) {
        if (dim < 1 || dim > 2147483647) refuse(tensor, "a dimension of " + std::to_string(dim) + " is not possible");
        count *= static_cast<double>(dim);
    }
    return count;
}

std::vector<double> numbers(const Tensor& tensor) {
    const double count = elementCount(tensor);
    if (tensor.external) {
        const std::string file = tensor.location.empty() ? "" : " (" + quoted(tensor.location) + ")";
        refuse(tensor, "its numbers are in another file" + file + "; export the model as one file");
    }
    if (tensor.type != kFloat && tensor.type != kDouble)
        refuse(tensor, "it holds " + typeName(tensor.type) + "; only FLOAT and DOUBLE are supported");
    if (count > kMaxFileWeights)
        refuse(tensor,
               "its shape " + shapeText(tensor.dims) + " is more than the " + whole(kMaxFileWeights) + " numbers that are possible");
    const std::string_view bytes = storedBytes(tensor, count);
    std::vector<double> values = tensor.type == kFloat ? copyOf<float>(bytes) : copyOf<double>(bytes);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i])) refuse(tensor, "number " + std::to_string(i + 1) + " is not finite");
    return values;
}

}  // namespace kappaflow::onnx

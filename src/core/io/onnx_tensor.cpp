#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/errors.h"
#include "core/io/file_limits.h"
#include "core/io/onnx.h"
#include "core/io/onnx_graph.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian and copied as it is");

[[noreturn]] void refuse(const Tensor& tensor, const std::string& reason) {
    throw InputError("tensor " + quoted(tensor.name) + ": " + reason + ".");
}

/// Entry (i, j) of [rows][columns] comes to (j, i); one column: everything stays where it is.
template <class Stored>
std::vector<double> finiteNumbers(const Tensor& tensor, std::string_view bytes, std::size_t columns) {
    const std::size_t count = bytes.size() / sizeof(Stored), rows = count / columns;
    const auto at = [&](std::size_t i) {
        Stored stored;
        std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
        if (!std::isfinite(stored)) refuse(tensor, "number " + std::to_string(i + 1) + " is not finite");
        return static_cast<double>(stored);
    };
    std::vector<double> values;
    values.reserve(count);
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t i = 0; i < rows; ++i) values.push_back(at(i * columns + j));
    return values;
}

/// Where the numbers are, once it is sure that exactly `count` of them are there.
std::string_view storedBytes(const Tensor& tensor, double count) {
    const bool isFloat = tensor.type == kFloat;
    const std::string_view typed = isFloat ? tensor.floats.view() : tensor.doubles.view();
    if (tensor.raw && !tensor.raw->empty() && !typed.empty()) refuse(tensor, "it stores its numbers twice, raw and typed");
    const std::string_view bytes = typed.empty() && tensor.raw ? *tensor.raw : typed;
    if (static_cast<double>(bytes.size()) != count * (isFloat ? 4 : 8))
        refuse(tensor, "its shape " + shapeText(tensor.dims) + " needs " + whole(count * (isFloat ? 4 : 8)) +
                           " bytes, but the file holds " + std::to_string(bytes.size()));
    return bytes;
}

void requireInside(const Tensor& tensor) {
    if (!tensor.external) return;
    const std::string file = tensor.location.empty() ? "" : " (" + quoted(tensor.location) + ")";
    refuse(tensor, "its numbers are in another file" + file + "; open both together, or export the model as one file");
}

void requireWhole(const Tensor& tensor) {
    if (tensor.isCut) refuse(tensor, "it holds more whole numbers than are read of a list that is not stored raw");
}

template <class Stored>
std::vector<std::int64_t> wholeNumbers(std::string_view bytes, std::size_t most) {
    std::vector<std::int64_t> values;
    for (std::size_t at = 0; at + sizeof(Stored) <= bytes.size() && values.size() < most; at += sizeof(Stored)) {
        Stored stored;
        std::memcpy(&stored, bytes.data() + at, sizeof stored);
        values.push_back(static_cast<std::int64_t>(stored));
    }
    return values;
}

std::vector<std::int64_t> rawWholes(const Tensor& tensor, std::size_t most) {
    if (tensor.type == kInt64) return wholeNumbers<std::int64_t>(*tensor.raw, most);
    return tensor.type == kInt32 ? wholeNumbers<std::int32_t>(*tensor.raw, most) : wholeNumbers<unsigned char>(*tensor.raw, most);
}

std::vector<double> readNumbers(const Tensor& tensor, std::size_t columns) {
    const double count = elementCount(tensor);
    requireInside(tensor);
    if (tensor.type != kFloat && tensor.type != kDouble)
        refuse(tensor, "it holds " + typeName(tensor.type) + "; only FLOAT and DOUBLE are supported");
    if (count > fileLimits().weights)
        refuse(tensor,
               "its shape " + shapeText(tensor.dims) + " is more than the " + whole(fileLimits().weights) + " numbers that are possible");
    const std::string_view bytes = storedBytes(tensor, count);
    return tensor.type == kFloat ? finiteNumbers<float>(tensor, bytes, columns) : finiteNumbers<double>(tensor, bytes, columns);
}

}  // namespace

std::string typeName(std::int64_t type) {
    static constexpr const char* kNames[] = {"UNDEFINED", "FLOAT",  "UINT8",     "INT8",       "UINT16",  "INT16",
                                             "INT32",     "INT64",  "STRING",    "BOOL",       "FLOAT16", "DOUBLE",
                                             "UINT32",    "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16"};
    if (type >= 0 && type < static_cast<std::int64_t>(std::size(kNames))) return kNames[type];
    return "type " + std::to_string(type);
}

double elementCount(const Tensor& tensor) {
    if (const std::string fault = faultOfDims(tensor.dims); !fault.empty()) refuse(tensor, fault);
    return productOf(tensor.dims);
}

std::vector<double> numbers(const Tensor& tensor) { return readNumbers(tensor, 1); }

std::vector<double> transposedNumbers(const Tensor& tensor) { return readNumbers(tensor, static_cast<std::size_t>(tensor.dims.back())); }

std::vector<std::int64_t> integers(const Tensor& tensor) {
    requireInside(tensor);
    requireWhole(tensor);
    if (tensor.type != kInt64 && tensor.type != kInt32 && tensor.type != kBool)
        refuse(tensor, "it holds " + typeName(tensor.type) + " where whole numbers are needed");
    const double count = productOf(tensor.dims);
    if (tensor.dims.size() > 1 || !(count >= 0 && count <= kMaxDims))
        refuse(tensor, "its shape " + shapeText(tensor.dims) + " is not that of a list of up to " + std::to_string(kMaxDims));
    std::vector<std::int64_t> values = tensor.integers;
    const std::size_t width = tensor.type == kInt64 ? 8 : tensor.type == kInt32 ? 4 : 1;
    if (tensor.raw && static_cast<double>(tensor.raw->size()) == count * static_cast<double>(width) && values.empty())
        values = rawWholes(tensor, kMaxDims + 1);
    if (static_cast<double>(values.size()) != count)
        refuse(tensor, "its shape " + shapeText(tensor.dims) + " does not go with the numbers that it holds");
    return values;
}

std::vector<std::int64_t> wholesOf(const Tensor& tensor) {
    requireInside(tensor);
    requireWhole(tensor);
    if (tensor.type != kInt64 && tensor.type != kInt32 && tensor.type != kBool)
        refuse(tensor, "it holds " + typeName(tensor.type) + " where whole numbers are needed");
    const double count = elementCount(tensor);
    if (count > fileLimits().weights)
        refuse(tensor,
               "its shape " + shapeText(tensor.dims) + " is more than the " + whole(fileLimits().weights) + " numbers that are possible");
    if (count == static_cast<double>(tensor.integers.size())) return tensor.integers;
    const std::size_t width = tensor.type == kInt64 ? 8 : tensor.type == kInt32 ? 4 : 1;
    if (!tensor.raw || static_cast<double>(tensor.raw->size()) != static_cast<double>(width) * count)
        refuse(tensor, "its shape " + shapeText(tensor.dims) + " does not go with the numbers that it holds, or they are not stored raw");
    return rawWholes(tensor, static_cast<std::size_t>(count));
}

std::vector<std::int64_t> longList(const Tensor& tensor, double most) {
    requireInside(tensor);
    requireWhole(tensor);
    if (tensor.type != kInt64) refuse(tensor, "it holds " + typeName(tensor.type) + " where INT64 is needed");
    const double count = elementCount(tensor);
    if (tensor.dims.size() != 1 || count > most)
        refuse(tensor, "its shape " + shapeText(tensor.dims) + " is not that of a list of up to " + whole(most));
    if (!tensor.raw && count == static_cast<double>(tensor.integers.size())) return tensor.integers;
    if (!tensor.raw || static_cast<double>(tensor.raw->size()) != 8 * count)
        refuse(tensor, "its shape " + shapeText(tensor.dims) + " does not go with the numbers that it holds, or they are not stored raw");
    return wholeNumbers<std::int64_t>(*tensor.raw, static_cast<std::size_t>(count));
}

}  // namespace kappaflow::onnx

#include "core/io/stored_numbers.h"

#include <cmath>
#include <cstring>

#include "core/base/errors.h"
#include "core/io/file_limits.h"
#include "core/io/named_tensors.h"
#include "core/io/printable.h"

namespace kappaflow {
namespace tensors {
namespace {

/// sign · 2^(exponent − 15) · 1.fraction, without the leading 1 where the exponent is 0: exact in double.
double halfOf(std::uint64_t bits) {
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const auto fraction = static_cast<double>(bits & 1023);
    const double size = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 & 1 ? -size : size;
}

double valueOf(std::uint64_t bits, Element element) {
    if (element == Element::F16) return halfOf(bits);
    if (element == Element::F64) {
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    const auto word = static_cast<std::uint32_t>(element == Element::BF16 ? bits << 16 : bits);
    float value;
    std::memcpy(&value, &word, sizeof value);
    return static_cast<double>(value);
}

/// Row-major place after place of the columns-first order.
class ColumnWalk {
public:
    explicit ColumnWalk(const std::vector<std::int64_t>& dims) : dims_(dims), index_(dims.size(), 0), steps_(dims.size(), 1) {
        for (std::size_t d = dims.size(); d-- > 1;) steps_[d - 1] = steps_[d] * dims[d];
    }
    std::size_t next() {
        const auto at = static_cast<std::size_t>(at_);
        for (std::size_t d = 0; d < dims_.size(); ++d) {
            at_ += steps_[d];
            if (++index_[d] < dims_[d]) break;
            at_ -= steps_[d] * dims_[d];
            index_[d] = 0;
        }
        return at;
    }

private:
    const std::vector<std::int64_t>& dims_;
    std::vector<std::int64_t> index_, steps_;
    std::int64_t at_ = 0;
};

}  // namespace

std::size_t bytesOf(Element element) { return element == Element::F64 ? 8 : element == Element::F32 ? 4 : 2; }

void refuse(std::string_view tensor, const std::string& reason) { throw InputError("tensor " + quoted(tensor) + ": " + reason + "."); }

double countOf(std::string_view tensor, const std::vector<std::int64_t>& dims) {
    if (const std::string fault = faultOfDims(dims); !fault.empty()) refuse(tensor, fault);
    const double count = productOf(dims);
    if (count > fileLimits().weights)
        refuse(tensor, "its shape is more than the " + whole(fileLimits().weights) + " numbers that are possible");
    return count;
}

std::vector<double> numbers(std::string_view tensor, const std::vector<std::int64_t>& dims, const Stored& stored) {
    const auto count = static_cast<std::size_t>(countOf(tensor, dims));
    const std::size_t width = bytesOf(stored.element);
    if (stored.bytes.size() != count * width)
        refuse(tensor,
               "its shape needs " + std::to_string(count * width) + " bytes, but the file holds " + std::to_string(stored.bytes.size()));
    std::vector<double> values(count);
    ColumnWalk walk(dims);
    for (std::size_t i = 0; i < count; ++i) {
        const double value = valueOf(wholeAt(stored.bytes, i * width, width, stored.bigEndian), stored.element);
        // Beyond float's range squares of weights overflow even in double, a little further up.
        if (!(std::abs(value) <= 3.4028234663852886e38))
            refuse(tensor, "number " + std::to_string(i + 1) + (std::isfinite(value) ? " is too large" : " is not finite"));
        values[stored.columnsFirst ? walk.next() : i] = value;
    }
    return values;
}

void addTensor(TensorFile& file, std::string_view name, const std::vector<std::int64_t>& dims, const Stored& stored) {
    if (name.size() > kMaxTensorName) refuse(name, "its name is longer than " + std::to_string(kMaxTensorName) + " bytes");
    if (file.tensors.size() == kMaxTensors) refuse(name, "with it the file has more than " + std::to_string(kMaxTensors) + " arrays");
    file.numbers += countOf(name, dims);
    if (file.numbers > fileLimits().weights) refuse(name, "with it the file has more than " + whole(fileLimits().weights) + " numbers");
    file.tensors.push_back({std::string(name), dims, numbers(name, dims, stored)});
}

}  // namespace tensors

std::string faultOfDims(const std::vector<std::int64_t>& dims) {
    if (dims.size() > kMaxDims) return "it has more than " + std::to_string(kMaxDims) + " dimensions";
    for (const std::int64_t dim : dims)
        if (dim < 1 || dim > 2147483647) return "a dimension of " + std::to_string(dim) + " is not possible";
    return "";
}

double productOf(const std::vector<std::int64_t>& dims) {
    double product = 1;
    for (const std::int64_t dim : dims) product *= static_cast<double>(dim);
    return product;
}

std::string shapeText(const std::vector<std::int64_t>& dims) {
    if (dims.empty()) return "a single number";
    std::string text;
    for (const std::int64_t dim : dims) text += (text.empty() ? "" : " × ") + std::to_string(dim);
    return text;
}

}  // namespace kappaflow

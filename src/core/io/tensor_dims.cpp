#include "core/io/tensor_dims.h"

namespace kappaflow {

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

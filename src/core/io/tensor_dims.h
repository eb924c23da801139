#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kappaflow {

/// Dimensions that a tensor of a file may have.
inline constexpr std::size_t kMaxDims = 8;

/// Why dims are those of no tensor, for a sentence; empty when each is 1 … 2³¹−1 and there are at most kMaxDims.
std::string faultOfDims(const std::vector<std::int64_t>& dims);
/// Their product, in double.
double productOf(const std::vector<std::int64_t>& dims);
/// "64 × 32", "a single number".
std::string shapeText(const std::vector<std::int64_t>& dims);

}  // namespace kappaflow

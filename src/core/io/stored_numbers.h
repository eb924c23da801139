#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kappaflow {

/// The whole number of up to eight bytes that stands at `at`, least significant byte first or last. The bytes must be there.
inline std::uint64_t wholeAt(std::span<const unsigned char> bytes, std::size_t at, std::size_t width, bool bigEndian = false) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value |= static_cast<std::uint64_t>(bytes[at + (bigEndian ? width - 1 - i : i)]) << (8 * i);
    return value;
}

/// Dimensions that a tensor of a file may have.
inline constexpr std::size_t kMaxDims = 8;

/// Why dims are those of no tensor, for a sentence; empty when each is 1 … 2³¹−1 and there are at most kMaxDims.
std::string faultOfDims(const std::vector<std::int64_t>& dims);
/// Their product, in double.
double productOf(const std::vector<std::int64_t>& dims);
/// "64 × 32", "a single number".
std::string shapeText(const std::vector<std::int64_t>& dims);

}  // namespace kappaflow

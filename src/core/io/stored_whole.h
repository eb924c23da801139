#pragma once
#include <cstdint>
#include <span>

namespace kappaflow {

/// The whole number of up to eight bytes that stands at `at`, least significant byte first or last. The bytes must be there.
inline std::uint64_t wholeAt(std::span<const unsigned char> bytes, std::size_t at, std::size_t width, bool bigEndian = false) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value |= static_cast<std::uint64_t>(bytes[at + (bigEndian ? width - 1 - i : i)]) << (8 * i);
    return value;
}

}  // namespace kappaflow

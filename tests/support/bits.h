#pragma once
#include <cstdint>
#include <cstring>

namespace kappaflow {

/// The bits of a double (em++ 3.1.6 has no std::bit_cast).
inline std::uint64_t bitsOf(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

}  // namespace kappaflow

#pragma once
#include <cstdint>
#include <random>

/// Numbers for tests that try many inputs; the generator's bits are the same everywhere. (This room does not link the core's.)
class Random {
public:
    explicit Random(std::uint64_t seed) : bits_(seed) {}
    double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
    std::uint64_t below(std::uint64_t n) { return bits_() % n; }

private:
    std::mt19937_64 bits_;
};

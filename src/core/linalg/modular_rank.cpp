#include "core/linalg/modular_rank.h"

#include <algorithm>
#include <cassert>

namespace kappaflow {
namespace {

constexpr std::uint64_t p = kModularPrime;

std::uint64_t inverseOf(std::uint64_t x) {
    // Fermat: x^(p−2).
    std::uint64_t result = 1;
    for (std::uint64_t exponent = p - 2; exponent > 0; exponent >>= 1, x = x * x % p)
        if (exponent & 1) result = result * x % p;
    return result;
}

}  // namespace

std::size_t modularRank(std::vector<std::uint32_t> a, std::size_t rows, std::size_t columns) {
    assert(a.size() == rows * columns);
    std::size_t rank = 0;
    for (std::size_t column = 0; column < columns && rank < rows; ++column) {
        std::size_t pivot = rank;
        while (pivot < rows && a[pivot * columns + column] % p == 0) ++pivot;
        if (pivot == rows) continue;
        std::uint32_t* top = &a[rank * columns];
        std::swap_ranges(top, top + columns, &a[pivot * columns]);
        const std::uint64_t inverse = inverseOf(top[column] % p);
        for (std::size_t i = rank + 1; i < rows; ++i) {
            std::uint32_t* row = &a[i * columns];
            const std::uint64_t factor = (p - row[column] % p * inverse % p) % p;
            if (factor == 0) continue;
            for (std::size_t j = column; j < columns; ++j) row[j] = static_cast<std::uint32_t>((row[j] + factor * top[j]) % p);
        }
        ++rank;
    }
    return rank;
}

}  // namespace kappaflow

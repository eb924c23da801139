#pragma once
#include <vector>

namespace kappaflow {

/// Four partial sums in a fixed order: as quick as the adder allows, and unlike a library's product the same on every platform.
inline double orderedDot(const double* a, const double* b, std::size_t count) {
    double sum[4] = {0, 0, 0, 0};
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (std::size_t k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
    for (; i < count; ++i) sum[i % 4] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

inline double orderedDot(const std::vector<double>& a, const std::vector<double>& b) { return orderedDot(a.data(), b.data(), a.size()); }

/// x −= (2 v·x / v·v) v over indices from `from` on: the reflection that v stands for; a zero v is the identity.
inline void reflect(const std::vector<double>& v, double squaredNorm, std::size_t from, std::vector<double>& x) {
    if (squaredNorm == 0) return;
    const double factor = 2 * orderedDot(v.data() + from, x.data() + from, v.size() - from) / squaredNorm;
    for (std::size_t i = from; i < v.size(); ++i) x[i] -= factor * v[i];
}

}  // namespace kappaflow

// The products of a map with a vertex's values: what a partition spends most of its time on, apart from what is done once for each layer.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/regions/program.h"

namespace kappaflow {
namespace {

/// Marks a function whose AVX2 copy the program takes at start-up where the processor has it: the same sums, without fused products, in
/// half the time. Sanitizers do not allow that.
#if defined(__x86_64__) && defined(__linux__) && defined(KF_CLONES)
#define KF_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define KF_WIDE
#endif

typedef double Four __attribute__((vector_size(32)));

/// y += the columns of `weights` from its first on, times the inputs; `count` outputs, a multiple of eight. Sixteen at a time, written
/// out: at -O2 sums in an array would live in memory.
KF_WIDE void addProducts(const double* weights, const LinearMap::Inputs& inputs, std::size_t stride, std::size_t count, double* y) {
    const std::uint32_t* const index = inputs.index.data();
    const double* const value = inputs.value.data();
    const std::size_t inner = inputs.count;
    std::size_t o = 0;
    for (; o + 16 <= count; o += 16) {
        Four a, b, c, d, p, q, r, s;
        std::memcpy(&a, y + o, sizeof a);
        std::memcpy(&b, y + o + 4, sizeof b);
        std::memcpy(&c, y + o + 8, sizeof c);
        std::memcpy(&d, y + o + 12, sizeof d);
        for (std::size_t k = 0; k < inner; ++k) {
            const double* row = weights + o + index[k] * stride;
            const double x = value[k];
            std::memcpy(&p, row, sizeof p);
            std::memcpy(&q, row + 4, sizeof q);
            std::memcpy(&r, row + 8, sizeof r);
            std::memcpy(&s, row + 12, sizeof s);
            a += x * p;
            b += x * q;
            c += x * r;
            d += x * s;
        }
        std::memcpy(y + o, &a, sizeof a);
        std::memcpy(y + o + 4, &b, sizeof b);
        std::memcpy(y + o + 8, &c, sizeof c);
        std::memcpy(y + o + 12, &d, sizeof d);
    }
    if (o == count) return;
    Four a, b, p, q;
    std::memcpy(&a, y + o, sizeof a);
    std::memcpy(&b, y + o + 4, sizeof b);
    for (std::size_t k = 0; k < inner; ++k) {
        const double* row = weights + o + index[k] * stride;
        std::memcpy(&p, row, sizeof p);
        std::memcpy(&q, row + 4, sizeof q);
        a += value[k] * p;
        b += value[k] * q;
    }
    std::memcpy(y + o, &a, sizeof a);
    std::memcpy(y + o + 4, &b, sizeof b);
}

}  // namespace

void LinearMap::gather(const double* x, Inputs& found) const {
    if (found.index.size() < inputs_) {
        found.index.resize(inputs_);
        found.value.resize(inputs_);
    }
    std::size_t count = 0;
    double even = 0, odd = 0;
    std::size_t i = 0;
    const auto take = [&](std::size_t at) {
        found.index[count] = static_cast<std::uint32_t>(at);
        found.value[count] = x[at];
        count += x[at] != 0;
    };
    for (; i + 2 <= inputs_; i += 2) {
        take(i);
        take(i + 1);
        even = std::max(even, std::abs(x[i]));
        odd = std::max(odd, std::abs(x[i + 1]));
    }
    if (i < inputs_) {
        take(i);
        even = std::max(even, std::abs(x[i]));
    }
    found.count = count;
    found.largest = std::max(even, odd);
}

void LinearMap::apply(const double* x, const Inputs& inputs, std::size_t begin, std::size_t end, double* y, bool withBias) const {
    if (!thin()) return applyDense(inputs, begin, end, y, withBias);
    for (std::size_t o = begin; o < end; ++o) {
        double sum = withBias ? bias_[o] : 0;
        for (std::size_t e = start_[o]; e < start_[o + 1]; ++e) sum += entries_[e].weight * x[entries_[e].input];
        y[o - begin] = sum;
    }
}

void LinearMap::applyDense(const Inputs& inputs, std::size_t begin, std::size_t end, double* y, bool withBias) const {
    const std::size_t count = (end - begin + 7) / 8 * 8;
    if (withBias)
        std::copy_n(&bias_[begin], count, y);
    else
        std::fill_n(y, count, 0.0);
    addProducts(&dense_[begin], inputs, stride_, count, y);
}

}  // namespace kappaflow

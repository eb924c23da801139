#pragma once
#include <cstdint>
#include <cstring>
#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace kappaflow {

/// Two doubles in one register, on every compiler and platform of the project; + − · act on both.
typedef double Pair __attribute__((vector_size(16)));

inline Pair loadPair(const double* p) {
    Pair x;
    std::memcpy(&x, p, sizeof x);
    return x;
}
inline void storePair(double* p, Pair x) { std::memcpy(p, &x, sizeof x); }
inline Pair bothOf(double x) { return Pair{x, x}; }

/// Entry by entry: `positive` where x > 0, `other` elsewhere.
inline Pair whereAbove(Pair x, Pair positive, Pair other) {
    typedef long long Mask __attribute__((vector_size(16)));
    const Mask above = reinterpret_cast<Mask>(x > bothOf(0));
    return reinterpret_cast<Pair>((above & reinterpret_cast<Mask>(positive)) | (~above & reinterpret_cast<Mask>(other)));
}

/// Bit i: the sign bit of entry i.
inline std::uint64_t signBits(Pair x) {
#if defined(__SSE2__)
    return static_cast<std::uint64_t>(_mm_movemask_pd(reinterpret_cast<__m128d>(x)));
#elif defined(__wasm_simd128__)
    return static_cast<std::uint64_t>(wasm_i64x2_bitmask(reinterpret_cast<v128_t>(x)));
#else
    std::uint64_t bits[2];
    std::memcpy(bits, &x, sizeof x);
    return bits[0] >> 63 | (bits[1] >> 63) << 1;
#endif
}

}  // namespace kappaflow

#include "core/linalg/ordered_product.h"

#include <cstring>
#include <vector>

namespace kappaflow {
namespace {

constexpr std::size_t kWide = 4, kHigh = 4;

/// Two doubles in one register. The compilers' own vectors: Eigen's do not exist for wasm, where sums in arrays would live in memory.
typedef double Two __attribute__((vector_size(16)));

Two load(const double* p) {
    Two two;
    std::memcpy(&two, p, sizeof two);
    return two;
}

void store(double* p, Two two) { std::memcpy(p, &two, sizeof two); }

/// Columns x … x + 3 of B one inner index after the other, zeros beyond the last column.
void pack(MatrixView B, std::size_t x, double* panel) {
    const std::size_t width = B.columns - x < kWide ? B.columns - x : kWide;
    for (std::size_t k = 0; k < B.rows; ++k, panel += kWide) {
        const double* row = B.data + k * B.rowStride + x * B.columnStride;
        for (std::size_t j = 0; j < kWide; ++j) panel[j] = j < width ? row[j * B.columnStride] : 0;
    }
}

/// Sums of four rows of A with a panel.
void fourRows(const double* a, std::size_t rowStride, std::size_t innerStride, const double* panel, std::size_t inner, double* sums) {
    Two s00{}, s01{}, s10{}, s11{}, s20{}, s21{}, s30{}, s31{};
    for (std::size_t k = 0; k < inner; ++k, panel += kWide, a += innerStride) {
        const Two b0 = load(panel), b1 = load(panel + 2);
        const double a0 = a[0], a1 = a[rowStride], a2 = a[2 * rowStride], a3 = a[3 * rowStride];
        s00 += a0 * b0, s01 += a0 * b1;
        s10 += a1 * b0, s11 += a1 * b1;
        s20 += a2 * b0, s21 += a2 * b1;
        s30 += a3 * b0, s31 += a3 * b1;
    }
    const Two all[] = {s00, s01, s10, s11, s20, s21, s30, s31};
    for (std::size_t i = 0; i < 8; ++i) store(sums + 2 * i, all[i]);
}

void oneRow(const double* a, std::size_t innerStride, const double* panel, std::size_t inner, double* sums) {
    Two s0{}, s1{};
    for (std::size_t k = 0; k < inner; ++k, panel += kWide, a += innerStride) s0 += *a * load(panel), s1 += *a * load(panel + 2);
    store(sums, s0);
    store(sums + 2, s1);
}

}  // namespace

void orderedProduct(MatrixView A, MatrixView B, double* C) {
    assert(A.columns == B.rows);
    std::vector<double> panel(kWide * B.rows);
    double sums[kHigh * kWide];
    for (std::size_t x = 0; x < B.columns; x += kWide) {
        pack(B, x, panel.data());
        const std::size_t width = B.columns - x < kWide ? B.columns - x : kWide;
        for (std::size_t r = 0; r < A.rows;) {
            const std::size_t high = A.rows - r < kHigh ? 1 : kHigh;
            const double* a = A.data + r * A.rowStride;
            if (high == kHigh)
                fourRows(a, A.rowStride, A.columnStride, panel.data(), B.rows, sums);
            else
                oneRow(a, A.columnStride, panel.data(), B.rows, sums);
            for (std::size_t i = 0; i < high; ++i, ++r) std::memcpy(C + r * B.columns + x, sums + i * kWide, width * sizeof(double));
        }
    }
}

}  // namespace kappaflow

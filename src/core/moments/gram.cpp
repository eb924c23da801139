#include "core/moments/gram.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/ordered_product.h"

namespace kappaflow {
namespace {

constexpr std::size_t kBlockColumns = 32;

/// AᵀA, a block of columns at a time with those before it, and mirrored: half of the work of a product.
Matrix gramOf(MatrixView A) {
    const std::size_t n = A.columns;
    Matrix gram(n, n);
    std::vector<double> block(n * kBlockColumns);
    for (std::size_t first = 0; first < n; first += kBlockColumns) {
        const std::size_t end = std::min(n, first + kBlockColumns);
        MatrixView before = A, here = A;
        before.columns = end;
        here.columns = end - first, here.data += first * A.columnStride;
        orderedProduct(before.transposed(), here, block.data());
        for (std::size_t i = 0; i < end; ++i)
            for (std::size_t j = std::max(i, first); j < end; ++j) gram(i, j) = gram(j, i) = block[i * (end - first) + j - first];
    }
    return gram;
}

}  // namespace

CentredGram centredGram(const PointValues& tensor) {
    const std::size_t P = tensor.points(), N = tensor.channels();
    CentredGram g{std::vector<double>(N), tensor.values, {}, N <= P};
    for (std::size_t p = 0; p < P; ++p)
        for (std::size_t c = 0; c < N; ++c) g.mean[c] += tensor.values(p, c);
    for (double& mean : g.mean) mean /= static_cast<double>(P);
    for (std::size_t p = 0; p < P; ++p)
        for (std::size_t c = 0; c < N; ++c) g.centred(p, c) -= g.mean[c];
    const MatrixView centred(g.centred);
    g.gram = gramOf(g.overChannels ? centred : centred.transposed());
    return g;
}

Matrix uncentredGram(const CentredGram& g) {
    Matrix gram = g.gram;
    const std::size_t P = g.centred.rows, N = g.mean.size(), n = gram.rows;
    if (g.overChannels) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) gram(i, j) += static_cast<double>(P) * g.mean[i] * g.mean[j];
        return gram;
    }
    double square = 0;
    std::vector<double> along(P);
    for (std::size_t c = 0; c < N; ++c) square += g.mean[c] * g.mean[c];
    for (std::size_t p = 0; p < P; ++p)
        for (std::size_t c = 0; c < N; ++c) along[p] += g.centred(p, c) * g.mean[c];
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) gram(i, j) += along[i] + along[j] + square;
    return gram;
}

void bringToUnit(Matrix& gram) {
    double trace = 0;
    for (std::size_t i = 0; i < gram.rows; ++i) trace += gram(i, i);
    if (!(trace > 0) || !std::isfinite(trace)) return;
    const int exponent = std::ilogb(trace);
    for (double& entry : gram.values) entry = std::ldexp(entry, -exponent);
}

}  // namespace kappaflow

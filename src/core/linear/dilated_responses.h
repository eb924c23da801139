#pragma once
#include <vector>

#include "core/linalg/decompositions.h"
#include "core/linalg/matrix.h"
#include "core/linear/hierarchical_model.h"

namespace kappaflow {

/// An element of the field of integers modulo 2³¹ − 1.
struct Residue {
    std::uint32_t value = 0;
};
inline void addProduct(Residue& sum, Residue a, Residue b) {
    // 2³¹ = 1 in this field: the upper bits are added to the lower ones.
    const std::uint64_t x = sum.value + std::uint64_t{a.value} * b.value, y = (x & kModularPrime) + (x >> 31),
                        z = (y & kModularPrime) + (y >> 31);
    sum.value = static_cast<std::uint32_t>(z >= kModularPrime ? z - kModularPrime : z);
}
inline void addProduct(double& sum, double a, double b) { sum += a * b; }
inline void add(double& sum, double a) { sum += a; }
inline void add(Residue& sum, Residue a) { addProduct(sum, a, {1}); }

/// A small dense matrix over either.
template <typename T>
struct Table {
    std::size_t rows = 0, columns = 0;
    std::vector<T> values;
    Table() = default;
    Table(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}
    T* row(std::size_t i) { return values.data() + i * columns; }
    const T* row(std::size_t i) const { return values.data() + i * columns; }
};

/// C = W·X with W row-major [rows][inner] (transposed: [inner][rows]).
inline Table<double> weightsTimes(const double* W, std::size_t rows, bool transposed, const Table<double>& X) {
    Table<double> C(rows, X.columns);
    const MatrixView view = transposed ? MatrixView(W, X.rows, rows).transposed() : MatrixView(W, rows, X.rows);
    if (!C.values.empty()) orderedProduct(view, MatrixView(X.values.data(), X.rows, X.columns), C.values.data());
    return C;
}
inline Table<Residue> weightsTimes(const Residue* W, std::size_t rows, bool transposed, const Table<Residue>& X) {
    Table<Residue> C(rows, X.columns);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < X.rows; ++k) {
            const Residue w = transposed ? W[k * rows + i] : W[i * X.rows + k];
            for (std::size_t j = 0; j < X.columns; ++j) addProduct(C.row(i)[j], w, X.row(k)[j]);
        }
    return C;
}

/// Lags that taps reach, and where each tap of a layer leads: few of all lags in a tree, where it saves the zeros between.
struct DilatedReach {
    std::vector<std::size_t> lags;                ///< ascending
    std::vector<std::vector<std::size_t>> moved;  ///< [tap][index] of lag + tap·dilation in the next reach
};

/// What follows from a shape alone.
struct DilatedPlan {
    explicit DilatedPlan(HierarchicalShape);
    HierarchicalShape shape;
    std::size_t length = 1;           ///< n
    std::vector<std::size_t> offset;  ///< [L + 1] of layer l + 1's weights
    std::vector<DilatedReach> below;  ///< [L + 1] lags reached by layers 1 … l; `moved` by layer l + 1
    std::vector<DilatedReach> above;  ///< [L + 1] lags reached by layers l + 1 … L; `moved` by layer l
    bool tensorTrain = false;

    std::size_t layers() const { return shape.layers(); }
    std::size_t taps(std::size_t l) const { return static_cast<std::size_t>(shape.taps[l - 1]); }
    std::size_t dilation(std::size_t l) const { return static_cast<std::size_t>(shape.dilations[l - 1]); }
    std::size_t channels(std::size_t l) const { return static_cast<std::size_t>(shape.channels[l]); }
    std::size_t components() const { return channels(0); }
    std::size_t inputIndex(std::size_t lag, std::size_t component) const { return (length - 1 - lag) * components() + component; }
    std::size_t tapWeights(std::size_t l, std::size_t tap) const { return offset[l - 1] + tap * channels(l) * channels(l - 1); }
};

/// E^l[o] at the lags of above[l], l = 0 … L.
template <typename T>
std::vector<Table<T>> responsesAbove(const DilatedPlan& plan, const T* weights, T one) {
    std::vector<Table<T>> E(plan.layers() + 1);
    E.back() = Table<T>(1, 1);
    E.back().values[0] = one;
    for (std::size_t l = plan.layers(); l > 0; --l) {
        const auto& moved = plan.above[l].moved;
        E[l - 1] = Table<T>(plan.channels(l - 1), plan.above[l - 1].lags.size());
        for (std::size_t k = 0; k < plan.taps(l); ++k) {
            const auto part = weightsTimes(weights + plan.tapWeights(l, k), plan.channels(l - 1), true, E[l]);
            for (std::size_t i = 0; i < part.rows; ++i)
                for (std::size_t s = 0; s < part.columns; ++s) add(E[l - 1].row(i)[moved[k][s]], part.row(i)[s]);
        }
    }
    return E;
}

/// H^l[o, m] at [o][(lag of below[l])·d + m], l = 0 … last.
template <typename T>
std::vector<Table<T>> responsesBelow(const DilatedPlan& plan, const T* weights, T one, std::size_t last) {
    const std::size_t d = plan.components();
    std::vector<Table<T>> H(last + 1);
    H[0] = Table<T>(d, d);
    for (std::size_t m = 0; m < d; ++m) H[0].row(m)[m] = one;
    for (std::size_t l = 1; l <= last; ++l) {
        const auto& moved = plan.below[l - 1].moved;
        H[l] = Table<T>(plan.channels(l), plan.below[l].lags.size() * d);
        for (std::size_t k = 0; k < plan.taps(l); ++k) {
            const auto part = weightsTimes(weights + plan.tapWeights(l, k), plan.channels(l), false, H[l - 1]);
            for (std::size_t o = 0; o < part.rows; ++o)
                for (std::size_t s = 0; s < part.columns; ++s) add(H[l].row(o)[moved[k][s / d] * d + s % d], part.row(o)[s]);
        }
    }
    return H;
}

/// out[(n − 1 − τ)·d + m] for τ shifted by `shift`: Σ_s e(s) h(τ − s, m), into a column of a row-major matrix of `stride` columns.
template <typename T>
void addConvolution(const DilatedPlan& plan, const T* e, const std::vector<std::size_t>& eLags, const T* h,
                    const std::vector<std::size_t>& hLags, std::size_t shift, T* out, std::size_t stride) {
    const std::size_t d = plan.components();
    for (std::size_t a = 0; a < eLags.size(); ++a)
        for (std::size_t b = 0; b < hLags.size(); ++b) {
            T* at = out + (plan.length - 1 - eLags[a] - hLags[b] - shift) * d * stride;
            for (std::size_t m = 0; m < d; ++m) addProduct(at[m * stride], e[a], h[b * d + m]);
        }
}

/// E_o ⋆ shift_{k d_l} ⋆ H_i for every row of E and H in the order (k, o, i), into columns `first` … of a row-major matrix.
template <typename T>
void layerColumns(const DilatedPlan& plan, std::size_t l, const Table<T>& E, const Table<T>& H, T* out, std::size_t stride) {
    for (std::size_t k = 0; k < plan.taps(l); ++k)
        for (std::size_t o = 0; o < E.rows; ++o)
            for (std::size_t i = 0; i < H.rows; ++i)
                addConvolution(plan, E.row(o), plan.above[l].lags, H.row(i), plan.below[l - 1].lags, k * plan.dilation(l),
                               out + (k * E.rows + o) * H.rows + i, stride);
}

/// Span of the impulse responses of one layer's channels: what the layer's place in the model comes down to, whatever scales and
/// rotations its channels carry.
struct ResponseSpan {
    Table<double> functions;    ///< [r][as the responses]: orthonormal rows
    Table<double> coordinates;  ///< [channels][r]: responses = coordinates · functions
    Matrix mixing;              ///< [taps · r before][dimension]: orthonormal, the combinations of moved functions that the channels take
};

/// Singular values below this share of the largest one count as zero among channels scaled to norm 1.
inline constexpr double kChannelThreshold = 1e-11;

/// Of the layers below, l = 0 … L − 1, and of those above, l = 0 … L (index 0 unused).
std::vector<ResponseSpan> spansBelow(const DilatedPlan&, const double* weights);
std::vector<ResponseSpan> spansAbove(const DilatedPlan&, const double* weights);

/// Columns with the span of ∂A/∂W^l.
Matrix canonicalColumns(const DilatedPlan&, const std::vector<ResponseSpan>& below, const std::vector<ResponseSpan>& above, std::size_t l);
/// The same without E_o ⋆ H^l_j for l < L (see HierarchicalModel::tangent).
Matrix tangentColumns(const DilatedPlan&, const std::vector<ResponseSpan>& below, const std::vector<ResponseSpan>& above, std::size_t l);

}  // namespace kappaflow

#include "core/linear/dilated_spans.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/decompositions.h"
#include "core/linalg/linalg.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// One step through a layer, upwards (transposed = false) or downwards.
struct LayerStep {
    const DilatedPlan& plan;
    const double* weights;
    Size layer;
    bool transposed;

    Size channels() const { return plan.channels(transposed ? layer - 1 : layer); }
    const DilatedReach& from() const { return transposed ? plan.above[layer] : plan.below[layer - 1]; }
    const DilatedReach& to() const { return transposed ? plan.above[layer - 1] : plan.below[layer]; }
    Size width() const { return transposed ? 1 : plan.components(); }
};

/// The channels' coordinates in the moved functions (k, j), [channels][taps · r].
Table<double> movedCoordinates(const LayerStep& step, const ResponseSpan& before) {
    const Size taps = step.plan.taps(step.layer), r = before.functions.rows;
    Table<double> M(step.channels(), taps * r);
    for (Size k = 0; k < taps; ++k) {
        const auto part = weightsTimes(step.weights + step.plan.tapWeights(step.layer, k), M.rows, step.transposed, before.coordinates);
        for (Size i = 0; i < M.rows; ++i) std::copy_n(part.row(i), r, M.row(i) + k * r);
    }
    return M;
}

/// Orthonormal basis of the span of M's rows, as columns; every row counts alike, however small the channel.
Matrix rowSpan(const Table<double>& M) {
    Matrix columns(M.columns, M.rows);
    for (Size i = 0; i < M.rows; ++i) {
        double norm = 0;
        for (Size j = 0; j < M.columns; ++j) norm = std::max(norm, std::abs(M.row(i)[j]));
        for (Size j = 0; j < M.columns && norm > 0; ++j) columns(j, i) = M.row(i)[j] / norm;
    }
    return M.columns > 0 ? spanBasis(columns, kChannelThreshold).basis : Matrix(0, 0);
}

/// Σ_{k,j} mixing[(k, j)][u] · (function j moved by tap k), [u][as the responses after the step].
Table<double> mixedFunctions(const LayerStep& step, const ResponseSpan& before, const Matrix& mixing) {
    const Size r = before.functions.rows, width = step.width();
    Table<double> mixed(mixing.columns, step.to().lags.size() * width);
    for (Size k = 0; k < step.plan.taps(step.layer); ++k) {
        if (r == 0 || mixing.columns == 0) break;
        const auto part = weightsTimes(mixing.row(k * r), mixing.columns, true, before.functions);
        for (Size u = 0; u < part.rows; ++u)
            for (Size s = 0; s < part.columns; ++s) mixed.row(u)[step.from().moved[k][s / width] * width + s % width] += part.row(u)[s];
    }
    return mixed;
}

/// C = A·B.
Table<double> times(const Table<double>& A, const Table<double>& B) {
    return B.rows == 0 ? Table<double>(A.rows, B.columns) : weightsTimes(A.values.data(), A.rows, false, B);
}

Table<double> tableOf(const Matrix& m) {
    Table<double> t(m.rows, m.columns);
    t.values = m.values;
    return t;
}

ResponseSpan next(const LayerStep& step, const ResponseSpan& before) {
    const auto M = movedCoordinates(step, before);
    ResponseSpan span;
    span.mixing = rowSpan(M);
    span.functions = mixedFunctions(step, before, span.mixing);
    span.coordinates = times(M, tableOf(span.mixing));
    // Moved functions of a tensor train do not overlap, so that the mixtures are orthonormal as they are.
    if (step.plan.tensorTrain || span.functions.rows == 0) return span;
    const auto& F = span.functions;
    const auto basis = spanBasis(transposed(Matrix(F.rows, F.columns, F.values)), kChannelThreshold).basis;
    const auto inBasis = times(F, tableOf(basis));  // F = inBasis · basisᵀ
    span.coordinates = times(span.coordinates, inBasis);
    span.functions = tableOf(transposed(basis));
    return span;
}

ResponseSpan unitSpan(Size d) {
    ResponseSpan span;
    span.functions = span.coordinates = tableOf(identityMatrix(d));
    return span;
}

/// Orthonormal basis of what is orthogonal to orthonormal columns.
Matrix orthogonalComplement(const Matrix& u) {
    Matrix square(u.rows, u.rows), rest(u.rows, u.rows - u.columns);
    for (Size i = 0; i < u.rows; ++i) std::copy_n(u.row(i), u.columns, square.row(i));
    square.values = orthonormalColumns(square.values, u.rows, u.rows);
    for (Size i = 0; i < u.rows; ++i) std::copy_n(square.row(i) + u.columns, rest.columns, rest.row(i));
    return rest;
}

}  // namespace

std::vector<ResponseSpan> spansBelow(const DilatedPlan& plan, const double* weights) {
    std::vector<ResponseSpan> spans{unitSpan(plan.components())};
    for (Size l = 1; l < plan.layers(); ++l) {
        auto span = next({plan, weights, l, false}, spans.back());
        spans.push_back(std::move(span));
    }
    return spans;
}

std::vector<ResponseSpan> spansAbove(const DilatedPlan& plan, const double* weights) {
    std::vector<ResponseSpan> spans(plan.layers() + 1);
    spans.back() = unitSpan(1);
    for (Size l = plan.layers(); l > 1; --l) spans[l - 1] = next({plan, weights, l, true}, spans[l]);
    return spans;
}

Matrix canonicalColumns(const DilatedPlan& plan, const std::vector<ResponseSpan>& below, const std::vector<ResponseSpan>& above, Size l) {
    const auto &E = above[l].functions, &H = below[l - 1].functions;
    Matrix columns(plan.length * plan.components(), E.rows * plan.taps(l) * H.rows);
    layerColumns(plan, l, E, H, columns.values.data(), columns.columns);
    return columns;
}

Matrix tangentColumns(const DilatedPlan& plan, const std::vector<ResponseSpan>& below, const std::vector<ResponseSpan>& above, Size l) {
    if (l == plan.layers()) return canonicalColumns(plan, below, above, l);
    const auto free = mixedFunctions({plan, nullptr, l, false}, below[l - 1], orthogonalComplement(below[l].mixing));
    const auto& E = above[l].functions;
    Matrix columns(plan.length * plan.components(), E.rows * free.rows);
    for (Size o = 0; o < E.rows; ++o)
        for (Size v = 0; v < free.rows; ++v)
            addConvolution(plan, E.row(o), plan.above[l].lags, free.row(v), plan.below[l].lags, 0,
                           columns.values.data() + o * free.rows + v, columns.columns);
    return columns;
}

}  // namespace kappaflow

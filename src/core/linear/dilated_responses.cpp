#include "core/linear/dilated_responses.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/linalg/matrix.h"
#include "core/linear/hierarchical_model.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Residues = std::vector<Residue>;

/// The reach after one more layer; fills `from.moved`.
DilatedReach extended(DilatedReach& from, Size taps, Size dilation) {
    DilatedReach next;
    for (Size k = 0; k < taps; ++k)
        for (Size lag : from.lags) next.lags.push_back(lag + k * dilation);
    std::sort(next.lags.begin(), next.lags.end());
    next.lags.erase(std::unique(next.lags.begin(), next.lags.end()), next.lags.end());
    from.moved.assign(taps, {});
    for (Size k = 0; k < taps; ++k)
        for (Size lag : from.lags) {
            const auto at = std::lower_bound(next.lags.begin(), next.lags.end(), lag + k * dilation);
            from.moved[k].push_back(static_cast<Size>(at - next.lags.begin()));
        }
    return next;
}

}  // namespace

DilatedPlan::DilatedPlan(HierarchicalShape s) : shape(std::move(s)), offset{0}, below(1), above(shape.layers() + 1) {
    checkShape(shape);
    length = static_cast<Size>(receptiveField(shape));
    tensorTrain = isTensorTrain(shape);
    below[0].lags = above.back().lags = {0};
    for (Size l = 1; l <= layers(); ++l) {
        offset.push_back(offset.back() + channels(l - 1) * taps(l) * channels(l));
        auto next = extended(below[l - 1], taps(l), dilation(l));
        below.push_back(std::move(next));
    }
    for (Size l = layers(); l > 0; --l) above[l - 1] = extended(above[l], taps(l), dilation(l));
}

namespace {

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
    Matrix square = sideBySide({u, Matrix(u.rows, u.rows - u.columns)});
    square.values = orthonormalColumns(square.values, u.rows, u.rows);
    return columnRange(square, u.columns, u.rows - u.columns);
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

namespace {

Residue negative(Residue a) { return {a.value == 0 ? 0 : static_cast<std::uint32_t>(kModularPrime) - a.value}; }

Residue times(Residue a, Residue b) {
    Residue product;
    addProduct(product, a, b);
    return product;
}

Residue inverse(Residue a) {
    // Fermat: a^(p−2).
    Residue result{1};
    for (auto exponent = kModularPrime - 2; exponent > 0; exponent >>= 1, a = times(a, a))
        if (exponent & 1) result = times(result, a);
    return result;
}

/// Vectors over the field, reduced one by one: each new one is independent of those before or vanishes.
class ModularSpan {
public:
    /// True when it lay outside the span so far.
    bool add(Residues x) {
        for (Size b = 0; b < basis_.size(); ++b) {
            const Residue factor = negative(x[pivot_[b]]);
            if (factor.value == 0) continue;
            const auto& reduced = basis_[b];
            for (Size i = pivot_[b]; i < x.size(); ++i) addProduct(x[i], factor, reduced[i]);
        }
        const auto first = std::find_if(x.begin(), x.end(), [](Residue r) { return r.value != 0; });
        if (first == x.end()) return false;
        const Residue scale = inverse(*first);
        for (Residue& value : x) value = times(value, scale);
        pivot_.push_back(static_cast<Size>(first - x.begin()));
        basis_.push_back(std::move(x));
        return true;
    }
    Size rank() const { return basis_.size(); }

private:
    std::vector<Residues> basis_;
    std::vector<Size> pivot_;
};

/// Independent rows with the same span.
Table<Residue> independentRows(const Table<Residue>& rows) {
    ModularSpan span;
    Table<Residue> kept(0, rows.columns);
    for (Size i = 0; i < rows.rows && kept.rows < rows.columns; ++i) {
        if (!span.add(Residues(rows.row(i), rows.row(i) + rows.columns))) continue;
        kept.values.insert(kept.values.end(), rows.row(i), rows.row(i) + rows.columns);
        ++kept.rows;
    }
    return kept;
}

Residues randomResidues(Size count, std::uint64_t seed) {
    Rng rng(seed, Purpose::Weights);
    Residues residues(count);
    for (Residue& r : residues) r.value = static_cast<std::uint32_t>(1 + rng.below(kModularPrime - 1));
    return residues;
}

/// Columns of a row-major matrix, until they fill the space.
void addColumns(const Residues& matrix, Size rows, ModularSpan& span) {
    const Size columns = matrix.size() / rows;
    for (Size j = 0; j < columns && span.rank() < rows; ++j) {
        Residues column(rows);
        for (Size i = 0; i < rows; ++i) column[i] = matrix[i * columns + j];
        span.add(std::move(column));
    }
}

void addLayer(const DilatedPlan& plan, Size l, const Table<Residue>& E, const Table<Residue>& H, ModularSpan& span) {
    const Size inputs = plan.length * plan.components();
    for (Size k = 0; k < plan.taps(l); ++k)
        for (Size o = 0; o < E.rows && span.rank() < inputs; ++o) {
            Residues columns(inputs * H.rows);
            for (Size i = 0; i < H.rows; ++i)
                addConvolution(plan, E.row(o), plan.above[l].lags, H.row(i), plan.below[l - 1].lags, k * plan.dilation(l), &columns[i],
                               H.rows);
            addColumns(columns, inputs, span);
        }
}

void checkLayers(const std::vector<Size>& layers, Size count) {
    for (Size layer : layers)
        if (layer >= count)
            throw InputError("There is no layer " + std::to_string(layer + 1) + " in a model of " + std::to_string(count) + " layers.");
}

std::vector<Size> everyLayer(Size count) {
    std::vector<Size> layers(count);
    std::iota(layers.begin(), layers.end(), Size{0});
    return layers;
}

HierarchicalShape withoutIdleChannels(HierarchicalShape shape) {
    const auto r = bondDimensions(shape);
    for (Size l = 1; l < shape.layers(); ++l) shape.channels[l] = static_cast<int>(r[l]);
    return shape;
}

}  // namespace

double genericRankWork(const HierarchicalShape& given, const std::vector<Size>& freeLayers) {
    const DilatedPlan plan(freeLayers.empty() ? withoutIdleChannels(given) : given);
    double columns = 0;
    for (Size layer : freeLayers.empty() ? everyLayer(plan.layers()) : freeLayers)
        columns += static_cast<double>(std::min(plan.channels(layer + 1), plan.above[layer + 1].lags.size()) * plan.taps(layer + 1)) *
                   static_cast<double>(std::min(plan.channels(layer), plan.below[layer].lags.size() * plan.components()));
    const double inputs = static_cast<double>(plan.length * plan.components());
    return inputs * std::min(inputs, columns) * columns;
}

Size genericRank(const HierarchicalShape& given, const std::vector<Size>& freeLayers, std::uint64_t seed) {
    checkShape(given);
    checkLayers(freeLayers, given.layers());
    if (genericRankWork(given, freeLayers) > kMaxGenericRankWork)
        throw InputError("The exact rank of a model of " + std::to_string(static_cast<long long>(receptiveField(given))) +
                         " positions and so many channels would take too long: fewer channels or layers can be done.");
    const DilatedPlan plan(freeLayers.empty() ? withoutIdleChannels(given) : given);
    const auto weights = randomResidues(plan.offset.back(), seed);
    const auto E = responsesAbove<Residue>(plan, weights.data(), {1});
    const auto H = responsesBelow<Residue>(plan, weights.data(), {1}, plan.layers() - 1);
    ModularSpan span;
    for (Size layer : freeLayers.empty() ? everyLayer(plan.layers()) : freeLayers)
        addLayer(plan, layer + 1, independentRows(E[layer + 1]), independentRows(H[layer]), span);
    return span.rank();
}

Size genericRecurrentRank(Size length, Size channels, const std::vector<Size>& freeLayers, std::uint64_t seed) {
    checkLayers(freeLayers, 3);
    const auto weights = randomResidues(3 * channels, seed);
    ModularSpan span;
    for (Size layer : freeLayers.empty() ? everyLayer(3) : freeLayers)
        for (Size j = 0; j < channels; ++j) {
            Residues column(length);
            Residue power{1}, before{0};
            for (Size lag = 0; lag < length; ++lag) {
                column[lag] = layer == 1 ? times({static_cast<std::uint32_t>(lag)}, before) : power;
                before = power;
                power = times(power, weights[channels + j]);
            }
            span.add(std::move(column));
        }
    return span.rank();
}

}  // namespace kappaflow

#include "core/linear/generic_rank.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linear/dilated_responses.h"
#include "core/linear/tensor_train.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Residues = std::vector<Residue>;

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

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

#include "core/capacity/capacity_graph.h"
#include "core/capacity/capacity_network.h"
#include "core/net/layer_norm.h"
#include "core/net/layer_rows.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// A convolution with w² in place of w, each kernel's by its largest: D's columns are its columns over their sums.
struct SquaredConv {
    Layer layer;
    Vector largest;  ///< [kernel] of a shared layer an output channel's, else an output unit's
    Vector sums;     ///< [output unit] Σ of the squares that it reads
    Size kernelOf(Size unit) const {
        const Size plane = static_cast<Size>(layer.out.height) * static_cast<Size>(layer.out.width);
        return layer.as<Conv>().shared ? unit / plane : unit % plane * static_cast<Size>(layer.out.channels) + unit / plane;
    }
};

/// Reflected taps, and periodic ones of a window longer than its ring, may meet on one input, where they add before they are squared.
bool tapsMayMeet(const Layer& conv) {
    const Window& w = conv.as<Conv>().window;
    if (w.padding == Padding::Zero || (w.before == decltype(w.before){} && w.after == decltype(w.after){})) return false;
    return w.padding != Padding::Periodic || (w.size[0] - 1) * w.dilation[0] >= conv.in.height ||
           (w.size[1] - 1) * w.dilation[1] >= conv.in.width;
}

/// Nothing where columns have to be looked at one by one: other layers, taps that may meet, squares that underflow.
std::optional<SquaredConv> squaredConv(const Layer& layer, const ZeroUnits& zeros) {
    const auto* conv = layer.getIf<Conv>();
    if (!conv || tapsMayMeet(layer)) return std::nullopt;
    const Size inputs = static_cast<Size>(layer.in.channels / conv->groups), taps = tapsOf(conv->window);
    SquaredConv squared{layer, Vector(conv->weights.size() / (inputs * taps)), {}};
    auto& [squares, bias] = static_cast<Weights&>(squared.layer.as<Conv>());
    bias.clear();
    double* kernel = squares.data();
    for (double& largest : squared.largest) {
        for (Size i = 0; i < inputs * taps; ++i) largest = std::max(largest, std::abs(kernel[i]));
        for (Size i = 0; i < inputs * taps && largest > 0; ++i) {
            const double share = kernel[i] / largest;
            kernel[i] = share * share;
        }
        kernel += inputs * taps;
    }
    if (zeros.empty()) {
        // All inputs count alike: their squares are added up before the window runs.
        Vector sums(squared.largest.size() * taps);
        const double* square = squares.data();
        for (Size kernelAt = 0; kernelAt < sums.size(); kernelAt += taps)
            for (Size input = 0; input < inputs; ++input)
                for (Size tap = 0; tap < taps; ++tap) sums[kernelAt + tap] += *square++;
        // Back and forth by swaps: the squares are not to be copied.
        squares.swap(sums);
        Layer summed = squared.layer;
        squares.swap(sums);
        summed.in.channels = conv->groups;
        squared.sums = applyLayer(summed, Vector(summed.in.units(), 1.0));
    } else {
        Vector live(layer.in.units());
        for (Size i = 0; i < live.size(); ++i) live[i] = zeros[i] ? 0 : 1;
        squared.sums = applyLayer(squared.layer, live);
    }
    constexpr double kLeast = 1e-200;  // squares of a kernel's edge far below its largest weight leave no digits
    for (Size unit = 0; unit < squared.sums.size(); ++unit)
        if (squared.sums[unit] < kLeast && squared.largest[squared.kernelOf(unit)] > 0) return std::nullopt;
    return squared;
}

/// Capacity itself on its way down a block.
struct CapacityWalker {
    using State = Vector;
    double& unattributed;
    void step(const Layer& layer, const ZeroUnits& zeros, Vector& above) const { above = propagate(layer, above, unattributed, zeros); }
    std::vector<Vector> split(const Vector& above, std::vector<Vector> shares) const {
        for (std::size_t j = 0; j < above.size(); ++j) {
            bool dead = true;
            for (Vector& share : shares) {
                dead = dead && share[j] == 0;
                share[j] *= above[j];
            }
            if (dead) unattributed += above[j];
        }
        return shares;
    }
    static Vector piece(const Vector& above, std::size_t, std::size_t first, std::size_t count) {
        const auto from = above.begin() + static_cast<std::ptrdiff_t>(first);
        return {from, from + static_cast<std::ptrdiff_t>(count)};
    }
    static void merge(Vector& into, Vector more) {
        if (into.empty()) return void(into = std::move(more));
        for (std::size_t i = 0; i < into.size(); ++i) into[i] += more[i];
    }
};

/// Of a set of n units whose m live ones are not always 0, a live unit keeps `own` of its capacity and gives each other live one `other`;
/// what is always 0 gives each 1/m.
Vector propagateLayerNorm(const Layer& layer, Vector above, double& unattributed, const ZeroUnits& zeros) {
    const Vector& weights = layer.as<LayerNorm>().weights;
    for (const NormalisedSet& set : normalisedSets(layer)) {
        const double n = static_cast<double>(set.count), centre = (1 - 1 / n) * (1 - 1 / n);
        double live = 0, sum = 0, fromZeros = 0;
        const auto isZero = [&](std::size_t unit) { return !zeros.empty() && zeros[unit]; };
        for (std::size_t k = 0; k < set.count; ++k) live += !isZero(set.first + k * set.stride);
        for (std::size_t k = 0; k < set.count; ++k) {
            const std::size_t unit = set.first + k * set.stride;
            if (weights[scaleIndex(layer, unit)] == 0 || live == 0) {
                unattributed += above[unit];
                above[unit] = 0;
            }
            (isZero(unit) ? fromZeros : sum) += above[unit];
        }
        const double own = centre / (centre + (live - 1) / (n * n)), other = 1 / (n * n * centre + live - 1);
        for (std::size_t k = 0; k < set.count; ++k) {
            double& here = above[set.first + k * set.stride];
            here = isZero(set.first + k * set.stride) ? 0 : own * here + other * (sum - here) + fromZeros / live;
        }
    }
    return above;
}

/// below += capacity · w²/Σw²; whether the column is not all zeros.
bool addDenseColumn(std::span<const double> w, double capacity, Vector& below) {
    double largest = 0, sum = 0;
    for (const double weight : w) largest = std::max(largest, std::abs(weight));
    if (largest == 0) return false;
    for (const double weight : w) sum += (weight / largest) * (weight / largest);
    for (Size i = 0; i < w.size(); ++i) below[i] += (w[i] / largest) * (w[i] / largest) / sum * capacity;
    return true;
}

}  // namespace

Vector propagate(const Layer& layer, const Vector& above, double& unattributed, const ZeroUnits& zeros) {
    assert(above.size() == layer.out.units());
    if (layer.is<LayerNorm>()) return propagateLayerNorm(layer, above, unattributed, zeros);
    if (layer.is<Block>()) {
        CapacityWalker walker{unattributed};
        return CapacityGraph(layer).descend(walker, above);
    }
    if (const auto squared = squaredConv(layer, zeros)) {
        Vector scaled = above;
        for (Size unit = 0; unit < scaled.size(); ++unit) {
            if (squared->sums[unit] == 0) unattributed += above[unit];
            scaled[unit] = squared->sums[unit] == 0 ? 0 : above[unit] / squared->sums[unit];
        }
        Vector below = applyLayerTransposedJacobian(squared->layer, Vector(layer.in.units()), scaled);
        for (Size i = 0; i < zeros.size(); ++i)
            if (zeros[i]) below[i] = 0;
        return below;
    }
    Vector below(layer.in.units());
    if (const auto* dense = layer.getIf<Dense>(); dense && zeros.empty()) {
        for (Size j = 0; j < above.size(); ++j)
            if (above[j] != 0 && !addDenseColumn({&dense->weights[j * below.size()], below.size()}, above[j], below))
                unattributed += above[j];
        return below;
    }
    visitColumns(
        layer,
        [&](std::size_t unit, std::span<const CapacityLayer::Entry> entries, double) {
            if (entries.empty()) unattributed += above[unit];
            for (const auto& entry : entries) below[entry.input] += entry.share * above[unit];
        },
        zeros);
    return below;
}

// A block's layers are visited for the norms and again on the way down.
double connectionsOf(const Layer& layer) { return (layer.is<Block>() ? 2 : 1) * inputsRead(layer); }

double propagationOperations(const Layer& layer) {
    const double connections = connectionsOf(layer), units = static_cast<double>(layer.in.units() + layer.out.units());
    if (const auto* block = layer.getIf<Block>()) {
        double work = 0;
        for (const Layer& inner : block->inner) work += propagationOperations(inner) + 10 * weightCount(inner);
        return work;
    }
    if (layer.is<Dense>()) return 3 * connections;
    const bool columns = !layer.is<Conv>() || tapsMayMeet(layer);
    return (columns ? 20 : 2) * connections + 40 * units;
}

Vector columnNorms(const Layer& layer, const ZeroUnits& zeros) {
    Vector norms(layer.out.units());
    if (const auto* norm = layer.getIf<LayerNorm>()) {
        for (const NormalisedSet& set : normalisedSets(layer)) {
            const double n = static_cast<double>(set.count);
            const auto isZero = [&](std::size_t k) { return !zeros.empty() && zeros[set.first + k * set.stride]; };
            double live = 0;
            for (std::size_t k = 0; k < set.count; ++k) live += !isZero(k);
            for (std::size_t k = 0; k < set.count; ++k) {
                const std::size_t unit = set.first + k * set.stride;
                norms[unit] = std::abs(norm->weights[scaleIndex(layer, unit)]) *
                              std::sqrt(isZero(k) ? live / (n * n) : (1 - 1 / n) * (1 - 1 / n) + (live - 1) / (n * n));
            }
        }
        return norms;
    }
    if (const auto squared = squaredConv(layer, zeros)) {
        for (Size unit = 0; unit < norms.size(); ++unit)
            norms[unit] = squared->largest[squared->kernelOf(unit)] * std::sqrt(squared->sums[unit]);
        return norms;
    }
    visitColumns(
        layer, [&](std::size_t unit, auto, double norm) { norms[unit] = norm; }, zeros);
    return norms;
}

}  // namespace kappaflow

#include "core/regions/region_estimate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/net/batch_layers.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

constexpr Size kDirections = 6, kLinesEach = 4, kMostPoints = 64, kLeastPoints = 8;
constexpr double kWork = 3e7;

/// How often units change their state between neighbouring samples.
double changesOfState(const std::vector<Layer>& layers, const BatchStates& states) {
    double changes = 0;
    for (Size l = 0; l < layers.size(); ++l) {
        if (const auto* block = layers[l].getIf<Block>()) changes += changesOfState(block->inner, states.inner[l]);
        if (!layers[l].is<Pointwise>()) continue;
        const Batch& h = states.at[operandOf(layers, l)];
        for (Size unit = 0; unit < h.rows; ++unit) {
            const LinearPieces pieces = piecewiseLinear(layers[l], unit);
            for (Size k = 1; k < h.columns; ++k) changes += pieces.stateOf(h(unit, k)) != pieces.stateOf(h(unit, k - 1));
        }
    }
    return changes;
}

}  // namespace

double mostRegions(const Network& network) {
    double product = 1;
    for (const Layer& layer : network.layers) {
        if (const auto* f = layer.getIf<Pointwise>()) {
            if (!isPiecewiseLinear(f->activation)) return 1e300;
            const double t = static_cast<double>(piecewiseLinear(f->activation, f->slope).thresholds.size() * layer.out.units());
            product *= 1 + t + t * (t - 1) / 2;
        }
        if (layer.is<Block, MaxPool>()) return 1e300;
    }
    return product;
}

double regionsOfLines(double c, double half) { return 1 + 4 * c * half + std::numbers::pi * c * c * half * half; }

double countedRegions(const Network& network, const Slice& slice, Vec2 centre, double half) {
    double uses = 1;
    bool straight = true;
    eachLayer(network.layers, [&](const Layer& layer) {
        uses += multiplyAdds(layer) + static_cast<double>(layer.out.units());
        straight = straight && (!layer.is<Pointwise>() || isPiecewiseLinear(layer));
    });
    if (!straight) return 1;
    const double afforded = kWork / (uses * kDirections * kLinesEach);
    if (afforded < kLeastPoints) return 1e300;
    const Size points = static_cast<Size>(std::min<double>(afforded, kMostPoints));
    double changes = 0, length = 0;
    for (Size direction = 0; direction < kDirections; ++direction) {
        const double turn = std::numbers::pi * static_cast<double>(direction) / kDirections;
        const Vec2 along{std::cos(turn), std::sin(turn)}, across{-along.y, along.x};
        for (Size line = 0; line < kLinesEach; ++line) {
            const Vec2 middle = centre + across * (half * (2 * static_cast<double>(line) - 3) / 4);
            BatchStates states;
            states.at.emplace_back(network.input.units(), points);
            for (Size k = 0; k < points; ++k) {
                const double t = half * (2 * static_cast<double>(k) / static_cast<double>(points - 1) - 1);
                const std::vector<double> x = slice.at(middle + along * t);
                for (Size i = 0; i < x.size(); ++i) states.at[0](i, k) = x[i];
            }
            applyChain(network.layers, states);
            changes += changesOfState(network.layers, states);
            length += 2 * half;
        }
    }
    return regionsOfLines(changes / length, half);
}

}  // namespace kappaflow

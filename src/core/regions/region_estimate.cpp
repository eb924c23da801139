#include "core/regions/region_estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "core/net/batch_layers.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

constexpr Size kDirections = 6, kLinesEach = 4, kMostPoints = 64, kLeastPoints = 8;
/// Of the window: lines may be packed about its middle.
constexpr double kSquares[] = {1, 1.0 / 8, 1.0 / 64};
constexpr double kWork = 3e7;

/// Points along each line, as many as the work affords; 0 where even few take too much, or a layer has no straight pieces.
Size pointsOfLine(const Network& network) {
    // Filling an input takes a few operations, too.
    double uses = 3.0 * static_cast<double>(network.input.units());
    bool straight = true;
    eachLayer(network.layers, [&](const Layer& layer) {
        uses += multiplyAdds(layer) + static_cast<double>(layer.out.units());
        straight = straight && (!layer.is<Pointwise>() || isPiecewiseLinear(layer));
    });
    const double afforded = kWork / (uses * kDirections * kLinesEach * std::size(kSquares));
    return !straight || afforded < kLeastPoints ? 0 : static_cast<Size>(std::min<double>(afforded, kMostPoints));
}

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

bool isCountable(const Network& network) { return pointsOfLine(network) > 0; }

double countedRegions(const Network& network, const Slice& slice, Vec2 centre, double half) {
    const Size points = pointsOfLine(network);
    if (points == 0) return 1e300;
    double most = 1;
    for (const double inner : kSquares) {
        const double reach = half * inner;
        double changes = 0;
        for (Size direction = 0; direction < kDirections; ++direction) {
            const double turn = std::numbers::pi * static_cast<double>(direction) / kDirections;
            const Vec2 along{std::cos(turn), std::sin(turn)}, across{-along.y, along.x};
            for (Size line = 0; line < kLinesEach; ++line) {
                const Vec2 middle = centre + across * (reach * (2 * static_cast<double>(line) - 3) / 4);
                BatchStates states;
                states.at.emplace_back(network.input.units(), points);
                for (Size k = 0; k < points; ++k) {
                    const double t = reach * (2 * static_cast<double>(k) / static_cast<double>(points - 1) - 1);
                    const std::vector<double> x = slice.at(middle + along * t);
                    for (Size i = 0; i < x.size(); ++i) states.at[0](i, k) = x[i];
                }
                applyChain(network.layers, states);
                changes += changesOfState(network.layers, states);
            }
        }
        most = std::max(most, regionsOfLines(changes / (2 * reach * kDirections * kLinesEach), reach));
    }
    return most;
}

}  // namespace kappaflow

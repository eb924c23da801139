#include "core/regions/piecewise.h"

namespace kappaflow {
namespace {

/// Without thresholds at which the slope stays.
LinearPieces joined(const LinearPieces& f) {
    LinearPieces g{{}, {f.slopes[0]}, {f.offsets[0]}};
    for (std::size_t i = 0; i < f.thresholds.size(); ++i) {
        if (f.slopes[i + 1] == g.slopes.back()) continue;
        g.thresholds.push_back(f.thresholds[i]);
        g.slopes.push_back(f.slopes[i + 1]);
        g.offsets.push_back(f.offsets[i + 1]);
    }
    return g;
}

/// max(0, min(1, gain·z + offset)).
LinearPieces hardSigmoid(double gain, double offset) {
    if (gain == 0) return {{}, {0}, {offset < 0 ? 0 : offset > 1 ? 1 : offset}};
    const double zero = -offset / gain, one = (1 - offset) / gain;
    // From the thresholds as they are rounded, so that the function is continuous.
    return gain > 0 ? LinearPieces{{zero, one}, {0, gain, 0}, {0, -gain * zero, -gain * zero + gain * one}}
                    : LinearPieces{{one, zero}, {0, gain, 0}, {1, 1 - gain * one, 1 - gain * one + gain * zero}};
}

double slopeOf(const Layer& layer, std::size_t unit) {
    return layer.slopes.empty() ? layer.slope : layer.slopes[unit * layer.slopes.size() / layer.in.units()];
}

}  // namespace

LinearPieces piecewiseLinear(const Layer& layer, std::size_t unit) {
    if (layer.activation == Activation::HardSigmoid) return hardSigmoid(layer.gain, layer.offset);
    return joined(piecewiseLinear(layer.activation, slopeOf(layer, unit)));
}

}  // namespace kappaflow

#include "core/regions/piecewise.h"

namespace kappaflow {
namespace {

/// Without breakpoints at which the slope stays.
PiecewiseLinear joined(const PiecewiseLinear& f) {
    PiecewiseLinear g{{}, {f.slopes[0]}, f.value(0)};
    for (std::size_t i = 0; i < f.breakpoints.size(); ++i) {
        if (f.slopes[i + 1] == g.slopes.back()) continue;
        if (g.breakpoints.empty()) g.anchor = f.value(f.breakpoints[i]);
        g.breakpoints.push_back(f.breakpoints[i]);
        g.slopes.push_back(f.slopes[i + 1]);
    }
    return g;
}

/// max(0, min(1, gain·z + offset)).
PiecewiseLinear hardSigmoid(double gain, double offset) {
    if (gain == 0) return {{}, {0}, offset < 0 ? 0 : offset > 1 ? 1 : offset};
    const double zero = -offset / gain, one = (1 - offset) / gain;
    return gain > 0 ? PiecewiseLinear{{zero, one}, {0, gain, 0}, 0} : PiecewiseLinear{{one, zero}, {0, gain, 0}, 1};
}

double slopeOf(const Layer& layer, std::size_t unit) {
    return layer.slopes.empty() ? layer.slope : layer.slopes[unit * layer.slopes.size() / layer.in.units()];
}

}  // namespace

std::size_t PiecewiseLinear::state(double z) const {
    std::size_t below = 0;
    while (below < breakpoints.size() && breakpoints[below] < z) ++below;
    return below;
}

double PiecewiseLinear::value(double z) const {
    const std::size_t at = state(z);
    return slopes[at] * z + offset(at);
}

double PiecewiseLinear::offset(std::size_t at) const {
    if (breakpoints.empty()) return anchor;
    double offset = anchor - slopes[0] * breakpoints[0];
    for (std::size_t i = 0; i < at; ++i) offset += (slopes[i] - slopes[i + 1]) * breakpoints[i];
    return offset;
}

bool isPiecewiseLinear(const Layer& layer) {
    return layer.activation != Activation::Tanh && layer.activation != Activation::Sigmoid && layer.activation != Activation::PseudoRandom;
}

PiecewiseLinear piecewiseLinear(const Layer& layer, std::size_t unit) {
    switch (layer.activation) {
        case Activation::Relu:
            return {{0}, {0, 1}, 0};
        case Activation::LeakyRelu:
            return joined({{0}, {slopeOf(layer, unit), 1}, 0});
        case Activation::Abs:
            return {{0}, {-1, 1}, 0};
        case Activation::HardTanh:
            return {{-1, 1}, {0, 1, 0}, -1};
        case Activation::Relu6:
            return {{0, 6}, {0, 1, 0}, 0};
        case Activation::HardSigmoid:
            return hardSigmoid(layer.gain, layer.offset);
        default:
            return {{}, {1}, 0};
    }
}

}  // namespace kappaflow

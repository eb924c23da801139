#include "core/capacity/unit_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/base/rng.h"
#include "core/capacity/lower_layers.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

Vector gaussians(Rng& rng, Size n, double deviation) {
    Vector x(n);
    for (double& value : x) value = deviation * rng.gaussian();
    return x;
}

/// Incoming weights times s, outgoing ones over s: the finite walk along a unit's scale direction, whose signs tell which are which.
Vector scaled(const Vector& weights, const Vector& direction, double s) {
    Vector moved = weights;
    for (Size w = 0; w < weights.size(); ++w)
        if (direction[w] != 0) moved[w] = (direction[w] < 0) == (weights[w] > 0) ? weights[w] * s : weights[w] / s;
    return moved;
}

/// The linear piece an argument lies on: 0 or 1 for kinks at zero, 0, 1, 2 for the hard tanh.
int pieceOf(Activation activation, double z) {
    if (activation == Activation::HardTanh) return z <= -1 ? 0 : z < 1 ? 1 : 2;
    return activation == Activation::Identity || z <= 0 ? 0 : 1;
}

}  // namespace

std::vector<double> scaleFactors() {
    const double root = std::sqrt(2.0);
    return {0.25, 0.5 / root, 0.5, 1 / root, 1, root, 2, 2 * root, 4};
}

std::vector<double> scalePlaces() {
    Vector places;
    for (Size t = 0; t < kScalePlaces; ++t) places.push_back(6.0 * static_cast<double>(t) / (kScalePlaces - 1) - 3);
    return places;
}

std::vector<ScaledUnit> scaleUnits(const Network& network, double deviation, std::uint64_t seed) {
    Rng rng(seed, Purpose::Data);
    const Size width = network.input.units();
    const Vector from = gaussians(rng, width, deviation), along = gaussians(rng, width, deviation);
    std::vector<Vector> inputs, original;
    double largest = 0;
    for (const double t : scalePlaces()) {
        inputs.push_back(from);
        for (Size i = 0; i < width; ++i) inputs.back()[i] += along[i] * t;
        original.push_back(forward(network, inputs.back()).back());
        for (const double y : original.back()) largest = std::max(largest, std::abs(y));
    }
    const Vector weights = allWeights(network);
    Network moved = network;
    std::vector<ScaledUnit> units;
    for (const auto& hidden : scaleDirections(network)) {
        ScaledUnit unit;
        double change = 0;
        for (const double s : scaleFactors()) {
            setAllWeights(moved, scaled(weights, hidden.direction, s));
            for (Size t = 0; t < inputs.size(); ++t) {
                const Vector y = forward(moved, inputs[t]).back();
                unit.output.push_back(y[0]);
                for (Size o = 0; o < y.size(); ++o) change = std::max(change, std::abs(y[o] - original[t][o]));
            }
        }
        unit.change = largest > 0 ? change / largest : 0;
        units.push_back(std::move(unit));
    }
    return units;
}

PiecesMet piecesMet(const Network& network, std::size_t inputs, double deviation, std::uint64_t seed) {
    Rng rng(seed, Purpose::Inputs);
    std::set<std::vector<char>> patterns;
    std::vector<std::vector<unsigned>> met(network.layers.size());  // a bit for each piece, by hidden layer and unit
    for (Size n = 0; n < inputs; ++n) {
        const auto states = forward(network, gaussians(rng, network.input.units(), deviation));
        std::vector<char> pattern;
        for (Size l = 0; l < network.layers.size(); ++l) {
            const Layer& layer = network.layers[l];
            const auto* f = layer.getIf<Pointwise>();
            if (!f) continue;
            if (!isPiecewiseLinear(layer) && f->activation != Activation::PseudoRandom)
                return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
            const bool shared = network.layers[l - 1].is<Conv>();
            const Size units = shared ? static_cast<Size>(layer.in.channels) : layer.in.units();
            met[l].resize(units);
            for (Size i = 0; i < states[l].size(); ++i) {
                const int piece = pieceOf(f->activation, states[l][i]);
                met[l][i * units / states[l].size()] |= 1u << piece;
                pattern.push_back(static_cast<char>(piece));
            }
        }
        patterns.insert(std::move(pattern));
    }
    PiecesMet found{0, static_cast<double>(patterns.size())};
    for (const auto& layer : met)
        for (const unsigned pieces : layer) found.onePieceUnits += (pieces & (pieces - 1)) == 0 ? 1 : 0;
    return found;
}

}  // namespace kappaflow

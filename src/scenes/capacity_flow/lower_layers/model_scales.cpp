#include "scenes/capacity_flow/lower_layers/model_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "core/capacity/lower_layers.h"

namespace kappaflow::lower {
namespace {

using Vector = std::vector<double>;

std::vector<Vector> lineOfInputs(std::size_t units, double deviation, std::uint64_t seed) {
    Rng rng(seed, Purpose::Data);
    Vector from(units), along(units);
    for (double& x : from) x = deviation * rng.gaussian();
    for (double& x : along) x = deviation * rng.gaussian();
    std::vector<Vector> inputs(kPlaces, from);
    for (std::size_t t = 0; t < kPlaces; ++t)
        for (std::size_t i = 0; i < units; ++i) inputs[t][i] += along[i] * (6.0 * static_cast<double>(t) / (kPlaces - 1) - 3);
    return inputs;
}

/// Incoming weights times s, outgoing ones over s: the finite walk along a unit's scale direction, whose signs tell which are which.
Vector scaled(const Vector& weights, const Vector& direction, double s) {
    Vector moved = weights;
    for (std::size_t w = 0; w < weights.size(); ++w)
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

std::vector<ScaledUnit> scaleUnits(const Network& network, double deviation, std::uint64_t seed) {
    const auto inputs = lineOfInputs(network.input.units(), deviation, seed);
    const auto factors = scaleFactors();
    const Vector weights = allWeights(network);
    std::vector<Vector> original;
    double largest = 0;
    for (const auto& input : inputs) {
        original.push_back(forward(network, input).back());
        for (const double y : original.back()) largest = std::max(largest, std::abs(y));
    }
    Network moved = network;
    std::vector<ScaledUnit> units;
    for (const auto& hidden : scaleDirections(network)) {
        ScaledUnit unit;
        double change = 0;
        for (const double s : factors) {
            setAllWeights(moved, scaled(weights, hidden.direction, s));
            for (std::size_t t = 0; t < inputs.size(); ++t) {
                const Vector y = forward(moved, inputs[t]).back();
                unit.output.push_back(y[0]);
                for (std::size_t o = 0; o < y.size(); ++o) change = std::max(change, std::abs(y[o] - original[t][o]));
            }
        }
        unit.change = largest > 0 ? change / largest : 0;
        units.push_back(std::move(unit));
    }
    return units;
}

double onePieceUnits(const Network& network, std::size_t inputs, double deviation, std::uint64_t seed) {
    Rng rng(seed, Purpose::Inputs);
    std::vector<std::vector<unsigned>> met(network.layers.size());  // a bit for each piece, by hidden layer and channel
    const auto stuck = [&] {
        double count = 0;
        for (const auto& layer : met)
            for (const unsigned pieces : layer) count += (pieces & (pieces - 1)) == 0 ? 1 : 0;
        return count;
    };
    for (std::size_t n = 0; n < inputs && (n == 0 || stuck() > 0); ++n) {
        Vector input(network.input.units());
        for (double& x : input) x = deviation * rng.gaussian();
        const auto states = forward(network, input);
        for (std::size_t l = 0; l < network.layers.size(); ++l) {
            const Layer& layer = network.layers[l];
            if (layer.kind != LayerKind::Activation) continue;
            if (layer.activation == Activation::Tanh || layer.activation == Activation::Sigmoid)
                return std::numeric_limits<double>::quiet_NaN();
            const bool shared = network.layers[l - 1].kind == LayerKind::Conv;
            const std::size_t channels = shared ? static_cast<std::size_t>(layer.in.channels) : layer.in.units();
            met[l].resize(channels);
            for (std::size_t i = 0; i < states[l].size(); ++i)
                met[l][i * channels / states[l].size()] |= 1u << pieceOf(layer.activation, states[l][i]);
        }
        if (network.layers.size() > 1 && network.layers[1].activation == Activation::Identity) break;
    }
    return stuck();
}

}  // namespace kappaflow::lower

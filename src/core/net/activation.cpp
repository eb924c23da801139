#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/rng.h"
#include "core/net/layers.h"

namespace kappaflow {
namespace {

constexpr std::pair<Activation, std::string_view> kKeys[] = {
    {Activation::Identity, "identity"},
    {Activation::Relu, "relu"},
    {Activation::LeakyRelu, "leaky-relu"},
    {Activation::Abs, "abs"},
    {Activation::Tanh, "tanh"},
    {Activation::HardTanh, "hard-tanh"},
    {Activation::Sigmoid, "sigmoid"},
    {Activation::Relu6, "relu6"},
    {Activation::HardSigmoid, "hard-sigmoid"},
    {Activation::PseudoRandom, "pseudo-random"},
};

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

double pseudoRandomSign(double z, std::uint64_t seed) {
    std::uint64_t bits;
    std::memcpy(&bits, &z, sizeof bits);
    std::uint64_t x = splitmix64(seed) ^ bits;
    return splitmix64(x) >> 63 ? 1.0 : -1.0;
}

}  // namespace

std::string_view activationKey(Activation activation) {
    for (const auto& [value, key] : kKeys)
        if (value == activation) return key;
    return "";
}

Activation activationFromKey(std::string_view text) {
    std::string known;
    for (const auto& [value, key] : kKeys) {
        if (key == text) return value;
        known += (known.empty() ? "" : ", ") + std::string(key);
    }
    throw InputError("Unknown activation \"" + std::string(text) + "\": it is one of " + known + ".");
}

double activate(Activation activation, double z, double slope, std::uint64_t seed) {
    switch (activation) {
        case Activation::Identity:
            return z;
        case Activation::Relu:
            return z > 0 ? z : 0;
        case Activation::LeakyRelu:
            return z > 0 ? z : slope * z;
        case Activation::Abs:
            return std::abs(z);
        case Activation::Tanh:
            return std::tanh(z);
        case Activation::HardTanh:
            return std::clamp(z, -1.0, 1.0);
        case Activation::Sigmoid:
            return sigmoid(z);
        case Activation::Relu6:
            return std::clamp(z, 0.0, 6.0);
        case Activation::HardSigmoid:
            return std::clamp(0.2 * z + 0.5, 0.0, 1.0);
        case Activation::PseudoRandom:
            return pseudoRandomSign(z, seed) * z;
    }
    return z;
}

double activationDerivative(Activation activation, double z, double slope, std::uint64_t seed) {
    switch (activation) {
        case Activation::Identity:
            return 1;
        case Activation::Relu:
            return z > 0 ? 1 : 0;
        case Activation::LeakyRelu:
            return z > 0 ? 1 : slope;
        case Activation::Abs:
            return z > 0 ? 1 : -1;
        case Activation::Tanh: {
            const double t = std::tanh(z);
            return 1 - t * t;
        }
        case Activation::HardTanh:
            return z > -1 && z <= 1 ? 1 : 0;
        case Activation::Sigmoid:
            return sigmoid(z) * sigmoid(-z);
        case Activation::Relu6:
            return z > 0 && z <= 6 ? 1 : 0;
        case Activation::HardSigmoid:
            return z > -2.5 && z <= 2.5 ? 0.2 : 0;
        case Activation::PseudoRandom:
            return pseudoRandomSign(z, seed);
    }
    return 1;
}

namespace {

/// A layer's activation at its unit i, with the layer's own numbers where it has any.
struct UnitActivation {
    const Layer& layer;
    double slope(std::size_t i) const {
        return layer.slopes.empty() ? layer.slope : layer.slopes[i * layer.slopes.size() / layer.in.units()];
    }
    double value(std::size_t i, double z) const {
        if (layer.activation == Activation::HardSigmoid) return std::clamp(layer.gain * z + layer.offset, 0.0, 1.0);
        return activate(layer.activation, z, slope(i), layer.seed);
    }
    double derivative(std::size_t i, double z) const {
        if (layer.activation == Activation::HardSigmoid) return hardSigmoidDerivative(z);
        return activationDerivative(layer.activation, z, slope(i), layer.seed);
    }
    /// The left one at kinks: where the line falls, the upper kink comes first.
    double hardSigmoidDerivative(double z) const {
        const double y = layer.gain * z + layer.offset;
        return (layer.gain > 0 ? y > 0 && y <= 1 : y >= 0 && y < 1) ? layer.gain : 0;
    }
};

}  // namespace

std::vector<double> applyActivation(const Layer& layer, const std::vector<double>& x) {
    const UnitActivation f{layer};
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = f.value(i, x[i]);
    return y;
}

std::vector<double> pullActivation(const Layer& layer, const std::vector<double>& x, const std::vector<double>& g) {
    const UnitActivation f{layer};
    std::vector<double> pulled(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) pulled[i] = f.derivative(i, x[i]) * g[i];
    return pulled;
}

}  // namespace kappaflow

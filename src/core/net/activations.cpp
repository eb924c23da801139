#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <utility>

#include "core/base/portable_math.h"
#include "core/base/rng.h"
#include "core/net/network.h"

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
    {Activation::Elu, "elu"},
    {Activation::Selu, "selu"},
    {Activation::Softplus, "softplus"},
    {Activation::Gelu, "gelu"},
    {Activation::GeluTanh, "gelu-tanh"},
    {Activation::Silu, "silu"},
    {Activation::Mish, "mish"},
    {Activation::HardSwish, "hard-swish"},
    {Activation::Exp, "exp"},
    {Activation::Log, "log"},
    {Activation::Sqrt, "sqrt"},
    {Activation::Reciprocal, "reciprocal"},
    {Activation::Square, "square"},
    {Activation::Erf, "erf"},
    {Activation::Sin, "sin"},
    {Activation::Cos, "cos"},
};

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

double pseudoRandomSign(double z, std::uint64_t seed) {
    std::uint64_t bits;
    std::memcpy(&bits, &z, sizeof bits);
    std::uint64_t x = splitmix64(seed) ^ bits;
    return splitmix64(x) >> 63 ? 1.0 : -1.0;
}

// Those below come with the portable functions, in training and outside.

constexpr double kSeluScale = 1.0507009873554804934, kSeluFactor = 1.6732632423543772848;

double elu(double z, double factor) { return z > 0 ? z : factor * (portableExp(z) - 1); }
double eluDerivative(double z, double factor) { return z > 0 ? 1 : factor * portableExp(z); }

double normalDensity(double z) { return std::numbers::inv_sqrtpi / std::numbers::sqrt2 * portableExp(-z * z / 2); }

constexpr double kGeluCubic = 0.044715, kGeluRoot = 0.79788456080286535588;  // √(2/π)

double geluTanh(double z) { return z / 2 * (1 + portableTanh(kGeluRoot * (z + kGeluCubic * z * z * z))); }

double geluTanhDerivative(double z) {
    if (std::abs(z) > 10) return z > 0 ? 1 : 0;  // where z² may overflow, and tanh is ±1 to the bit
    const double t = portableTanh(kGeluRoot * (z + kGeluCubic * z * z * z));
    return (1 + t) / 2 + z / 2 * (1 - t * t) * kGeluRoot * (1 + 3 * kGeluCubic * z * z);
}

double mish(double z) { return z * portableTanh(portableSoftplus(z)); }

double mishDerivative(double z) {
    const double t = portableTanh(portableSoftplus(z));
    return t + z * (1 - t * t) * portableSigmoid(z);
}

// Where values and derivatives leave the range of a float.
constexpr double kLargestExponent = 88, kLeastPositive = 1e-38, kLeastDivisor = 1e-19;

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
        case Activation::Elu:
            return elu(z, slope);
        case Activation::Selu:
            return kSeluScale * elu(z, kSeluFactor);
        case Activation::Softplus:
            return portableSoftplus(z);
        case Activation::Gelu:
            return z * portableNormal(z);
        case Activation::GeluTanh:
            return geluTanh(z);
        case Activation::Silu:
            return z * portableSigmoid(z);
        case Activation::Mish:
            return mish(z);
        case Activation::HardSwish:
            return z * std::clamp(z / 6 + 0.5, 0.0, 1.0);
        case Activation::Exp:
            return portableExp(std::min(z, kLargestExponent));
        case Activation::Log:
            return std::log(std::max(z, kLeastPositive));
        case Activation::Sqrt:
            return std::sqrt(std::max(z, kLeastPositive));
        case Activation::Reciprocal:
            return 1 / std::copysign(std::max(std::abs(z), kLeastDivisor), z);
        case Activation::Square:
            return z * z;
        case Activation::Erf:
            return 2 * portableNormal(std::numbers::sqrt2 * z) - 1;
        case Activation::Sin:
            return std::sin(z);
        case Activation::Cos:
            return std::cos(z);
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
        case Activation::Elu:
            return eluDerivative(z, slope);
        case Activation::Selu:
            return kSeluScale * eluDerivative(z, kSeluFactor);
        case Activation::Softplus:
            return portableSigmoid(z);
        case Activation::Gelu:
            return portableNormal(z) + z * normalDensity(z);
        case Activation::GeluTanh:
            return geluTanhDerivative(z);
        case Activation::Silu:
            return portableSigmoid(z) * (1 + z * portableSigmoid(-z));
        case Activation::Mish:
            return mishDerivative(z);
        case Activation::HardSwish:
            return z <= -3 ? 0 : z <= 3 ? z / 3 + 0.5 : 1;
        case Activation::Exp:
            return z <= kLargestExponent ? portableExp(z) : 0;
        case Activation::Log:
            return z > kLeastPositive ? 1 / z : 0;
        case Activation::Sqrt:
            return z > kLeastPositive ? 0.5 / std::sqrt(z) : 0;
        case Activation::Reciprocal:
            return std::abs(z) > kLeastDivisor ? -1 / (z * z) : 0;
        case Activation::Square:
            return 2 * z;
        case Activation::Erf:
            return 2 * std::numbers::inv_sqrtpi * portableExp(-z * z);
        case Activation::Sin:
            return std::cos(z);
        case Activation::Cos:
            return -std::sin(z);
    }
    return 1;
}

double slopeOf(const Layer& layer, std::size_t unit) {
    const auto& f = layer.as<Pointwise>();
    return f.slopes.empty() ? f.slope : f.slopes[unit * f.slopes.size() / layer.in.units()];
}

bool isPiecewiseLinear(Activation activation) {
    switch (activation) {
        case Activation::Identity:
        case Activation::Relu:
        case Activation::LeakyRelu:
        case Activation::Abs:
        case Activation::HardTanh:
        case Activation::Relu6:
        case Activation::HardSigmoid:
            return true;
        default:
            return false;
    }
}

LinearPieces piecewiseLinear(Activation activation, double slope) {
    switch (activation) {
        case Activation::Identity:
            return {};
        case Activation::Relu:
            return {{0}, {0, 1}, {0, 0}};
        case Activation::LeakyRelu:
            return {{0}, {slope, 1}, {0, 0}};
        case Activation::Abs:
            return {{0}, {-1, 1}, {0, 0}};
        case Activation::HardTanh:
            return {{-1, 1}, {0, 1, 0}, {-1, 0, 1}};
        case Activation::Relu6:
            return {{0, 6}, {0, 1, 0}, {0, 0, 6}};
        case Activation::HardSigmoid:
            return {{-2.5, 2.5}, {0, 0.2, 0}, {0, 0.5, 1}};
        default:
            throw InputError("The activation " + std::string(activationKey(activation)) +
                             " has no linear pieces: exact trajectories need relu, leaky-relu, abs, hard-tanh, relu6 or hard-sigmoid.");
    }
}

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

}  // namespace

LinearPieces piecewiseLinear(const Layer& layer, std::size_t unit) {
    const auto& f = layer.as<Pointwise>();
    if (f.activation == Activation::HardSigmoid) return hardSigmoid(f.gain, f.offset);
    return joined(piecewiseLinear(f.activation, slopeOf(layer, unit)));
}

}  // namespace kappaflow

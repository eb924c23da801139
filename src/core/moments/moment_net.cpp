#include "core/moments/moment_net.h"

#include <cmath>

#include "core/base/gaussians.h"
#include "core/base/rng.h"

namespace kappaflow {
namespace {

void require(bool holds, const char* sentence) {
    if (!holds) throw InputError(sentence);
}

double power(std::size_t base, int exponent) {
    double value = 1;
    for (int i = 0; i < exponent; ++i) value *= static_cast<double>(base);
    return value;
}

void requireSizes(const MomentNet& net) {
    require(net.dimensions >= 0 && net.dimensions <= 2, "A network of moments is dense or has one or two dimensions.");
    require(net.extent >= 1 && net.inputs >= 1 && net.width >= 1 && net.layers >= 1 && net.inner >= 1,
            "Extent, inputs, width, layers and inner layers must be at least 1.");
    require(net.taps % 2 == 1, "The number of taps must be odd, so that kernels have a middle.");
    require(net.dimensions > 0 || (net.extent == 1 && net.taps == 1), "A dense network has extent 1 and one tap.");
    require(!net.residual() || net.inputs == net.width, "A residual network takes as many channels as it is wide.");
    require(net.boundary != Padding::Reflect || (net.taps - 1) / 2 < net.extent,
            "A reflecting boundary needs more positions than half the taps.");
    const double kernel = power(net.taps, net.dimensions) * static_cast<double>(net.width);
    require(kernel * static_cast<double>(net.width) <= kMaxNetworkWeights && kernel * static_cast<double>(net.inputs) <= kMaxNetworkWeights,
            "One layer has more weights than are possible: lower the width or the taps.");
    require(power(net.extent, net.dimensions) * static_cast<double>(net.width) <= kMaxLayerUnits,
            "One layer has more units than are possible: lower the width or the extent.");
    require(static_cast<double>(net.layers) * static_cast<double>(net.inner) < 4294967296.0, "There are more layers than can be drawn.");
}

}  // namespace

std::size_t MomentNet::positions() const {
    std::size_t count = 1;
    for (int d = 0; d < dimensions; ++d) count *= extent;
    return count;
}

std::size_t MomentNet::linearLayers() const { return layers * innerLayers(); }

void validate(const MomentNet& net) {
    requireSizes(net);
    const Activation phi = net.activation;
    require(phi == Activation::Relu || phi == Activation::Tanh || phi == Activation::Identity,
            "The activation of a network of moments is relu, tanh or identity.");
    require(std::isfinite(net.epsilon) && net.epsilon >= 0, "The epsilon of batch norm must be finite and not negative.");
    require(std::isfinite(net.skipScale), "The scale of the skip connection must be finite.");
    require(std::isfinite(net.weightScale) && net.weightScale > 0, "The scale of the weights must be finite and positive.");
    require(std::isfinite(net.biasVariance) && net.biasVariance >= 0, "The variance of the biases must be finite and not negative.");
}

MomentWeights drawMomentWeights(const MomentNet& net, std::size_t index, std::uint64_t seed, std::uint64_t draw) {
    const std::size_t in = index == 0 ? net.inputs : net.width;
    const double R = power(net.taps, net.dimensions) * static_cast<double>(in);
    const std::uint64_t key = draw << 32 | index;
    MomentWeights weights{net.taps, in, net.width, 1, std::vector<double>(static_cast<std::size_t>(R) * net.width), {}};
    Rng rng(seed, Purpose::Weights, key);
    const double scale = net.weightScale * std::sqrt(2 / R);
    fillGaussian(rng, weights.values.data(), weights.values.size());
    for (double& weight : weights.values) weight = static_cast<double>(static_cast<float>(weight * scale));
    if (net.biasVariance == 0) return weights;
    weights.bias.resize(net.width);
    Rng biases(seed, Purpose::Biases, key);
    for (double& bias : weights.bias) bias = drawWeight(biases, std::sqrt(net.biasVariance));
    return weights;
}

}  // namespace kappaflow

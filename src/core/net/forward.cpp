#include <cassert>

#include "core/net/layers.h"

namespace kappaflow {
namespace {

using Vector = std::vector<double>;

/// values[0] = input, values[l] = output of layer l.
std::vector<Vector> statesOf(const std::vector<Layer>& layers, const Vector& input) {
    std::vector<Vector> states{input};
    states.reserve(layers.size() + 1);
    for (const Layer& layer : layers) states.push_back(applyLayer(layer, states.back()));
    return states;
}

std::vector<Vector> gradientsOf(const std::vector<Layer>& layers, const std::vector<Vector>& states, const Vector& top) {
    std::vector<Vector> gradients(layers.size() + 1);
    gradients.back() = top;
    for (std::size_t l = layers.size(); l-- > 0;) gradients[l] = applyLayerTransposedJacobian(layers[l], states[l], gradients[l + 1]);
    return gradients;
}

Vector scaledSum(double a, const Vector& x, double b, const Vector& y) {
    Vector sum(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] = a * x[i] + b * y[i];
    return sum;
}

}  // namespace

std::vector<double> applyResidual(const Layer& layer, const std::vector<double>& x) {
    return scaledSum(layer.skipScale, statesOf(layer.skip, x).back(), layer.branchScale, statesOf(layer.branch, x).back());
}

std::vector<double> pullResidual(const Layer& layer, const std::vector<double>& x, const std::vector<double>& g) {
    const Vector skip = gradientsOf(layer.skip, statesOf(layer.skip, x), g).front();
    const Vector branch = gradientsOf(layer.branch, statesOf(layer.branch, x), g).front();
    return scaledSum(layer.skipScale, skip, layer.branchScale, branch);
}

std::vector<double> applyLayer(const Layer& layer, const std::vector<double>& input) {
    assert(input.size() == layer.in.units());
    switch (layer.kind) {
        case LayerKind::Dense:
            return applyDense(layer, input);
        case LayerKind::Conv:
            return applyConv(layer, input);
        case LayerKind::BatchNorm:
            return applyBatchNorm(layer, input);
        case LayerKind::Activation:
            return applyActivation(layer, input);
        case LayerKind::MaxPool:
            return applyMaxPool(layer, input);
        case LayerKind::AveragePool:
            return applyAveragePool(layer, input);
        case LayerKind::GlobalAveragePool:
            return applyGlobalAveragePool(layer, input);
        case LayerKind::Flatten:
            return input;
        case LayerKind::Residual:
            return applyResidual(layer, input);
    }
    return input;
}

std::vector<double> applyLayerTransposedJacobian(const Layer& layer, const std::vector<double>& input,
                                                 const std::vector<double>& outGradient) {
    assert(input.size() == layer.in.units() && outGradient.size() == layer.out.units());
    switch (layer.kind) {
        case LayerKind::Dense:
            return pullDense(layer, outGradient);
        case LayerKind::Conv:
            return pullConv(layer, outGradient);
        case LayerKind::BatchNorm:
            return pullBatchNorm(layer, outGradient);
        case LayerKind::Activation:
            return pullActivation(layer, input, outGradient);
        case LayerKind::MaxPool:
            return pullMaxPool(layer, input, outGradient);
        case LayerKind::AveragePool:
            return pullAveragePool(layer, outGradient);
        case LayerKind::GlobalAveragePool:
            return pullGlobalAveragePool(layer, outGradient);
        case LayerKind::Flatten:
            return outGradient;
        case LayerKind::Residual:
            return pullResidual(layer, input, outGradient);
    }
    return outGradient;
}

std::vector<std::vector<double>> forward(const Network& network, const std::vector<double>& input) {
    assert(input.size() == network.input.units());
    return statesOf(network.layers, input);
}

std::vector<std::vector<double>> backward(const Network& network, const std::vector<std::vector<double>>& states,
                                          const std::vector<double>& direction) {
    assert(states.size() == network.layers.size() + 1 && direction.size() == network.output().units());
    return gradientsOf(network.layers, states, direction);
}

}  // namespace kappaflow

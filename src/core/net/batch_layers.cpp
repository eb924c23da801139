#include "core/net/batch_layers.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/portable_math.h"
#include "core/linalg/matrix.h"
#include "core/net/layer_norm.h"

namespace kappaflow {
namespace {

void reshape(Batch& batch, std::size_t rows, std::size_t columns) {
    batch.rows = rows, batch.columns = columns;
    batch.values.resize(rows * columns);
}

MatrixView weightsOf(const Layer& dense) { return {dense.weights.data(), dense.out.units(), dense.in.units()}; }

void applyDense(const Layer& layer, const Batch& x, Batch& y) {
    reshape(y, layer.out.units(), x.columns);
    orderedProduct(weightsOf(layer), x, y.values.data());
    for (std::size_t i = 0; i < layer.bias.size(); ++i)
        for (std::size_t s = 0; s < y.columns; ++s) y(i, s) += layer.bias[i];
}

bool isPooling(const Layer& layer) {
    return layer.kind == LayerKind::MaxPool || layer.kind == LayerKind::AveragePool || layer.kind == LayerKind::GlobalAveragePool;
}

/// max(lo, min(hi, gain z + offset)).
struct Clip {
    double lo, hi, gain = 1, offset = 0;
};

Clip clipOf(const Layer& layer) {
    if (layer.activation == Activation::HardTanh) return {-1, 1};
    if (layer.activation == Activation::Relu6) return {0, 6};
    return {0, 1, layer.gain, layer.offset};
}

bool isClip(Activation a) { return a == Activation::HardTanh || a == Activation::Relu6 || a == Activation::HardSigmoid; }

bool hasTwoSlopes(Activation a) {
    return a == Activation::Identity || a == Activation::Relu || a == Activation::LeakyRelu || a == Activation::Abs;
}

/// Slope for z <= 0 of those that have 1 above.
double lowerSlope(const Layer& layer, std::size_t unit) {
    switch (layer.activation) {
        case Activation::Identity:
            return 1;
        case Activation::Abs:
            return -1;
        case Activation::LeakyRelu:
            return slopeOf(layer, unit);
        default:
            return 0;
    }
}

double smoothValue(const Layer& layer, double z) {
    if (layer.activation == Activation::Tanh) return portableTanh(z);
    if (layer.activation == Activation::Sigmoid) return portableSigmoid(z);
    return activate(layer.activation, z, layer.slope, layer.seed);  // the others of them are portable there
}

double smoothDerivative(const Layer& layer, double z) {
    if (layer.activation == Activation::Tanh) {
        const double t = portableTanh(z);
        return 1 - t * t;
    }
    if (layer.activation == Activation::Sigmoid) return portableSigmoid(z) * portableSigmoid(-z);
    return activationDerivative(layer.activation, z, layer.slope, layer.seed);
}

/// f(sum) of every entry of a row, without a choice of activation in the inner loop.
template <class Function>
void eachOf(const double* z, std::size_t count, double* y, Function f) {
    for (std::size_t s = 0; s < count; ++s) y[s] = f(z[s], y[s]);
}

/// y = the activation of unit i at z.
void activateRow(const Layer& layer, std::size_t unit, const double* z, std::size_t count, double* y) {
    if (hasTwoSlopes(layer.activation)) {
        const double slope = lowerSlope(layer, unit);
        return eachOf(z, count, y, [slope](double at, double) { return at > 0 ? at : slope * at; });
    }
    if (isClip(layer.activation)) {
        const Clip c = clipOf(layer);
        return eachOf(z, count, y, [c](double at, double) { return std::min(c.hi, std::max(c.lo, c.gain * at + c.offset)); });
    }
    eachOf(z, count, y, [&layer](double at, double) { return smoothValue(layer, at); });
}

/// pulled holds g and is multiplied by the derivative: the left one at kinks, as `activationDerivative` has it.
void pullRow(const Layer& layer, std::size_t unit, const double* z, std::size_t count, double* pulled) {
    if (hasTwoSlopes(layer.activation)) {
        const double slope = lowerSlope(layer, unit);
        return eachOf(z, count, pulled, [slope](double at, double g) { return at > 0 ? g : slope * g; });
    }
    if (isClip(layer.activation)) {
        const Clip c = clipOf(layer);
        const bool falls = c.gain < 0;
        return eachOf(z, count, pulled, [c, falls](double at, double g) {
            const double y = c.gain * at + c.offset;
            return (falls ? y >= c.lo && y < c.hi : y > c.lo && y <= c.hi) ? c.gain * g : 0;
        });
    }
    eachOf(z, count, pulled, [&layer](double at, double g) { return smoothDerivative(layer, at) * g; });
}

/// y = slope·x + offset of the unit's scale, or with `offsets` false slope·x: what pulls a gradient back.
void scaleUnits(const Layer& norm, const Batch& x, Batch& y, bool offsets) {
    const std::size_t run = norm.in.units() / norm.weights.size();
    for (std::size_t i = 0; i < x.rows; ++i) {
        const std::size_t k = i / run;
        const double slope = norm.weights[k] / std::sqrt(norm.variance[k] + norm.batchNormEpsilon);
        const double mean = offsets ? norm.mean[k] : 0, shift = offsets && !norm.bias.empty() ? norm.bias[k] : 0;
        eachOf(x.row(i), x.columns, y.row(i), [=](double at, double) { return slope * (at - mean) + shift; });
    }
}

}  // namespace

bool hasTrainableWeights(const Layer& layer) { return layer.kind == LayerKind::Dense || layer.kind == LayerKind::Conv; }

void applyBatch(const Layer& layer, const Batch& x, Batch& y) {
    assert(x.rows == layer.in.units());
    if (layer.kind == LayerKind::Dense) return applyDense(layer, x, y);
    reshape(y, layer.out.units(), x.columns);
    if (layer.kind == LayerKind::Conv) return applyConvBatch(layer, x, y);
    if (isPooling(layer)) return applyPoolBatch(layer, x, y);
    if (layer.kind == LayerKind::BatchNorm) return scaleUnits(layer, x, y, true);
    if (layer.kind == LayerKind::LayerNorm) return applyLayerNorm(layer, x, y);
    if (layer.kind == LayerKind::Flatten) {
        y.values = x.values;
        return;
    }
    assert(layer.kind == LayerKind::Activation);
    for (std::size_t i = 0; i < x.rows; ++i) activateRow(layer, i, x.row(i), x.columns, y.row(i));
}

void pullBatch(const Layer& layer, const Batch& x, const Batch& g, Batch& pulled) {
    assert(g.rows == layer.out.units() && g.columns == x.columns);
    if (layer.kind == LayerKind::Dense) {
        reshape(pulled, layer.in.units(), g.columns);
        return orderedProduct(weightsOf(layer).transposed(), g, pulled.values.data());
    }
    reshape(pulled, layer.in.units(), g.columns);
    if (layer.kind == LayerKind::Conv) return pullConvBatch(layer, g, pulled);
    if (isPooling(layer)) return pullPoolBatch(layer, x, g, pulled);
    if (layer.kind == LayerKind::BatchNorm) return scaleUnits(layer, g, pulled, false);
    if (layer.kind == LayerKind::LayerNorm) return pullLayerNorm(layer, x, g, pulled);
    pulled.values = g.values;
    if (layer.kind == LayerKind::Flatten) return;
    assert(layer.kind == LayerKind::Activation);
    for (std::size_t i = 0; i < x.rows; ++i) pullRow(layer, i, x.row(i), x.columns, pulled.row(i));
}

void parameterGradient(const Layer& layer, const Batch& x, const Batch& g, LayerParameters& gradient) {
    assert(hasTrainableWeights(layer) && g.rows == layer.out.units() && x.rows == layer.in.units() && g.columns == x.columns);
    if (layer.kind == LayerKind::Conv) return convGradient(layer, x, g, gradient);
    gradient.weights.resize(layer.weights.size());
    orderedProduct(g, MatrixView(x).transposed(), gradient.weights.data());
    gradient.bias.assign(layer.bias.size(), 0);
    for (std::size_t i = 0; i < gradient.bias.size(); ++i)
        for (std::size_t s = 0; s < g.columns; ++s) gradient.bias[i] += g(i, s);
}

namespace {

void applySides(const Layer& block, const Batch& x, BatchStates& branch, BatchStates& skip, Batch& y) {
    branch.at.resize(block.branch.size() + 1);
    skip.at.resize(block.skip.size() + 1);
    branch.at[0] = x;
    applyChain(block.branch, branch);
    if (!block.skip.empty()) {
        skip.at[0] = x;
        applyChain(block.skip, skip);
    }
    const Batch &b = branch.at.back(), &s = block.skip.empty() ? x : skip.at.back();
    y.rows = b.rows, y.columns = b.columns;
    y.values.resize(b.values.size());
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = block.skipScale * s.values[i] + block.branchScale * b.values[i];
}

Batch scaled(const Batch& g, double scale) {
    Batch out = g;
    for (double& value : out.values) value *= scale;
    return out;
}

/// g becomes ∂loss/∂input.
void pullSides(const Layer& block, const BatchStates& branch, const BatchStates& skip, Batch& g, LayerParameters& gradient) {
    Batch viaBranch = scaled(g, block.branchScale), viaSkip = scaled(g, block.skipScale);
    pullChain(block.branch, branch, viaBranch, gradient.branch);
    if (!block.skip.empty()) pullChain(block.skip, skip, viaSkip, gradient.skip);
    for (std::size_t i = 0; i < viaSkip.values.size(); ++i) viaSkip.values[i] += viaBranch.values[i];
    g = std::move(viaSkip);
}

}  // namespace

bool holdsTrainableWeights(const Layer& layer) {
    return hasTrainableWeights(layer) || std::any_of(layer.branch.begin(), layer.branch.end(), holdsTrainableWeights) ||
           std::any_of(layer.skip.begin(), layer.skip.end(), holdsTrainableWeights);
}

void applyChain(const std::vector<Layer>& layers, BatchStates& states) {
    assert(states.at.size() == layers.size() + 1);
    states.branch.resize(layers.size());
    states.skip.resize(layers.size());
    for (std::size_t l = 0; l < layers.size(); ++l) {
        if (layers[l].kind == LayerKind::Residual)
            applySides(layers[l], states.at[l], states.branch[l], states.skip[l], states.at[l + 1]);
        else
            applyBatch(layers[l], states.at[l], states.at[l + 1]);
    }
}

void pullChain(const std::vector<Layer>& layers, const BatchStates& states, Batch& g, std::vector<LayerParameters>& gradients,
               const ChainPull& pull) {
    Batch pulled;
    for (std::size_t l = layers.size(); l-- > pull.lowest;) {
        const bool trained = !pull.frozen || pull.frozen->empty() || !(*pull.frozen)[l];
        if (layers[l].kind == LayerKind::Residual) {
            // What a kept block's parameters would gain is found with it, and left alone by who changes them.
            pullSides(layers[l], states.branch[l], states.skip[l], g, gradients[l]);
            continue;
        }
        if (trained && hasTrainableWeights(layers[l])) parameterGradient(layers[l], states.at[l], g, gradients[l]);
        if (l == pull.lowest && !pull.inputToo) return;
        pullBatch(layers[l], states.at[l], g, pulled);
        std::swap(g, pulled);
    }
}

}  // namespace kappaflow

#include "core/net/batch_layers.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/portable_math.h"
#include "core/linalg/matrix.h"
#include "core/net/joins.h"
#include "core/net/layer_norm.h"
#include "core/net/layer_rows.h"

namespace kappaflow {
namespace {

void reshape(Batch& batch, std::size_t rows, std::size_t columns) {
    batch.rows = rows, batch.columns = columns;
    batch.values.resize(rows * columns);
}

MatrixView matrixOf(const Layer& dense) { return {dense.as<Dense>().weights.data(), dense.out.units(), dense.in.units()}; }

void applyDense(const Layer& layer, const Batch& x, Batch& y) {
    reshape(y, layer.out.units(), x.columns);
    orderedProduct(matrixOf(layer), x, y.values.data());
    const std::vector<double>& bias = layer.as<Dense>().bias;
    for (std::size_t i = 0; i < bias.size(); ++i)
        for (std::size_t s = 0; s < y.columns; ++s) y(i, s) += bias[i];
}

bool isPooling(const Layer& layer) { return layer.is<Pooling, GlobalAveragePool>(); }

/// max(lo, min(hi, gain z + offset)).
struct Clip {
    double lo, hi, gain = 1, offset = 0;
};

Clip clipOf(const Pointwise& f) {
    if (f.activation == Activation::HardTanh) return {-1, 1};
    if (f.activation == Activation::Relu6) return {0, 6};
    return {0, 1, f.gain, f.offset};
}

bool isClip(Activation a) { return a == Activation::HardTanh || a == Activation::Relu6 || a == Activation::HardSigmoid; }

bool hasTwoSlopes(Activation a) {
    return a == Activation::Identity || a == Activation::Relu || a == Activation::LeakyRelu || a == Activation::Abs;
}

/// Slope for z <= 0 of those that have 1 above.
double lowerSlope(const Layer& layer, std::size_t unit) {
    switch (layer.as<Pointwise>().activation) {
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

double smoothValue(const Pointwise& f, double z) {
    if (f.activation == Activation::Tanh) return portableTanh(z);
    if (f.activation == Activation::Sigmoid) return portableSigmoid(z);
    return activate(f.activation, z, f.slope, f.seed);  // the others of them are portable there
}

double smoothDerivative(const Pointwise& f, double z) {
    if (f.activation == Activation::Tanh) {
        const double t = portableTanh(z);
        return 1 - t * t;
    }
    if (f.activation == Activation::Sigmoid) return portableSigmoid(z) * portableSigmoid(-z);
    return activationDerivative(f.activation, z, f.slope, f.seed);
}

/// f(sum) of every entry of a row, without a choice of activation in the inner loop.
template <class Function>
void eachOf(const double* z, std::size_t count, double* y, Function f) {
    for (std::size_t s = 0; s < count; ++s) y[s] = f(z[s], y[s]);
}

/// y = the activation of unit i at z.
void activateRow(const Layer& layer, std::size_t unit, const double* z, std::size_t count, double* y) {
    const auto& f = layer.as<Pointwise>();
    if (hasTwoSlopes(f.activation)) {
        const double slope = lowerSlope(layer, unit);
        return eachOf(z, count, y, [slope](double at, double) { return at > 0 ? at : slope * at; });
    }
    if (isClip(f.activation)) {
        const Clip c = clipOf(f);
        return eachOf(z, count, y, [c](double at, double) { return std::min(c.hi, std::max(c.lo, c.gain * at + c.offset)); });
    }
    eachOf(z, count, y, [&f](double at, double) { return smoothValue(f, at); });
}

/// pulled holds g and is multiplied by the derivative: the left one at kinks, as `activationDerivative` has it.
void pullRow(const Layer& layer, std::size_t unit, const double* z, std::size_t count, double* pulled) {
    const auto& f = layer.as<Pointwise>();
    if (hasTwoSlopes(f.activation)) {
        const double slope = lowerSlope(layer, unit);
        return eachOf(z, count, pulled, [slope](double at, double g) { return at > 0 ? g : slope * g; });
    }
    if (isClip(f.activation)) {
        const Clip c = clipOf(f);
        const bool falls = c.gain < 0;
        return eachOf(z, count, pulled, [c, falls](double at, double g) {
            const double y = c.gain * at + c.offset;
            return (falls ? y >= c.lo && y < c.hi : y > c.lo && y <= c.hi) ? c.gain * g : 0;
        });
    }
    eachOf(z, count, pulled, [&f](double at, double g) { return smoothDerivative(f, at) * g; });
}

/// y = slope·x + offset of the unit's scale, or with `offsets` false slope·x: what pulls a gradient back.
void scaleUnits(const Layer& layer, const Batch& x, Batch& y, bool offsets) {
    const auto& norm = layer.as<BatchNorm>();
    const std::size_t run = layer.in.units() / norm.weights.size();
    for (std::size_t i = 0; i < x.rows; ++i) {
        const std::size_t k = i / run;
        const double slope = batchNormScale(layer, i);
        const double mean = offsets ? norm.mean[k] : 0, shift = offsets && !norm.bias.empty() ? norm.bias[k] : 0;
        eachOf(x.row(i), x.columns, y.row(i), [=](double at, double) { return slope * (at - mean) + shift; });
    }
}

}  // namespace

void applyBatch(const Layer& layer, const Batch& x, Batch& y) {
    assert(x.rows == layer.in.units());
    if (layer.is<Dense>()) return applyDense(layer, x, y);
    reshape(y, layer.out.units(), x.columns);
    if (layer.is<Conv>()) return applyConvBatch(layer, x, y);
    if (isPooling(layer)) return applyPoolBatch(layer, x, y);
    if (layer.is<BatchNorm>()) return scaleUnits(layer, x, y, true);
    if (layer.is<LayerNorm>()) return applyLayerNorm(layer, x, y);
    if (layer.is<Route>()) return void(y = applyRoute(layer, x));
    if (layer.is<Softmax>()) return void(y = applySoftmax(layer, x));
    if (layer.is<Flatten>()) {
        y.values = x.values;
        return;
    }
    assert(layer.is<Pointwise>());
    for (std::size_t i = 0; i < x.rows; ++i) activateRow(layer, i, x.row(i), x.columns, y.row(i));
}

void pullBatch(const Layer& layer, const Batch& x, const Batch& g, Batch& pulled) {
    assert(g.rows == layer.out.units() && g.columns == x.columns);
    if (layer.is<Dense>()) {
        reshape(pulled, layer.in.units(), g.columns);
        return orderedProduct(matrixOf(layer).transposed(), g, pulled.values.data());
    }
    reshape(pulled, layer.in.units(), g.columns);
    if (layer.is<Conv>()) return pullConvBatch(layer, g, pulled);
    if (isPooling(layer)) return pullPoolBatch(layer, x, g, pulled);
    if (layer.is<BatchNorm>()) return scaleUnits(layer, g, pulled, false);
    if (layer.is<LayerNorm>()) return pullLayerNorm(layer, x, g, pulled);
    if (layer.is<Route>()) return void(pulled = pullRoute(layer, g));
    if (layer.is<Softmax>()) return void(pulled = pullSoftmax(layer, x, g));
    pulled.values = g.values;
    if (layer.is<Flatten>()) return;
    assert(layer.is<Pointwise>());
    for (std::size_t i = 0; i < x.rows; ++i) pullRow(layer, i, x.row(i), x.columns, pulled.row(i));
}

void parameterGradient(const Layer& layer, const Batch& x, const Batch& g, LayerParameters& gradient) {
    assert(hasTrainableWeights(layer) && g.rows == layer.out.units() && x.rows == layer.in.units() && g.columns == x.columns);
    if (layer.is<Conv>()) return convGradient(layer, x, g, gradient);
    const auto& dense = layer.as<Dense>();
    gradient.weights.resize(dense.weights.size());
    orderedProduct(g, MatrixView(x).transposed(), gradient.weights.data());
    gradient.bias.assign(dense.bias.size(), 0);
    for (std::size_t i = 0; i < gradient.bias.size(); ++i)
        for (std::size_t s = 0; s < g.columns; ++s) gradient.bias[i] += g(i, s);
}

bool holdsTrainableWeights(const Layer& layer) {
    const auto* block = layer.getIf<Block>();
    return block ? std::any_of(block->inner.begin(), block->inner.end(), holdsTrainableWeights) : hasTrainableWeights(layer);
}

void applyChain(const std::vector<Layer>& layers, BatchStates& states) {
    states.at.resize(layers.size() + 1);
    states.inner.resize(layers.size());
    std::vector<MatrixView> operands;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const Layer& layer = layers[l];
        const Batch& x = states.at[operandOf(layers, l)];
        Batch& y = states.at[l + 1];
        if (layer.is<Join>()) {
            operands.clear();
            for (std::size_t k = 0; k < layer.reads.size(); ++k) operands.emplace_back(states.at[operandOf(layers, l, k)]);
            reshape(y, layer.out.units(), x.columns);
            applyJoin(layer, operands, y.values.data());
        } else if (const auto* block = layer.getIf<Block>()) {
            BatchStates& inside = states.inner[l];
            inside.at.resize(block->inner.size() + 1);
            inside.at[0] = x;
            applyChain(block->inner, inside);
            y = inside.at.back();
        } else {
            applyBatch(layer, x, y);
        }
    }
}

void pullChain(const std::vector<Layer>& layers, const BatchStates& states, Batch& g, std::vector<LayerParameters>& gradients,
               const ChainPull& pull) {
    // ∂loss/∂(what stands at each place), gathered from all that read it; along a chain only one is held at a time.
    std::vector<Batch> at(layers.size() + 1);
    at.back() = std::move(g);
    Batch pulled;
    const auto gather = [&](std::size_t place) {
        Batch& sum = at[place];
        if (sum.values.empty()) return std::swap(sum, pulled);
        for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += pulled.values[i];
    };
    std::vector<MatrixView> operands;
    for (std::size_t l = layers.size(); l-- > pull.lowest;) {
        const Layer& layer = layers[l];
        Batch above = std::move(at[l + 1]);
        if (layer.is<Join>()) {
            operands.clear();
            for (std::size_t k = 0; k < layer.reads.size(); ++k) operands.emplace_back(states.at[operandOf(layers, l, k)]);
            for (std::size_t k = 0; k < operands.size(); ++k) {
                reshape(pulled, operands[k].rows, above.columns);
                pullJoin(layer, operands, k, above.values.data(), pulled.values.data());
                gather(operandOf(layers, l, k));
            }
            continue;
        }
        const std::size_t place = operandOf(layers, l);
        if (const auto* block = layer.getIf<Block>()) {
            // What a kept block's parameters would gain is found with it, and left alone by who changes them.
            pullChain(block->inner, states.inner[l], above, gradients[l].inner);
            pulled = std::move(above);
            gather(place);
            continue;
        }
        const bool trained = !pull.frozen || pull.frozen->empty() || !(*pull.frozen)[l];
        if (trained && hasTrainableWeights(layer)) parameterGradient(layer, states.at[place], above, gradients[l]);
        if (l == pull.lowest && !pull.inputToo) break;
        pullBatch(layer, states.at[place], above, pulled);
        gather(place);
        if (pulled.values.empty()) std::swap(pulled, above);  // its room is used again
    }
    g = std::move(at[pull.lowest]);
}

std::vector<double> applyLayer(const Layer& layer, const std::vector<double>& input) {
    assert(input.size() == layer.in.units());
    if (const auto* block = layer.getIf<Block>()) {
        BatchStates inside{{Batch(input.size(), 1, input)}};
        applyChain(block->inner, inside);
        return std::move(inside.at.back().values);
    }
    Batch y;
    applyBatch(layer, Batch(input.size(), 1, input), y);
    return std::move(y.values);
}

std::vector<double> applyLayerTransposedJacobian(const Layer& layer, const std::vector<double>& input,
                                                 const std::vector<double>& outGradient) {
    assert(input.size() == layer.in.units() && outGradient.size() == layer.out.units());
    const Batch x(input.size(), 1, input);
    Batch g(outGradient.size(), 1, outGradient), pulled;
    if (const auto* block = layer.getIf<Block>()) {
        BatchStates inside{{x}};
        applyChain(block->inner, inside);
        const std::vector<bool> frozen(block->inner.size(), true);
        std::vector<LayerParameters> none(block->inner.size());
        pullChain(block->inner, inside, g, none, {.frozen = &frozen});
        return std::move(g.values);
    }
    pullBatch(layer, x, g, pulled);
    return std::move(pulled.values);
}

std::vector<std::vector<double>> forward(const Network& network, const std::vector<double>& input) {
    std::vector<std::vector<double>> states{input};
    for (const Layer& layer : network.layers) states.push_back(applyLayer(layer, states.back()));
    return states;
}

std::vector<std::vector<double>> backward(const Network& network, const std::vector<std::vector<double>>& states,
                                          const std::vector<double>& direction) {
    assert(states.size() == network.layers.size() + 1 && direction.size() == network.output().units());
    std::vector<std::vector<double>> gradients(states.size());
    gradients.back() = direction;
    for (std::size_t l = network.layers.size(); l-- > 0;)
        gradients[l] = applyLayerTransposedJacobian(network.layers[l], states[l], gradients[l + 1]);
    return gradients;
}

}  // namespace kappaflow

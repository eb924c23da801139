#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "core/linalg/matrix.h"
#include "core/net/joins.h"
#include "core/net/layer_norm.h"
#include "core/net/network.h"

namespace kappaflow {
namespace {

using Vector = std::vector<double>;

// One pair a layer kind, what `applyLayer` and `applyLayerTransposedJacobian` choose from: x the layer's input, g the gradient at its
// output.

double valueAt(const Layer& layer, std::size_t i, double z) {
    if (layer.activation == Activation::HardSigmoid) return std::clamp(layer.gain * z + layer.offset, 0.0, 1.0);
    return activate(layer.activation, z, slopeOf(layer, i), layer.seed);
}

/// The left one at kinks: where a hard sigmoid's line falls, the upper kink comes first.
double derivativeAt(const Layer& layer, std::size_t i, double z) {
    if (layer.activation != Activation::HardSigmoid) return activationDerivative(layer.activation, z, slopeOf(layer, i), layer.seed);
    const double y = layer.gain * z + layer.offset;
    return (layer.gain > 0 ? y > 0 && y <= 1 : y >= 0 && y < 1) ? layer.gain : 0;
}

std::vector<double> applyActivation(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = valueAt(layer, i, x[i]);
    return y;
}

std::vector<double> pullActivation(const Layer& layer, const std::vector<double>& x, const std::vector<double>& g) {
    std::vector<double> pulled(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) pulled[i] = derivativeAt(layer, i, x[i]) * g[i];
    return pulled;
}

std::vector<double> applyDense(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y = matrixTimesVector(layer.weights, x);
    for (std::size_t i = 0; i < layer.bias.size(); ++i) y[i] += layer.bias[i];
    return y;
}

std::vector<double> pullDense(const Layer& layer, const std::vector<double>& g) {
    return transposedTimesVector(layer.weights, g, layer.in.units());
}

/// One tap of one output channel over one row of outputs: in shared kernels a weight meets a whole row of cells.
struct RowTap {
    std::size_t weight;     ///< index of the shared weight
    std::size_t outputRow;  ///< offset of the row's first output unit
    int channel, y, x;      ///< padded cell that the row's first output reads
};

template <class Visit>
void forEachRowTap(const Layer& layer, Visit visit) {
    const Window& w = layer.window;
    const int inputs = layer.in.channels / layer.groups, outputs = layer.out.channels / layer.groups;
    std::size_t weight = 0;
    for (int o = 0; o < layer.out.channels; ++o)
        for (int i = 0; i < inputs; ++i)
            for (int ky = 0; ky < w.size[0]; ++ky)
                for (int kx = 0; kx < w.size[1]; ++kx, ++weight)
                    for (int y = 0; y < layer.out.height; ++y)
                        visit(RowTap{weight, (static_cast<std::size_t>(o) * layer.out.height + y) * layer.out.width,
                                     o / outputs * inputs + i, y * w.stride[0] + ky * w.dilation[0], kx * w.dilation[1]});
}

/// Calls visit(output unit, weight index, padded row, column) for every use of a weight of its own.
template <class Visit>
void forEachOwnWeight(const Layer& layer, Visit visit) {
    const Window& w = layer.window;
    const int inputs = layer.in.channels / layer.groups, outputs = layer.out.channels / layer.groups;
    const std::size_t positions = static_cast<std::size_t>(layer.out.height) * layer.out.width;
    std::size_t weight = 0;
    for (std::size_t position = 0; position < positions; ++position) {
        const int top = static_cast<int>(position) / layer.out.width * w.stride[0];
        const int left = static_cast<int>(position) % layer.out.width * w.stride[1];
        for (int o = 0; o < layer.out.channels; ++o)
            for (int i = 0; i < inputs; ++i)
                for (int ky = 0; ky < w.size[0]; ++ky)
                    for (int kx = 0; kx < w.size[1]; ++kx, ++weight)
                        visit(o * positions + position, weight, o / outputs * inputs + i, top + ky * w.dilation[0],
                              left + kx * w.dilation[1]);
    }
}

std::vector<double> biases(const Layer& layer) {
    std::vector<double> y(layer.out.units(), 0.0);
    const std::size_t positions = static_cast<std::size_t>(layer.out.height) * layer.out.width;
    for (std::size_t i = 0; i < y.size() && !layer.bias.empty(); ++i) y[i] = layer.bias[i / positions];
    return y;
}

std::vector<double> applyConv(const Layer& layer, const std::vector<double>& x) {
    const PaddedGrid grid = padded(layer, x);
    std::vector<double> out = biases(layer);
    if (layer.shared)
        forEachRowTap(layer, [&](const RowTap& tap) {
            addScaled(&out[tap.outputRow], 1, grid.row(tap.channel, tap.y) + tap.x, layer.window.stride[1],
                      static_cast<std::size_t>(layer.out.width), layer.weights[tap.weight]);
        });
    else
        forEachOwnWeight(layer, [&](std::size_t unit, std::size_t weight, int channel, int y, int column) {
            out[unit] += layer.weights[weight] * grid.row(channel, y)[column];
        });
    return out;
}

std::vector<double> pullConv(const Layer& layer, const std::vector<double>& g) {
    PaddedGrid grid = zeroGrid(layer);
    if (layer.shared)
        forEachRowTap(layer, [&](const RowTap& tap) {
            addScaled(grid.row(tap.channel, tap.y) + tap.x, layer.window.stride[1], &g[tap.outputRow], 1,
                      static_cast<std::size_t>(layer.out.width), layer.weights[tap.weight]);
        });
    else
        forEachOwnWeight(layer, [&](std::size_t unit, std::size_t weight, int channel, int y, int column) {
            grid.row(channel, y)[column] += layer.weights[weight] * g[unit];
        });
    return folded(layer, grid);
}

/// Calls visit(output unit, input units under its window in the order of taps); padded zeros are left out.
template <class Visit>
void forEachWindow(const Layer& layer, Visit visit) {
    const Window& w = layer.window;
    std::size_t output = 0;
    std::vector<std::size_t> cells;
    for (int c = 0; c < layer.out.channels; ++c)
        for (int y = 0; y < layer.out.height; ++y)
            for (int x = 0; x < layer.out.width; ++x, ++output) {
                cells.clear();
                for (int ky = 0; ky < w.size[0]; ++ky)
                    for (int kx = 0; kx < w.size[1]; ++kx) {
                        const int sy = paddedSource(y * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding);
                        const int sx = paddedSource(x * w.stride[1] + kx * w.dilation[1] - w.before[1], layer.in.width, w.padding);
                        if (sy >= 0 && sx >= 0) cells.push_back((static_cast<std::size_t>(c) * layer.in.height + sy) * layer.in.width + sx);
                    }
                visit(output, cells);
            }
}

std::size_t firstLargest(const std::vector<double>& x, const std::vector<std::size_t>& cells) {
    std::size_t best = cells.front();
    for (std::size_t cell : cells)
        if (x[cell] > x[best]) best = cell;
    return best;
}

/// What the sum over a window with `cells` cells inside the input is divided by.
double divisorOf(const Layer& layer, std::size_t cells) {
    return layer.countsPadding ? static_cast<double>(layer.window.size[0]) * layer.window.size[1] : static_cast<double>(cells);
}

/// Maximum over the window; the gradient goes to the first of equal ones, in the order of taps.
std::vector<double> applyMaxPool(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y(layer.out.units());
    forEachWindow(layer, [&](std::size_t unit, const std::vector<std::size_t>& cells) { y[unit] = x[firstLargest(x, cells)]; });
    return y;
}

std::vector<double> pullMaxPool(const Layer& layer, const std::vector<double>& x, const std::vector<double>& g) {
    std::vector<double> pulled(x.size(), 0.0);
    forEachWindow(layer, [&](std::size_t unit, const std::vector<std::size_t>& cells) { pulled[firstLargest(x, cells)] += g[unit]; });
    return pulled;
}

std::vector<double> applyAveragePool(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y(layer.out.units());
    forEachWindow(layer, [&](std::size_t unit, const std::vector<std::size_t>& cells) {
        double sum = 0;
        for (std::size_t cell : cells) sum += x[cell];
        y[unit] = sum / divisorOf(layer, cells.size());
    });
    return y;
}

std::vector<double> pullAveragePool(const Layer& layer, const std::vector<double>& g) {
    std::vector<double> pulled(layer.in.units(), 0.0);
    forEachWindow(layer, [&](std::size_t unit, const std::vector<std::size_t>& cells) {
        for (std::size_t cell : cells) pulled[cell] += g[unit] / divisorOf(layer, cells.size());
    });
    return pulled;
}

std::vector<double> applyGlobalAveragePool(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y(layer.out.units(), 0.0);
    const std::size_t positions = x.size() / y.size();
    for (std::size_t i = 0; i < x.size(); ++i) y[i / positions] += x[i] / static_cast<double>(positions);
    return y;
}

std::vector<double> pullGlobalAveragePool(const Layer& layer, const std::vector<double>& g) {
    std::vector<double> pulled(layer.in.units());
    const std::size_t positions = pulled.size() / g.size();
    for (std::size_t i = 0; i < pulled.size(); ++i) pulled[i] = g[i / positions] / static_cast<double>(positions);
    return pulled;
}

double scaleOf(const Layer& layer, std::size_t index) {
    return layer.weights[index] / std::sqrt(layer.variance[index] + layer.batchNormEpsilon);
}

std::size_t unitsPerScale(const Layer& layer) { return layer.in.units() / layer.weights.size(); }

std::vector<double> applyBatchNorm(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    const std::size_t run = unitsPerScale(layer);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t s = i / run;
        y[i] = scaleOf(layer, s) * (x[i] - layer.mean[s]) + (layer.bias.empty() ? 0 : layer.bias[s]);
    }
    return y;
}

std::vector<double> pullBatchNorm(const Layer& layer, const std::vector<double>& g) {
    std::vector<double> pulled(g.size());
    const std::size_t run = unitsPerScale(layer);
    for (std::size_t i = 0; i < g.size(); ++i) pulled[i] = scaleOf(layer, i / run) * g[i];
    return pulled;
}

std::vector<MatrixView> operandsOf(const std::vector<Layer>& layers, std::size_t l, const std::vector<Vector>& states) {
    std::vector<MatrixView> operands;
    for (std::size_t k = 0; k < layers[l].reads.size(); ++k) {
        const Vector& x = states[operandOf(layers, l, k)];
        operands.emplace_back(x.data(), x.size(), 1);
    }
    return operands;
}

/// What stands at 0 (the input) and behind every layer of a chain or of a block.
std::vector<Vector> statesOf(const std::vector<Layer>& layers, const Vector& input) {
    std::vector<Vector> states{input};
    states.reserve(layers.size() + 1);
    for (std::size_t l = 0; l < layers.size(); ++l) {
        if (!isJoin(layers[l].kind)) {
            states.push_back(applyLayer(layers[l], states[operandOf(layers, l)]));
            continue;
        }
        Vector y(layers[l].out.units());
        applyJoin(layers[l], operandsOf(layers, l, states), y.data());
        states.push_back(std::move(y));
    }
    return states;
}

/// Gradients there; what several layers read gathers those of all.
std::vector<Vector> gradientsOf(const std::vector<Layer>& layers, const std::vector<Vector>& states, const Vector& top) {
    std::vector<Vector> gradients(layers.size() + 1);
    gradients.back() = top;
    const auto gather = [&](std::size_t at, Vector pulled) {
        Vector& sum = gradients[at];
        if (sum.empty()) return void(sum = std::move(pulled));
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += pulled[i];
    };
    for (std::size_t l = layers.size(); l-- > 0;) {
        if (!isJoin(layers[l].kind)) {
            const std::size_t at = operandOf(layers, l);
            gather(at, applyLayerTransposedJacobian(layers[l], states[at], gradients[l + 1]));
            continue;
        }
        const std::vector<MatrixView> operands = operandsOf(layers, l, states);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            Vector pulled(operands[k].rows);
            pullJoin(layers[l], operands, k, gradients[l + 1].data(), pulled.data());
            gather(operandOf(layers, l, k), std::move(pulled));
        }
    }
    return gradients;
}

}  // namespace

std::vector<double> applyLayer(const Layer& layer, const std::vector<double>& input) {
    assert(input.size() == layer.in.units());
    switch (layer.kind) {
        case LayerKind::Dense:
            return applyDense(layer, input);
        case LayerKind::Conv:
            return applyConv(layer, input);
        case LayerKind::BatchNorm:
            return applyBatchNorm(layer, input);
        case LayerKind::LayerNorm:
            return applyLayerNorm(layer, input);
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
        case LayerKind::Route:
            return applyRoute(layer, Batch(input.size(), 1, input)).values;
        case LayerKind::Softmax:
            return applySoftmax(layer, Batch(input.size(), 1, input)).values;
        case LayerKind::Block:
            return statesOf(layer.inner, input).back();
        case LayerKind::Sum:
        case LayerKind::Product:
        case LayerKind::Concat:
        case LayerKind::MatMul:
            break;
    }
    assert(false);
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
        case LayerKind::LayerNorm:
            return pullLayerNorm(layer, input, outGradient);
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
        case LayerKind::Route:
            return pullRoute(layer, Batch(outGradient.size(), 1, outGradient)).values;
        case LayerKind::Softmax:
            return pullSoftmax(layer, Batch(input.size(), 1, input), Batch(outGradient.size(), 1, outGradient)).values;
        case LayerKind::Block:
            return gradientsOf(layer.inner, statesOf(layer.inner, input), outGradient).front();
        case LayerKind::Sum:
        case LayerKind::Product:
        case LayerKind::Concat:
        case LayerKind::MatMul:
            break;
    }
    assert(false);
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

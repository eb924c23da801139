#include "core/capacity/function_jacobian.h"

#include <algorithm>
#include <cmath>

namespace kappaflow {
namespace {

using Size = std::size_t;

// Gradient of one output by a layer's weights: g at the layer's output, x at its input, both as `forward` numbers them.
void addDenseGradient(const std::vector<double>& x, const std::vector<double>& g, double* gradient) {
    for (Size j = 0; j < g.size(); ++j)
        for (Size i = 0; i < x.size(); ++i) gradient[j * x.size() + i] += g[j] * x[i];
}

void addConvGradient(const Layer& layer, const std::vector<double>& x, const std::vector<double>& g, double* gradient) {
    const Size taps = static_cast<Size>(layer.window.size[1]), ins = static_cast<Size>(layer.in.channels);
    const Size inWidth = static_cast<Size>(layer.in.width), width = static_cast<Size>(layer.out.width);
    const Size dilation = static_cast<Size>(layer.window.dilation[1]);
    for (Size unit = 0; unit < g.size(); ++unit)
        for (Size in = 0; in < ins; ++in)
            for (Size k = 0; k < taps; ++k)
                gradient[(unit / width * ins + in) * taps + k] += g[unit] * x[in * inWidth + unit % width + k * dilation];
}

bool isSupported(const Layer& layer) {
    const auto& w = layer.window;
    const bool conv = layer.kind == LayerKind::Conv && layer.in.height == 1 && w.size[0] == 1 && w.stride[1] == 1 && w.before[1] == 0 &&
                      w.after[1] == 0 && layer.groups == 1 && layer.shared;
    return layer.kind == LayerKind::Dense || layer.kind == LayerKind::Activation || conv;
}

}  // namespace

FunctionJacobian::FunctionJacobian(Network network, double inputDeviation, std::uint64_t seed)
    : network_(std::move(network)), deviation_(inputDeviation), rng_(seed, Purpose::Inputs) {
    for (const Layer& layer : network_.layers) {
        if (!isSupported(layer)) throw InputError("The function's rank is taken of dense layers and unpadded 1-D convolutions only.");
        parameters_ += layer.weights.size();
    }
    if (parameters_ > 512) throw InputError("The function's rank is taken of networks of at most 512 weights.");
    factor_ = Matrix(0, parameters_);
}

void FunctionJacobian::appendRows(const std::vector<double>& input, double* rows) const {
    const auto states = forward(network_, input);
    for (Size output = 0; output < network_.output().units(); ++output, rows += parameters_) {
        std::vector<double> direction(network_.output().units());
        direction[output] = 1;
        const auto gradients = backward(network_, states, direction);
        Size offset = 0;
        for (Size l = 0; l < network_.layers.size(); ++l) {
            const Layer& layer = network_.layers[l];
            if (layer.kind == LayerKind::Dense) addDenseGradient(states[l], gradients[l + 1], rows + offset);
            if (layer.kind == LayerKind::Conv) addConvGradient(layer, states[l], gradients[l + 1], rows + offset);
            offset += layer.weights.size();
        }
    }
}

void FunctionJacobian::add(Size samples) {
    const Size outputs = network_.output().units();
    // Slices a few times as tall as R keep both memory and work small.
    const Size slice = std::max<Size>(1, 2 * parameters_ / outputs);
    while (samples > 0) {
        const Size now = std::min(samples, slice), kept = factor_.rows;
        Matrix stacked(kept + now * outputs, parameters_);
        std::copy(factor_.values.begin(), factor_.values.end(), stacked.values.begin());
        for (Size s = 0; s < now; ++s) {
            std::vector<double> input(network_.input.units());
            for (double& value : input) value = deviation_ * rng_.gaussian();
            appendRows(input, stacked.row(kept + s * outputs));
        }
        factor_ = triangularFactor(stacked);
        samples_ += static_cast<double>(now);
        samples -= now;
    }
}

std::vector<double> FunctionJacobian::singularValues() const {
    Matrix scaled = factor_;
    for (Size j = 0; j < scaled.columns; ++j) {
        double squares = 0;
        for (Size i = 0; i < scaled.rows; ++i) squares += scaled(i, j) * scaled(i, j);
        for (Size i = 0; i < scaled.rows && squares > 0; ++i) scaled(i, j) /= std::sqrt(squares);
    }
    return singularSpace(scaled).values;
}

}  // namespace kappaflow

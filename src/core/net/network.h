#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/base/errors.h"
#include "core/net/layer.h"

namespace kappaflow {

/// out = skipScale·skip(in) + branchScale·branch(in) as a block; an empty side is the identity, blocks inside a side become part of it.
Layer residualBlock(const Shape& in, std::vector<Layer> branch, std::vector<Layer> skip = {}, double skipScale = 1, double branchScale = 1);

/// Puts a chain into a block's `inner`, the first layer reading `from`; returns what the last one makes (`from` of an empty chain).
int appendChain(std::vector<Layer>& inner, int from, std::vector<Layer> chain);

/// The chain that such layers are, with `reads` and each leading to the last: a block from a value that is read several times to the
/// next that everything goes through, named as its last layer.
std::vector<Layer> chainFromGraph(std::vector<Layer> graph);

/// The network's layers as a chain from the input on; where values are read twice, a block holds all that lies between two places that
/// every way goes through. Shapes agree (checked by `validate`).
struct Network {
    Shape input;
    std::vector<Layer> layers;
    const Shape& output() const { return layers.empty() ? input : layers.back().out; }
};
using Architecture = Network;  ///< the same without weights

/// More than a layer's units or a network's weights may be: vectors of doubles that a 32-bit wasm heap can still hold.
inline constexpr double kMaxLayerUnits = 1 << 24, kMaxNetworkWeights = 5e7;  // times roomFactor() the latter

/// Throws InputError naming the layer when shapes do not fit, weights have the wrong size or are not finite, or a size overflows.
void validate(const Network&);
/// Number of weights the layer takes (not counting bias), in double: sizes are checked before they are allocated.
double weightCount(const Layer&);
/// Uses of the layer's weights in one pass, a multiply-add each: dense in · out; convolution out units · (in channels / groups) · kernel,
/// those that meet padding included; a norm one a unit; any other none, nor a residual layer beside what is inside it. In double.
double multiplyAdds(const Layer&);
/// Returns how many inputs the layer's output units read in one pass, repeats counted; a block's is the sum over its layers. In double.
double inputsRead(const Layer&);

enum class Initialiser { He, LeCun, Gaussian, Orthogonal };
/// Draws all weights and biases: He N(0, 2/k), LeCun N(0, 1/k), Gaussian N(0, σ_w²/k), k = fan-in; biases N(0, σ_b²); Orthogonal:
/// Haar, times σ_w, of the [out][k] matrix of each group and position: orthonormal columns, or rows when out < k. Batch norm becomes
/// the identity, layer norm one without scale and shift. Without bias variance there are no biases. Stream per layer (seed, Weights |
/// Biases, index), every layer counted that is no join, Route or Softmax, a block before the layers inside it, so a layer's draw does not
/// depend on the others' sizes. Calls `tick` before every layer that is drawn. Throws what `validate` throws.
struct InitialiserSpec {
    Initialiser kind = Initialiser::He;
    double weightVariance = 1, biasVariance = 0;
};
void initialise(
    Network&, const InitialiserSpec&, std::uint64_t seed, const std::function<void()>& tick = [] {});

/// The functions below expect a network that `validate` accepts, with weights, and vectors of the right length (asserted).

/// States of a forward pass: values[0] = input, values[l] = output of layer l; of a block only the output is kept.
/// Cost: one multiply-add a weight use.
std::vector<std::vector<double>> forward(const Network&, const std::vector<double>& input);
/// Output of one layer that is no join.
std::vector<double> applyLayer(const Layer&, const std::vector<double>& input);
/// (dout/din)ᵀ·outGradient of one layer at `input`.
std::vector<double> applyLayerTransposedJacobian(const Layer&, const std::vector<double>& input, const std::vector<double>& outGradient);
/// Gradients of Σ_i direction_i · output_i at every state, index as in `forward`.
std::vector<std::vector<double>> backward(const Network&, const std::vector<std::vector<double>>& states,
                                          const std::vector<double>& direction);

/// A continuous piecewise-linear activation: state s of a pre-activation h is the number of thresholds strictly below it (h exactly at
/// a threshold counts as below), and the value is slope[s]·h + offset[s]. No thresholds: affine, one state.
struct LinearPieces {
    std::vector<double> thresholds;             ///< ascending; lines of activation regions where pre-activations pass them
    std::vector<double> slopes{1}, offsets{0};  ///< one more than thresholds

    int stateOf(double h) const {
        int state = 0;
        for (const double threshold : thresholds) state += h > threshold;
        return state;
    }
    double valueOf(double h) const {
        const auto state = static_cast<std::size_t>(stateOf(h));
        return slopes[state] * h + offsets[state];
    }
    friend bool operator==(const LinearPieces&, const LinearPieces&) = default;
};

/// Slope of the activation layer's unit.
double slopeOf(const Layer& activation, std::size_t unit);

bool isPiecewiseLinear(Activation);
/// Identity, ReLU, leaky ReLU, |h|, hard-tanh, ReLU6, hard sigmoid. Throws InputError for any other.
LinearPieces piecewiseLinear(Activation, double slope = 0.01);
/// Whether the layer's activation is piecewise linear.
inline bool isPiecewiseLinear(const Layer& activation) { return isPiecewiseLinear(activation.as<Pointwise>().activation); }
/// The function of the activation layer's unit i, with the layer's own slopes, gain and offset; only where isPiecewiseLinear. Neighbouring
/// equal slopes are joined (|z| of slope −1 and 1 keeps its threshold, a leaky ReLU of slope 1 has none).
LinearPieces piecewiseLinear(const Layer& activation, std::size_t unit);

/// Output positions of a window on an axis of `in` cells: ⌊(in + before + after − dilation·(size − 1) − 1) / stride⌋ + 1, in double
/// because the sum may overflow; below 1 when the window does not fit.
double windowOutputs(int in, const Window&, int axis);

/// Where padded cell i of an axis, −before <= i < in + after, takes its value from; −1 for a cell of zeros.
int paddedSource(int i, int in, Padding);

}  // namespace kappaflow

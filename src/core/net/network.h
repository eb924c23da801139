#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/errors.h"

namespace kappaflow {

/// Shape of one sample at a layer: channels of a height × width grid; 1-D signals have height 1, plain vectors are channels 1,
/// height 1, width = units. Units are numbered channel-major: (c·height + y)·width + x.
struct Shape {
    int channels = 1, height = 1, width = 1;
    std::size_t units() const {
        return static_cast<std::size_t>(channels) * static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
    }
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// Pointwise activations (P1 2.3). PseudoRandom: eta = ±1 from splitmix64 of the float64 bits of z, seed per layer; its sign
/// flips with the last bit of z, so only its statistics mean anything. HardSigmoid is max(0, min(1, z/5 + 1/2)), unless a layer has
/// other numbers; `slope` is that of the leaky ReLU for z <= 0, of Elu the factor a, and ignored by the others.
///   Elu        z > 0: z, else a(e^z − 1) (Clevert 2015)
///   Selu       1.0507 z, for z <= 0 1.0507·1.6733 (e^z − 1) (Klambauer 2017)
///   Softplus   ln(1 + e^z)
///   Gelu       zΦ(z), Φ the normal distribution; GeluTanh z/2 (1 + tanh(√(2/π)(z + 0.044715 z³))) (Hendrycks 2016)
///   Silu       z/(1 + e^−z), also Swish;  Mish z tanh(ln(1 + e^z));  HardSwish z max(0, min(1, z/6 + 1/2))
///   Exp, Log, Sqrt, Reciprocal, Square, Erf, Sin, Cos as they are called. Where a float ends, so do they: e^z at z = 88, ln z and √z at
///   z = 10⁻³⁸ and below it, 1/z at |z| = 10⁻¹⁹ and nearer to 0 are constant.
enum class Activation {
    Identity,
    Relu,
    LeakyRelu,
    Abs,
    Tanh,
    HardTanh,
    Sigmoid,
    Relu6,
    HardSigmoid,
    PseudoRandom,
    Elu,
    Selu,
    Softplus,
    Gelu,
    GeluTanh,
    Silu,
    Mish,
    HardSwish,
    Exp,
    Log,
    Sqrt,
    Reciprocal,
    Square,
    Erf,
    Sin,
    Cos
};
std::string_view activationKey(Activation);      ///< "leaky-relu"
Activation activationFromKey(std::string_view);  ///< throws InputError
double activate(Activation, double z, double slope, std::uint64_t seed = 0);
/// The left derivative at kinks: ReLU'(0) = 0, |z|' = −1 at 0.
double activationDerivative(Activation, double z, double slope, std::uint64_t seed = 0);

/// LayerNorm: out_i = weights·(in_i − μ)/√(σ² + epsilon) + bias, with mean μ and variance σ² of one sample's units: of the channels of a
/// position, of all units, or of those of a group of channels (group norm; one channel each: instance norm), two or more.
///   Route    unit i is unit route[i] of the input, or 0: slices, transposed axes, copies, zeros around
///   Softmax  e^x_i/Σ e^x over each row of the grid
///   Sum      Σ_k scales[k]·(operand k)
///   Product  of the operands, unit by unit
///   Concat   the operands' units one after another: their channels
///   MatMul   of each channel's matrices, [c][n][k]·[c][k][m]
///   Block    layers that read each other in any order without a circle: `inner`
/// Sum, Product, Concat and MatMul stand inside blocks alone; no block stands inside a block.
enum class LayerKind {
    Dense,
    Conv,
    BatchNorm,
    Activation,
    MaxPool,
    AveragePool,
    GlobalAveragePool,
    Flatten,
    LayerNorm,
    Route,
    Softmax,
    Sum,
    Product,
    Concat,
    MatMul,
    Block
};
enum class Padding { Zero, Periodic, Reflect };

/// Window of a convolution or pooling; axis 0 is vertical, 1 horizontal. Output x, tap k reads input x·stride + k·dilation − before.
/// Reflect mirrors about the edge cells without repeating them. Padded cells count as zeros in a convolution; a pooling with zero
/// padding leaves them out, of the mean's divisor too unless the layer's `countsPadding`.
struct Window {
    std::array<int, 2> size{1, 1}, stride{1, 1}, dilation{1, 1}, before{0, 0}, after{0, 0};  ///< before, after: padded cells
    Padding padding = Padding::Zero;
    friend bool operator==(const Window&, const Window&) = default;
};

/// One layer of an architecture, weights included once they are drawn or read: weights empty = architecture only.
struct Layer {
    LayerKind kind = LayerKind::Dense;
    Shape in, out;
    Window window;               ///< Conv, MaxPool, AveragePool
    int groups = 1;              ///< Conv, LayerNorm
    bool shared = true;          ///< Conv: one kernel for all positions; false: weights [position][out][in/groups][ky][kx].
                                 ///< BatchNorm, LayerNorm: one scale a channel; false: one a unit
    bool eachPosition = false;   ///< LayerNorm: over the channels of each position; false: over the units of each group
    bool countsPadding = false;  ///< AveragePool: zero padding counts in the mean, as zeros
    Activation activation = Activation::Identity;
    double slope = 0.01;              ///< leaky ReLU, Elu
    std::vector<double> slopes;       ///< leaky ReLU: one a channel or one a unit in place of `slope`; may be empty
    double gain = 0.2, offset = 0.5;  ///< hard sigmoid max(0, min(1, gain·z + offset))
    std::uint64_t seed = 0;           ///< pseudo-random activation

    std::vector<double> weights;         ///< Dense [out][in]; Conv [out][in/groups][ky][kx]; norms: scale
    std::vector<double> bias;            ///< per output unit (Dense), channel (Conv) or scale (norms: shift); may be empty
    std::vector<double> mean, variance;  ///< BatchNorm running statistics
    double batchNormEpsilon = 1e-5;      ///< LayerNorm too

    std::vector<int> route;      ///< Route: one an output unit, −1 for 0
    std::vector<double> scales;  ///< Sum: one an operand
    std::vector<Layer> inner;    ///< Block: each reads what stands before it; the last makes the output
    /// Inside a block: index in `inner` of each operand, −1 the block's input. `in` is the shape of the first. Empty elsewhere.
    std::vector<int> reads;
    std::string name;  ///< node name from a file

    friend bool operator==(const Layer&, const Layer&) = default;
};

/// How a layer kind treats the positions of its input's grid: it keeps each position, moves a window over them, joins all positions of a
/// channel, reads the grid as one vector, or moves values between positions. A block follows the layers inside it.
enum class Positions { Kept, Window, Together, Vector, Moved, Inside };
struct KindTraits {
    std::string_view key;  ///< in lists of layers
    Positions positions;
    bool trains = false;  ///< weights and bias are trained
    bool joins = false;   ///< reads several values
};
inline constexpr KindTraits kKindTraits[] = {{"dense", Positions::Vector, true},
                                             {"convolution", Positions::Window, true},
                                             {"batch-norm", Positions::Kept},
                                             {"activation", Positions::Kept},
                                             {"max-pool", Positions::Window},
                                             {"average-pool", Positions::Window},
                                             {"global-average-pool", Positions::Together},
                                             {"flatten", Positions::Vector},
                                             {"layer-norm", Positions::Kept},
                                             {"route", Positions::Moved},
                                             {"softmax", Positions::Kept},
                                             {"sum", Positions::Kept, false, true},
                                             {"product", Positions::Kept, false, true},
                                             {"concatenation", Positions::Kept, false, true},
                                             {"matrix-product", Positions::Moved, false, true},
                                             {"block", Positions::Inside}};
constexpr const KindTraits& traitsOf(LayerKind kind) { return kKindTraits[static_cast<std::size_t>(kind)]; }
static_assert(traitsOf(LayerKind::Block).key == "block" && traitsOf(LayerKind::Route).key == "route");

/// Sum, Product, Concat or MatMul.
constexpr bool isJoin(LayerKind kind) { return traitsOf(kind).joins; }
/// Dense and convolutional layers.
inline bool hasTrainableWeights(const Layer& layer) { return traitsOf(layer.kind).trains; }

/// out = skipScale·skip(in) + branchScale·branch(in) as a block; an empty side is the identity, blocks inside a side become part of it.
Layer residualBlock(const Shape& in, std::vector<Layer> branch, std::vector<Layer> skip = {}, double skipScale = 1, double branchScale = 1);

/// Puts a chain into a block's `inner`, the first layer reading `from`; returns what the last one makes (`from` of an empty chain).
int appendChain(std::vector<Layer>& inner, int from, std::vector<Layer> chain);

/// The chain that such layers are, with `reads` and each leading to the last: a block from a value that is read several times to the
/// next that everything goes through, named as its last layer.
std::vector<Layer> chainFromGraph(std::vector<Layer> graph);

/// Of what stands at 0 (the input) and at l + 1 (behind layer l) along a chain or inside a block: where layer l's operand k stands.
inline std::size_t operandOf(const std::vector<Layer>& layers, std::size_t l, std::size_t k = 0) {
    return layers[l].reads.empty() ? l : static_cast<std::size_t>(layers[l].reads[k] + 1);
}

/// Calls visit(layer) for every layer, a block before the layers inside it.
template <class Layers, class Visit>
void eachLayer(Layers& layers, const Visit& visit) {
    for (auto& layer : layers) {
        visit(layer);
        eachLayer(layer.inner, visit);
    }
}

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
/// depend on the others' sizes. Throws what `validate` throws.
struct InitialiserSpec {
    Initialiser kind = Initialiser::He;
    double weightVariance = 1, biasVariance = 0;
};
void initialise(Network&, const InitialiserSpec&, std::uint64_t seed);

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
inline bool isPiecewiseLinear(const Layer& layer) { return isPiecewiseLinear(layer.activation); }
/// The function of the activation layer's unit i, with the layer's own slopes, gain and offset; only where isPiecewiseLinear. Neighbouring
/// equal slopes are joined (|z| of slope −1 and 1 keeps its threshold, a leaky ReLU of slope 1 has none).
LinearPieces piecewiseLinear(const Layer& activation, std::size_t unit);

/// Output positions of a window on an axis of `in` cells: ⌊(in + before + after − dilation·(size − 1) − 1) / stride⌋ + 1, in double
/// because the sum may overflow; below 1 when the window does not fit.
double windowOutputs(int in, const Window&, int axis);

/// Where padded cell i of an axis, −before <= i < in + after, takes its value from; −1 for a cell of zeros.
int paddedSource(int i, int in, Padding);

}  // namespace kappaflow

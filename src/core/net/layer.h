#pragma once
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

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

enum class Padding { Zero, Periodic, Reflect };

/// Window of a convolution or pooling; axis 0 is vertical, 1 horizontal. Output x, tap k reads input x·stride + k·dilation − before.
/// Reflect mirrors about the edge cells without repeating them. Padded cells count as zeros in a convolution; a pooling with zero
/// padding leaves them out, of the mean's divisor too unless the layer's `countsPadding`.
struct Window {
    std::array<int, 2> size{1, 1}, stride{1, 1}, dilation{1, 1}, before{0, 0}, after{0, 0};  ///< before, after: padded cells
    Padding padding = Padding::Zero;
    friend bool operator==(const Window&, const Window&) = default;
};

/// How a layer treats the positions of its input's grid: it keeps each position, moves a window over them, joins all positions of a
/// channel, reads the grid as one vector, or moves values between positions. A block follows the layers inside it.
enum class Positions { Kept, Window, Together, Vector, Moved, Inside };
struct KindTraits {
    std::string_view key;  ///< in lists of layers
    Positions positions;
};

// Parts that operations share: `Layer::is` and `Layer::getIf` accept a part as well as an operation.

/// Drawn or read; `weights` empty = architecture only. One bias an output unit, channel or scale; may be empty.
struct Weights {
    std::vector<double> weights = {}, bias = {};
    friend bool operator==(const Weights&, const Weights&) = default;
};
/// weights·(in − μ)/√(σ² + epsilon) + bias.
struct Norm : Weights {
    bool shared = true;  ///< one scale a channel; false: one a unit
    double epsilon = 1e-5;
    friend bool operator==(const Norm&, const Norm&) = default;
};
struct Pooling {
    Window window = {};
    friend bool operator==(const Pooling&, const Pooling&) = default;
};
/// Reads several values, inside blocks alone.
struct Join {
    friend bool operator==(const Join&, const Join&) = default;
};

/// weights [out][in].
struct Dense : Weights {
    static constexpr KindTraits kTraits{"dense", Positions::Vector};
};
/// weights [out][in/groups][ky][kx].
struct Conv : Weights {
    Window window = {};
    int groups = 1;
    bool shared = true;  ///< one kernel for all positions; false: weights [position][out][in/groups][ky][kx]
    static constexpr KindTraits kTraits{"convolution", Positions::Window};
    friend bool operator==(const Conv&, const Conv&) = default;
};
/// By running statistics, one a scale.
struct BatchNorm : Norm {
    std::vector<double> mean = {}, variance = {};
    static constexpr KindTraits kTraits{"batch-norm", Positions::Kept};
    friend bool operator==(const BatchNorm&, const BatchNorm&) = default;
};
/// By each sample's own mean and variance: of all units, or of those of a group of channels (group norm; one channel each: instance norm),
/// or of the channels of a position; of two units or more.
struct LayerNorm : Norm {
    int groups = 1;
    bool eachPosition = false;
    static constexpr KindTraits kTraits{"layer-norm", Positions::Kept};
    friend bool operator==(const LayerNorm&, const LayerNorm&) = default;
};
struct Pointwise {
    Activation activation = Activation::Identity;
    double slope = 0.01;              ///< leaky ReLU, Elu
    std::vector<double> slopes = {};  ///< leaky ReLU: one a channel or one a unit in place of `slope`; may be empty
    double gain = 0.2, offset = 0.5;  ///< hard sigmoid max(0, min(1, gain·z + offset))
    std::uint64_t seed = 0;           ///< pseudo-random activation
    static constexpr KindTraits kTraits{"activation", Positions::Kept};
    friend bool operator==(const Pointwise&, const Pointwise&) = default;
};
struct MaxPool : Pooling {
    static constexpr KindTraits kTraits{"max-pool", Positions::Window};
};
struct AveragePool : Pooling {
    bool countsPadding = false;  ///< zero padding counts in the mean, as zeros
    static constexpr KindTraits kTraits{"average-pool", Positions::Window};
    friend bool operator==(const AveragePool&, const AveragePool&) = default;
};
struct GlobalAveragePool {
    static constexpr KindTraits kTraits{"global-average-pool", Positions::Together};
    friend bool operator==(const GlobalAveragePool&, const GlobalAveragePool&) = default;
};
struct Flatten {
    static constexpr KindTraits kTraits{"flatten", Positions::Vector};
    friend bool operator==(const Flatten&, const Flatten&) = default;
};
/// Unit i is unit route[i] of the input, or 0 where that is −1: slices, transposed axes, copies, zeros around.
struct Route {
    std::vector<int> route = {};
    static constexpr KindTraits kTraits{"route", Positions::Moved};
    friend bool operator==(const Route&, const Route&) = default;
};
/// e^x_i/Σ e^x over each row of the grid.
struct Softmax {
    static constexpr KindTraits kTraits{"softmax", Positions::Kept};
    friend bool operator==(const Softmax&, const Softmax&) = default;
};
/// Σ_k scales[k]·(operand k).
struct Sum : Join {
    std::vector<double> scales = {};
    static constexpr KindTraits kTraits{"sum", Positions::Kept};
    friend bool operator==(const Sum&, const Sum&) = default;
};
/// Of the operands, unit by unit.
struct Product : Join {
    static constexpr KindTraits kTraits{"product", Positions::Kept};
};
/// The operands' units one after another: their channels.
struct Concat : Join {
    static constexpr KindTraits kTraits{"concatenation", Positions::Kept};
};
/// Of each channel's matrices, [c][n][k]·[c][k][m].
struct MatMul : Join {
    static constexpr KindTraits kTraits{"matrix-product", Positions::Moved};
};
struct Layer;
/// Layers that read each other in any order without a circle, none of them a block: each reads what stands before it; the last makes the
/// output.
struct Block {
    std::vector<Layer> inner;
    static constexpr KindTraits kTraits{"block", Positions::Inside};
    friend bool operator==(const Block&, const Block&) = default;
};

/// One layer of an architecture, weights included once they are drawn or read.
struct Layer {
    using Operation = std::variant<Dense, Conv, BatchNorm, Pointwise, MaxPool, AveragePool, GlobalAveragePool, Flatten, LayerNorm, Route,
                                   Softmax, Sum, Product, Concat, MatMul, Block>;
    Shape in = {}, out = {};
    Operation op = {};
    /// Inside a block: index in `inner` of each operand, −1 the block's input. `in` is the shape of the first. Empty elsewhere.
    std::vector<int> reads = {};
    std::string name = {};  ///< node name from a file

    friend bool operator==(const Layer&, const Layer&) = default;

    /// Returns the operation as a `Part` (an operation or one of its bases), null when it is none.
    template <class Part>
    const Part* getIf() const {
        const Part* found = nullptr;
        const auto look = [&]<class... Ops>(const std::variant<Ops...>& held) {
            static_assert((std::is_base_of_v<Part, Ops> || ...));
            const auto one = [&]<class Op>(const Op* candidate) {
                if constexpr (std::is_base_of_v<Part, Op>)
                    if (candidate) found = candidate;
            };
            (one(std::get_if<Ops>(&held)), ...);
        };
        look(op);
        return found;
    }
    template <class Part>
    Part* getIf() {
        return const_cast<Part*>(std::as_const(*this).getIf<Part>());
    }
    /// Returns the operation as a `Part`, which it must be (asserted).
    template <class Part>
    const Part& as() const {
        assert(is<Part>());
        return *getIf<Part>();
    }
    template <class Part>
    Part& as() {
        assert(is<Part>());
        return *getIf<Part>();
    }
    /// Returns whether the operation is one of `Parts` or derives from one.
    template <class... Parts>
    bool is() const {
        return (getIf<Parts>() || ...);
    }
    /// Calls the function that accepts the operation, and returns what it returns.
    template <class... Functions>
    decltype(auto) visit(const Functions&... functions) const {
        struct Overloads : Functions... {
            using Functions::operator()...;
        };
        return std::visit(Overloads{functions...}, op);
    }
};

/// Output = W·input + bias, see LinearRows.
template <class Op>
concept Linear = std::is_same_v<Op, Dense> || std::is_same_v<Op, Conv> || std::is_same_v<Op, BatchNorm> ||
    std::is_same_v<Op, AveragePool> || std::is_same_v<Op, GlobalAveragePool> || std::is_same_v<Op, Route>;

inline KindTraits traitsOf(const Layer& layer) {
    return layer.visit([](const auto& op) { return op.kTraits; });
}
/// Dense and convolutional layers.
inline bool hasTrainableWeights(const Layer& layer) { return layer.is<Dense, Conv>(); }

/// Returns the weights and biases of any layer; empty ones of a layer that has none.
inline const Weights& weightsOf(const Layer& layer) {
    static const Weights kNone;
    const Weights* const own = layer.getIf<Weights>();
    return own ? *own : kNone;
}

/// Of what stands at 0 (the input) and at l + 1 (behind layer l) along a chain or inside a block: where layer l's operand k stands.
inline std::size_t operandOf(const std::vector<Layer>& layers, std::size_t l, std::size_t k = 0) {
    return layers[l].reads.empty() ? l : static_cast<std::size_t>(layers[l].reads[k] + 1);
}

/// Calls visit(layer) for every layer, a block before the layers inside it.
template <class Layers, class Visit>
void eachLayer(Layers& layers, const Visit& visit) {
    for (auto& layer : layers) {
        visit(layer);
        if (auto* const block = layer.template getIf<Block>()) eachLayer(block->inner, visit);
    }
}

}  // namespace kappaflow

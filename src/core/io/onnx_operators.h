#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/file_limits.h"
#include "core/io/onnx_graph.h"
#include "core/net/network.h"

namespace kappaflow::onnx {

/// What flows between nodes: one sample's shape and how many dimensions its tensor has, the batch axis included: [N, D], [N, C, W] or
/// [N, C, H, W], or with the channels last: [N, W, C], [N, H, W, C], and [N, D] for what was flattened so. A tensor of more dimensions, or
/// whose batch axis is not in front, is free: it has its sizes in `dims`, one of them 1 for the batch, and counts as one behind a batch
/// axis that it has not. Its shape is a vector, or with the channels last its last axis and all others as positions.
struct Value {
    Shape shape;
    std::size_t rank = 2;
    bool channelsLast = false;
    std::vector<std::int64_t> dims{};
    bool isFree() const { return !dims.empty(); }
    /// The tensor's sizes without the batch axis.
    std::vector<std::int64_t> sizes() const;
    /// All sizes, the batch axis's among them.
    std::vector<std::int64_t> tensor() const;
    /// An axis as ONNX counts it, from the front or from the back, as a place in sizes(): −1 for the batch axis; nothing where there is
    /// none.
    std::optional<int> place(std::int64_t axis) const;
    /// The value with `size` entries along its last axis.
    Value withLast(int size) const;
    /// "N × 4 × 8 × 8".
    std::string text() const;
    /// Where the tensor has unit i of the shape.
    std::size_t placeOf(std::size_t i) const;
    /// Whether it has the units in the shape's order.
    bool isInOrder() const { return !channelsLast || shape.channels == 1 || shape.height * shape.width == 1; }
    friend bool operator==(const Value&, const Value&) = default;
};
/// From 1 to 3 sizes, each 1 or more, whose product was checked; of the second 2 or 3.
Value valueOf(const std::vector<std::int64_t>& sizes);
Value channelsLastOf(const std::vector<std::int64_t>& sizes);
/// From all sizes of a tensor; free unless it has 2 to 4 of them, the first 1.
Value tensorOf(const std::vector<std::int64_t>& dims);
/// 0, 1, 2, … of all numbers.
std::vector<int> placesOf(const Value&);
/// Of each entry of a tensor of `dims` whose axes are put in that order: where it stood.
std::vector<int> transposedPlaces(const std::vector<std::int64_t>& dims, const std::vector<std::size_t>& order);

/// What every node of a model may look up.
struct Source {
    const Constants& constants;
    std::string_view output;
    std::int64_t operatorSet = 0;
};

/// Padding by nodes of its own, waiting for the window that reads it.
struct Frame {
    const Node* node;  ///< the last of them
    std::array<int, 2> before{0, 0}, after{0, 0};
    Padding padding = Padding::Zero;
};

/// Layers being put together from nodes, from a fork (or the input) on.
class LayerChain {
public:
    LayerChain(const Source& source, NetworkTotals& totals, const Value& start) : source_(source), totals_(totals), value_(start) {}

    const Value& value() const { return value_; }
    bool isOutput(const Node& node) const { return node.outputs.front() == source_.output; }
    const Source& source() const { return source_; }
    NetworkTotals& totals() const { return totals_; }

    /// The constant behind input `index`, null when it is left out. Throws InputError when it is computed.
    const Tensor* constant(const Node&, std::size_t index) const;
    /// The same where it must not be left out.
    const Tensor& requiredConstant(const Node&, std::size_t index) const;
    /// Throws InputError unless input 0 is what the chain has come to.
    void requireComputed(const Node&) const;

    /// A constant as it acts on the value: one number, one a channel, or one a unit. Throws InputError when the constant does not broadcast
    /// to the value's tensor (numpy's rule) or would enlarge it, or when the model's constants are too much work.
    std::vector<double> broadcast(const Node&, const Tensor&) const;

    /// Adds a layer with its shapes and name. Throws InputError naming the node when the model becomes too large with it.
    void add(const Node&, Layer::Operation, const Value& out);
    /// The same numbers in another shape: a Flatten layer, or nothing when only the tensor's rank changes.
    void reshape(const Node&, const Value& out);
    /// Numbers of the tensor moved: entry j of the one of `sizes` (without the batch axis) is entry from[j] of what there is, or 0 for −1.
    /// A Route layer, into which those before it and flattenings are taken.
    void move(const Node&, const std::vector<std::int64_t>& sizes, const std::vector<int>& from);
    void move(const Node&, const Value& out, const std::vector<int>& from);
    /// The same numbers with the channels in front, or behind: what is no channel becomes one.
    void bringInOrder(const Node&);
    void bringChannelsLast(const Node&);
    /// The padding that waits becomes cells.
    void layFrame(const Node&);
    /// The same layer's units, seen as a tensor in another way.
    void setValue(const Value& value) { value_ = value; }
    /// The last layer, when it is one that can take a bias; else null.
    Layer* lastLinear();

    /// Cells around the value, in no shape yet: only a window may read them next.
    const std::optional<Frame>& frame() const { return frame_; }
    void pad(const Frame& frame) { frame_ = frame; }
    std::optional<Frame> takeFrame() { return std::exchange(frame_, std::nullopt); }

    std::vector<Layer> take() { return std::move(layers_); }

private:
    const Source& source_;
    NetworkTotals& totals_;
    Value value_;
    std::vector<Layer> layers_;
    std::optional<Frame> frame_;
};

/// Beyond float's range squares of weights overflow even in double, a little further up. Throws InputError naming the node.
void requireFloatRange(const Node&, const std::vector<double>& values, const char* what);
/// Units and weights that a layer may have: checked in double before anything is allocated. Throws InputError naming the node.
void requireUnits(const Node&, double units);
void requireWeights(const Node&, const NetworkTotals&, double more);

/// Inputs of one Sum or Concat, outputs of one Split.
inline constexpr std::size_t kMostJoined = 64;

/// Adds what a node computes to the chain. Throws InputError naming the node.
using Read = void (*)(const Node&, LayerChain&);

/// An operator that is read; what a node may have of inputs, outputs and attributes is checked before any node is read.
struct Operator {
    std::string_view type;
    Read read;
    std::size_t leastInputs, mostInputs, mostOutputs;
    std::vector<std::string_view> attributes;
    bool anyLayout = false;  ///< also of values with the channels last
};
const std::vector<Operator>& operators();
const Operator& operatorOf(const Node&);

/// Throws InputError when the version of the operators is not supported, or naming a node without an output.
void requireReadable(const Graph&);
/// Throws InputError naming the node when its operator, an attribute or its number of inputs or outputs is not supported.
void requireSupported(const Node&);

// onnx_linear.cpp
void readGemm(const Node&, LayerChain&);
void readMatMul(const Node&, LayerChain&);
/// Einsum with one constant, where it is a MatMul over the last axis.
void readEinsum(const Node&, LayerChain&);
void readConv(const Node&, LayerChain&);
/// As a convolution over the cells spread out, with zeros between them.
void readConvTranspose(const Node&, LayerChain&);
/// Adds a constant to what a linear layer makes. False when the layer holds no bias of that form.
bool addBias(const Node&, Layer& linear, const std::vector<double>& bias);
/// A single number that multiplies a side of a residual sum.
double readFactor(const Node&, const Tensor&, NetworkTotals&);
/// y = scale·x + shift; either list has one number, one a channel, or one a unit.
void addScale(const Node&, LayerChain&, const std::vector<double>& scale, const std::vector<double>& shift);
/// A pointwise function of every unit.
void addActivation(const Node&, LayerChain&, Activation);
/// Powers 2, 1/2 and −1.
void readPow(const Node&, LayerChain&);
/// Add, Sum, Sub, Mul, Div with one constant operand.
void readArithmetic(const Node&, LayerChain&);

// onnx_norms.cpp
void readBatchNormalization(const Node&, LayerChain&);
void readLayerNormalization(const Node&, LayerChain&);
void readInstanceNormalization(const Node&, LayerChain&);
void readGroupNormalization(const Node&, LayerChain&);

// onnx_activations.cpp
void readActivation(const Node&, LayerChain&);
void readLeakyRelu(const Node&, LayerChain&);
void readPRelu(const Node&, LayerChain&);
void readHardSigmoid(const Node&, LayerChain&);
void readElu(const Node&, LayerChain&);
void readSelu(const Node&, LayerChain&);
void readCelu(const Node&, LayerChain&);
/// Softplus, Gelu, Swish, Mish, HardSwish.
void readSmooth(const Node&, LayerChain&);
void readClip(const Node&, LayerChain&);
void readIdentity(const Node&, LayerChain&);
void readDropout(const Node&, LayerChain&);
/// Of operator set 6, where Dropout and BatchNormalization have a flag for it. Throws InputError in training mode.
void requireEvaluation(const Node&, const LayerChain&);
/// Softmax and LogSoftmax.
void readSoftmax(const Node&, LayerChain&);

// onnx_window.cpp
void readMaxPool(const Node&, LayerChain&);
void readAveragePool(const Node&, LayerChain&);
void readGlobalAveragePool(const Node&, LayerChain&);
void readGlobalMaxPool(const Node&, LayerChain&);
void readPad(const Node&, LayerChain&);
/// A list of cells that is an axis with its padding around it.
void readGather(const Node&, LayerChain&);

// onnx_routes.cpp
/// Slice, Gather, Transpose, Expand.
void readMoved(const Node&, LayerChain&);
/// Reshape, Flatten, Squeeze, Unsqueeze from or to a free tensor; false where it is none.
bool readFreeShape(const Node&, LayerChain&);
/// Nearest neighbours by whole factors: Resize, Upsample.
void readResize(const Node&, LayerChain&);
/// DepthToSpace, SpaceToDepth.
void readDepth(const Node&, LayerChain&);
/// One of the outputs of a Split.
void readSplit(const Node&, LayerChain&, std::size_t output);
/// A Pad that is not the frame of a window. `pads`: of all axes, the batch's among them.
void padAnyAxis(const Node&, LayerChain&, const std::vector<std::int64_t>& pads, std::string_view mode);
/// Axes of one entry repeated, and axes put in front. `dims`: all sizes.
void expandTo(const Node&, LayerChain&, const std::vector<std::int64_t>& dims);
/// Cells of zeros between those of an axis, `strides` − 1 of them: ConvTranspose.
void spreadCells(const Node&, LayerChain&, const std::array<int, 2>& strides);

// onnx_joins.cpp
/// Brings operands to the form that the node joins them in and says what operation does it, the scales of a Sum left open, and what must
/// come behind it.
struct Joined {
    Layer::Operation op;
    Value out;
    std::function<void(LayerChain&)> behind = [](LayerChain&) {};
};
/// A Concat of one computed value, and constants.
void readConcat(const Node&, LayerChain&);
/// Max and Min of one computed value and a constant.
void readExtreme(const Node&, LayerChain&);
Joined joined(const Node&, const std::vector<LayerChain*>& operands);
/// Whether the node may read several computed values.
bool mayJoin(const Node&);

// onnx_reshape.cpp
void readFlatten(const Node&, LayerChain&);
void readReshape(const Node&, LayerChain&);
void readSqueeze(const Node&, LayerChain&);
void readUnsqueeze(const Node&, LayerChain&);
void readTranspose(const Node&, LayerChain&);

/// Throws InputError unless the value is a signal [N, C, W] or a picture [N, C, H, W].
void requireGrid(const Node&, const Value&);

/// The window of a Conv, MaxPool or AveragePool node over what the chain has come to, from its attributes strides, dilations, pads and
/// auto_pad, as the ONNX specification defines them, and from the padding that nodes in front of it made. Throws InputError naming node
/// and attribute.
Window windowOf(const Node&, LayerChain&, const std::vector<std::int64_t>& kernel);

/// ceil_mode: more padding behind, so that the last window may hang over the end. A window that would start behind the input is left
/// out. Returns whether any padding was added.
bool roundUp(Window&, const Value& in);

/// ReduceMean, ReduceSum, ReduceMax over any axes but the batch's.
void readReduce(const Node&, LayerChain&);

/// What the window makes of `in`. Throws InputError when the window does not fit or there is too much of anything.
Value windowOutput(const Node&, const Value& in, const Window&, int channels);

}  // namespace kappaflow::onnx

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/errors.h"
#include "core/io/onnx_folding.h"
#include "core/io/onnx_operators.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

void requireInputs(const Node& node, const Tensor& matrix, double inputs, double have) {
    if (inputs != have)
        refuse(node, "its weights " + quoted(matrix.name) + " take " + whole(inputs) + " units, but " + whole(have) + " come from below");
}

/// [out][in] with its columns in the order of the value's shape.
void sortColumns(std::vector<double>& weights, const Value& in) {
    const std::size_t units = in.shape.units();
    std::vector<double> row(units);
    for (std::size_t start = 0; start < weights.size(); start += units) {
        for (std::size_t i = 0; i < units; ++i) row[i] = weights[start + in.placeOf(i)];
        std::copy(row.begin(), row.end(), weights.begin() + static_cast<std::ptrdiff_t>(start));
    }
}

/// A matrix over the last axis: over all units of a vector, or over the channels of each position.
void addDense(const Node& node, LayerChain& chain, bool outputsFirst, double scale) {
    chain.requireComputed(node);
    const Tensor& matrix = chain.requiredConstant(node, 1);
    if (chain.value().rank > 2 && chain.value().sizes().back() != static_cast<std::int64_t>(chain.value().shape.units()))
        chain.bringChannelsLast(node);
    const Value in = chain.value();
    const bool eachPosition = in.rank > 2 && in.channelsLast,
               vector = in.rank == 2 || in.sizes().back() == static_cast<std::int64_t>(in.shape.units());
    const bool rows = in.rank == 2 || (in.isFree() && in.dims.size() == 2);
    if (!(eachPosition || vector) || (!rows && node.type == "Gemm"))
        refuse(node, "its input has " + std::to_string(in.tensor().size()) + " dimensions; a Flatten must come first");
    elementCount(matrix);
    if (matrix.dims.size() != 2) refuse(node, "its weights " + quoted(matrix.name) + " are " + shapeText(matrix.dims) + ", not a matrix");
    const auto inputs = static_cast<double>(matrix.dims[outputsFirst ? 1 : 0]),
               outputs = static_cast<double>(matrix.dims[outputsFirst ? 0 : 1]);
    requireUnits(node, outputs);
    requireInputs(node, matrix, inputs, eachPosition ? in.shape.channels : static_cast<double>(in.shape.units()));
    requireWeights(node, chain.totals(), inputs * outputs);

    std::vector<double> weights = outputsFirst ? numbers(matrix) : transposedNumbers(matrix);
    for (double& weight : weights) weight *= scale;
    requireFloatRange(node, weights, "weights");
    const auto out = static_cast<std::int64_t>(outputs);
    if (eachPosition) {
        requireUnits(node, outputs * in.shape.height * in.shape.width);
        return chain.add(node, Conv{{std::move(weights)}}, in.withLast(static_cast<int>(out)));
    }
    if (!in.isInOrder()) sortColumns(weights, in);
    chain.reshape(node, valueOf({static_cast<std::int64_t>(in.shape.units())}));
    chain.add(node, Dense{{std::move(weights)}}, valueOf({out}));
    Value made = valueOf({out});
    made.rank = in.rank;
    made.dims = in.dims;
    chain.setValue(made.withLast(static_cast<int>(out)));
}

/// Checks a kernel [out][in / groups][ky][kx] against what comes from below.
void requireKernel(const Node& node, const Tensor& kernel, const Value& in, double groups) {
    elementCount(kernel);
    requireGrid(node, in);
    if (kernel.dims.size() != in.rank)
        refuse(node, "its weights " + quoted(kernel.name) + " are " + shapeText(kernel.dims) + " for an input of " + in.text());
    const auto out = static_cast<double>(kernel.dims[0]), perGroup = static_cast<double>(kernel.dims[1]);
    requireUnits(node, out);
    if (perGroup * groups != in.shape.channels)
        refuse(node, "its weights " + quoted(kernel.name) + " take " + whole(perGroup * groups) + " channels, but " +
                         std::to_string(in.shape.channels) + " come from below");
    if (static_cast<double>(static_cast<std::int64_t>(out / groups)) * groups != out)
        refuse(node, whole(out) + " channels cannot be shared out to " + whole(groups) + " groups");
}

std::vector<std::int64_t> kernelShape(const Node& node, const Tensor& kernel) {
    const std::vector<std::int64_t> held(kernel.dims.begin() + 2, kernel.dims.end());
    const std::vector<std::int64_t> stated = integersAttribute(node, "kernel_shape");
    if (!stated.empty() && stated != held)
        refuse(node,
               "its kernel_shape is " + shapeText(stated) + ", but its weights " + quoted(kernel.name) + " are " + shapeText(kernel.dims));
    return held;
}

void addBiasInput(const Node& node, LayerChain& chain, double scale) {
    const Tensor* tensor = chain.constant(node, 2);
    if (!tensor) return;
    std::vector<double> bias = chain.broadcast(node, *tensor);
    for (double& b : bias) b *= scale;
    addBias(node, *chain.lastLinear(), bias);
}

}  // namespace

bool addBias(const Node& node, Layer& linear, const std::vector<double>& bias) {
    const std::size_t slots = linear.is<Dense>() ? linear.out.units() : static_cast<std::size_t>(linear.out.channels);
    if (bias.size() != 1 && bias.size() != slots) return false;
    std::vector<double>& own = linear.as<Weights>().bias;
    own.resize(slots, -0.0);  // to which all add up as they are, 0 and −0 too
    for (std::size_t i = 0; i < slots; ++i) own[i] += bias[bias.size() == 1 ? 0 : i];
    requireFloatRange(node, own, "biases");
    return true;
}

void readGemm(const Node& node, LayerChain& chain) {
    if (flagAttribute(node, "transA", false)) refuse(node, "transA = 1 is not supported");
    addDense(node, chain, flagAttribute(node, "transB", false), numberAttribute(node, "alpha", 1));
    addBiasInput(node, chain, numberAttribute(node, "beta", 1));
}

void readMatMul(const Node& node, LayerChain& chain) { addDense(node, chain, false, 1); }

void readEinsum(const Node& node, LayerChain& chain) {
    const std::array<std::string, 3> letters = einsumLetters(node);
    const std::string &in = letters[0], &matrix = letters[1], &out = letters[2];
    const auto rows = [&](char contracted, char made) {
        return !in.empty() && in.back() == contracted && out == in.substr(0, in.size() - 1) + made && in.find(made) == std::string::npos;
    };
    if (in.size() != chain.value().tensor().size()) refuse(node, "its equation does not fit " + chain.value().text());
    if (matrix.size() == 2 && rows(matrix[0], matrix[1])) return addDense(node, chain, false, 1);
    if (matrix.size() == 2 && rows(matrix[1], matrix[0])) return addDense(node, chain, true, 1);
    refuse(node, "with a constant it is supported only as a matrix over the last axis");
}

namespace {

/// One a channel.
std::vector<double> convolutionBias(const Node& node, const LayerChain& chain, std::int64_t channels) {
    const Tensor* bias = chain.constant(node, 2);
    if (!bias) return {};
    if (bias->dims != std::vector<std::int64_t>{channels})
        refuse(node, "its bias " + quoted(bias->name) + " is " + shapeText(bias->dims) + " for " + std::to_string(channels) + " channels");
    std::vector<double> values = numbers(*bias);
    requireFloatRange(node, values, "biases");
    return values;
}

}  // namespace

void readConv(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const Tensor& kernel = chain.requiredConstant(node, 1);
    const Value in = chain.value();
    const std::int64_t groups = integerAttribute(node, "group", 1);
    if (groups < 1 || groups > in.shape.channels) refuse(node, "a group of " + std::to_string(groups) + " is not possible");
    requireKernel(node, kernel, in, static_cast<double>(groups));
    Conv conv;
    conv.groups = static_cast<int>(groups);
    conv.window = windowOf(node, chain, kernelShape(node, kernel));
    const Value out = windowOutput(node, in, conv.window, static_cast<int>(kernel.dims[0]));
    requireWeights(node, chain.totals(), elementCount(kernel));
    conv.weights = numbers(kernel);
    requireFloatRange(node, conv.weights, "weights");
    conv.bias = convolutionBias(node, chain, kernel.dims[0]);
    chain.add(node, std::move(conv), out);
}

// Output y·stride + k·dilation − before gathers input y times tap k: over cells that stand `stride` apart with zeros between them, that
// is a convolution of stride 1 whose taps go the other way.
void readConvTranspose(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const Tensor& kernel = chain.requiredConstant(node, 1);
    const std::int64_t groups = integerAttribute(node, "group", 1);
    requireGrid(node, chain.value());
    elementCount(kernel);
    const std::size_t axes = chain.value().rank - 2;
    if (kernel.dims.size() != axes + 2)
        refuse(node, "its weights " + quoted(kernel.name) + " are " + shapeText(kernel.dims) + " for an input of " + chain.value().text());
    const std::int64_t in = kernel.dims[0], perGroup = kernel.dims[1];
    if (in != chain.value().shape.channels)
        refuse(node, "its weights " + quoted(kernel.name) + " take " + std::to_string(in) + " channels, but " +
                         std::to_string(chain.value().shape.channels) + " come from below");
    if (groups < 1 || in % groups != 0)
        refuse(node, std::to_string(in) + " channels cannot be shared out to " + std::to_string(groups) + " groups");
    if (!integersAttribute(node, "output_shape").empty()) refuse(node, "a stated output_shape is not supported; pads are");
    Window window = windowOf(node, chain, kernelShape(node, kernel));
    if (textAttribute(node, "auto_pad", "NOTSET").starts_with("SAME")) refuse(node, "auto_pad is not supported; pads are");
    const std::vector<std::int64_t> more = integersAttribute(node, "output_padding");
    if (!more.empty() && more.size() != axes) refuse(node, "its output_padding does not fit its input");
    const std::array<int, 2> strides = std::exchange(window.stride, {1, 1});
    for (std::size_t axis = 2 - axes; axis < 2; ++axis) {
        const int reach = window.dilation[axis] * (window.size[axis] - 1);
        const std::int64_t extra = more.empty() ? 0 : more[axis + axes - 2];
        if (extra < 0 || extra >= std::max(strides[axis], window.dilation[axis])) refuse(node, "its output_padding is too large");
        window.before[axis] = reach - window.before[axis];
        window.after[axis] = reach - window.after[axis] + static_cast<int>(extra);
        if (window.before[axis] < 0 || window.after[axis] < 0) refuse(node, "its pads are wider than its kernel reaches");
    }
    const double outputs = static_cast<double>(perGroup) * static_cast<double>(groups);
    requireUnits(node, outputs);
    requireWeights(node, chain.totals(), elementCount(kernel));
    spreadCells(node, chain, strides);
    Conv conv;
    conv.groups = static_cast<int>(groups);
    conv.window = window;
    const Value out = windowOutput(node, chain.value(), window, static_cast<int>(outputs));
    const std::vector<double> given = numbers(kernel);
    const auto taps = static_cast<std::size_t>(window.size[0] * window.size[1]), inPerGroup = static_cast<std::size_t>(in / groups),
               outPerGroup = static_cast<std::size_t>(perGroup);
    conv.weights.resize(given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
        const std::size_t tap = i % taps, o = i / taps % outPerGroup, from = i / taps / outPerGroup, g = from / inPerGroup;
        conv.weights[((g * outPerGroup + o) * inPerGroup + from % inPerGroup) * taps + (taps - 1 - tap)] = given[i];
    }
    requireFloatRange(node, conv.weights, "weights");
    conv.bias = convolutionBias(node, chain, static_cast<std::int64_t>(outputs));
    chain.add(node, std::move(conv), out);
}

// A batch norm of mean 0 and variance 1.
void addScale(const Node& node, LayerChain& chain, const std::vector<double>& scale, const std::vector<double>& shift) {
    const Shape& shape = chain.value().shape;
    const std::size_t channels = static_cast<std::size_t>(shape.channels);
    BatchNorm norm;
    norm.shared = std::max(scale.size(), shift.size()) <= channels;
    const std::size_t count = norm.shared ? channels : shape.units();
    const auto spread = [&](const std::vector<double>& values) {
        std::vector<double> all(count);
        for (std::size_t i = 0; i < count; ++i) all[i] = values[i * values.size() / count];
        return all;
    };
    norm.weights = spread(scale);
    norm.bias = spread(shift);
    norm.mean.assign(count, 0);
    norm.variance.assign(count, 1);
    norm.epsilon = 0;
    requireFloatRange(node, norm.weights, "factors");
    requireFloatRange(node, norm.bias, "terms");
    requireNone(node, chain.totals().addScale(norm));
    chain.add(node, std::move(norm), chain.value());
}

namespace {

void addShift(const Node& node, LayerChain& chain, const std::vector<double>& shift) {
    Layer* linear = chain.lastLinear();
    if (linear && addBias(node, *linear, shift)) return;
    addScale(node, chain, {1}, shift);
}

std::vector<double> negated(std::vector<double> values) {
    for (double& value : values) value = -value;
    return values;
}

std::vector<double> inverted(const Node& node, std::vector<double> values) {
    for (double& value : values) {
        if (value == 0) refuse(node, "it divides by 0");
        value = 1 / value;
    }
    return values;
}

}  // namespace

namespace {

/// Operator set 6 says by an attribute at which axis of the value the constant's sizes begin.
Tensor broadcastFrom(const Node& node, const Tensor& constant, const LayerChain& chain) {
    Tensor tensor = constant;
    if (!attribute(node, "axis")) return tensor;
    const auto rank = static_cast<std::int64_t>(chain.value().tensor().size()), size = static_cast<std::int64_t>(tensor.dims.size());
    std::int64_t axis = integerAttribute(node, "axis", 0);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis + size > rank) refuse(node, "its axis does not fit what it reads");
    tensor.dims.resize(static_cast<std::size_t>(rank - axis), 1);
    return tensor;
}

}  // namespace

double readFactor(const Node& node, const Tensor& tensor, NetworkTotals& totals) {
    const std::vector<double> factor = numbers(tensor);
    requireFloatRange(node, factor, "factors");
    requireNone(node, totals.addScale(std::abs(factor.front())));
    return factor.front();
}

void readArithmetic(const Node& node, LayerChain& chain) {
    if (node.inputs.size() == 1) return;
    const bool constantFirst = chain.source().constants.find(node.inputs[0]);
    const std::vector<double> operand =
        chain.broadcast(node, broadcastFrom(node, chain.requiredConstant(node, constantFirst ? 0 : 1), chain));
    if (node.type == "Mul") return addScale(node, chain, operand, {0});
    if (node.type == "Add" || node.type == "Sum") return addShift(node, chain, operand);
    if (node.type == "Sub") return constantFirst ? addScale(node, chain, {-1}, operand) : addShift(node, chain, negated(operand));
    if (constantFirst) {
        addActivation(node, chain, Activation::Reciprocal);
        return addScale(node, chain, operand, {0});
    }
    addScale(node, chain, inverted(node, operand), {0});
}

}  // namespace kappaflow::onnx

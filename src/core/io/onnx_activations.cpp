#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/errors.h"
#include "core/io/onnx_operators.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

/// Operators that are an activation without attributes.
constexpr std::pair<std::string_view, Activation> kPlain[] = {
    {"Relu", Activation::Relu}, {"Abs", Activation::Abs}, {"Tanh", Activation::Tanh}, {"Sigmoid", Activation::Sigmoid},
    {"Exp", Activation::Exp},   {"Log", Activation::Log}, {"Sqrt", Activation::Sqrt}, {"Reciprocal", Activation::Reciprocal},
    {"Erf", Activation::Erf},   {"Sin", Activation::Sin}, {"Cos", Activation::Cos},
};

void addActivation(const Node& node, LayerChain& chain, Pointwise f) { chain.add(node, std::move(f), chain.value()); }
void addActivation(const Node& node, LayerChain& chain, Activation activation, double slope) {
    addActivation(node, chain, Pointwise{.activation = activation, .slope = slope});
}

/// Bounds are attributes up to operator set 10, inputs from 11 on. What is beyond float, an exporter's word for none, is infinite.
double clipBound(const Node& node, const LayerChain& chain, std::size_t index, std::string_view name, double none) {
    double bound = none;
    if (const Tensor* tensor = chain.constant(node, index)) {
        if (elementCount(*tensor) != 1) refuse(node, "its " + std::string(name) + " must be a single number");
        bound = numbers(*tensor).front();
    } else {
        bound = numberAttribute(node, name, none);
    }
    constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
    return bound >= kLargest || bound <= -kLargest ? bound * 2 : bound;
}

}  // namespace

void addActivation(const Node& node, LayerChain& chain, Activation activation) { addActivation(node, chain, activation, 0); }

void readActivation(const Node& node, LayerChain& chain) {
    if (node.type == "Neg") return addScale(node, chain, {-1}, {0});
    for (const auto& [type, activation] : kPlain)
        if (node.type == type) return addActivation(node, chain, activation);
}

void readPow(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const Tensor& exponent = chain.requiredConstant(node, 1);
    if (elementCount(exponent) != 1) refuse(node, "its exponent must be a single number");
    const bool whole = exponent.type == kInt64 || exponent.type == kInt32;
    const double power = whole ? static_cast<double>(integers(exponent).front()) : numbers(exponent).front();
    for (const auto& [known, activation] :
         {std::pair(2.0, Activation::Square), std::pair(0.5, Activation::Sqrt), std::pair(-1.0, Activation::Reciprocal)})
        if (power == known) return addActivation(node, chain, activation);
    refuse(node, "its exponent is " + shortNumber(power) + "; 2, 1/2 and -1 are supported");
}

void readLeakyRelu(const Node& node, LayerChain& chain) {
    addActivation(node, chain, Activation::LeakyRelu, numberAttribute(node, "alpha", 0.01));
}

void readPRelu(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    Pointwise f{.activation = Activation::LeakyRelu, .slope = 0};
    const Tensor& slopes = chain.requiredConstant(node, 1);
    // Operator set 6 has one a channel without axes of 1 behind them.
    const bool bare = chain.source().operatorSet == 6 && slopes.dims == std::vector<std::int64_t>{chain.value().shape.channels};
    f.slopes = bare && chain.value().rank > 2 ? numbers(slopes) : chain.broadcast(node, slopes);
    requireFloatRange(node, f.slopes, "slopes");
    if (f.slopes.size() == 1) {
        f.slope = f.slopes.front();
        f.slopes.clear();
    }
    addActivation(node, chain, std::move(f));
}

void readHardSigmoid(const Node& node, LayerChain& chain) {
    Pointwise f{.activation = Activation::HardSigmoid, .slope = 0};
    f.gain = numberAttribute(node, "alpha", 0.2);
    f.offset = numberAttribute(node, "beta", 0.5);
    addActivation(node, chain, std::move(f));
}

void readElu(const Node& node, LayerChain& chain) { addActivation(node, chain, Activation::Elu, numberAttribute(node, "alpha", 1)); }

// With other numbers than its own it is an ELU and a factor.
void readSelu(const Node& node, LayerChain& chain) {
    constexpr double kAlpha = 1.6732632423543772848, kGamma = 1.0507009873554804934;
    const double alpha = numberAttribute(node, "alpha", kAlpha), gamma = numberAttribute(node, "gamma", kGamma);
    if (std::abs(alpha - kAlpha) < 1e-6 && std::abs(gamma - kGamma) < 1e-6) return addActivation(node, chain, Activation::Selu);
    addActivation(node, chain, Activation::Elu, alpha);
    addScale(node, chain, {gamma}, {0});
}

// a·ELU(z/a).
void readCelu(const Node& node, LayerChain& chain) {
    const double alpha = numberAttribute(node, "alpha", 1);
    if (alpha == 0) refuse(node, "its attribute alpha is 0");
    if (alpha != 1) addScale(node, chain, {1 / alpha}, {0});
    addActivation(node, chain, Activation::Elu, 1);
    if (alpha != 1) addScale(node, chain, {alpha}, {0});
}

void readSmooth(const Node& node, LayerChain& chain) {
    if (node.type == "Softplus") return addActivation(node, chain, Activation::Softplus);
    if (node.type == "Mish") return addActivation(node, chain, Activation::Mish);
    if (node.type == "HardSwish") return addActivation(node, chain, Activation::HardSwish);
    if (node.type == "Swish") {
        if (numberAttribute(node, "alpha", 1) != 1) refuse(node, "Swish with an alpha other than 1 is not supported");
        return addActivation(node, chain, Activation::Silu);
    }
    const std::string_view form = textAttribute(node, "approximate", "none");
    if (form != "none" && form != "tanh") refuse(node, "its approximate is " + quoted(form) + "; it may be none or tanh");
    addActivation(node, chain, form == "tanh" ? Activation::GeluTanh : Activation::Gelu);
}

void readClip(const Node& node, LayerChain& chain) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double low = clipBound(node, chain, 1, "min", -kInfinity), high = clipBound(node, chain, 2, "max", kInfinity);
    constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
    const bool unlimited = high > kLargest;
    if (low < -kLargest && unlimited) return;
    if (low == 0 && unlimited) return addActivation(node, chain, Activation::Relu);
    if (low == -1 && high == 1) return addActivation(node, chain, Activation::HardTanh);
    if (low == 0 && high == 6) return addActivation(node, chain, Activation::Relu6);
    if (low >= high) refuse(node, "it clips to " + shortNumber(low) + " … " + shortNumber(high) + ", which is nothing");
    // Any other range is one of these of a line, under another.
    const bool below = low < -kLargest, line = below || unlimited;
    const double scale = below ? -1 : unlimited ? 1 : (high - low) / 2, centre = below ? high : unlimited ? low : (high + low) / 2;
    addScale(node, chain, {1 / scale}, {-centre / scale});
    addActivation(node, chain, line ? Activation::Relu : Activation::HardTanh);
    addScale(node, chain, {scale}, {centre});
}

void readIdentity(const Node&, LayerChain&) {}

// In evaluation it passes everything on, whatever its ratio; in training mode only with the ratio 0, as PyTorch's exporter writes it for
// Swin.
void readDropout(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    requireEvaluation(node, chain);
    const Tensor *training = chain.constant(node, 2), *ratio = chain.constant(node, 1);
    if (training && integers(*training) != std::vector<std::int64_t>{0} && (!ratio || numbers(*ratio) != std::vector<double>{0}))
        refuse(node, "it is in training mode; export the model in evaluation mode");
}

void requireEvaluation(const Node& node, const LayerChain& chain) {
    const bool given = attribute(node, "is_test");
    if ((given || chain.source().operatorSet == 6) && !flagAttribute(node, "is_test", false))
        refuse(node, "it is in training mode; export the model in evaluation mode");
}

// It carries no weights and the capacity of the scores is that of the probabilities, so at the end it is left out.
void readSoftmax(const Node& node, LayerChain& chain) {
    if (chain.isOutput(node)) return;
    if (node.type != "Softmax") refuse(node, "operator " + std::string(node.type) + " is supported only as the last node");
    const Value in = chain.value();
    const bool old = chain.source().operatorSet < 13;
    const std::optional<int> place = in.place(integerAttribute(node, "axis", old ? 1 : -1));
    if (!place || (old ? *place != static_cast<int>(in.sizes().size()) - 1 : *place < 0))
        refuse(node, "its axis must be " + std::string(old ? "the last" : "one behind the batch axis"));
    // It runs along the last axis of the shape.
    std::vector<std::int64_t> sizes = in.sizes();
    const std::vector<std::int64_t> before = sizes;
    const auto at = static_cast<std::size_t>(*place);
    chain.bringInOrder(node);
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[at], order.back());
    std::swap(sizes[at], sizes.back());
    const auto swapped = [&](const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
        const std::vector<int> places = transposedPlaces(from, order);
        in.isFree() ? chain.move(node, tensorOf(to), places) : chain.move(node, to, places);
    };
    if (at + 1 < sizes.size()) swapped(before, sizes);
    const Value rows = chain.value();
    if (rows.isFree()) chain.reshape(node, valueOf({static_cast<std::int64_t>(in.shape.units()) / sizes.back(), sizes.back()}));
    chain.add(node, Softmax{}, chain.value());
    if (rows.isFree()) chain.reshape(node, rows);
    if (at + 1 < sizes.size()) swapped(sizes, before);
}

}  // namespace kappaflow::onnx

#include "core/io/onnx_layers.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/io/printable.h"
#include "core/net/layer_rows.h"
#include "core/net/network.h"

namespace kappaflow::onnx {
namespace {

/// The sizes behind a channel's, each 1: one number a channel, as it broadcasts.
std::vector<std::int64_t> channelDims(const Value& value, std::size_t channels) {
    std::vector<std::int64_t> dims(value.rank - 1, 1);
    dims.front() = static_cast<std::int64_t>(channels);
    return dims;
}

}  // namespace

void LayerWriter::activation(const At& at) {
    const Layer& l = at.layer;
    const auto plain = [&](const char* type) { node(type, l.name, {}, here_.value); };
    switch (l.as<Pointwise>().activation) {
        case Activation::Identity:
            return plain("Identity");
        case Activation::Relu:
            return plain("Relu");
        case Activation::Abs:
            return plain("Abs");
        case Activation::Tanh:
            return plain("Tanh");
        case Activation::Sigmoid:
            return plain("Sigmoid");
        case Activation::HardTanh:
            return clip(at, -1, 1);
        case Activation::Relu6:
            return clip(at, 0, 6);
        case Activation::LeakyRelu:
            return leaky(at);
        case Activation::HardSigmoid:
            return hardSigmoid(at);
        case Activation::PseudoRandom:
            refuseLayer(at.place, l, "ONNX has no pseudo-random signs");
        default:
            return smooth(at);
    }
}

void LayerWriter::hardSigmoid(const At& at) {
    const Layer& l = at.layer;
    const auto& f = l.as<Pointwise>();
    std::vector<std::string> attributes;
    if ((f.gain != 0.2 && !isSingle(f.gain)) || (f.offset != 0.5 && !isSingle(f.offset)))
        refuseLayer(at.place, l, "ONNX keeps the line of a hard sigmoid as two singles, and these are none");
    if (f.gain != 0.2) attributes.push_back(attributeMessage("alpha", static_cast<float>(f.gain)));
    if (f.offset != 0.5) attributes.push_back(attributeMessage("beta", static_cast<float>(f.offset)));
    node("HardSigmoid", l.name, {}, here_.value, attributes);
}

void LayerWriter::smooth(const At& at) {
    const Layer& l = at.layer;
    const auto& f = l.as<Pointwise>();
    const auto since = [&](std::int64_t operatorSet, const char* type, const std::vector<std::string>& attributes = {}) {
        operatorSet_ = std::max(operatorSet_, operatorSet);
        node(type, l.name, {}, here_.value, attributes);
    };
    if (f.activation == Activation::Selu) return since(13, "Selu");
    if (f.activation == Activation::Softplus) return since(13, "Softplus");
    if (f.activation == Activation::HardSwish) return since(14, "HardSwish");
    if (f.activation == Activation::Mish) return since(18, "Mish");
    if (f.activation == Activation::Gelu) return since(20, "Gelu");
    if (f.activation == Activation::GeluTanh) return since(20, "Gelu", {attributeMessage("approximate", std::string_view("tanh"))});
    constexpr std::pair<Activation, const char*> kAsTheyAre[] = {
        {Activation::Exp, "Exp"}, {Activation::Log, "Log"}, {Activation::Sqrt, "Sqrt"}, {Activation::Reciprocal, "Reciprocal"},
        {Activation::Erf, "Erf"}, {Activation::Sin, "Sin"}, {Activation::Cos, "Cos"}};
    for (const auto& [activation, type] : kAsTheyAre)
        if (f.activation == activation) return node(type, l.name, {}, here_.value);
    if (f.activation == Activation::Square) return node("Pow", l.name, {tensorOf(at, "exponent", {}, {2})}, here_.value);
    if (f.activation == Activation::Silu) {
        const WrittenValue in = here_;
        node("Sigmoid", "", {}, in.value);
        node("Mul", l.name, {in.name}, in.value);
        return;
    }
    if (!isSingle(f.slope)) refuseLayer(at.place, l, "ONNX keeps the factor of an ELU as a single, and this is none");
    node("Elu", l.name, {}, here_.value, {attributeMessage("alpha", static_cast<float>(f.slope))});
}

void LayerWriter::clip(const At& at, double low, double high) {
    node("Clip", at.layer.name, {tensorOf(at, "low", {}, {low}), tensorOf(at, "high", {}, {high})}, here_.value);
}

// LeakyRelu keeps its slope as a single, 0.01 excepted, which is what it has without being told.
void LayerWriter::leaky(const At& at) {
    const Layer& l = at.layer;
    const auto& f = l.as<Pointwise>();
    if (f.slopes.empty() && f.slope == 0.01) return node("LeakyRelu", l.name, {}, here_.value);
    if (f.slopes.empty() && isSingle(f.slope))
        return node("LeakyRelu", l.name, {}, here_.value, {attributeMessage("alpha", static_cast<float>(f.slope))});
    const bool perChannel = f.slopes.size() == static_cast<std::size_t>(l.in.channels);
    const std::vector<std::int64_t> dims = f.slopes.empty() || f.slopes.size() == 1 ? std::vector<std::int64_t>{1}
                                           : perChannel                             ? channelDims(here_.value, f.slopes.size())
                                                                                    : here_.value.sizes();
    node("PRelu", l.name, {tensorOf(at, "slope", dims, f.slopes.empty() ? std::vector<double>{f.slope} : f.slopes)}, here_.value);
}

void LayerWriter::conv(const At& at) {
    const Layer& l = at.layer;
    const auto& conv = l.as<Conv>();
    if (!conv.shared) refuseLayer(at.place, l, "its kernels differ from position to position, for which ONNX has no operator");
    std::vector<std::string> attributes = window(at, conv.window);
    if (conv.groups != 1) attributes.push_back(attributeMessage("group", static_cast<std::int64_t>(conv.groups)));
    std::vector<std::int64_t> dims{l.out.channels, l.in.channels / conv.groups};
    if (here_.value.rank == 4) dims.push_back(conv.window.size[0]);
    dims.push_back(conv.window.size[1]);
    std::vector<std::string> constants{tensorOf(at, "weight", dims, conv.weights)};
    if (!conv.bias.empty()) constants.push_back(tensorOf(at, "bias", {l.out.channels}, conv.bias));
    node("Conv", l.name, constants, {l.out, here_.value.rank}, attributes);
}

void LayerWriter::pool(const At& at) {
    const Layer& l = at.layer;
    const Window& w = l.as<Pooling>().window;
    const auto* mean = l.getIf<AveragePool>();
    // Windows that state their size are read up to 4096 wide only.
    Window whole;
    whole.size = {l.in.height, l.in.width};
    if (!mean && w == whole) return node("GlobalMaxPool", l.name, {}, {l.out, here_.value.rank});
    if (mean && w.dilation != std::array{1, 1}) operatorSet_ = std::max<std::int64_t>(operatorSet_, 19);
    std::vector<std::string> attributes = window(at, w);
    if (mean && mean->countsPadding) attributes.push_back(attributeMessage("count_include_pad", std::int64_t{1}));
    node(mean ? "AveragePool" : "MaxPool", l.name, {}, {l.out, here_.value.rank}, attributes);
}

std::vector<std::string> LayerWriter::window(const At& at, const Window& w) {
    const bool zeros = w.padding == Padding::Zero;
    if (!zeros) padAround(at, w);
    const auto axes = [&](const std::array<int, 2>& numbers) {
        return std::vector<std::int64_t>(numbers.begin() + (here_.value.rank == 3 ? 1 : 0), numbers.end());
    };
    std::vector<std::string> attributes{attributeMessage("kernel_shape", axes(w.size))};
    if (w.stride != std::array{1, 1}) attributes.push_back(attributeMessage("strides", axes(w.stride)));
    if (w.dilation != std::array{1, 1}) attributes.push_back(attributeMessage("dilations", axes(w.dilation)));
    std::vector<std::int64_t> pads = axes(w.before), after = axes(w.after);
    pads.insert(pads.end(), after.begin(), after.end());
    if (zeros && std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad > 0; }))
        attributes.push_back(attributeMessage("pads", pads));
    return attributes;
}

// Reflected cells have an operator of their own; periodic ones only since operator set 19, so they are gathered.
void LayerWriter::padAround(const At& at, const Window& w) {
    const std::size_t first = here_.value.rank == 3 ? 1 : 0;
    const std::array<int, 2> cells{here_.value.shape.height, here_.value.shape.width};
    if (w.before == std::array{0, 0} && w.after == std::array{0, 0}) return;
    Value out = here_.value;
    out.shape.height += w.before[0] + w.after[0];
    out.shape.width += w.before[1] + w.after[1];
    if (w.padding == Padding::Reflect) {
        std::vector<std::int64_t> pads(2 * here_.value.rank, 0);
        for (std::size_t axis = first; axis < 2; ++axis) {
            pads[2 + axis - first] = w.before[axis];
            pads[here_.value.rank + 2 + axis - first] = w.after[axis];
        }
        return node("Pad", "", {file_.tensor(at.path + ".pads", pads)}, out, {attributeMessage("mode", std::string_view("reflect"))});
    }
    for (std::size_t axis = first; axis < 2; ++axis) {
        if (w.before[axis] + w.after[axis] == 0) continue;
        std::vector<std::int64_t> cell;
        for (int i = -w.before[axis]; i < cells[axis] + w.after[axis]; ++i) cell.push_back(paddedSource(i, cells[axis], w.padding));
        Value wider = here_.value;
        (axis == 0 ? wider.shape.height : wider.shape.width) = static_cast<int>(cell.size());
        node("Gather", "", {file_.tensor(at.path + (axis == 0 ? ".rows" : ".columns"), cell)}, wider,
             {attributeMessage("axis", static_cast<std::int64_t>(2 + axis - first))});
    }
}

namespace {

Value vectorOf(const Shape& shape) { return {{1, 1, static_cast<int>(shape.units())}, 2}; }

bool allZero(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
}

}  // namespace

void refuseLayer(const std::string& place, const Layer& layer, const std::string& reason) {
    throw InputError(place + (layer.name.empty() ? "" : " (" + quoted(layer.name) + ")") + " cannot be written to an ONNX file: " + reason +
                     ".");
}

bool isVector(const Shape& shape) { return shape.channels == 1 && shape.height == 1; }

bool isSingle(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

std::size_t leastRank(const Shape& shape) { return isVector(shape) ? 2 : shape.height == 1 ? 3 : 4; }

bool isScaleAndShift(const BatchNorm& norm) {
    return norm.epsilon == 0 && allZero(norm.mean) &&
           std::all_of(norm.variance.begin(), norm.variance.end(), [](double variance) { return variance == 1; });
}

std::vector<double> writtenVariances(const BatchNorm& norm) {
    std::vector<double> variances = norm.variance;
    if (norm.epsilon == 1e-5 || isSingle(norm.epsilon)) return variances;
    for (double& variance : variances) variance += norm.epsilon;
    return variances;
}

std::size_t rankFor(const Layer& layer, std::size_t rank) {
    if (layer.is<Dense>()) return 2;
    if (layer.is<GlobalAveragePool>()) return std::max<std::size_t>(rank, 3);
    if (const auto* norm = layer.getIf<Norm>()) return norm->shared ? std::max<std::size_t>(rank, 3) : isVector(layer.in) ? 2 : rank;
    if (!layer.is<Conv, Pooling>()) return rank;
    const Window w = windowOf(layer);
    const bool flat = w.size[0] == 1 && w.stride[0] == 1 && w.dilation[0] == 1 && w.before[0] == 0 && w.after[0] == 0;
    return std::max<std::size_t>(rank, layer.in.height == 1 && flat ? 3 : 4);
}

void LayerWriter::node(std::string_view type, std::string_view name, const std::vector<std::string>& constants, const Value& out,
                       const std::vector<std::string>& attributes) {
    std::vector<std::string> inputs{here_.name};
    inputs.insert(inputs.end(), constants.begin(), constants.end());
    std::string made = "v" + std::to_string(++values_);
    file_.node(type, name, inputs, made, attributes);
    here_ = {std::move(made), out};
}

void LayerWriter::reshape(const Value& out, std::string_view name) {
    std::vector<std::int64_t> target = out.sizes();
    target.insert(target.begin(), 0);
    node("Reshape", name, {file_.tensor("shape" + std::to_string(values_ + 1), target)}, out);
}

void LayerWriter::setRank(std::size_t rank) {
    if (rank != here_.value.rank) reshape({here_.value.shape, rank});
}

std::string LayerWriter::tensorOf(const At& at, const char* what, const std::vector<std::int64_t>& dims,
                                  const std::vector<double>& values) {
    return file_.tensor(at.path + "." + what, dims, values);
}

void LayerWriter::layers(const std::vector<Layer>& layers, const std::string& path, const std::string& place, const std::string& last) {
    std::vector<WrittenValue> written{here_};
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::string number = std::to_string(l + 1);
        const bool named = l + 1 < layers.size() || !layers[l].name.empty();
        const At at{layers[l], path + number, place + number, named ? layers[l].name : last};
        here_ = written[operandOf(layers, l)];
        if (layers[l].is<Join>()) {
            std::vector<WrittenValue> operands;
            for (std::size_t k = 0; k < layers[l].reads.size(); ++k) operands.push_back(written[operandOf(layers, l, k)]);
            join(at, std::move(operands));
        } else {
            layer(at);
        }
        written.push_back(here_);
    }
}

void LayerWriter::join(const At& at, std::vector<WrittenValue> operands) {
    const Layer& l = at.layer;
    const auto* sum = l.getIf<Sum>();
    std::size_t rank = l.is<MatMul>() ? 4 : leastRank(l.out);
    for (const WrittenValue& x : operands) rank = std::max(rank, std::max(x.value.rank, leastRank(x.value.shape)));
    std::vector<std::string> others;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        here_ = operands[k];
        setRank(l.is<Concat>() && isVector(l.out) ? 2 : rank);
        if (sum && sum->scales[k] != 1)
            node("Mul", "", {file_.tensor(at.path + ".scale" + std::to_string(k + 1), {}, std::vector<double>{sum->scales[k]})},
                 here_.value);
        operands[k] = here_;
        if (k > 0) others.push_back(here_.name);
    }
    here_ = operands.front();
    const Value out{l.out, here_.value.rank};
    if (sum) return node(others.size() > 1 ? "Sum" : "Add", at.name, others, out);
    if (l.is<Concat>()) return node("Concat", at.name, others, out, {attributeMessage("axis", std::int64_t{1})});
    if (l.is<MatMul>()) return node("MatMul", at.name, others, out);
    for (const std::string& other : others) node("Mul", &other == &others.back() ? at.name : "", {other}, out);
}

// Entries of the flat tensor, behind which a 0 stands where one is needed.
void LayerWriter::route(const At& at) {
    const Layer& l = at.layer;
    reshape(vectorOf(l.in));
    const std::vector<int>& route = l.as<Route>().route;
    std::vector<std::int64_t> places(route.begin(), route.end());
    if (std::find(places.begin(), places.end(), -1) != places.end()) {
        const auto zero = static_cast<std::int64_t>(l.in.units());
        std::replace(places.begin(), places.end(), std::int64_t{-1}, zero);
        node("Pad", "", {file_.tensor(at.path + ".pads", std::vector<std::int64_t>{0, 0, 0, 1})}, valueOf({zero + 1}));
    }
    node("Gather", l.name, {file_.tensor(at.path + ".places", places)}, vectorOf(l.out), {attributeMessage("axis", std::int64_t{1})});
    if (!isVector(l.out)) reshape({l.out, leastRank(l.out)});
}

void LayerWriter::layer(const At& at) {
    const Layer& l = at.layer;
    if (weightCount(l) > 0 && weightsOf(l).weights.empty()) refuseLayer(at.place, l, "it has no weights");
    if (l.is<Dense>() && !isVector(l.in)) reshape(vectorOf(l.in));
    if (!l.is<Flatten, Block, Route>()) setRank(rankFor(l, here_.value.rank));
    l.visit([&](const Dense&) { dense(at); }, [&](const Conv&) { conv(at); }, [&](const BatchNorm&) { batchNorm(at); },
            [&](const LayerNorm&) { layerNorm(at); }, [&](const Pointwise&) { activation(at); }, [&](const Pooling&) { pool(at); },
            [&](const GlobalAveragePool&) {
                node("GlobalAveragePool", l.name, {}, {l.out, here_.value.rank});
            },
            [&](const Flatten&) {
                if (l.in != l.out) reshape({l.out, leastRank(l.out)}, l.name);
            },
            [&](const Route&) { route(at); },
            [&](const Softmax&) { node("Softmax", l.name, {}, here_.value, {attributeMessage("axis", std::int64_t{-1})}); },
            [&](const Block& block) { layers(block.inner, at.path + ".", at.place + ", inner layer ", l.name); },
            [](const Join&) {});  // joins are written with their operands
}

void LayerWriter::dense(const At& at) {
    const Layer& l = at.layer;
    const auto& dense = l.as<Dense>();
    const auto in = static_cast<std::int64_t>(l.in.units()), out = static_cast<std::int64_t>(l.out.units());
    std::vector<std::string> constants{tensorOf(at, "weight", {out, in}, dense.weights)};
    if (!dense.bias.empty()) constants.push_back(tensorOf(at, "bias", {out}, dense.bias));
    node("Gemm", l.name, constants, vectorOf(l.out), {attributeMessage("transB", std::int64_t{1})});
    if (!isVector(l.out)) reshape({l.out, leastRank(l.out)});
}

void LayerWriter::batchNorm(const At& at) {
    const Layer& l = at.layer;
    const auto& norm = l.as<BatchNorm>();
    const bool grid = !norm.shared && !isVector(l.in);
    if (grid && isScaleAndShift(norm)) return scaleAndShift(at);
    const Value before = here_.value;
    if (grid) reshape(vectorOf(l.in));
    const std::vector<std::int64_t> dims{static_cast<std::int64_t>(norm.weights.size())};
    const std::vector<double> shift = norm.bias.empty() ? std::vector<double>(norm.weights.size(), 0.0) : norm.bias;
    const std::vector<std::string> constants{tensorOf(at, "scale", dims, norm.weights), tensorOf(at, "shift", dims, shift),
                                             tensorOf(at, "mean", dims, norm.mean), tensorOf(at, "variance", dims, writtenVariances(norm))};
    std::vector<std::string> attributes;
    const double epsilon = norm.epsilon;
    if (epsilon != 1e-5) attributes.push_back(attributeMessage("epsilon", isSingle(epsilon) ? static_cast<float>(epsilon) : 0.0f));
    node("BatchNormalization", l.name, constants, here_.value, attributes);
    if (grid) reshape(before);
}

// Over the channels of a position they come last on the way; of all units every one has a scale of its own in ONNX.
void LayerWriter::layerNorm(const At& at) {
    const Layer& l = at.layer;
    const auto& norm = l.as<LayerNorm>();
    std::vector<std::string> attributes;
    if (norm.epsilon != 1e-5) {
        if (!isSingle(norm.epsilon)) refuseLayer(at.place, l, "ONNX keeps a layer norm's epsilon as a single, and this is none");
        attributes.push_back(attributeMessage("epsilon", static_cast<float>(norm.epsilon)));
    }
    const Value before = here_.value;
    const bool each = norm.eachPosition && l.in.height * l.in.width > 1, groups = norm.groups > 1, spread = norm.shared && !each && !groups;
    operatorSet_ = std::max<std::int64_t>(operatorSet_, groups ? 21 : 17);
    const auto scales = [&](const std::vector<double>& given, double standard) {
        std::vector<double> values(spread ? l.in.units() : norm.weights.size(), standard);
        for (std::size_t i = 0; i < values.size() && !given.empty(); ++i) values[i] = given[i * given.size() / values.size()];
        return values;
    };
    std::vector<std::int64_t> dims = before.sizes();
    if (each || groups) dims = {l.in.channels};
    const std::vector<std::string> constants{tensorOf(at, "scale", dims, scales(norm.weights, 1)),
                                             tensorOf(at, "shift", dims, scales(norm.bias, 0))};
    if (groups) {
        attributes.push_back(attributeMessage("num_groups", static_cast<std::int64_t>(norm.groups)));
        return node("GroupNormalization", l.name, constants, before, attributes);
    }
    const bool picture = before.rank == 4;
    const auto move = [&](const std::vector<std::int64_t>& perm) {
        Value moved = before;
        moved.channelsLast = !here_.value.channelsLast;
        node("Transpose", "", {}, moved, {attributeMessage("perm", perm)});
    };
    if (each) move(picture ? std::vector<std::int64_t>{0, 2, 3, 1} : std::vector<std::int64_t>{0, 2, 1});
    attributes.push_back(attributeMessage("axis", std::int64_t{each ? -1 : 1}));
    node("LayerNormalization", l.name, constants, here_.value, attributes);
    if (each) move(picture ? std::vector<std::int64_t>{0, 3, 1, 2} : std::vector<std::int64_t>{0, 2, 1});
}

// Since operator set 9 BatchNormalization has one scale a channel.
void LayerWriter::scaleAndShift(const At& at) {
    const Layer& l = at.layer;
    const auto& norm = l.as<BatchNorm>();
    const bool shifts = std::any_of(norm.bias.begin(), norm.bias.end(), [](double value) { return value != 0; });
    const bool scales = std::any_of(norm.weights.begin(), norm.weights.end(), [](double value) { return value != 1; });
    // Where a channel has one unit, a shift alone would become the bias of what is below.
    const bool always = l.in.units() == static_cast<std::size_t>(l.in.channels);
    if (scales || !shifts || always) node("Mul", l.name, {tensorOf(at, "scale", here_.value.sizes(), norm.weights)}, here_.value);
    if (shifts) node("Add", l.name, {tensorOf(at, "shift", here_.value.sizes(), norm.bias)}, here_.value);
}

}  // namespace kappaflow::onnx

#include "core/io/onnx_layers.h"

#include <algorithm>

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
    switch (l.activation) {
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
            break;
        case Activation::PseudoRandom:
            refuseLayer(at.place, l, "ONNX has no pseudo-random signs");
    }
    std::vector<std::string> attributes;
    if ((l.gain != 0.2 && !isSingle(l.gain)) || (l.offset != 0.5 && !isSingle(l.offset)))
        refuseLayer(at.place, l, "ONNX keeps the line of a hard sigmoid as two singles, and these are none");
    if (l.gain != 0.2) attributes.push_back(attributeMessage("alpha", static_cast<float>(l.gain)));
    if (l.offset != 0.5) attributes.push_back(attributeMessage("beta", static_cast<float>(l.offset)));
    node("HardSigmoid", l.name, {}, here_.value, attributes);
}

void LayerWriter::clip(const At& at, double low, double high) {
    node("Clip", at.layer.name, {tensorOf(at, "low", {}, {low}), tensorOf(at, "high", {}, {high})}, here_.value);
}

// LeakyRelu keeps its slope as a single, 0.01 excepted, which is what it has without being told.
void LayerWriter::leaky(const At& at) {
    const Layer& l = at.layer;
    if (l.slopes.empty() && l.slope == 0.01) return node("LeakyRelu", l.name, {}, here_.value);
    if (l.slopes.empty() && isSingle(l.slope))
        return node("LeakyRelu", l.name, {}, here_.value, {attributeMessage("alpha", static_cast<float>(l.slope))});
    const bool perChannel = l.slopes.size() == static_cast<std::size_t>(l.in.channels);
    const std::vector<std::int64_t> dims = l.slopes.empty() || l.slopes.size() == 1 ? std::vector<std::int64_t>{1}
                                           : perChannel                             ? channelDims(here_.value, l.slopes.size())
                                                                                    : here_.value.sizes();
    node("PRelu", l.name, {tensorOf(at, "slope", dims, l.slopes.empty() ? std::vector<double>{l.slope} : l.slopes)}, here_.value);
}

}  // namespace kappaflow::onnx

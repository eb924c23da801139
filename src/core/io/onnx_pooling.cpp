#include <algorithm>

#include "core/base/errors.h"
#include "core/io/onnx_operators.h"
#include "core/io/onnx_window.h"

namespace kappaflow::onnx {
namespace {

/// Window and output of a pooling layer. `hangsOver`: ceil_mode lets the last window end behind the padding.
Layer poolingLayer(const Node& node, LayerChain& chain, LayerKind kind, bool& hangsOver) {
    const Value in = chain.value();
    const std::vector<std::int64_t> kernel = integersAttribute(node, "kernel_shape");
    if (kernel.empty()) refuse(node, "its kernel_shape is missing");
    Layer layer;
    layer.kind = kind;
    layer.window = windowOf(node, chain, kernel);
    const bool automatic = textAttribute(node, "auto_pad", "NOTSET") != "NOTSET";
    hangsOver = flagAttribute(node, "ceil_mode", false) && !automatic && roundUp(layer.window, in);
    // Such a window ends in nothing, where the layer would go on reflecting or repeating.
    if (hangsOver && layer.window.padding != Padding::Zero)
        refuse(node, "a last window that ceil_mode lets hang over padding that is not of zeros is not supported");
    return layer;
}

void addPooling(const Node& node, LayerChain& chain, Layer layer) {
    const Value out = windowOutput(node, chain.value(), layer.window, chain.value().shape.channels);
    chain.add(node, std::move(layer), out);
}

Value onePosition(const Value& in) { return {{in.shape.channels, 1, 1}, in.rank}; }

/// Axes of ReduceMean, counted from the front: an attribute up to operator set 17, an input from 18 on.
std::vector<std::int64_t> reducedAxes(const Node& node, const LayerChain& chain) {
    const Tensor* input = chain.constant(node, 1);
    std::vector<std::int64_t> axes = input ? integers(*input) : integersAttribute(node, "axes");
    for (std::int64_t& axis : axes)
        if (axis < 0) axis += static_cast<std::int64_t>(chain.value().rank);
    std::sort(axes.begin(), axes.end());
    return axes;
}

}  // namespace

void readMaxPool(const Node& node, LayerChain& chain) {
    bool hangsOver = false;
    addPooling(node, chain, poolingLayer(node, chain, LayerKind::MaxPool, hangsOver));
}

void readAveragePool(const Node& node, LayerChain& chain) {
    bool hangsOver = false;
    Layer layer = poolingLayer(node, chain, LayerKind::AveragePool, hangsOver);
    const Window& w = layer.window;
    const bool padded = w.before != std::array{0, 0} || w.after != std::array{0, 0};
    layer.countsPadding = flagAttribute(node, "count_include_pad", false) && padded;
    // What such a window divides by was settled differently by different versions of the specification.
    if (layer.countsPadding && hangsOver)
        refuse(node, "count_include_pad = 1 with a last window that ceil_mode lets hang over the padding is not supported");
    addPooling(node, chain, std::move(layer));
}

void readGlobalAveragePool(const Node& node, LayerChain& chain) {
    requireGrid(node, chain.value());
    Layer layer;
    layer.kind = LayerKind::GlobalAveragePool;
    chain.add(node, std::move(layer), onePosition(chain.value()));
}

void readGlobalMaxPool(const Node& node, LayerChain& chain) {
    requireGrid(node, chain.value());
    Layer layer;
    layer.kind = LayerKind::MaxPool;
    layer.window.size = {chain.value().shape.height, chain.value().shape.width};
    chain.add(node, std::move(layer), onePosition(chain.value()));
}

void readReduceMean(const Node& node, LayerChain& chain) {
    const Value in = chain.value();
    requireGrid(node, in);
    std::vector<std::int64_t> positions{2};
    if (in.rank == 4) positions.push_back(3);
    if (reducedAxes(node, chain) != positions) refuse(node, "ReduceMean is supported only over all positions, not over batch or channels");
    readGlobalAveragePool(node, chain);
    if (!flagAttribute(node, "keepdims", true)) chain.reshape(node, valueOf({in.shape.channels}));
}

}  // namespace kappaflow::onnx

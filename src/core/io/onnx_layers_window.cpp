#include "core/io/onnx_layers.h"

#include <algorithm>

#include "core/net/window.h"

namespace kappaflow::onnx {

void LayerWriter::conv(const At& at) {
    const Layer& l = at.layer;
    if (!l.shared) refuseLayer(at.place, l, "its kernels differ from position to position, for which ONNX has no operator");
    std::vector<std::string> attributes = window(at);
    if (l.groups != 1) attributes.push_back(attributeMessage("group", static_cast<std::int64_t>(l.groups)));
    std::vector<std::int64_t> dims{l.out.channels, l.in.channels / l.groups};
    if (here_.value.rank == 4) dims.push_back(l.window.size[0]);
    dims.push_back(l.window.size[1]);
    std::vector<std::string> constants{tensorOf(at, "weight", dims, l.weights)};
    if (!l.bias.empty()) constants.push_back(tensorOf(at, "bias", {l.out.channels}, l.bias));
    node("Conv", l.name, constants, {l.out, here_.value.rank}, attributes);
}

void LayerWriter::pool(const At& at) {
    const Layer& l = at.layer;
    const bool mean = l.kind == LayerKind::AveragePool;
    if (mean && l.window.dilation != std::array{1, 1}) operatorSet_ = 19;
    std::vector<std::string> attributes = window(at);
    if (mean && l.countsPadding) attributes.push_back(attributeMessage("count_include_pad", std::int64_t{1}));
    node(mean ? "AveragePool" : "MaxPool", l.name, {}, {l.out, here_.value.rank}, attributes);
}

std::vector<std::string> LayerWriter::window(const At& at) {
    const Window& w = at.layer.window;
    const bool zeros = w.padding == Padding::Zero;
    if (!zeros) padAround(at);
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
void LayerWriter::padAround(const At& at) {
    const Window& w = at.layer.window;
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

}  // namespace kappaflow::onnx

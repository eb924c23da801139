#include <cmath>
#include <optional>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "core/io/onnx_operators.h"
#include "core/io/onnx_window.h"
#include "core/io/printable.h"
#include "core/net/window.h"

namespace kappaflow::onnx {
namespace {

int cellsAlong(const Shape& shape, std::size_t axis) { return axis == 0 ? shape.height : shape.width; }

/// What is padded so far, nothing at first. Throws InputError when it was padded in another way.
Frame frameOf(const Node& node, const LayerChain& chain, Padding padding) {
    if (!chain.frame()) return {&node, {}, {}, padding};
    if (chain.frame()->padding != padding) refuse(node, "it pads in another way than " + label(*chain.frame()->node));
    Frame frame = *chain.frame();
    frame.node = &node;
    return frame;
}

void padAxis(const Node& node, LayerChain& chain, Frame& frame, std::size_t axis, double before, double after) {
    const int cells = cellsAlong(chain.value().shape, axis);
    if (frame.before[axis] > 0 || frame.after[axis] > 0) refuse(node, "it pads an axis for the second time");
    if (before < 0 || after < 0) refuse(node, "it cuts cells off, which is not supported");
    if (frame.padding == Padding::Reflect && (before >= cells || after >= cells)) refuse(node, "it reflects more cells than there are");
    const Value& in = chain.value();
    const double padded = (before + after + cells) * in.shape.channels * cellsAlong(in.shape, 1 - axis);
    if (padded > kMaxFileCells) refuse(node, "it makes " + whole(padded) + " cells; at most " + whole(kMaxFileCells) + " are possible");
    frame.before[axis] = static_cast<int>(before);
    frame.after[axis] = static_cast<int>(after);
}

/// Two numbers an axis, all those in front before all those behind: an attribute up to operator set 10, an input from 11 on.
std::vector<std::int64_t> padsOf(const Node& node, const LayerChain& chain) {
    const Tensor* input = chain.constant(node, 1);
    std::vector<std::int64_t> pads = input ? integers(*input) : integersAttribute(node, "pads");
    const std::size_t rank = chain.value().rank;
    if (pads.size() != 2 * rank)
        refuse(node, "its pads are " + std::to_string(pads.size()) + " numbers; its input needs " + std::to_string(2 * rank));
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, rank, rank + 1})
        if (pads[i] != 0) refuse(node, "it pads the batch or the channels, which is not supported");
    return pads;
}

/// The cells in front, when a list of cells is an axis of `cells` with padding around it; else nothing. Periodic padding may be split in
/// several ways, and the most even one is taken.
std::optional<int> cellsInFront(const std::vector<std::int64_t>& list, int cells, Padding padding) {
    const int around = static_cast<int>(list.size()) - cells;
    const auto fits = [&](int before) {
        if (padding == Padding::Reflect && (before >= cells || around - before >= cells)) return false;
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list[i] != paddedSource(static_cast<int>(i) - before, cells, padding)) return false;
        return true;
    };
    if (around < 0 || list.front() < 0 || list.front() >= cells) return {};
    const int first = static_cast<int>(list.front());
    if (padding == Padding::Reflect) return first <= around && fits(first) ? std::optional(first) : std::nullopt;
    const int least = (cells - first) % cells;
    if (least > around || !fits(least)) return {};
    const int turns = static_cast<int>(std::max(0.0, std::ceil((around / 2.0 - least) / cells - 0.5)));
    const int before = least + turns * cells;
    return before <= around ? before : before - cells;
}

}  // namespace

void readPad(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    requireGrid(node, chain.value());
    const std::string_view mode = textAttribute(node, "mode", "constant");
    if (mode != "reflect" && mode != "wrap")
        refuse(node, "Pad with mode " + quoted(mode) + " is not supported; reflect and wrap are, and zeros as pads of a Conv");
    Frame frame = frameOf(node, chain, mode == "wrap" ? Padding::Periodic : Padding::Reflect);
    const std::vector<std::int64_t> pads = padsOf(node, chain);
    const std::size_t rank = chain.value().rank;
    for (std::size_t i = 2; i < rank; ++i)
        if (pads[i] != 0 || pads[rank + i] != 0)
            padAxis(node, chain, frame, i + 2 - rank, static_cast<double>(pads[i]), static_cast<double>(pads[rank + i]));
    chain.pad(frame);
}

void readGather(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    requireGrid(node, chain.value());
    const auto rank = static_cast<std::int64_t>(chain.value().rank);
    std::int64_t axis = integerAttribute(node, "axis", 0);
    if (axis < 0) axis += rank;
    if (axis < 2 || axis >= rank) refuse(node, "Gather is supported only along positions, not along batch or channels");
    const std::vector<std::int64_t> list = longList(chain.requiredConstant(node, 1), kMaxFileCells);
    const auto place = static_cast<std::size_t>(axis + 2 - rank);
    const int cells = cellsAlong(chain.value().shape, place);
    for (const Padding padding : {Padding::Periodic, Padding::Reflect}) {
        if (chain.frame() && chain.frame()->padding != padding) continue;
        const auto before = cellsInFront(list, cells, padding);
        if (!before) continue;
        Frame frame = frameOf(node, chain, padding);
        padAxis(node, chain, frame, place, *before, static_cast<double>(list.size()) - cells - *before);
        return chain.pad(frame);
    }
    refuse(node, "Gather is supported only where it pads an axis, periodically or reflecting it");
}

void requireNoFrame(const LayerChain& chain, const Node* reader) {
    if (!chain.frame()) return;
    if (!reader) refuse(*chain.frame()->node, "only a Conv, MaxPool or AveragePool may read what it pads");
    const std::string_view type = reader->type;
    for (const std::string_view window : {"Conv", "MaxPool", "AveragePool", "Pad", "Gather"})
        if (type == window) return;
    refuse(*reader, "operator " + std::string(type) + " reads what " + label(*chain.frame()->node) +
                        " pads; only a Conv, MaxPool or AveragePool may");
}

}  // namespace kappaflow::onnx

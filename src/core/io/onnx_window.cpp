#include "core/io/onnx_window.h"

#include <algorithm>
#include <cmath>

#include "core/io/onnx.h"
#include "core/io/printable.h"
#include "core/net/window.h"

namespace kappaflow::onnx {
namespace {

/// Far more than a kernel, stride or padding is ever wide.
constexpr std::int64_t kMaxWindowSize = 4096;

/// A list attribute of `count` numbers from `least` on; left out: all of them `standard`.
std::vector<int> windowNumbers(const Node& node, const char* name, std::size_t count, int standard, int least) {
    const std::vector<std::int64_t> given = integersAttribute(node, name);
    if (given.empty()) return std::vector<int>(count, standard);
    if (given.size() != count)
        refuse(node, std::string("its attribute ") + name + " has " + std::to_string(given.size()) + " numbers; its input needs " +
                         std::to_string(count));
    for (std::int64_t number : given)
        if (number < least || number > kMaxWindowSize)
            refuse(node, std::string("its attribute ") + name + " has a " + std::to_string(number) + "; numbers from " +
                             std::to_string(least) + " to " + std::to_string(kMaxWindowSize) + " are possible");
    return {given.begin(), given.end()};
}

int reach(const Window& w, int axis) { return w.dilation[axis] * (w.size[axis] - 1) + 1; }
int cellsOf(const Value& in, int axis) { return axis == 0 ? in.shape.height : in.shape.width; }

/// As many outputs as cells over stride, rounded up; an odd padded cell goes behind, or in front.
void padSame(Window& w, const Value& in, int axis, bool oddInFront) {
    const int cells = cellsOf(in, axis), outputs = (cells + w.stride[axis] - 1) / w.stride[axis];
    const int padding = std::max(0, (outputs - 1) * w.stride[axis] + reach(w, axis) - cells);
    w.before[axis] = (padding + (oddInFront ? 1 : 0)) / 2;
    w.after[axis] = padding - w.before[axis];
}

void padAutomatically(const Node& node, Window& w, const Value& in, bool framed) {
    const std::string_view kind = textAttribute(node, "auto_pad", "NOTSET");
    if (kind == "NOTSET") return;
    if (kind != "VALID" && kind != "SAME_UPPER" && kind != "SAME_LOWER")
        refuse(node, "its auto_pad is " + quoted(kind) + "; it may be NOTSET, VALID, SAME_UPPER or SAME_LOWER");
    if (w.before != std::array{0, 0} || w.after != std::array{0, 0}) refuse(node, "it has both pads and auto_pad");
    if (kind == "VALID") return;
    if (framed) refuse(node, "its auto_pad is " + quoted(kind) + " over an input that is padded already, which is not supported");
    for (int axis = in.rank == 3 ? 1 : 0; axis < 2; ++axis) padSame(w, in, axis, kind == "SAME_LOWER");
}

void frameWindow(const Node& node, Window& w, const Frame& frame) {
    if (w.before != std::array{0, 0} || w.after != std::array{0, 0})
        refuse(node, "it pads with zeros what " + label(*frame.node) + " has padded already");
    w.before = frame.before;
    w.after = frame.after;
    w.padding = frame.padding;
}

std::string extents(const Value& in, double rows, double columns) {
    return (in.rank == 4 ? whole(rows) + " × " : std::string()) + whole(columns);
}

}  // namespace

void requireGrid(const Node& node, const Value& in) {
    if (in.rank >= 3) return;
    refuse(node, "its input is " + in.text() + "; operator " + std::string(node.type) + " takes N × channels × width or N × channels × " +
                     "height × width");
}

Window windowOf(const Node& node, LayerChain& chain, const std::vector<std::int64_t>& kernel) {
    const Value in = chain.value();
    requireGrid(node, in);
    const std::size_t axes = in.rank - 2;
    if (kernel.size() != axes)
        refuse(node, "its window has " + std::to_string(kernel.size()) + " dimensions where its input needs " + std::to_string(axes));
    const std::vector<int> strides = windowNumbers(node, "strides", axes, 1, 1), dilations = windowNumbers(node, "dilations", axes, 1, 1),
                           pads = windowNumbers(node, "pads", 2 * axes, 0, 0);
    Window w;
    for (std::size_t i = 0; i < axes; ++i) {
        const std::size_t axis = i + 2 - axes;
        if (kernel[i] < 1 || kernel[i] > kMaxWindowSize)
            refuse(node,
                   "its window has a size of " + std::to_string(kernel[i]) + "; 1 to " + std::to_string(kMaxWindowSize) + " are possible");
        w.size[axis] = static_cast<int>(kernel[i]);
        w.stride[axis] = strides[i];
        w.dilation[axis] = dilations[i];
        w.before[axis] = pads[i];
        w.after[axis] = pads[axes + i];
    }
    padAutomatically(node, w, in, chain.frame().has_value());
    if (const auto frame = chain.takeFrame()) frameWindow(node, w, *frame);
    return w;
}

bool roundUp(Window& w, const Value& in) {
    const std::array<int, 2> stated = w.after;
    for (int axis = in.rank == 3 ? 1 : 0; axis < 2; ++axis) {
        const int cells = cellsOf(in, axis), room = cells + w.before[axis] + w.after[axis] - reach(w, axis);
        if (room < 0) continue;
        int last = (room + w.stride[axis] - 1) / w.stride[axis];
        // What nodes in front have padded is the window's input as much as the rest.
        const int end = cells + w.before[axis] + (w.padding == Padding::Zero ? 0 : w.after[axis]);
        if (last * w.stride[axis] >= end) --last;
        w.after[axis] = std::max(w.after[axis], last * w.stride[axis] + reach(w, axis) - cells - w.before[axis]);
    }
    return w.after != stated;
}

Value windowOutput(const Node& node, const Value& in, const Window& w, int channels) {
    const double rows = static_cast<double>(in.shape.height) + w.before[0] + w.after[0],
                 columns = static_cast<double>(in.shape.width) + w.before[1] + w.after[1];
    const double outRows = windowOutputs(in.shape.height, w, 0), outColumns = windowOutputs(in.shape.width, w, 1);
    if (outRows < 1 || outColumns < 1)
        refuse(node, "its window reaches over " + extents(in, reach(w, 0), reach(w, 1)) + " cells, but its input has only " +
                         extents(in, rows, columns) + " with padding");
    if (rows * columns * in.shape.channels > kMaxFileCells)
        refuse(node, "its input has " + whole(rows * columns * in.shape.channels) + " cells with padding; at most " + whole(kMaxFileCells) +
                         " are possible");
    requireUnits(node, outRows * outColumns * channels);
    return {{channels, static_cast<int>(outRows), static_cast<int>(outColumns)}, in.rank};
}

}  // namespace kappaflow::onnx

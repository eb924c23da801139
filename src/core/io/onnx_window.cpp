#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "core/io/onnx_operators.h"
#include "core/io/printable.h"
#include "core/net/network.h"

namespace kappaflow::onnx {
namespace {

/// Far more than a kernel, stride or dilation ever is.
constexpr std::int64_t kMaxWindowSize = 4096;

/// A list attribute of `count` numbers from `least` to `most`; left out: all of them `standard`.
std::vector<int> windowNumbers(const Node& node, const char* name, std::size_t count, int standard, int least,
                               std::int64_t most = kMaxWindowSize) {
    const std::vector<std::int64_t> given = integersAttribute(node, name);
    if (given.empty()) return std::vector<int>(count, standard);
    if (given.size() != count)
        refuse(node, std::string("its attribute ") + name + " has " + std::to_string(given.size()) + " numbers; its input needs " +
                         std::to_string(count));
    for (std::int64_t number : given)
        if (number < least || number > most)
            refuse(node, std::string("its attribute ") + name + " has a " + std::to_string(number) + "; numbers from " +
                             std::to_string(least) + " to " + std::to_string(most) + " are possible");
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
    if (frame.padding == Padding::Zero && node.type == "Conv") {
        for (std::size_t axis = 0; axis < 2; ++axis) w.before[axis] += frame.before[axis], w.after[axis] += frame.after[axis];
        return;
    }
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
    if (in.rank >= 3 && !in.isFree()) return;
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
                           pads = windowNumbers(node, "pads", 2 * axes, 0, 0, static_cast<std::int64_t>(fileLimits().cells));
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
    if (rows * columns * in.shape.channels > fileLimits().cells)
        refuse(node, "its input has " + whole(rows * columns * in.shape.channels) + " cells with padding; at most " +
                         whole(fileLimits().cells) + " are possible");
    requireUnits(node, outRows * outColumns * channels);
    return {{channels, static_cast<int>(outRows), static_cast<int>(outColumns)}, in.rank};
}

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
    if (padded > fileLimits().cells)
        refuse(node, "it makes " + whole(padded) + " cells; at most " + whole(fileLimits().cells) + " are possible");
    frame.before[axis] = static_cast<int>(before);
    frame.after[axis] = static_cast<int>(after);
}

double single(const Node& node, const Tensor& tensor) {
    const std::vector<double> value = numbers(tensor);
    if (value.size() != 1) refuse(node, "its value must be a single number");
    return value.front();
}

/// Two numbers an axis, all those in front before all those behind: an attribute up to operator set 10, an input from 11 on.
std::vector<std::int64_t> padsOf(const Node& node, const LayerChain& chain) {
    const Tensor* input = chain.constant(node, 1);
    std::vector<std::int64_t> pads = input ? integers(*input) : integersAttribute(node, "pads");
    const std::size_t rank = chain.value().tensor().size();
    if (chain.constant(node, 3)) refuse(node, "pads of some axes only are not supported");
    if (pads.size() != 2 * rank)
        refuse(node, "its pads are " + std::to_string(pads.size()) + " numbers; its input needs " + std::to_string(2 * rank));
    if (!chain.value().isFree() && (pads[0] != 0 || pads[rank] != 0)) refuse(node, "it pads the batch");
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

/// The value that is padded with, an input since operator set 11; and a fourth input would name the axes.
void requireZeros(const Node& node, const LayerChain& chain) {
    const Tensor* given = chain.constant(node, 2);
    const double value = given ? single(node, *given) : numberAttribute(node, "value", 0);
    if (value != 0) refuse(node, "it pads with " + shortNumber(value) + "; padding with a constant is supported with 0 only");
}

}  // namespace

void readPad(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const std::string_view mode = textAttribute(node, "mode", "constant");
    const bool zeros = mode == "constant";
    if (!zeros && mode != "reflect" && mode != "wrap" && mode != "edge")
        refuse(node, "Pad with mode " + quoted(mode) + " is not supported; constant, edge, reflect and wrap are");
    const std::vector<std::int64_t> pads = padsOf(node, chain);
    if (std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; })) return;
    if (zeros) requireZeros(node, chain);
    const Value& in = chain.value();
    const std::size_t rank = in.rank;
    const Padding padding = zeros ? Padding::Zero : mode == "wrap" ? Padding::Periodic : Padding::Reflect;
    const bool positions = rank > 2 && !in.channelsLast && !in.isFree() && pads[1] == 0 && pads[rank + 1] == 0 && mode != "edge" &&
                           std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad >= 0; });
    if (chain.frame() && (!positions || chain.frame()->padding != padding)) chain.layFrame(node);
    if (!positions) return padAnyAxis(node, chain, pads, mode);
    Frame frame = frameOf(node, chain, padding);
    for (std::size_t i = 2; i < rank; ++i)
        if (pads[i] != 0 || pads[rank + i] != 0)
            padAxis(node, chain, frame, i + 2 - rank, static_cast<double>(pads[i]), static_cast<double>(pads[rank + i]));
    chain.pad(frame);
}

// Padding where the list is that and a window may read it, else a choice of entries.
void readGather(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const auto rank = static_cast<std::int64_t>(chain.value().rank);
    std::int64_t axis = integerAttribute(node, "axis", 0);
    if (axis < 0) axis += rank;
    const Tensor& given = chain.requiredConstant(node, 1);
    if (axis < 2 || axis >= rank || chain.value().channelsLast || chain.value().isFree() || given.dims.size() != 1) {
        chain.layFrame(node);
        return readMoved(node, chain);
    }
    const std::vector<std::int64_t> list = longList(given, fileLimits().cells);
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
    chain.layFrame(node);
    readMoved(node, chain);
}

namespace {

/// Zeros laid around before count in a mean. `largest`: of a max pooling. `hangsOver`: ceil_mode lets the last window end behind the
/// padding.
AveragePool poolingOf(const Node& node, LayerChain& chain, bool largest, bool& hangsOver) {
    // A maximum leaves its own padding out, and ceil_mode counts it apart.
    const bool hangs = flagAttribute(node, "ceil_mode", false);
    if (chain.frame() && chain.frame()->padding == Padding::Zero && (largest || hangs)) chain.layFrame(node);
    const Value in = chain.value();
    const std::vector<std::int64_t> kernel = integersAttribute(node, "kernel_shape");
    if (kernel.empty()) refuse(node, "its kernel_shape is missing");
    const bool zeros = chain.frame() && chain.frame()->padding == Padding::Zero;
    AveragePool pool{{windowOf(node, chain, kernel)}, zeros};
    const bool automatic = textAttribute(node, "auto_pad", "NOTSET") != "NOTSET";
    hangsOver = hangs && !automatic && roundUp(pool.window, in);
    // Such a window ends in nothing, where the layer would go on reflecting or repeating.
    if (hangsOver && pool.window.padding != Padding::Zero)
        refuse(node, "a last window that ceil_mode lets hang over padding that is not of zeros is not supported");
    return pool;
}

template <class Pool>
void addPooling(const Node& node, LayerChain& chain, const Pool& pool) {
    const Value out = windowOutput(node, chain.value(), pool.window, chain.value().shape.channels);
    chain.add(node, pool, out);
}

Value onePosition(const Value& in) { return {{in.shape.channels, 1, 1}, in.rank, in.channelsLast}; }

/// Which axes of the tensor go: an attribute at first, an input since operator set 18 (ReduceSum: 13).
std::vector<bool> reducedAxes(const Node& node, const LayerChain& chain) {
    const Value& in = chain.value();
    const Tensor* input = chain.constant(node, 1);
    const std::vector<std::int64_t> axes = input ? integers(*input) : integersAttribute(node, "axes");
    if (axes.empty() && !flagAttribute(node, "noop_with_empty_axes", false)) refuse(node, "it goes over all axes, the batch's among them");
    std::vector<bool> gone(in.tensor().size());
    for (const std::int64_t axis : axes) {
        const std::optional<int> place = in.place(axis);
        if (!place || *place < 0) refuse(node, "its axes must be ones behind the batch axis");
        gone[static_cast<std::size_t>(*place) + (in.isFree() ? 0 : 1)] = true;
    }
    return gone;
}

}  // namespace

void readMaxPool(const Node& node, LayerChain& chain) {
    bool hangsOver = false;
    addPooling(node, chain, MaxPool{{poolingOf(node, chain, true, hangsOver).window}});
}

void readAveragePool(const Node& node, LayerChain& chain) {
    bool hangsOver = false;
    AveragePool pool = poolingOf(node, chain, false, hangsOver);
    const Window& w = pool.window;
    const bool padded = w.before != std::array{0, 0} || w.after != std::array{0, 0};
    pool.countsPadding |= flagAttribute(node, "count_include_pad", false) && padded;
    // What such a window divides by was settled differently by different versions of the specification.
    if (pool.countsPadding && hangsOver)
        refuse(node, "count_include_pad = 1 with a last window that ceil_mode lets hang over the padding is not supported");
    addPooling(node, chain, pool);
}

void readGlobalAveragePool(const Node& node, LayerChain& chain) {
    requireGrid(node, chain.value());
    chain.add(node, GlobalAveragePool{}, onePosition(chain.value()));
}

void readGlobalMaxPool(const Node& node, LayerChain& chain) {
    requireGrid(node, chain.value());
    MaxPool pool;
    pool.window.size = {chain.value().shape.height, chain.value().shape.width};
    chain.add(node, pool, onePosition(chain.value()));
}

// A reduction over all positions is a pooling of them; any other moves the axes that it goes over to the positions first. The least is the
// negative of the negatives' largest, sums of squares and of absolute values those of activations.
void readReduce(const Node& node, LayerChain& chain) {
    chain.requireComputed(node);
    const Value in = chain.value();
    const std::vector<bool> gone = reducedAxes(node, chain);
    const std::vector<std::int64_t> dims = in.tensor();
    std::vector<std::int64_t> left;
    std::vector<std::size_t> kept, reduced;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        (gone[axis] ? reduced : kept).push_back(axis);
        if (!gone[axis] || flagAttribute(node, "keepdims", true)) left.push_back(gone[axis] ? 1 : dims[axis]);
    }
    if (reduced.empty()) return;
    if (left.empty()) refuse(node, "it leaves one number without an axis");
    const bool least = node.type == "ReduceMin", squares = isOneOf(node.type, {"ReduceL2", "ReduceSumSquare"});
    if (least) addScale(node, chain, {-1}, {0});
    if (squares) addActivation(node, chain, Activation::Square);
    if (node.type == "ReduceL1") addActivation(node, chain, Activation::Abs);
    const std::size_t channelAxis = in.channelsLast ? in.rank - 1 : 1;
    const bool positions = !in.isFree() && in.rank > 2 && kept == std::vector<std::size_t>{0, channelAxis};
    if (!positions) {
        std::vector<std::size_t> order = kept;
        order.insert(order.end(), reduced.begin(), reduced.end());
        std::int64_t count = 1;
        for (const std::size_t axis : kept) count *= dims[axis];
        const auto units = static_cast<std::int64_t>(in.shape.units());
        chain.move(node, valueOf({count, units / count}), transposedPlaces(dims, order));
    }
    const double entries = static_cast<double>(in.shape.units()) / chain.value().shape.channels;
    const bool largest = least || node.type == "ReduceMax";
    largest ? readGlobalMaxPool(node, chain) : readGlobalAveragePool(node, chain);
    if (!largest && node.type != "ReduceMean") addScale(node, chain, {entries}, {0});
    if (least) addScale(node, chain, {-1}, {0});
    if (node.type == "ReduceL2") addActivation(node, chain, Activation::Sqrt);
    if (!positions || !flagAttribute(node, "keepdims", true)) chain.reshape(node, tensorOf(left));
}

}  // namespace kappaflow::onnx

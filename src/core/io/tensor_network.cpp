#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/decimal.h"
#include "core/base/errors.h"
#include "core/io/file_limits.h"
#include "core/io/named_tensors.h"
#include "core/io/printable.h"
#include "core/net/network.h"

namespace kappaflow::tensors {
namespace {

/// The entries between commas, without spaces.
std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> parts(1);
    for (const char c : text)
        if (c == ',')
            parts.emplace_back();
        else if (c != ' ')
            parts.back() += c;
    return parts;
}

/// What the file says beside its arrays.
class Facts {
public:
    explicit Facts(const TensorFile& file) {
        for (const char* key : {"activation", "input", "stride", "padding", "epsilon"}) {
            const auto found = file.facts.find(key);
            if (found == file.facts.end()) continue;
            if (found->second.size() > kMaxLength) refuse(key, "it is longer than " + std::to_string(kMaxLength) + " characters");
            lists_[key] = split(found->second);
        }
    }

    bool has(std::string_view key) const { return lists_.find(key) != lists_.end(); }
    const std::vector<std::string>& list(std::string_view key) const { return lists_.find(key)->second; }
    /// Throws InputError unless there is one entry for all `count` places, or one for each.
    void requireEach(std::string_view key, std::size_t count, const std::string& places) const {
        if (has(key) && list(key).size() != 1 && list(key).size() != count)
            refuse(key, "it has " + std::to_string(list(key).size()) + " entries for " + std::to_string(count) + " " + places);
    }
    /// Of place `index`, where `requireEach` was content.
    std::string each(std::string_view key, std::size_t index) const { return list(key)[list(key).size() == 1 ? 0 : index]; }
    int whole(std::string_view key, std::size_t index, int standard, int least) const {
        return has(key) ? number(key, each(key, index), least) : standard;
    }
    int number(std::string_view key, const std::string& text, int least) const {
        const bool digits =
            !text.empty() && text.size() < 7 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (!digits || std::atoi(text.c_str()) < least)
            refuse(key, quoted(text) + " is no whole number from " + std::to_string(least) + " to 999999");
        return std::atoi(text.c_str());
    }
    double epsilon() const {
        if (!has("epsilon")) return 1e-5;
        requireEach("epsilon", 1, "value");
        const std::string& text = list("epsilon").front();
        const bool decimal = text.find_first_not_of("0123456789+-.eE") == text.npos;
        const double value = decimal ? decimalNumber(text) : -1;
        if (!(value >= 0 && value <= 1)) refuse("epsilon", quoted(text) + " is no number from 0 to 1");
        return value;
    }
    [[noreturn]] static void refuse(std::string_view key, const std::string& reason) {
        throw InputError("The file's " + quoted(key) + " makes no sense: " + reason + ".");
    }

private:
    static constexpr std::size_t kMaxLength = 1u << 16;
    std::map<std::string, std::vector<std::string>, std::less<>> lists_;
};

[[noreturn]] void refuseLayer(const Group& group, const std::string& reason) {
    throw InputError("layer " + quoted(group.name.empty() ? group.weight ? group.weight->name : "" : group.name) + ": " + reason + ".");
}

/// Whether a matrix of the group, read one way round or the other, takes `in` units and has its bias's length; −1: of no matter.
bool fits(const Group& group, bool outputsFirst, std::int64_t in) {
    const std::vector<std::int64_t>& dims = group.weight->dims;
    const std::int64_t inputs = dims[outputsFirst ? 1 : 0], outputs = dims[outputsFirst ? 0 : 1];
    return (in < 0 || inputs == in) && (!group.bias || group.bias->dims == std::vector<std::int64_t>{outputs});
}

/// Which way round the matrices of a file stand whose names do not say it: the one way in which their shapes form a chain. `inputs`: of the
/// first, or −1.
bool outputsFirst(const std::vector<Group>& groups, std::int64_t inputs) {
    const auto chains = [&](bool first) {
        std::int64_t in = inputs;
        for (const Group& group : groups) {
            if (!group.weight || group.weight->dims.size() != 2) continue;
            if (!fits(group, first, in)) return false;
            in = group.weight->dims[first ? 0 : 1];
        }
        return true;
    };
    const bool rows = chains(true), columns = chains(false);
    if (rows && columns)
        throw InputError(
            "The file's matrices fit together both as outputs × inputs and as inputs × outputs; call them \"1.weight\" for the "
            "one or \"1.kernel\" for the other.");
    if (!rows && !columns) throw InputError("The file's matrices do not fit together in the order of their names, neither way round.");
    return rows;
}

class NetworkBuilder {
public:
    NetworkBuilder(const TensorFile& file, std::vector<Group> groups) : facts_(file), groups_(std::move(groups)) {}

    Network build(std::vector<std::string>& notes) {
        const auto convolutions = static_cast<std::size_t>(
            std::count_if(groups_.begin(), groups_.end(), [](const Group& group) { return group.isConvolution(); }));
        for (const char* key : {"stride", "padding"}) facts_.requireEach(key, convolutions, "convolutions");
        const auto places =
            static_cast<std::size_t>(std::count_if(groups_.begin() + 1, groups_.end(), [](const Group& group) { return !group.isNorm(); }));
        facts_.requireEach("activation", places, "places between layers");
        const bool undecided = std::any_of(groups_.begin(), groups_.end(), [](const Group& g) {
            return !g.isNorm() && g.weight && g.weight->dims.size() == 2 && !g.outputsFirst && !g.inputsFirst;
        });
        const bool kernelFirst = groups_.front().weight && groups_.front().weight->dims.size() > 2;
        const bool stated = facts_.has("input") && !kernelFirst;
        rowsAreOutputs_ = !undecided || outputsFirst(groups_, stated ? static_cast<std::int64_t>(inputShape().units()) : -1);
        network_.input = shape_ = inputShape();
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            add(groups_[i]);
            const bool norms = i + 1 < groups_.size() && groups_[i + 1].isNorm();
            if (i + 1 < groups_.size() && !norms) bend();
        }
        tell(notes);
        validate(network_);
        return std::move(network_);
    }

private:
    Shape inputShape() const {
        const Group& first = groups_.front();
        if (!first.weight || first.isNorm()) refuseLayer(first, "it is the first, and has no matrix or kernel");
        const std::vector<std::int64_t>& dims = first.weight->dims;
        if (facts_.has("input")) {
            std::vector<int> sizes;
            for (const std::string& part : facts_.list("input")) sizes.push_back(facts_.number("input", part, 1));
            if (sizes.size() > 3) Facts::refuse("input", "it has more than three sizes");
            const Shape shape = sizes.size() == 1   ? Shape{1, 1, sizes[0]}
                                : sizes.size() == 2 ? Shape{sizes[0], 1, sizes[1]}
                                                    : Shape{sizes[0], sizes[1], sizes[2]};
            if (static_cast<double>(shape.channels) * shape.height * shape.width > fileLimits().units)
                Facts::refuse("input", "it is too large");
            return shape;
        }
        if (dims.size() != 2)
            refuseLayer(first,
                        "it is a convolution, and the file does not say how large its input is: add \"input\" to it, such as "
                        "\"1,28,28\" for channels, height and width");
        const std::int64_t units = dims[isRows(first) ? 1 : 0];
        if (static_cast<double>(units) > fileLimits().units)
            refuseLayer(first, "it takes " + std::to_string(units) + " units; at most " + whole(fileLimits().units) + " are possible");
        return {1, 1, static_cast<int>(units)};
    }
    bool isRows(const Group& group) const { return group.outputsFirst || (!group.inputsFirst && rowsAreOutputs_); }

    void add(Group& group) {
        if (group.isNorm()) return addNorm(group);
        if (!group.weight) refuseLayer(group, "it has no weight");
        const std::size_t dims = group.weight->dims.size();
        if (dims == 2) return addDense(group);
        if (dims == 3 || dims == 4) return addConv(group);
        refuseLayer(group, "its weight is " + shapeText(group.weight->dims) +
                               "; a batch norm, which could be so, needs a running_mean and a running_var");
    }
    static void requireNone(const Group& group, const std::string& reason) {
        if (!reason.empty()) refuseLayer(group, reason);
    }
    void push(const Group& group, Layer::Operation op, const Shape& out) {
        Layer layer{shape_, out, std::move(op), {}, printable(group.name)};
        requireNone(group, totals_.add(layer));
        shape_ = layer.out;
        network_.layers.push_back(std::move(layer));
    }
    void addDense(Group& group) {
        const bool rows = isRows(group);
        NamedTensor& weight = *group.weight;
        const std::int64_t in = weight.dims[rows ? 1 : 0], out = weight.dims[rows ? 0 : 1];
        const auto units = static_cast<std::int64_t>(shape_.units());
        if (in != units)
            refuseLayer(group, "it takes " + std::to_string(in) + " units, but " + std::to_string(units) + " come from below" +
                                   (convolutions_ > 0 ? "; a pooling between them would have to come in an ONNX file" : ""));
        if (out > static_cast<std::int64_t>(fileLimits().units)) refuseLayer(group, "it has too many units");
        if (shape_ != Shape{1, 1, static_cast<int>(units)}) {
            const Shape flat{1, 1, static_cast<int>(units)};
            network_.layers.push_back({std::exchange(shape_, flat), flat, Flatten{}});
        }
        Dense dense;
        dense.weights = rows ? std::move(weight.values) : transposed(std::move(weight.values), weight.dims[0], weight.dims[1]);
        dense.bias = bias(group, out);
        push(group, std::move(dense), {1, 1, static_cast<int>(out)});
    }
    /// The numbers are given up as soon as they are copied.
    static std::vector<double> transposed(std::vector<double> given, std::int64_t rows, std::int64_t columns) {
        const auto height = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(columns);
        std::vector<double> values(given.size());
        for (std::size_t i = 0; i < height; ++i)
            for (std::size_t j = 0; j < width; ++j) values[j * height + i] = given[i * width + j];
        return values;
    }
    static std::vector<double> bias(const Group& group, std::int64_t count) {
        if (!group.bias) return {};
        if (group.bias->dims != std::vector<std::int64_t>{count})
            refuseLayer(group, "its bias is " + shapeText(group.bias->dims) + " where " + std::to_string(count) + " is needed");
        return std::move(group.bias->values);
    }
    void addConv(Group& group) {
        const std::vector<std::int64_t>& dims = group.weight->dims;
        if (group.inputsFirst) refuseLayer(group, "kernels of convolutions are read as weights [out, in, …] only, not as Keras's kernels");
        if (dims.size() == 3 && shape_.height > 1) refuseLayer(group, "its kernel has one dimension, but its input has two");
        const std::int64_t out = dims[0], in = dims[1];
        if (out > static_cast<std::int64_t>(fileLimits().units) || shape_.channels % in != 0 || out % (shape_.channels / in) != 0)
            refuseLayer(
                group, "its kernel takes " + std::to_string(in) + " channels, but " + std::to_string(shape_.channels) + " come from below");
        Conv conv;
        conv.groups = static_cast<int>(shape_.channels / in);
        conv.window = windowOf(group);
        const double height = windowOutputs(shape_.height, conv.window, 0), width = windowOutputs(shape_.width, conv.window, 1);
        if (height < 1 || width < 1) refuseLayer(group, "its kernel is larger than its input with padding");
        if (height * width * static_cast<double>(out) > fileLimits().units) refuseLayer(group, "it has too many units");
        conv.weights = std::move(group.weight->values);
        conv.bias = bias(group, out);
        ++convolutions_;
        push(group, std::move(conv), {static_cast<int>(out), static_cast<int>(height), static_cast<int>(width)});
    }
    Window windowOf(const Group& group) const {
        const std::vector<std::int64_t>& dims = group.weight->dims;
        Window window;
        for (std::size_t axis = dims.size() == 3 ? 1 : 0; axis < 2; ++axis) {
            const std::int64_t size = dims[dims.size() - 2 + axis];
            window.size[axis] = static_cast<int>(size);
            window.stride[axis] = facts_.whole("stride", convolutions_, 1, 1);
            window.before[axis] = window.after[axis] = facts_.whole("padding", convolutions_, 0, 0);
            // As in ONNX, so that what is read here can be written there.
            if (std::max({size, std::int64_t{window.stride[axis]}, std::int64_t{window.before[axis]}}) > 4096)
                refuseLayer(group, "its kernel, stride or padding is over 4096");
        }
        const double cells =
            (static_cast<double>(shape_.height) + 2.0 * window.before[0]) * (static_cast<double>(shape_.width) + 2.0 * window.before[1]);
        if (cells * shape_.channels > fileLimits().cells) refuseLayer(group, "its input with padding is too large");
        return window;
    }
    void addNorm(Group& group) {
        if (!group.mean || !group.variance) refuseLayer(group, "a batch norm needs both a running_mean and a running_var");
        const auto units = static_cast<std::int64_t>(shape_.units());
        const bool vector = shape_ == Shape{1, 1, static_cast<int>(units)};
        const std::int64_t count = vector ? units : shape_.channels;
        for (const NamedTensor* tensor : {group.weight, group.bias, group.mean, group.variance})
            if (tensor && tensor->dims != std::vector<std::int64_t>{count})
                refuseLayer(group,
                            quoted(tensor->name) + " is " + shapeText(tensor->dims) + " where " + std::to_string(count) + " is needed");
        BatchNorm norm;
        norm.shared = !vector;
        norm.weights = group.weight ? group.weight->values : std::vector<double>(static_cast<std::size_t>(count), 1);
        norm.bias = group.bias ? group.bias->values : std::vector<double>(static_cast<std::size_t>(count), 0);
        norm.mean = group.mean->values;
        norm.variance = group.variance->values;
        norm.epsilon = facts_.epsilon();
        for (const double variance : norm.variance)
            if (!(variance >= 0 && variance + norm.epsilon > 0)) refuseLayer(group, "its variances must be positive");
        requireNone(group, totals_.addScale(norm));
        hasNorms_ = true;
        push(group, std::move(norm), shape_);
    }
    void bend() {
        Pointwise f{.activation = Activation::Relu};
        if (facts_.has("activation")) f.activation = activationFromKey(printable(facts_.each("activation", bends_)));
        ++bends_;
        if (f.activation == Activation::Elu) f.slope = 1;
        if (f.activation != Activation::Identity) network_.layers.push_back({shape_, shape_, std::move(f)});
    }
    /// One sentence about what the file does not say.
    void tell(std::vector<std::string>& notes) const {
        std::string taken;
        const auto add = [&](const std::string& what) { taken += (taken.empty() ? "" : ", ") + what; };
        if (bends_ > 0 && !facts_.has("activation")) add("ReLU between its layers and none behind the last");
        if (bends_ > 0 && hasNorms_) add("batch norms in front of activations");
        if (convolutions_ > 0 && !facts_.has("stride")) add("strides of 1");
        if (convolutions_ > 0 && !facts_.has("padding")) add("no padding");
        if (convolutions_ > 0) add("no dilation, no pooling");
        if (hasNorms_ && !facts_.has("epsilon")) add("a batch norm's epsilon of 0.00001");
        if (!taken.empty()) notes.push_back("The file holds weights alone; taken were " + taken + ".");
    }

    Facts facts_;
    std::vector<Group> groups_;
    bool rowsAreOutputs_ = true, hasNorms_ = false;
    Network network_;
    Shape shape_;
    std::size_t bends_ = 0, convolutions_ = 0;
    NetworkTotals totals_;
};

}  // namespace

Network networkOf(TensorFile file, std::vector<std::string>& notes) {
    std::vector<Group> groups = orderedGroups(file);
    return NetworkBuilder(file, std::move(groups)).build(notes);
}

}  // namespace kappaflow::tensors

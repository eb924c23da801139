#include <algorithm>
#include <map>
#include <tuple>

#include "core/io/file_limits.h"
#include "core/io/onnx_folding.h"
#include "core/io/onnx_operators.h"
#include "core/io/onnx_patterns.h"
#include "core/io/printable.h"

// Nodes written out in others before any is read, by the formulas of the ONNX specification.

namespace kappaflow::onnx {
namespace {

using View = std::string_view;
using Sizes = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// Nodes of all steps of a model: 2 000 steps of an LSTM.
constexpr std::size_t kMostNodes = 1 << 15;

std::size_t gatesOf(const Node& node) { return node.type == "LSTM" ? 4 : node.type == "GRU" ? 3 : 1; }

/// A hidden or cell state: a value of the graph, or numbers where it depends on no input of the model.
struct State {
    View value;
    Numbers numbers;
    bool isZero() const {
        return value.empty() && std::all_of(numbers.begin(), numbers.end(), [](double x) { return x == 0; });
    }
};

/// Puts nodes in the place of one.
class Writer {
public:
    Writer(const Node& node, Graph& made) : node_(node), made_(made) {}
    View constant(const Sizes& dims, const Numbers&);
    View shaped(View value, Sizes dims);
    View add(View type, std::vector<View> inputs, std::vector<Attribute> attributes = {});
    /// z/(1 + |z|).
    View softsign(View value) { return add("Div", {value, add("Add", {add("Abs", {value}), constant({1}, {1})})}); }
    /// The last node makes the given node's output.
    void give(std::size_t output);

protected:
    View text(std::string made) { return made_.texts.emplace_back(std::move(made)); }
    View unique(const char* what) { return text(label(node_) + " " + what + " " + std::to_string(made_.texts.size())); }

    const Node& node_;
    Graph& made_;
    std::string part_;  ///< of the node, for the names of those that are made
};

class Steps : Writer {
public:
    /// `weights`: of all recurrent nodes before it, to which its own are added.
    Steps(const Node& node, const Constants& constants, Graph& made, double& weights);
    void write();

private:
    const Tensor* input(std::size_t index, const Sizes& dims, const char* what) const;
    void readActivations();
    View cut(View row, std::size_t first, std::size_t length);
    void giveAll(std::size_t output, std::vector<View> rows, Sizes dims);
    State initial(std::size_t input);
    Sizes withBatch(Sizes dims) const;

    void name(const char* part);
    View activated(std::size_t which, View value);
    State scaled(View gate, const State&);
    State summed(const State&, const State&);
    State affine(std::size_t gate, std::size_t gates, View x, const State& h, const Numbers& bias);
    Numbers bias(std::initializer_list<std::size_t> parts, std::size_t gate, std::size_t gates) const;
    std::vector<View> parted(View gates, std::size_t parts);
    void lstm(View x);
    void gru(View x);
    void rnn(View x);

    const Constants& constants_;
    std::size_t steps_ = 0, inputs_ = 0, size_ = 0, gates_ = 0, directions_ = 1, direction_ = 0, step_ = 0;
    bool batchFirst_ = false;               ///< in the node's tensors; else the batch axis stands before the last one
    bool resetsBehind_ = false;             ///< GRU: the reset gate scales R·h + b instead of h
    Numbers weights_, recurrent_, biases_;  ///< [direction][gate][unit][…]
    std::vector<View> activations_;
    State h_, c_;
    std::map<std::tuple<std::size_t, std::size_t, bool, bool>, View> kernels_;  ///< of a direction, by first gate, gates, with W, with R
};

std::int64_t count(std::size_t n) { return static_cast<std::int64_t>(n); }

View Writer::constant(const Sizes& dims, const Numbers& values) {
    Tensor& tensor = made_.initialisers.emplace_back();
    tensor.name = unique("numbers");
    tensor.dims = dims;
    tensor.type = kDouble;
    tensor.raw = text(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)));
    return tensor.name;
}

View Writer::shaped(View value, Sizes dims) {
    Tensor& tensor = made_.initialisers.emplace_back();
    tensor.name = unique("sizes");
    tensor.dims = {count(dims.size())};
    tensor.type = kInt64;
    tensor.integers = std::move(dims);
    return add("Reshape", {value, tensor.name});
}

View Writer::add(View type, std::vector<View> inputs, std::vector<Attribute> attributes) {
    if (made_.nodes.size() >= kMostNodes) refuse(node_, "with its steps the model has more than " + std::to_string(kMostNodes) + " nodes");
    Node& made = made_.nodes.emplace_back();
    made.type = type;
    made.name = text(std::string(node_.name.empty() ? node_.type : node_.name) + part_);
    made.number = node_.number;
    made.inputs = std::move(inputs);
    made.outputs = {unique("value")};
    made.attributes = std::move(attributes);
    return made.outputs.front();
}

void Writer::give(std::size_t output) {
    made_.nodes.back().name = node_.name;
    made_.nodes.back().outputs = {node_.outputs[output]};
}

Steps::Steps(const Node& node, const Constants& constants, Graph& made, double& weights)
    : Writer(node, made), constants_(constants), gates_(gatesOf(node)) {
    for (const Attribute& given : node.attributes)
        if (!isOneOf(given.name, {"activations", "activation_alpha", "activation_beta", "direction", "hidden_size", "input_forget",
                                  "layout", "linear_before_reset", "output_sequence"}))
            refuse(node, "attribute " + quoted(given.name) + " of operator " + std::string(node.type) + " is not supported");
    if (node.inputs.size() < 3 || node.inputs.size() > 8) refuse(node, "operator " + std::string(node.type) + " takes 3 to 8 inputs");
    const View direction = textAttribute(node, "direction", "forward");
    if (!isOneOf(direction, {"forward", "reverse", "bidirectional"})) refuse(node, "its direction " + quoted(direction) + " is not known");
    directions_ = direction == "bidirectional" ? 2 : 1;
    batchFirst_ = isBatchFirst(node);
    if (flagAttribute(node, "input_forget", false)) refuse(node, "its attribute input_forget is not supported");
    resetsBehind_ = flagAttribute(node, "linear_before_reset", false);
    const Sizes* x = constants.sizes(node.inputs[0]);
    if (!x || x->size() != 3) refuse(node, "the sizes of its input must be known, as steps × N × numbers");
    const Tensor *w = constants.find(node.inputs[1]), *r = constants.find(node.inputs[2]);
    if (!w || !r || r->dims.size() != 3) refuse(node, "its weights must be constants of three dimensions");
    const std::int64_t batch = (*x)[batchFirst_ ? 0 : 1], length = (*x)[batchFirst_ ? 1 : 0];
    if (batch != 1) refuse(node, "its batch of " + std::to_string(batch) + " must be 1");
    const double steps = static_cast<double>(length), units = static_cast<double>(r->dims[2]);
    weights += steps * static_cast<double>(directions_ * gates_) * units * (units + static_cast<double>((*x)[2]));
    if (!(steps >= 1 && units >= 1 && (*x)[2] >= 1 && weights <= fileLimits().weights))
        refuse(node, "with its " + whole(steps) + " steps the model has " + whole(weights) + " recurrent weights; 1 to " +
                         whole(fileLimits().weights) + " are possible");
    steps_ = static_cast<std::size_t>(length);
    inputs_ = static_cast<std::size_t>((*x)[2]);
    size_ = static_cast<std::size_t>(r->dims[2]);
    const auto d = count(directions_), rows = count(gates_ * size_);
    weights_ = numbers(*input(1, {d, rows, (*x)[2]}, "weights"));
    recurrent_ = numbers(*input(2, {d, rows, r->dims[2]}, "recurrent weights"));
    const Tensor* b = input(3, {d, 2 * rows}, "biases");
    biases_ = b ? numbers(*b) : Numbers(directions_ * 2 * gates_ * size_);
    if (node.inputs.size() > 4 && !node.inputs[4].empty()) {
        const auto lengths = constants.wholes()(node.inputs[4]);
        if (!lengths || *lengths != Sizes{length}) refuse(node, "sequences that end early are not supported");
    }
    if (node.inputs.size() > 7 && !node.inputs[7].empty()) refuse(node, "weights from the cell to the gates (peepholes) are not supported");
    readActivations();
}

/// The constant behind an input, checked; null when it is left out.
const Tensor* Steps::input(std::size_t index, const Sizes& dims, const char* what) const {
    if (index >= node_.inputs.size() || node_.inputs[index].empty()) return nullptr;
    const Tensor* tensor = constants_.find(node_.inputs[index]);
    if (!tensor) refuse(node_, std::string("its ") + what + " must be constants");
    if (tensor->dims != dims)
        refuse(node_,
               std::string("its ") + what + " " + quoted(tensor->name) + " are " + shapeText(tensor->dims) + ", not " + shapeText(dims));
    return tensor;
}

void Steps::readActivations() {
    const std::vector<View> standard = node_.type == "LSTM"  ? std::vector<View>{"Sigmoid", "Tanh", "Tanh"}
                                       : node_.type == "GRU" ? std::vector<View>{"Sigmoid", "Tanh"}
                                                             : std::vector<View>{"Tanh"};
    const Attribute* given = attribute(node_, "activations");
    for (std::size_t d = 0; !given && d < directions_; ++d) activations_.insert(activations_.end(), standard.begin(), standard.end());
    if (given) activations_ = given->texts;
    if (activations_.size() != directions_ * standard.size())
        refuse(node_, "it names " + std::to_string(activations_.size()) + " activations where it has " +
                          std::to_string(directions_ * standard.size()));
    for (const View type : activations_)
        if (!isOneOf(type, {"Sigmoid", "Tanh", "Relu", "HardSigmoid", "Softsign", "Softplus", "LeakyRelu", "Elu"}))
            refuse(node_, "its activation " + quoted(type) + " is not supported");
    for (const View name : {"activation_alpha", "activation_beta"})
        if (const Attribute* numbers = attribute(node_, name); numbers && !numbers->numbers.view().empty())
            refuse(node_, "its attribute " + std::string(name) + " is not supported");
}

Sizes Steps::withBatch(Sizes dims) const {
    dims.insert(batchFirst_ ? dims.begin() : dims.end() - 1, 1);
    return dims;
}

View Steps::cut(View row, std::size_t first, std::size_t length) {
    return add("Slice", {row}, {listOf("axes", {1}), listOf("starts", {count(first)}), listOf("ends", {count(first + length)})});
}

/// Rows one after another as output `output` of the node, where the node has that one.
void Steps::giveAll(std::size_t output, std::vector<View> rows, Sizes dims) {
    if (output >= node_.outputs.size() || node_.outputs[output].empty()) return;
    while (rows.size() > 1) {
        std::vector<View> joined;
        for (std::size_t first = 0; first < rows.size(); first += kMostJoined) {
            const auto from = rows.begin() + count(first), to = rows.begin() + count(std::min(rows.size(), first + kMostJoined));
            joined.push_back(add("Concat", {from, to}, {wholeOf("axis", 1)}));
        }
        rows = std::move(joined);
    }
    shaped(rows[0], std::move(dims));
    give(output);
}

/// Of the direction, from an input of all directions.
State Steps::initial(std::size_t index) {
    if (index >= node_.inputs.size() || node_.inputs[index].empty()) return {{}, Numbers(size_)};
    if (!constants_.find(node_.inputs[index]))
        return {cut(shaped(node_.inputs[index], {1, count(directions_ * size_)}), direction_ * size_, size_), {}};
    const Numbers all = numbers(*input(index, withBatch({count(directions_), count(size_)}), "initial states"));
    return {{}, Numbers(all.begin() + count(direction_ * size_), all.begin() + count((direction_ + 1) * size_))};
}

View Steps::activated(std::size_t which, View value) {
    const View type = activations_[direction_ * (activations_.size() / directions_) + which];
    return type == "Softsign" ? softsign(value) : add(type, {value});
}

void Steps::name(const char* part) { part_ = " " + std::to_string(step_ + 1) + (direction_ ? " back " : " ") + part; }

/// gate ⊙ state.
State Steps::scaled(View gate, const State& state) {
    if (state.isZero()) return state;
    const View factor = state.value.empty() ? constant({1, count(size_)}, state.numbers) : state.value;
    return {add("Mul", {gate, factor}), {}};
}

/// a is a value.
State Steps::summed(const State& a, const State& b) {
    if (b.isZero()) return a;
    return {add("Add", {a.value, b.value.empty() ? constant({1, count(size_)}, b.numbers) : b.value}), {}};
}

/// Of W (part 0), of R (part 1), or their sum.
Numbers Steps::bias(std::initializer_list<std::size_t> parts, std::size_t gate, std::size_t gates) const {
    Numbers sum(gates * size_);
    for (const std::size_t part : parts)
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += biases_[((direction_ * 2 + part) * gates_ + gate) * size_ + i];
    return sum;
}

/// W x + R h + bias of neighbouring gates, one dense layer that reads both; without x only R h + bias.
State Steps::affine(std::size_t gate, std::size_t gates, View x, const State& h, const Numbers& bias) {
    const std::size_t rows = gates * size_, first = (direction_ * gates_ + gate) * size_;
    Numbers shift = bias;
    const bool readsX = !x.empty(), readsH = !h.value.empty();
    for (std::size_t i = 0; i < rows && !readsH; ++i)
        for (std::size_t k = 0; k < h.numbers.size(); ++k) shift[i] += recurrent_[(first + i) * size_ + k] * h.numbers[k];
    if (!readsX && !readsH) return {{}, std::move(shift)};
    View& kernel = kernels_[{gate, gates, readsX, readsH}];
    if (kernel.empty()) {
        Numbers weights;
        for (std::size_t i = first; i < first + rows; ++i) {
            if (readsX) weights.insert(weights.end(), &weights_[i * inputs_], &weights_[i * inputs_] + inputs_);
            if (readsH) weights.insert(weights.end(), &recurrent_[i * size_], &recurrent_[i * size_] + size_);
        }
        kernel = constant({count(rows), count((readsX ? inputs_ : 0) + (readsH ? size_ : 0))}, weights);
    }
    const View in = readsX && readsH ? add("Concat", {x, h.value}, {wholeOf("axis", 1)}) : readsX ? x : h.value;
    return {add("Gemm", {in, kernel, constant({count(rows)}, shift)}, {wholeOf("transB", 1)}), {}};
}

std::vector<View> Steps::parted(View gates, std::size_t parts) {
    std::vector<View> all{add("Split", {gates}, {wholeOf("axis", 1), listOf("split", Sizes(parts, count(size_)))})};
    while (all.size() < parts) all.push_back(unique("value"));
    made_.nodes.back().outputs = all;
    return all;
}

/// Gates in the order i, o, f, c: C = f ⊙ C + i ⊙ g(c), h = o ⊙ h(C).
void Steps::lstm(View x) {
    name("gates");
    const std::vector<View> parts = parted(affine(0, 4, x, h_, bias({0, 1}, 0, 4)).value, 4);
    name("input gate");
    const View in = activated(0, parts[0]);
    name("output gate");
    const View out = activated(0, parts[1]);
    name("forget gate");
    const View forget = activated(0, parts[2]);
    name("cell");
    const View candidate = activated(1, parts[3]);
    c_ = summed({add("Mul", {in, candidate}), {}}, scaled(forget, c_));
    name("state");
    h_ = {add("Mul", {out, activated(2, c_.value)}), {}};
}

/// Gates in the order z, r, h: h = (1 − z) ⊙ g(…) + z ⊙ h.
void Steps::gru(View x) {
    name("gates");
    const std::vector<View> parts = parted(affine(0, 2, x, h_, bias({0, 1}, 0, 2)).value, 2);
    name("update gate");
    const View update = activated(0, parts[0]);
    name("reset gate");
    const View reset = activated(0, parts[1]);
    name("candidate");
    const State sum = resetsBehind_ ? summed(affine(2, 1, x, {}, bias({0}, 2, 1)), scaled(reset, affine(2, 1, {}, h_, bias({1}, 2, 1))))
                                    : affine(2, 1, x, scaled(reset, h_), bias({0, 1}, 2, 1));
    const View candidate = activated(1, sum.value);
    name("state");
    const View keeps = add("Sub", {constant({1}, {1}), update});
    h_ = summed({add("Mul", {keeps, candidate}), {}}, scaled(update, h_));
}

void Steps::rnn(View x) {
    name("sum");
    const View sum = affine(0, 1, x, h_, bias({0, 1}, 0, 1)).value;
    name("state");
    h_ = {activated(0, sum), {}};
}

void Steps::write() {
    const View all = shaped(node_.inputs[0], {1, count(steps_ * inputs_)});
    const bool back = textAttribute(node_, "direction", "forward") == "reverse";
    std::vector<View> states(steps_ * directions_), lastStates, lastCells;
    for (direction_ = 0; direction_ < directions_; ++direction_) {
        kernels_.clear();
        h_ = initial(5);
        c_ = initial(6);
        for (std::size_t k = 0; k < steps_; ++k) {
            step_ = back || direction_ == 1 ? steps_ - 1 - k : k;
            name("inputs");
            const View x = cut(all, step_ * inputs_, inputs_);
            node_.type == "LSTM" ? lstm(x) : node_.type == "GRU" ? gru(x) : rnn(x);
            states[step_ * directions_ + direction_] = h_.value;
        }
        lastStates.push_back(h_.value);
        lastCells.push_back(c_.value);
    }
    part_.clear();
    giveAll(0, states, withBatch({count(steps_), count(directions_), count(size_)}));
    giveAll(1, lastStates, withBatch({count(directions_), count(size_)}));
    if (node_.type == "LSTM") giveAll(2, lastCells, withBatch({count(directions_), count(size_)}));
}

}  // namespace

std::optional<Graph> writtenOut(const Graph& graph, const std::vector<const Node*>& order, const Constants& constants) {
    const auto stays = [&](const Node* node) {
        return !(isRecurrent(*node) || isOneOf(node->type, {"Softsign", "Mean"})) || constants.makes(*node) || node->inputs.empty();
    };
    if (std::all_of(order.begin(), order.end(), stays)) return {};
    double weights = 0;
    Graph made{{}, graph.initialisers, graph.inputs, graph.outputs, graph.operatorSet, {}};
    for (const Node* node : order) {
        if (stays(node)) {
            made.nodes.push_back(*node);
        } else if (isRecurrent(*node)) {
            Steps(*node, constants, made, weights).write();
        } else {
            Writer writer(*node, made);
            if (node->type == "Softsign")
                writer.softsign(node->inputs[0]);
            else
                writer.add("Mul",
                           {writer.add("Sum", node->inputs), writer.constant({1}, {1.0 / static_cast<double>(node->inputs.size())})});
            writer.give(0);
        }
    }
    return made;
}

}  // namespace kappaflow::onnx

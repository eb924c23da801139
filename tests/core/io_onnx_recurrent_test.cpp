// LSTM, GRU and RNN as layers, against the formulas of the ONNX specification written down step by step.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "support/onnx_writer.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;

namespace {

using Numbers = std::vector<double>;
using Sizes = std::vector<std::int64_t>;

Numbers filled(std::size_t count, double seed) {
    Numbers values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = 0.8 * std::sin(12.9898 * static_cast<double>(i + 1) + seed);
    return values;
}

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

/// A recurrent node and its numbers.
struct Recurrent {
    std::string type = "LSTM", direction = "forward";
    std::size_t steps = 5, inputs = 3, size = 4;
    bool biases = true, initial = false, resetsBehind = false;
    std::vector<std::string> activations{};

    std::size_t gates() const { return type == "LSTM" ? 4 : type == "GRU" ? 3 : 1; }
    std::size_t directions() const { return direction == "bidirectional" ? 2 : 1; }
    Numbers W() const { return filled(directions() * gates() * size * inputs, 1); }
    Numbers R() const { return filled(directions() * gates() * size * size, 2); }
    Numbers B() const { return biases ? filled(directions() * 2 * gates() * size, 3) : Numbers(directions() * 2 * gates() * size); }
    Numbers state(double seed) const { return initial ? filled(directions() * size, seed) : Numbers(directions() * size); }
    Numbers x() const { return filled(steps * inputs, 6); }
};

double bent(const std::string& activation, double z) {
    if (activation == "Sigmoid") return sigmoid(z);
    if (activation == "Tanh") return std::tanh(z);
    if (activation == "Relu") return std::max(0.0, z);
    if (activation == "Softsign") return z / (1 + std::abs(z));
    REQUIRE(activation == "HardSigmoid");
    return std::min(1.0, std::max(0.0, 0.2 * z + 0.5));
}

/// Y [step][direction][unit], Y_h and Y_c [direction][unit].
struct Outputs {
    Numbers all, last, cells;
};

Outputs slow(const Recurrent& r) {
    const std::size_t H = r.size, D = r.inputs, G = r.gates();
    const Numbers W = r.W(), R = r.R(), B = r.B(), x = r.x(), h0 = r.state(4), c0 = r.state(5);
    Outputs out{Numbers(r.steps * r.directions() * H), {}, {}};
    std::vector<std::string> standard{"Sigmoid", "Tanh", "Tanh"};
    if (r.type == "GRU") standard = {"Sigmoid", "Tanh"};
    if (r.type == "RNN") standard = {"Tanh"};
    for (std::size_t d = 0; d < r.directions(); ++d) {
        std::vector<std::string> act = standard;
        if (!r.activations.empty())
            std::copy_n(r.activations.begin() + static_cast<std::ptrdiff_t>(d * act.size()), act.size(), act.begin());
        Numbers h(h0.begin() + static_cast<std::ptrdiff_t>(d * H), h0.begin() + static_cast<std::ptrdiff_t>((d + 1) * H));
        Numbers c(c0.begin() + static_cast<std::ptrdiff_t>(d * H), c0.begin() + static_cast<std::ptrdiff_t>((d + 1) * H));
        const bool back = r.direction == "reverse" || d == 1;
        for (std::size_t k = 0; k < r.steps; ++k) {
            const std::size_t t = back ? r.steps - 1 - k : k;
            const auto fromX = [&](std::size_t g, std::size_t i) {
                double sum = B[(d * 2 * G + g) * H + i];
                for (std::size_t j = 0; j < D; ++j) sum += W[((d * G + g) * H + i) * D + j] * x[t * D + j];
                return sum;
            };
            const auto fromH = [&](std::size_t g, std::size_t i, const Numbers& state) {
                double sum = B[((d * 2 + 1) * G + g) * H + i];
                for (std::size_t j = 0; j < H; ++j) sum += R[((d * G + g) * H + i) * H + j] * state[j];
                return sum;
            };
            const auto gate = [&](std::size_t g, std::size_t i) { return fromX(g, i) + fromH(g, i, h); };
            Numbers next(H), cells(H), reset(H);
            for (std::size_t i = 0; i < H && r.type == "GRU"; ++i) reset[i] = bent(act[0], gate(1, i)) * h[i];
            for (std::size_t i = 0; i < H; ++i) {
                if (r.type == "RNN") next[i] = bent(act[0], gate(0, i));
                if (r.type == "LSTM") {
                    cells[i] = bent(act[0], gate(2, i)) * c[i] + bent(act[0], gate(0, i)) * bent(act[1], gate(3, i));
                    next[i] = bent(act[0], gate(1, i)) * bent(act[2], cells[i]);
                }
                if (r.type == "GRU") {
                    const double z = bent(act[0], gate(0, i)), after = bent(act[0], gate(1, i)) * fromH(2, i, h);
                    const double candidate = bent(act[1], fromX(2, i) + (r.resetsBehind ? after : fromH(2, i, reset)));
                    next[i] = (1 - z) * candidate + z * h[i];
                }
            }
            h = next, c = cells;
            std::copy(h.begin(), h.end(), out.all.begin() + static_cast<std::ptrdiff_t>((t * r.directions() + d) * H));
        }
        out.last.insert(out.last.end(), h.begin(), h.end());
        out.cells.insert(out.cells.end(), c.begin(), c.end());
    }
    return out;
}

Message texts(const std::string& name, const std::vector<std::string>& values) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    for (const std::string& value : values) writer.add_bytes(9, value);
    return bytes;
}

/// x [steps, 1, inputs] → the node, of whose outputs one is the model's, as a row.
Model model(const Recurrent& r, std::size_t output, std::vector<Message> attributes = {}) {
    const auto n = [](std::size_t size) { return static_cast<std::int64_t>(size); };
    const std::int64_t d = n(r.directions()), rows = n(r.gates() * r.size), h = n(r.size);
    Model m;
    m.operatorSet = 14;
    m.inputs = {valueInfo("x", {n(r.steps), 1, n(r.inputs)})};
    m.outputs = {valueInfo("y", {1, -2})};
    m.tensors = {tensor("W", {d, rows, n(r.inputs)}, r.W(), kDouble), tensor("R", {d, rows, h}, r.R(), kDouble),
                 tensor("B", {d, 2 * rows}, r.B(), kDouble),          tensor("h0", {d, 1, h}, r.state(4), kDouble),
                 tensor("c0", {d, 1, h}, r.state(5), kDouble),        integerTensor("row", {2}, {1, -1})};
    attributes.push_back(text("direction", r.direction));
    attributes.push_back(integer("hidden_size", h));
    if (r.resetsBehind) attributes.push_back(integer("linear_before_reset", 1));
    if (!r.activations.empty()) attributes.push_back(texts("activations", r.activations));
    std::vector<std::string> inputs{
        "x", "W", "R", r.biases ? "B" : "", "", r.initial ? "h0" : "", r.initial && r.type == "LSTM" ? "c0" : ""};
    std::vector<std::string> outputs(r.type == "LSTM" ? 3 : 2);
    outputs[output] = "made";
    m.nodes = {node(r.type, "net", inputs, outputs, attributes), node("Reshape", "rows", {"made", "row"}, {"y"})};
    return m;
}

double difference(const Numbers& a, const Numbers& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

void check(const Recurrent& r) {
    const Outputs expected = slow(r);
    CAPTURE(r.type);
    CAPTURE(r.direction);
    for (std::size_t output = 0; output < (r.type == "LSTM" ? 3U : 2U); ++output) {
        const Network network = readOnnx(model(r, output).file());
        CHECK(difference(forward(network, r.x()).back(), output == 0   ? expected.all
                                                         : output == 1 ? expected.last
                                                                       : expected.cells) < 1e-13);
    }
}

std::string refusal(const Model& m) {
    try {
        readOnnx(m.file());
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("all steps, the last states and the last cells are those of the formulas, in every direction") {
    for (const char* type : {"LSTM", "GRU", "RNN"})
        for (const char* direction : {"forward", "reverse", "bidirectional"})
            for (const bool biases : {true, false})
                for (const bool initial : {true, false})
                    for (const bool resetsBehind : {true, false})
                        if (!resetsBehind || std::string(type) == "GRU")
                            check({type, direction, 5, 3, 4, biases, initial, resetsBehind, {}});
}

TEST_CASE("one step, one input and one unit are enough, and more steps than one node joins are as well") {
    for (const char* type : {"LSTM", "GRU", "RNN"}) {
        check({type, "forward", 1, 2, 3});
        check({type, "bidirectional", 2, 1, 1});
        check({type, "forward", 150, 1, 2});
    }
}

TEST_CASE("activations of their own are taken for each direction") {
    check({"LSTM", "forward", 4, 3, 2, true, true, false, {"HardSigmoid", "Softsign", "Relu"}});
    check({"GRU", "bidirectional", 4, 3, 2, true, true, false, {"Sigmoid", "Relu", "HardSigmoid", "Softsign"}});
    check({"RNN", "bidirectional", 4, 3, 2, true, false, false, {"Relu", "Tanh"}});
}

TEST_CASE("first states may be computed, as where one network hands its state to the next") {
    const Recurrent first{"GRU", "forward", 3, 3, 4}, second{"GRU", "forward", 3, 3, 4, true, true};
    Model m = model(first, 1);
    m.nodes = {node("GRU", "first", {"x", "W", "R", "B"}, {"", "handed"}),
               node("GRU", "second", {"x", "W", "R", "B", "", "handed"}, {"", "made"}), node("Reshape", "rows", {"made", "row"}, {"y"})};
    const Numbers handed = slow(first).last, y = forward(readOnnx(m.file()), first.x()).back();
    m.nodes = {node("GRU", "second", {"x", "W", "R", "B", "", "given"}, {"", "made"}), node("Reshape", "rows", {"made", "row"}, {"y"})};
    m.tensors.push_back(tensor("given", {1, 1, 4}, handed, kDouble));
    CHECK(difference(y, forward(readOnnx(m.file()), first.x()).back()) < 1e-14);
    CHECK(difference(y, handed) > 0.01);
}

TEST_CASE("the batch axis may stand in front of time") {
    for (const bool initial : {true, false}) {
        const Recurrent r{"LSTM", "bidirectional", 5, 3, 4, true, initial};
        const Outputs expected = slow(r);
        for (std::size_t output = 0; output < 3; ++output) {
            Model m = model(r, output, {integer("layout", 1)});
            m.inputs = {valueInfo("x", {-1, 5, 3})};
            m.tensors[3] = tensor("h0", {1, 2, 4}, r.state(4), kDouble);
            m.tensors[4] = tensor("c0", {1, 2, 4}, r.state(5), kDouble);
            CHECK(difference(forward(readOnnx(m.file()), r.x()).back(), output == 0   ? expected.all
                                                                        : output == 1 ? expected.last
                                                                                      : expected.cells) < 1e-13);
        }
    }
}

TEST_CASE("weights that many nodes share count for each of them before any is written out") {
    const Recurrent r{"RNN", "forward", 1, 1000, 1000};
    Model m = model(r, 0);
    m.nodes = {node("RNN", "n0", {"x", "W", "R"}, {"", "s1"})};
    for (int k = 1; k < 50; ++k)
        m.nodes.push_back(node("RNN", "n" + std::to_string(k), {"s" + std::to_string(k), "W", "R"}, {"", "s" + std::to_string(k + 1)}));
    m.nodes.push_back(node("Reshape", "rows", {"s50", "row"}, {"y"}));
    CHECK(refusal(m).find("with its 1 steps the model has ") != std::string::npos);
}

TEST_CASE("of states that nothing reads no layer is made, and layers are named after their step") {
    const Recurrent r{"LSTM", "forward", 3, 2, 2};
    const Network last = readOnnx(model(r, 1).file());
    REQUIRE(last.layers.size() == 1);
    const std::vector<Layer>& inner = last.layers[0].as<Block>().inner;
    CHECK(std::none_of(inner.begin(), inner.end() - 1, [](const Layer& layer) { return layer.out.units() == 6; }));
    const auto count = [&](const std::string& name) {
        return std::count_if(inner.begin(), inner.end(), [&](const Layer& layer) { return layer.name == name && layer.is<Pointwise>(); });
    };
    CHECK(count("net 1 forget gate") == 0);  // the first cell is 0
    CHECK(count("net 2 forget gate") == 1);
    CHECK(count("net 3 output gate") == 1);
    CHECK(count("net 4 output gate") == 0);
}

TEST_CASE("Softsign is z/(1 + |z|), and Mean the mean of its inputs") {
    Model m;
    m.inputs = {valueInfo("x", {-1, 2})};
    m.outputs = {valueInfo("y", {-1, 2})};
    m.tensors = {tensor("w", {2, 2}, {1, 2, -3, 0.5})};
    m.nodes = {node("MatMul", "fc", {"x", "w"}, {"z"}), node("Softsign", "s", {"z"}, {"a"}), node("Mean", "m", {"a", "z", "x"}, {"y"})};
    const Numbers y = forward(readOnnx(m.file()), {0.5, -1}).back(), z{3.5, 0.5};
    CHECK(y[0] == doctest::Approx((3.5 / 4.5 + 3.5 + 0.5) / 3).epsilon(1e-14));
    CHECK(y[1] == doctest::Approx((0.5 / 1.5 + 0.5 - 1) / 3).epsilon(1e-14));
}

TEST_CASE("recurrent nodes that cannot be written out are refused by name") {
    const Recurrent r;
    const auto with = [&](std::vector<Message> attributes) { return refusal(model(r, 0, std::move(attributes))); };
    CHECK(with({number("clip", 3)}) == "node \"net\": attribute \"clip\" of operator LSTM is not supported.");
    CHECK(with({text("layout", "1")}) == "node \"net\": its attribute layout must be a whole number.");
    CHECK(with({integer("input_forget", 1)}) == "node \"net\": its attribute input_forget is not supported.");
    CHECK(with({texts("activations", {"Sigmoid", "Tanh"})}) == "node \"net\": it names 2 activations where it has 3.");
    CHECK(with({texts("activations", {"Sigmoid", "Tanh", "Affine"})}) == "node \"net\": its activation \"Affine\" is not supported.");
    Recurrent aside;
    aside.direction = "sideways";
    CHECK(refusal(model(aside, 0)) == "node \"net\": its direction \"sideways\" is not known.");
    const auto inputs = [&](std::vector<std::string> names, std::vector<Message> more = {}) {
        Model m = model(r, 0);
        m.nodes[0] = node("LSTM", "net", names, {"made"});
        m.tensors.insert(m.tensors.end(), more.begin(), more.end());
        return refusal(m);
    };
    CHECK(inputs({"x", "W"}) == "node \"net\": operator LSTM takes 3 to 8 inputs.");
    CHECK(inputs({"x", "R", "R"}) == "node \"net\": its weights \"R\" are 1 × 16 × 4, not 1 × 16 × 3.");
    CHECK(inputs({"x", "W", "R", "h0"}) == "node \"net\": its biases \"h0\" are 1 × 1 × 4, not 1 × 32.");
    CHECK(inputs({"x", "x", "R"}) == "node \"net\": its weights must be constants of three dimensions.");
    CHECK(inputs({"x", "W", "R", "", "", "", "", "B"}) ==
          "node \"net\": weights from the cell to the gates (peepholes) are not supported.");
    CHECK(inputs({"x", "W", "R", "", "ends"}, {integerTensor("ends", {1}, {3}, kInt32)}) ==
          "node \"net\": sequences that end early are not supported.");
    CHECK(inputs({"x", "W", "R", "", "ends"}, {integerTensor("ends", {1}, {5}, kInt32)}) == "");
    Model open = model(r, 0);
    open.inputs = {valueInfo("x", {-1, 1, 3})};
    CHECK(refusal(open) == "node \"net\": the sizes of its input must be known, as steps × N × numbers.");
    open.inputs = {valueInfo("x", {5, 2, 3})};
    CHECK(refusal(open) == "input \"x\": its batch size is 2; export the model with a batch of 1 or a named one.");
    open.inputs = {valueInfo("x", {100000, 1, 3})};
    CHECK(refusal(open) == "node \"net\": with its steps the model has more than 32768 nodes.");
    open.inputs = {valueInfo("x", {2000000000, 1, 3})};
    CHECK(refusal(open).find("node \"net\": with its 2000000000 steps the model has ") == 0);
}

#include <doctest/doctest.h>

#include "core/io/onnx.h"
#include "support/onnx_writer.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;

namespace {

using Numbers = std::vector<double>;

// Out 2, in 3; quarters are exact in float.
const Numbers kOutputsFirst{1, -2, 3, 0.25, 5, -6}, kInputsFirst{1, 0.25, -2, 5, 3, -6}, kBias{0.5, -1};

/// x [batch, 3] → `nodes` → y, with the weights as "w" [2, 3], "wt" [3, 2] and "b" [2].
Model model(std::vector<Message> nodes) {
    return {std::move(nodes),
            {tensor("w", {2, 3}, kOutputsFirst), tensor("wt", {3, 2}, kInputsFirst), tensor("b", {2}, kBias)},
            {valueInfo("x", {-1, 3})},
            {valueInfo("y", {-1, 2})}};
}

Network read(const Model& model) { return readOnnx(model.file()); }

Message dense(const std::string& output = "y") { return node("Gemm", "fc", {"x", "w", "b"}, {output}, {integer("transB", 1)}); }

void checkDense(const Network& network, const Numbers& weights, const Numbers& bias) {
    REQUIRE(network.layers.size() == 1);
    const Layer& layer = network.layers[0];
    CHECK(layer.is<Dense>());
    CHECK(layer.in == Shape{1, 1, 3});
    CHECK(layer.out == Shape{1, 1, 2});
    CHECK(layer.as<Weights>().weights == weights);
    CHECK(layer.as<Weights>().bias == bias);
}

Layer activationOf(const Message& activation, std::vector<Message> more = {}) {
    Model m = model({dense("z"), activation});
    m.tensors.insert(m.tensors.end(), more.begin(), more.end());
    const Network network = read(m);
    REQUIRE(network.layers.size() == 2);
    CHECK(network.layers[1].is<Pointwise>());
    CHECK(network.layers[1].in == Shape{1, 1, 2});
    return network.layers[1];
}

}  // namespace

TEST_CASE("Gemm reads its matrix either way round, scaled by alpha, and its bias by beta") {
    checkDense(read(model({dense()})), kOutputsFirst, kBias);
    checkDense(read(model({node("Gemm", "fc", {"x", "wt", "b"}, {"y"})})), kOutputsFirst, kBias);
    checkDense(read(model({node("Gemm", "fc", {"x", "wt"}, {"y"}, {integer("transB", 0), integer("transA", 0)})})), kOutputsFirst, {});
    checkDense(read(model({node("Gemm", "fc", {"x", "w", "b"}, {"y"}, {integer("transB", 1), number("alpha", 2), number("beta", -4)})})),
               {2, -4, 6, 0.5, 10, -12}, {-2, 4});
    CHECK(read(model({dense()})).layers[0].name == "fc");
}

TEST_CASE("a bias may be a row, a single number for all units, or left out by an empty name") {
    for (std::vector<std::int64_t> dims : {std::vector<std::int64_t>{}, {1}, {1, 1}}) {
        Model m = model({node("Gemm", "fc", {"x", "w", "c"}, {"y"}, {integer("transB", 1)})});
        m.tensors.push_back(tensor("c", dims, {3}));
        checkDense(read(m), kOutputsFirst, {3, 3});
    }
    Model row = model({node("Gemm", "fc", {"x", "w", "c"}, {"y"}, {integer("transB", 1)})});
    row.tensors.push_back(tensor("c", {1, 2}, {7, 8}));
    checkDense(read(row), kOutputsFirst, {7, 8});
    checkDense(read(model({node("Gemm", "fc", {"x", "w", ""}, {"y"}, {integer("transB", 1)})})), kOutputsFirst, {});
}

TEST_CASE("MatMul with Add, in either order of Add's inputs, is a dense layer with bias") {
    checkDense(read(model({node("MatMul", "mm", {"x", "wt"}, {"z"}), node("Add", "add", {"z", "b"}, {"y"})})), kOutputsFirst, kBias);
    checkDense(read(model({node("MatMul", "mm", {"x", "wt"}, {"z"}), node("Add", "add", {"b", "z"}, {"y"})})), kOutputsFirst, kBias);
    checkDense(read(model({dense("z"), node("Add", "add", {"z", "b"}, {"y"})})), kOutputsFirst, {1, -2});
}

TEST_CASE("weights are read from every form of storage") {
    for (Type type : {kFloat, kDouble})
        for (Storage storage : {Storage::Raw, Storage::Packed, Storage::Unpacked}) {
            Model m = model({node("Gemm", "fc", {"x", "v"}, {"y"}, {integer("transB", 1)})});
            m.tensors.push_back(tensor("v", {2, 3}, {0.1, 1e-30, -3, 4, 5, 6}, type, storage));
            const double tenth = type == kFloat ? static_cast<double>(0.1f) : 0.1,
                         tiny = type == kFloat ? static_cast<double>(1e-30f) : 1e-30;
            checkDense(read(m), {tenth, tiny, -3, 4, 5, 6}, {});
        }
}

TEST_CASE("each activation operator becomes its activation") {
    CHECK(activationOf(node("Relu", "a", {"z"}, {"y"})).as<Pointwise>().activation == Activation::Relu);
    CHECK(activationOf(node("Abs", "a", {"z"}, {"y"})).as<Pointwise>().activation == Activation::Abs);
    CHECK(activationOf(node("Tanh", "a", {"z"}, {"y"})).as<Pointwise>().activation == Activation::Tanh);
    CHECK(activationOf(node("Sigmoid", "a", {"z"}, {"y"})).as<Pointwise>().activation == Activation::Sigmoid);
    const std::pair<const char*, Activation> functions[] = {{"Exp", Activation::Exp},
                                                            {"Log", Activation::Log},
                                                            {"Sqrt", Activation::Sqrt},
                                                            {"Erf", Activation::Erf},
                                                            {"Sin", Activation::Sin},
                                                            {"Cos", Activation::Cos},
                                                            {"Reciprocal", Activation::Reciprocal}};
    for (const auto& [type, activation] : functions)
        CHECK(activationOf(node(type, "a", {"z"}, {"y"})).as<Pointwise>().activation == activation);
    const Layer standard = activationOf(node("LeakyRelu", "a", {"z"}, {"y"}));
    CHECK(standard.as<Pointwise>().activation == Activation::LeakyRelu);
    CHECK(standard.as<Pointwise>().slope == 0.01);
    CHECK(activationOf(node("LeakyRelu", "a", {"z"}, {"y"}, {number("alpha", 0.25f)})).as<Pointwise>().slope == 0.25);
    CHECK(activationOf(node("Relu", "named", {"z"}, {"y"})).name == "named");
}

TEST_CASE("Pow is read for the powers that have a function") {
    const auto power = [](double p) {
        return activationOf(node("Pow", "a", {"z", "p"}, {"y"}), {tensor("p", {}, {p})}).as<Pointwise>().activation;
    };
    CHECK(power(2) == Activation::Square);
    CHECK(power(0.5) == Activation::Sqrt);
    CHECK(power(-1) == Activation::Reciprocal);
    CHECK_THROWS_WITH_AS(power(3), "node \"a\": its exponent is 3; 2, 1/2 and -1 are supported.", InputError);
}

TEST_CASE("Clip takes its bounds from attributes, initialisers or constants") {
    CHECK(activationOf(node("Clip", "a", {"z"}, {"y"}, {number("min", -1), number("max", 1)})).as<Pointwise>().activation ==
          Activation::HardTanh);
    CHECK(activationOf(node("Clip", "a", {"z"}, {"y"}, {number("min", 0), number("max", 6)})).as<Pointwise>().activation ==
          Activation::Relu6);
    CHECK(activationOf(node("Clip", "a", {"z", "lo", "hi"}, {"y"}), {tensor("lo", {}, {-1}), tensor("hi", {1}, {1}, kDouble)})
              .as<Pointwise>()
              .activation == Activation::HardTanh);
    const Network network = read(model({node("Constant", "c0", {}, {"lo"}, {tensorAttribute("value", tensor("", {}, {0}))}),
                                        node("Constant", "c6", {}, {"hi"}, {tensorAttribute("value", tensor("", {}, {6}))}), dense("z"),
                                        node("Clip", "a", {"z", "lo", "hi"}, {"y"})}));
    REQUIRE(network.layers.size() == 2);
    CHECK(network.layers[1].as<Pointwise>().activation == Activation::Relu6);
}

TEST_CASE("Identity passes values and constants on, a last Softmax is left out, which is told") {
    const auto withLast = [](const char* last) {
        return model({node("Identity", "i", {"x"}, {"x2"}), node("Identity", "j", {"w"}, {"w2"}),
                      node("Gemm", "fc", {"x2", "w2", "b"}, {"z"}, {integer("transB", 1)}), node(last, "s", {"z"}, {"y"})});
    };
    checkDense(read(withLast("Softmax")), kOutputsFirst, kBias);
    for (const std::string last : {"Softmax", "LogSoftmax", "Identity"}) {
        std::vector<std::string> notes;
        readOnnx(withLast(last.c_str()).file(), {}, &notes);
        if (last == "Identity")
            CHECK(notes.empty());
        else
            CHECK(notes == std::vector{"The " + last + " at the end is left out: outputs are the scores in front of it."});
    }
}

TEST_CASE("Constant gives weights") {
    checkDense(read(model({node("Constant", "c", {}, {"v"}, {tensorAttribute("value", tensor("", {3, 2}, kInputsFirst))}),
                           node("MatMul", "mm", {"x", "v"}, {"y"})})),
               kOutputsFirst, {});
}

TEST_CASE("nodes are taken as data flow, not as they stand in the file") {
    const Network network = read(
        model({node("Tanh", "last", {"z2"}, {"y"}), node("Add", "add", {"z", "b"}, {"z2"}), node("MatMul", "mm", {"x", "wt"}, {"z"})}));
    REQUIRE(network.layers.size() == 2);
    CHECK(network.layers[0].as<Weights>().weights == kOutputsFirst);
    CHECK(network.layers[0].as<Weights>().bias == kBias);
    CHECK(network.layers[1].as<Pointwise>().activation == Activation::Tanh);
}

TEST_CASE("the input's shape may be a picture, a signal or a vector, of batch 1, named or unknown") {
    for (std::int64_t batch : {std::int64_t{1}, std::int64_t{-1}, std::int64_t{-2}}) {
        Model m = model({node("Flatten", "flat", {"x"}, {"f"}), node("Gemm", "fc", {"f", "v"}, {"y"})});
        m.tensors = {tensor("v", {12, 1}, Numbers(12, 1))};
        m.inputs = {valueInfo("x", {batch, 2, 3, 2})};
        const Network picture = read(m);
        CHECK(picture.input == Shape{2, 3, 2});
        REQUIRE(picture.layers.size() == 2);
        CHECK(picture.layers[0].is<Flatten>());
        CHECK(picture.layers[0].out == Shape{1, 1, 12});
        m.inputs = {valueInfo("x", {batch, 4, 3})};
        CHECK(read(m).input == Shape{4, 1, 3});
        m.inputs = {valueInfo("x", {batch, 12})};
        CHECK(read(m).input == Shape{1, 1, 12});
    }
    Model fromTheEnd = model({node("Flatten", "flat", {"x"}, {"f"}, {integer("axis", -3)}), node("Gemm", "fc", {"f", "v"}, {"y"})});
    fromTheEnd.tensors = {tensor("v", {12, 1}, Numbers(12, 1))};
    fromTheEnd.inputs = {valueInfo("x", {1, 2, 3, 2})};
    CHECK(read(fromTheEnd).layers.size() == 2);
}

TEST_CASE("weights that are listed as inputs too, as old files do, are no inputs") {
    Model m = model({dense()});
    m.inputs.push_back(valueInfo("w", {2, 3}));
    m.inputs.push_back(valueInfo("b", {2}));
    checkDense(read(m), kOutputsFirst, kBias);
}

TEST_CASE("a whole network computes what its file says") {
    Model m = model({dense("z"), node("Relu", "r", {"z"}, {"a"}), node("Gemm", "top", {"a", "u"}, {"y"}, {integer("transB", 1)})});
    m.tensors.push_back(tensor("u", {1, 2}, {2, -3}));
    m.outputs = {valueInfo("y", {-1, 1})};
    // z = (1 − 4 + 9 + 0.5, 0.25 + 10 − 18 − 1) = (6.5, −8.75); y = 2·6.5.
    CHECK(forward(read(m), {1, 2, 3}).back() == Numbers{13});
}

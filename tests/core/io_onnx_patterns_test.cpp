// What exporters write out, and tensors with their channels last.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "core/io/onnx.h"
#include "support/networks.h"
#include "support/onnx_writer.h"
#include "support/sentence.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;

namespace {

using Numbers = std::vector<double>;

/// x [N, 3] → identity matrix → z → the nodes → y.
Model bent(std::vector<Message> nodes, std::vector<Message> constants) {
    nodes.insert(nodes.begin(), node("Gemm", "fc", {"x", "w"}, {"z"}));
    constants.push_back(tensor("w", {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}));
    return {std::move(nodes), std::move(constants), {valueInfo("x", {-1, 3})}, {valueInfo("y", {-1, 3})}};
}

Message one(const char* name, double value) { return tensor(name, {}, {value}); }

/// The one layer behind the matrix.
Activation bendOf(const Model& model) {
    const Network network = readOnnx(model.file());
    REQUIRE(network.layers.size() == 2);
    REQUIRE(network.layers[1].is<Pointwise>());
    return network.layers[1].as<Pointwise>().activation;
}

std::string whyNot(const Model& model) {
    return refusal([&] { readOnnx(model.file()); });
}

}  // namespace

TEST_CASE("a written-out activation is recognised in whatever form") {
    const std::vector<Message> erf{one("root", std::sqrt(0.5)), one("one", 1), one("half", 0.5)};
    CHECK(bendOf(bent({node("Mul", "", {"z", "root"}, {"a"}), node("Erf", "", {"a"}, {"b"}), node("Add", "", {"one", "b"}, {"c"}),
                       node("Mul", "", {"half", "z"}, {"d"}), node("Mul", "g", {"d", "c"}, {"y"})},
                      erf)) == Activation::Gelu);
    CHECK(bendOf(bent({node("Mul", "", {"z", "root"}, {"a"}), node("Erf", "", {"a"}, {"b"}), node("Mul", "", {"b", "half"}, {"c"}),
                       node("Add", "", {"c", "half"}, {"d"}), node("Mul", "g", {"d", "z"}, {"y"})},
                      erf)) == Activation::Gelu);
    const std::vector<Message> cubic{one("three", 3), one("c", 0.044715), one("k", 0.7978845608), one("one", 1), one("half", 0.5)};
    CHECK(bendOf(bent({node("Pow", "", {"z", "three"}, {"z3"}), node("Mul", "", {"z3", "c"}, {"a"}), node("Add", "", {"z", "a"}, {"b"}),
                       node("Mul", "", {"b", "k"}, {"d"}), node("Tanh", "", {"d"}, {"e"}), node("Add", "", {"e", "one"}, {"f"}),
                       node("Mul", "", {"z", "f"}, {"g"}), node("Mul", "g", {"g", "half"}, {"y"})},
                      cubic)) == Activation::GeluTanh);
    CHECK(bendOf(bent({node("Sigmoid", "", {"z"}, {"s"}), node("Mul", "g", {"s", "z"}, {"y"})}, {})) == Activation::Silu);
    CHECK(bendOf(bent({node("Neg", "", {"z"}, {"a"}), node("Exp", "", {"a"}, {"b"}), node("Add", "", {"b", "one"}, {"c"}),
                       node("Div", "g", {"z", "c"}, {"y"})},
                      {one("one", 1)})) == Activation::Silu);
    CHECK(bendOf(bent({node("Exp", "", {"z"}, {"a"}), node("Add", "", {"a", "one"}, {"b"}), node("Log", "", {"b"}, {"c"}),
                       node("Tanh", "", {"c"}, {"d"}), node("Mul", "g", {"z", "d"}, {"y"})},
                      {one("one", 1)})) == Activation::Mish);
    CHECK(bendOf(bent({node("Exp", "", {"z"}, {"a"}), node("Add", "", {"a", "one"}, {"b"}), node("Log", "g", {"b"}, {"y"})},
                      {one("one", 1)})) == Activation::Softplus);
    CHECK(bendOf(bent({node("Add", "", {"z", "three"}, {"a"}), node("Clip", "", {"a", "zero", "six"}, {"b"}),
                       node("Mul", "", {"z", "b"}, {"c"}), node("Div", "g", {"c", "six"}, {"y"})},
                      {one("three", 3), one("zero", 0), one("six", 6)})) == Activation::HardSwish);
    CHECK(bendOf(bent({node("Max", "g", {"z", "zero"}, {"y"})}, {one("zero", 0)})) == Activation::Relu);
}

TEST_CASE("what is almost such an activation is none") {
    const auto gate = [](double shift) {
        return bent({node("Add", "", {"z", "shift"}, {"a"}), node("Sigmoid", "", {"a"}, {"s"}), node("Mul", "gate", {"s", "z"}, {"y"})},
                    {one("shift", shift)});
    };
    CHECK(bendOf(gate(0)) == Activation::Silu);
    CHECK(readOnnx(gate(1e-3).file()).layers.back().is<Block>());
    // The half is missing.
    CHECK(readOnnx(bent({node("Mul", "", {"z", "root"}, {"a"}), node("Erf", "erf", {"a"}, {"b"}), node("Add", "", {"one", "b"}, {"c"}),
                         node("Mul", "g", {"z", "c"}, {"y"})},
                        {one("root", std::sqrt(0.5)), one("one", 1)})
                       .file())
              .layers.back()
              .is<Block>());
    // A gate that is no single number: each unit has its own.
    CHECK(readOnnx(bent({node("Add", "", {"z", "shift"}, {"a"}), node("Sigmoid", "", {"a"}, {"s"}), node("Mul", "gate", {"s", "z"}, {"y"})},
                        {tensor("shift", {3}, {0, 0, 0})})
                       .file())
              .layers.back()
              .is<Block>());
}

TEST_CASE("what others read of a written-out activation stays") {
    // silu(z) + σ(z)
    const Model m =
        bent({node("Sigmoid", "s", {"z"}, {"s"}), node("Mul", "g", {"s", "z"}, {"a"}), node("Add", "sum", {"a", "s"}, {"y"})}, {});
    const Network network = readOnnx(m.file());
    const double sigmoid = 1 / (1 + std::exp(-0.5));
    CHECK(forward(network, {0.5, 0, 0}).back()[0] == doctest::Approx(1.5 * sigmoid).epsilon(1e-12));
    CHECK(network.layers.back().is<Block>());
}

namespace {

/// Mean and variance over the axes by nodes, with a scale and a shift behind.
Model normWrittenOut(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& axes, Message scale, Message shift,
                     bool reciprocal = false) {
    std::vector<Message> nodes{node("Conv", "conv", {"x", "k"}, {"z"}),
                               node("ReduceMean", "", {"z"}, {"m"}, {integers("axes", axes)}),
                               node("Sub", "", {"z", "m"}, {"d"}),
                               node("Pow", "", {"d", "two"}, {"q"}),
                               node("ReduceMean", "", {"q"}, {"v"}, {integers("axes", axes)}),
                               node("Add", "", {"v", "eps"}, {"e"}),
                               node("Sqrt", "", {"e"}, {"s"})};
    if (reciprocal) {
        nodes.push_back(node("Reciprocal", "", {"s"}, {"r"}));
        nodes.push_back(node("Mul", "", {"r", "d"}, {"n"}));
    } else {
        nodes.push_back(node("Div", "", {"d", "s"}, {"n"}));
    }
    nodes.push_back(node("Mul", "", {"n", "scale"}, {"a"}));
    nodes.push_back(node("Add", "", {"shift", "a"}, {"y"}));
    const auto channels = shape[0];
    std::vector<std::int64_t> kernel{channels, channels}, in{-1};
    for (std::size_t i = 1; i < shape.size(); ++i) kernel.push_back(1);
    in.insert(in.end(), shape.begin(), shape.end());
    Numbers identity(static_cast<std::size_t>(channels * channels));
    for (std::int64_t c = 0; c < channels; ++c) identity[static_cast<std::size_t>(c * channels + c)] = 1;
    return {nodes,
            {tensor("k", kernel, identity), one("two", 2), one("eps", 1e-5), std::move(scale), std::move(shift)},
            {valueInfo("x", in)},
            {valueInfo("y", in)}};
}

}  // namespace

TEST_CASE("a layer norm written out is one layer, over a sample or over the channels of a position") {
    for (const bool reciprocal : {false, true}) {
        const Network whole = readOnnx(normWrittenOut({2, 3}, {1, 2}, tensor("scale", {2, 3}, {1, 2, 3, 4, 5, 6}),
                                                      tensor("shift", {2, 3}, {0, 1, 0, 1, 0, 1}), reciprocal)
                                           .file());
        REQUIRE(whole.layers.size() == 2);
        CHECK(whole.layers[1].is<LayerNorm>());
        CHECK_FALSE(whole.layers[1].as<LayerNorm>().eachPosition);
        CHECK(whole.layers[1].as<Weights>().weights == Numbers{1, 2, 3, 4, 5, 6});
        const Network each =
            readOnnx(normWrittenOut({2, 3}, {1}, tensor("scale", {2, 1}, {1, 2}), tensor("shift", {2, 1}, {0, 1}), reciprocal).file());
        REQUIRE(each.layers.size() == 2);
        CHECK(each.layers[1].as<LayerNorm>().eachPosition);
        CHECK(each.layers[1].as<Weights>().weights == Numbers{1, 2});
        CHECK(each.layers[1].as<Weights>().bias == Numbers{0, 1});
        const Numbers y = forward(each, {1, 2, 3, 5, 8, 1}).back();
        CHECK(y[0] == doctest::Approx(-1).epsilon(1e-5));
        CHECK(y[3] == doctest::Approx(3).epsilon(1e-5));
    }
}

TEST_CASE("LayerNormalization, InstanceNormalization and GroupNormalization: axes, groups and epsilon") {
    const auto with = [](Message norm, std::vector<Message> constants) {
        constants.push_back(tensor("k", {4, 4, 1}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
        return Model{{node("Conv", "conv", {"x", "k"}, {"z"}), std::move(norm)},
                     std::move(constants),
                     {valueInfo("x", {-1, 4, 2})},
                     {valueInfo("y", {-1, 4, 2})}};
    };
    const auto layer = [&](Message norm, std::vector<Message> constants) { return readOnnx(with(norm, constants).file()).layers.at(1); };
    const Numbers four{1, 2, 3, 4}, zeros(4);
    const Layer whole = layer(node("LayerNormalization", "n", {"z", "s"}, {"y"}, {integer("axis", 1), number("epsilon", 0.5F)}),
                              {tensor("s", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})});
    CHECK_FALSE(whole.as<LayerNorm>().shared);
    CHECK(whole.as<Norm>().epsilon == 0.5);
    CHECK(whole.as<Weights>().bias == Numbers(8));
    const Layer instance =
        layer(node("InstanceNormalization", "n", {"z", "s", "b"}, {"y"}), {tensor("s", {4}, four), tensor("b", {4}, zeros)});
    CHECK(instance.as<LayerNorm>().groups == 4);
    CHECK(instance.as<Weights>().weights == four);
    const Layer groups = layer(node("GroupNormalization", "n", {"z", "s", "b"}, {"y"}, {integer("num_groups", 2)}),
                               {tensor("s", {4}, four), tensor("b", {4}, zeros)});
    CHECK(groups.as<LayerNorm>().groups == 2);
    CHECK(groups.as<Weights>().weights == four);
    const Layer older = layer(node("GroupNormalization", "n", {"z", "s", "b"}, {"y"}, {integer("num_groups", 2)}),
                              {tensor("s", {2}, {5, 6}), tensor("b", {2}, {0, 0})});
    CHECK(older.as<Weights>().weights == Numbers{5, 5, 6, 6});

    CHECK(whyNot(with(node("LayerNormalization", "n", {"z", "s"}, {"y"}, {integer("axis", 0)}), {tensor("s", {2}, {1, 1})})) ==
          "node \"n\": its axis must be one behind the batch axis.");
    CHECK(whyNot(with(node("LayerNormalization", "n", {"z", "s"}, {"y"}, {number("epsilon", -1)}), {tensor("s", {1}, {1})})) ==
          "node \"n\": its epsilon is negative.");
    CHECK(whyNot(with(node("GroupNormalization", "n", {"z", "s", "s"}, {"y"}, {integer("num_groups", 3)}), {tensor("s", {4}, four)})) ==
          "node \"n\": 4 channels cannot be shared out to 3 groups.");
    CHECK(whyNot(with(node("LayerNormalization", "n", {"z", "s"}, {"y"}, {integers("axes", {9})}), {tensor("s", {1}, {1})})) ==
          "node \"n\": its axis must be one behind the batch axis.");
    CHECK(whyNot(with(node("InstanceNormalization", "n", {"z", "s", "s"}, {"y"}), {tensor("s", {3}, {1, 1, 1})})) ==
          "node \"n\": its input \"s\" is 3 where 4 is needed.");
}

TEST_CASE("with the channels last a matrix is a convolution of width 1, and constants meet channels, positions or units") {
    // x [N, 2, 3] → conv → [N, 3, 2] → the nodes → back.
    const auto between = [](std::vector<Message> nodes, std::vector<Message> constants) {
        nodes.insert(nodes.begin(),
                     {node("Conv", "conv", {"x", "k"}, {"z"}), node("Transpose", "", {"z"}, {"a"}, {integers("perm", {0, 2, 1})})});
        nodes.push_back(node("Transpose", "", {"b"}, {"y"}, {integers("perm", {0, 2, 1})}));
        constants.push_back(tensor("k", {2, 2, 1}, {1, 0, 0, 1}));
        return Model{std::move(nodes), std::move(constants), {valueInfo("x", {-1, 2, 3})}, {valueInfo("y", {-1, -2, 3})}};
    };
    const Numbers x{1, 2, 3, 10, 20, 30};
    const auto output = [&](std::vector<Message> nodes, std::vector<Message> constants) {
        return forward(readOnnx(between(std::move(nodes), std::move(constants)).file()), x).back();
    };
    CHECK(output({node("MatMul", "mm", {"a", "w"}, {"b"})}, {tensor("w", {2, 1}, {1, 100})}) == Numbers{1001, 2002, 3003});
    CHECK(output({node("Mul", "", {"a", "c"}, {"b"})}, {tensor("c", {2}, {2, 3})}) == Numbers{2, 4, 6, 30, 60, 90});
    CHECK(output({node("Add", "", {"a", "c"}, {"b"})}, {tensor("c", {3, 1}, {1, 2, 3})}) == Numbers{2, 4, 6, 11, 22, 33});
    CHECK(output({node("Add", "", {"c", "a"}, {"b"})}, {tensor("c", {3, 2}, {1, 2, 3, 4, 5, 6})}) == Numbers{2, 5, 8, 12, 24, 36});
    CHECK(output({node("PRelu", "", {"a", "c"}, {"b"})}, {tensor("c", {2}, {-1, -1})}) == x);
    // A window slides along the last axis, whatever stands there.
    CHECK(output({node("MaxPool", "pool", {"a"}, {"b"}, {integers("kernel_shape", {2})})}, {}) == Numbers{10, 20, 30});
    CHECK(whyNot(between({node("MatMul", "mm", {"a", "w"}, {"b"})}, {tensor("w", {3, 1}, {1, 1, 1})})) ==
          "node \"mm\": its weights \"w\" take 3 units, but 2 come from below.");
}

TEST_CASE("what is flattened with its channels last is put in order by the matrix that reads it") {
    Model m{
        {node("Conv", "conv", {"x", "k"}, {"z"}), node("Transpose", "", {"z"}, {"a"}, {integers("perm", {0, 2, 3, 1})}),
         node("Flatten", "", {"a"}, {"f"}), node("Relu", "", {"f"}, {"r"}), node("Gemm", "fc", {"r", "w"}, {"y"}, {integer("transB", 1)})},
        {tensor("k", {2, 2, 1, 1}, {1, 0, 0, 1}), tensor("w", {1, 8}, {1, 2, 3, 4, 5, 6, 7, 8})},
        {valueInfo("x", {-1, 2, 2, 2})},
        {valueInfo("y", {-1, 1})}};
    // Units (channel, place) come as place, channel: 1 10 2 20 3 30 4 40.
    CHECK(forward(readOnnx(m.file()), {1, 2, 3, 4, 10, 20, 30, 40}).back() == Numbers{1 + 20 + 6 + 80 + 15 + 180 + 28 + 320});
    m.nodes[2] = node("Reshape", "r", {"a", "t"}, {"f"});
    m.tensors.push_back(integerTensor("t", {3}, {0, 4, 2}));
    m.nodes.resize(3);
    m.outputs = {valueInfo("f", {-1, 4, 2})};
    CHECK(forward(readOnnx(m.file()), {1, 2, 3, 4, 10, 20, 30, 40}).back() == Numbers{1, 10, 2, 20, 3, 30, 4, 40});
}

TEST_CASE("ELU, SELU and CELU with numbers of their own") {
    const auto values = [](Message bend) {
        const Network network = readOnnx(bent({std::move(bend)}, {}).file());
        return forward(network, {1, -1, -2}).back();
    };
    const auto near = [](const Numbers& a, const Numbers& b) {
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-6));
    };
    near(values(node("Elu", "e", {"z"}, {"y"}, {number("alpha", 0.5)})), {1, 0.5 * std::expm1(-1), 0.5 * std::expm1(-2)});
    near(values(node("Celu", "e", {"z"}, {"y"}, {number("alpha", 2)})), {1, 2 * std::expm1(-0.5), 2 * std::expm1(-1)});
    near(values(node("Selu", "e", {"z"}, {"y"}, {number("alpha", 2), number("gamma", 3)})), {3, 6 * std::expm1(-1), 6 * std::expm1(-2)});
    CHECK(bendOf(bent({node("Selu", "e", {"z"}, {"y"})}, {})) == Activation::Selu);
    CHECK(bendOf(bent({node("Gelu", "e", {"z"}, {"y"}, {text("approximate", "tanh")})}, {})) == Activation::GeluTanh);
    CHECK(whyNot(bent({node("Gelu", "e", {"z"}, {"y"}, {text("approximate", "none of them")})}, {})) ==
          "node \"e\": its approximate is \"none of them\"; it may be none or tanh.");
    CHECK(whyNot(bent({node("Celu", "e", {"z"}, {"y"}, {number("alpha", 0)})}, {})) == "node \"e\": its attribute alpha is 0.");
}

TEST_CASE("zeros that a Pad node puts around belong to the convolution or the mean behind") {
    const auto padded = [](Message reader, std::vector<std::int64_t> pads, std::vector<Message> more = {}, const char* value = "") {
        more.push_back(tensor("k", {1, 1, 2}, {1, 10}));
        more.push_back(integerTensor("pads", {6}, pads));
        return Model{{node("Conv", "conv", {"x", "one"}, {"z"}), node("Pad", "pad", {"z", "pads", value}, {"p"}), std::move(reader)},
                     [&] {
                         more.push_back(tensor("one", {1, 1, 1}, {1}));
                         return more;
                     }(),
                     {valueInfo("x", {-1, 1, 3})},
                     {valueInfo("y", {-1, 1, -2})}};
    };
    const auto output = [&](const Model& m) { return forward(readOnnx(m.file()), {1, 2, 3}).back(); };
    CHECK(output(padded(node("Conv", "c", {"p", "k"}, {"y"}), {0, 0, 1, 0, 0, 0})) == Numbers{10, 21, 32});
    CHECK(output(padded(node("Conv", "c", {"p", "k"}, {"y"}, {integers("pads", {1, 0})}), {0, 0, 0, 0, 0, 1})) == Numbers{10, 21, 32, 3});
    CHECK(output(padded(node("AveragePool", "a", {"p"}, {"y"}, {integers("kernel_shape", {2})}), {0, 0, 1, 0, 0, 0})) ==
          Numbers{0.5, 1.5, 2.5});
    CHECK(output(padded(node("Relu", "r", {"p"}, {"y"}), {0, 0, 0, 0, 0, 0})) == Numbers{1, 2, 3});
    CHECK(output(padded(node("MaxPool", "m", {"p"}, {"y"}, {integers("kernel_shape", {2})}), {0, 0, 1, 0, 0, 0})) == Numbers{1, 2, 3});
    CHECK(whyNot(padded(node("Conv", "c", {"p", "k"}, {"y"}), {0, 0, 1, 0, 0, 0}, {one("five", 5)}, "five")) ==
          "node \"pad\": it pads with 5; padding with a constant is supported with 0 only.");
    CHECK(output(padded(node("Relu", "r", {"p"}, {"y"}), {0, 0, 1, 0, 0, 0})) == Numbers{0, 1, 2, 3});
}

TEST_CASE("operator set 6: constants begin at an axis, and norms say that they are no longer trained") {
    const auto old = [](Message last, std::vector<Message> constants) {
        constants.push_back(tensor("k", {2, 2, 1}, {1, 0, 0, 1}));
        Model m{{node("Conv", "conv", {"x", "k"}, {"z"}), std::move(last)},
                std::move(constants),
                {valueInfo("x", {-1, 2, 2})},
                {valueInfo("y", {-1, 2, 2})}};
        m.operatorSet = 6;
        return m;
    };
    const Model sum =
        old(node("Mul", "m", {"z", "c"}, {"y"}, {integer("axis", 1), integer("broadcast", 1)}), {tensor("c", {2}, {10, 100})});
    CHECK(forward(readOnnx(sum.file()), {1, 2, 3, 4}).back() == Numbers{10, 20, 300, 400});
    CHECK(whyNot(old(node("Mul", "m", {"z", "c"}, {"y"}, {integer("axis", 3)}), {tensor("c", {2}, {1, 1})})) ==
          "node \"m\": its axis does not fit what it reads.");
    const Model slopes = old(node("PRelu", "p", {"z", "c"}, {"y"}), {tensor("c", {2}, {10, 100})});
    CHECK(forward(readOnnx(slopes.file()), {1, -2, 3, -4}).back() == Numbers{1, -20, 3, -400});
    const std::vector<Message> statistics{tensor("s", {2}, {1, 1})};
    const auto norm = [](std::vector<Message> attributes) {
        return node("BatchNormalization", "n", {"z", "s", "s", "s", "s"}, {"y"}, attributes);
    };
    CHECK(whyNot(old(norm({integer("is_test", 1)}), statistics)) == "");
    CHECK(whyNot(old(norm({}), statistics)) == "node \"n\": it is in training mode; export the model in evaluation mode.");
    CHECK(whyNot(old(norm({integer("is_test", 0)}), statistics)) ==
          "node \"n\": it is in training mode; export the model in evaluation mode.");
    CHECK(whyNot(old(node("Dropout", "d", {"z"}, {"y"}, {integer("is_test", 1)}), {})) == "");
    CHECK(whyNot(old(node("Upsample", "u", {"z"}, {"y"}), {})) == "node \"u\": its scales do not fit what it reads.");
}

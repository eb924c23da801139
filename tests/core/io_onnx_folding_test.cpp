#include "core/io/onnx_folding.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "support/onnx_writer.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

using onnx::Folded;
using onnx::Node;
using Sizes = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

Folded wholes(Sizes dims, Sizes values, std::int64_t type = onnx::kInt64) { return {std::move(dims), type, {}, std::move(values)}; }
Folded reals(Sizes dims, Numbers values, std::int64_t type = onnx::kFloat) { return {std::move(dims), type, std::move(values), {}}; }
Folded list(Sizes values) {
    const auto count = static_cast<std::int64_t>(values.size());
    return wholes({count}, std::move(values));
}

onnx::Attribute number(const char* name, std::int64_t value) {
    onnx::Attribute attribute;
    attribute.name = name;
    attribute.integer = value;
    return attribute;
}
onnx::Attribute numbers(const char* name, Sizes values) {
    onnx::Attribute attribute;
    attribute.name = name;
    attribute.integers = std::move(values);
    return attribute;
}

onnx::Attribute text(const char* name, const char* value) {
    onnx::Attribute attribute;
    attribute.name = name;
    attribute.text = value;
    return attribute;
}

Node nodeOf(const char* type, std::vector<onnx::Attribute> attributes = {}) {
    Node node;
    node.name = "n";
    node.type = type;
    node.outputs = {"out"};
    node.attributes = std::move(attributes);
    return node;
}

std::optional<Folded> foldedBy(const Node& node, const std::vector<Folded>& in) {
    std::vector<const Folded*> inputs;
    for (const Folded& f : in) inputs.push_back(&f);
    double budget = onnx::mostFoldedNumbers(0);
    return onnx::fold(node, inputs, budget);
}

void check(const Node& node, const std::vector<Folded>& in, const Folded& expected) {
    CAPTURE(std::string(node.type));
    const auto out = foldedBy(node, in);
    REQUIRE(out);
    CHECK(out->dims == expected.dims);
    CHECK(out->type == expected.type);
    CHECK(out->wholes == expected.wholes);
    REQUIRE(out->reals.size() == expected.reals.size());
    for (std::size_t i = 0; i < out->reals.size(); ++i) CHECK(out->reals[i] == doctest::Approx(expected.reals[i]).epsilon(1e-6));
}

std::string whyNot(const Node& node, const std::vector<Folded>& in) {
    return refusal([&] { foldedBy(node, in); });
}

const Folded kMatrix = wholes({2, 3}, {1, 2, 3, 4, 5, 6});

}  // namespace

TEST_CASE("folding: arithmetic broadcasts, and whole numbers stay whole") {
    check(nodeOf("Add"), {kMatrix, wholes({3}, {10, 20, 30})}, wholes({2, 3}, {11, 22, 33, 14, 25, 36}));
    check(nodeOf("Sub"), {kMatrix, wholes({2, 1}, {1, 2})}, wholes({2, 3}, {0, 1, 2, 2, 3, 4}));
    check(nodeOf("Mul"), {wholes({}, {3}), list({2, -5})}, list({6, -15}));
    check(nodeOf("Div"), {list({7, -7, 9}), list({2, 2, -1})}, list({3, -3, -9}));
    check(nodeOf("Div"), {reals({2}, {7, -7}), reals({}, {2})}, reals({2}, {3.5, -3.5}));
    check(nodeOf("Pow"), {reals({2}, {4, 9}), reals({1}, {0.5})}, reals({2}, {2, 3}));
    check(nodeOf("Pow"), {list({2, 3}), list({3, 2})}, list({8, 9}));
    check(nodeOf("Mod"), {list({7, -7, 7, -7, 6}), list({3, 3, -3, -3, -1})}, list({1, 2, -2, -1, 0}));
    check(nodeOf("Mod", {number("fmod", 1)}), {list({7, -7, 7, -7}), list({3, 3, -3, -3})}, list({1, -1, 1, -1}));
    check(nodeOf("Min"), {list({2, 3}), list({3, 2})}, list({2, 2}));
    check(nodeOf("Max"), {reals({2}, {2, 3}), reals({}, {2.5})}, reals({2}, {2.5, 3}));
    check(nodeOf("Add"), {reals({1}, {0.1}, onnx::kDouble), reals({1}, {0.2}, onnx::kDouble)}, reals({1}, {0.1 + 0.2}, onnx::kDouble));
    // A FLOAT result is rounded to one.
    CHECK(foldedBy(nodeOf("Add"), {reals({1}, {0.1F}), reals({1}, {0.2F})})->reals[0] == static_cast<double>(0.1F + 0.2F));
    check(nodeOf("Add"), {wholes({}, {2147483647}, onnx::kInt32), wholes({}, {1}, onnx::kInt32)}, wholes({}, {-2147483648}, onnx::kInt32));
}

TEST_CASE("folding: comparisons, logic and choices") {
    const Folded yes = wholes({3}, {1, 0, 0}, onnx::kBool);
    check(nodeOf("Equal"), {list({1, 2, 3}), list({1, 0, 0})}, yes);
    check(nodeOf("Less"), {reals({3}, {1, 2, 3}), reals({}, {2})}, yes);
    check(nodeOf("Greater"), {list({5, 2, 3}), list({3})}, yes);
    check(nodeOf("LessOrEqual"), {list({1, 2, 3}), list({1})}, yes);
    check(nodeOf("GreaterOrEqual"), {list({3, 2, 1}), list({3})}, yes);
    check(nodeOf("Not"), {yes}, wholes({3}, {0, 1, 1}, onnx::kBool));
    check(nodeOf("And"), {yes, wholes({3}, {1, 1, 0}, onnx::kBool)}, yes);
    check(nodeOf("Or"), {yes, wholes({1}, {0}, onnx::kBool)}, yes);
    check(nodeOf("Where"), {yes, list({7, 8, 9}), list({-1})}, list({7, -1, -1}));
    check(nodeOf("Where"), {wholes({2, 1}, {1, 0}, onnx::kBool), reals({2}, {1, 2}), reals({}, {0})}, reals({2, 2}, {1, 2, 0, 0}));
}

TEST_CASE("folding: what takes entries out and puts them together") {
    check(nodeOf("Gather"), {list({4, 5, 6}), wholes({}, {-1})}, wholes({}, {6}));
    check(nodeOf("Gather", {number("axis", 1)}), {kMatrix, list({2, 0})}, wholes({2, 2}, {3, 1, 6, 4}));
    check(nodeOf("Gather"), {kMatrix, wholes({1, 2}, {1, 1})}, wholes({1, 2, 3}, {4, 5, 6, 4, 5, 6}));
    check(nodeOf("Slice"), {list({0, 1, 2, 3, 4}), list({1}), list({4})}, list({1, 2, 3}));
    check(nodeOf("Slice"), {list({0, 1, 2, 3, 4}), list({-1}), list({-9223372036854775807}), list({0}), list({-1})}, list({4, 3, 2, 1, 0}));
    check(nodeOf("Slice"), {list({0, 1, 2, 3, 4}), list({-100}), list({9223372036854775807}), list({-1}), list({2})}, list({0, 2, 4}));
    check(nodeOf("Slice"), {kMatrix, list({1}), list({3}), list({1})}, wholes({2, 2}, {2, 3, 5, 6}));
    check(nodeOf("Slice", {numbers("starts", {0, 1}), numbers("ends", {1, 2})}), {kMatrix}, wholes({1, 1}, {2}));
    check(nodeOf("Slice"), {list({0, 1}), list({2}), list({1})}, list({}));
    check(nodeOf("Concat", {number("axis", 0)}), {list({1}), list({}), list({2, 3})}, list({1, 2, 3}));
    check(nodeOf("Concat", {number("axis", -1)}), {kMatrix, wholes({2, 1}, {7, 8})}, wholes({2, 4}, {1, 2, 3, 7, 4, 5, 6, 8}));
    check(nodeOf("Transpose"), {kMatrix}, wholes({3, 2}, {1, 4, 2, 5, 3, 6}));
    check(nodeOf("Transpose", {numbers("perm", {1, 2, 0})}), {wholes({2, 3, 1}, {1, 2, 3, 4, 5, 6})},
          wholes({3, 1, 2}, {1, 4, 2, 5, 3, 6}));
    check(nodeOf("Expand"), {list({1, 2}), list({2, 1})}, wholes({2, 2}, {1, 2, 1, 2}));
    check(nodeOf("ScatterND"), {list({4, 5, 6, 7}), wholes({2, 1}, {-1, 0}), list({8, 9})}, list({9, 5, 6, 8}));
    check(nodeOf("ScatterND", {text("reduction", "none")}), {kMatrix, wholes({1, 1}, {1}), wholes({1, 3}, {7, 8, 9})},
          wholes({2, 3}, {1, 2, 3, 7, 8, 9}));
    check(nodeOf("ScatterND"), {reals({2, 2}, {1, 2, 3, 4}), wholes({1, 2, 2}, {0, 1, 1, 0}), reals({1, 2}, {5, 6})},
          reals({2, 2}, {1, 5, 6, 4}));
}

TEST_CASE("folding: casts, ranges, fillings and functions of one number") {
    check(nodeOf("Cast", {number("to", onnx::kInt64)}), {reals({3}, {2.9, -2.9, 0})}, list({2, -2, 0}));
    check(nodeOf("Cast", {number("to", onnx::kBool)}), {reals({2}, {0.5, 0})}, wholes({2}, {1, 0}, onnx::kBool));
    check(nodeOf("Cast", {number("to", onnx::kFloat)}), {list({16777217})}, reals({1}, {16777216}));
    check(nodeOf("Cast", {number("to", onnx::kInt64)}), {wholes({1}, {9007199254740993})}, list({9007199254740993}));
    check(nodeOf("Range"), {wholes({}, {1}), wholes({}, {8}), wholes({}, {3})}, list({1, 4, 7}));
    check(nodeOf("Range"), {wholes({}, {3}), wholes({}, {0}), wholes({}, {-2})}, list({3, 1}));
    check(nodeOf("Range"), {reals({}, {0}), reals({}, {1}), reals({}, {0.25})}, reals({4}, {0, 0.25, 0.5, 0.75}));
    check(nodeOf("Range"), {wholes({}, {5}), wholes({}, {5}), wholes({}, {1})}, list({}));
    check(nodeOf("ConstantOfShape"), {list({2, 2})}, reals({2, 2}, {0, 0, 0, 0}));
    onnx::Tensor value;
    value.type = onnx::kInt64;
    value.dims = {1};
    value.integers = {7};
    onnx::Attribute filling;
    filling.name = "value";
    filling.tensor = value;
    check(nodeOf("ConstantOfShape", {filling}), {list({3})}, list({7, 7, 7}));
    check(nodeOf("ConstantOfShape", {filling}), {list({0})}, list({}));
    check(nodeOf("Neg"), {list({1, -2})}, list({-1, 2}));
    check(nodeOf("Abs"), {list({1, -2})}, list({1, 2}));
    check(nodeOf("Sqrt"), {reals({2}, {4, 2})}, reals({2}, {2, std::sqrt(2.0)}));
    check(nodeOf("Exp"), {reals({1}, {1})}, reals({1}, {std::exp(1.0)}));
    check(nodeOf("Log"), {reals({1}, {2})}, reals({1}, {std::log(2.0)}));
    check(nodeOf("Floor"), {reals({1}, {-1.5})}, reals({1}, {-2}));
    check(nodeOf("Ceil"), {reals({1}, {-1.5})}, reals({1}, {-1}));
    check(nodeOf("Reciprocal"), {reals({1}, {-4})}, reals({1}, {-0.25}));
}

TEST_CASE("folding: what does not fit together is refused, and what is not folded is left") {
    CHECK(whyNot(nodeOf("Add"), {list({1, 2}), list({1, 2, 3})}) == "node \"n\": 2 and 3 do not broadcast together.");
    CHECK(whyNot(nodeOf("Div"), {list({1}), list({0})}) == "node \"n\": it divides by 0.");
    CHECK(whyNot(nodeOf("Div"), {reals({1}, {1}), reals({1}, {0})}) == "node \"n\": it divides by 0.");
    CHECK(whyNot(nodeOf("Mod"), {list({1}), list({0})}) == "node \"n\": it divides by 0.");
    CHECK(whyNot(nodeOf("ScatterND"), {kMatrix, wholes({1, 1}, {2}), wholes({1, 3}, {7, 8, 9})}) ==
          "node \"n\": it writes entry 2 of an axis of 2.");
    CHECK(whyNot(nodeOf("ScatterND"), {kMatrix, wholes({1, 3}, {0, 0, 0}), list({7})}) == "node \"n\": its indices name no part of 2 × 3.");
    CHECK(whyNot(nodeOf("ScatterND"), {kMatrix, wholes({1, 1}, {0}), list({7, 8, 9})}) == "node \"n\": its updates are 3, not 1 × 3.");
    CHECK_FALSE(foldedBy(nodeOf("ScatterND", {text("reduction", "add")}), {kMatrix, wholes({1, 1}, {0}), wholes({1, 3}, {7, 8, 9})}));
    CHECK_FALSE(foldedBy(nodeOf("Mod"), {reals({1}, {1}), reals({1}, {2})}));
    CHECK(whyNot(nodeOf("Gather"), {list({1}), list({1})}) == "node \"n\": it takes entry 1 of an axis of 1.");
    CHECK(whyNot(nodeOf("Gather", {number("axis", 1)}), {list({1}), list({0})}) ==
          "node \"n\": its axis 1 is none of a tensor of 1 dimensions.");
    CHECK(whyNot(nodeOf("Slice"), {list({1}), list({0}), list({1}), list({0}), list({0})}) == "node \"n\": its step is 0.");
    CHECK(whyNot(nodeOf("Slice"), {list({1}), list({0}), list({1, 2})}) ==
          "node \"n\": its starts, ends, axes and steps are not as many of each.");
    CHECK(whyNot(nodeOf("Transpose", {numbers("perm", {0, 0})}), {kMatrix}) == "node \"n\": its perm is no order of the axes.");
    CHECK(whyNot(nodeOf("Range"), {wholes({}, {0}), wholes({}, {9}), wholes({}, {0})}) == "node \"n\": its step is 0.");
    CHECK(whyNot(nodeOf("Concat"), {kMatrix, wholes({1, 2}, {1, 2})}) ==
          "node \"n\": its inputs are not of the same sizes beside its axis.");
    CHECK(whyNot(nodeOf("Cast", {number("to", onnx::kInt64)}), {reals({1}, {1e30})}) ==
          "node \"n\": it turns a number into a whole one that is too large to be.");
    CHECK_FALSE(foldedBy(nodeOf("Add"), {list({1}), reals({1}, {1})}));
    CHECK_FALSE(foldedBy(nodeOf("Einsum"), {list({1})}));
    CHECK_FALSE(foldedBy(nodeOf("Cast", {number("to", 8)}), {list({1})}));
    Node foreign = nodeOf("Add");
    foreign.domain = "com.example";
    CHECK_FALSE(foldedBy(foreign, {list({1}), list({1})}));
}

TEST_CASE("folding: no size is made that the file does not pay for") {
    CHECK(whyNot(nodeOf("ConstantOfShape"), {list({1000000, 1000000})}).find("at most 17000000 numbers are possible") != std::string::npos);
    CHECK(whyNot(nodeOf("ConstantOfShape"), {list({1000000000, 0})}).find("at most 17000000 numbers are possible") != std::string::npos);
    CHECK(whyNot(nodeOf("ConstantOfShape"), {list({-1})}) ==
          "node \"n\": it makes a tensor of -1 entries along an axis, which is not possible.");
    CHECK(whyNot(nodeOf("ConstantOfShape"), {list(Sizes(9, 1))}) == "node \"n\": it makes a tensor of more than 8 dimensions.");
    CHECK(whyNot(nodeOf("Expand"), {list({1}), list({1 << 20, 1 << 20})}).find("at most 17000000 numbers are possible") !=
          std::string::npos);
    CHECK(whyNot(nodeOf("Range"), {reals({}, {0}), reals({}, {1}), reals({}, {1e-30})}) ==
          "node \"n\": it makes more than 17000000 numbers, which is not possible.");
    // Long axes before one of length 0 hold nothing to go through.
    const Folded none = wholes({1000000, 1000000, 0}, {});
    check(nodeOf("Slice"), {none, list({1}), list({1000000})}, wholes({999999, 1000000, 0}, {}));
    check(nodeOf("Transpose"), {none}, wholes({0, 1000000, 1000000}, {}));
    check(nodeOf("Concat", {number("axis", 2)}), {none, none}, none);
    const Folded many = reals({1000000}, Numbers(1000000, 1));
    std::vector<const Folded*> in{&many, &many};
    double budget = onnx::mostFoldedNumbers(0);
    const auto again = [&] {
        for (int i = 0; i < 100; ++i) onnx::fold(nodeOf("Add"), in, budget);
    };
    CHECK(refusal(again) ==
          "node \"n\": with it more numbers are computed from constants while the file is read than a file of this size may ask for.");
}

TEST_CASE("sizes: a slice of every second entry has half of them") {
    using namespace onnx_writer;
    // x [N, 1, 5] → every second entry from the second on [N, 1, 2]; the target of the Reshape is made of its shape.
    const Model m{{node("Slice", "slice", {"x", "one", "far", "axis", "two"}, {"s"}), node("Shape", "shape", {"s"}, {"n"}),
                   node("Gather", "last", {"n", "axis"}, {"l"}, {integer("axis", 0)}),
                   node("Concat", "target", {"batch", "l"}, {"t"}, {integer("axis", 0)}), node("Reshape", "flat", {"s", "t"}, {"f"}),
                   node("Gemm", "fc", {"f", "w"}, {"y"}, {integer("transB", 1)})},
                  {tensor("w", {1, 2}, {1, 10}), integerTensor("one", {1}, {1}), integerTensor("far", {1}, {2147483647}),
                   integerTensor("axis", {1}, {2}), integerTensor("two", {1}, {2}), integerTensor("batch", {1}, {-1})},
                  {valueInfo("x", {-1, 1, 5})},
                  {valueInfo("y", {-1, 1})}};
    CHECK(forward(readOnnx(m.file()), {1, 2, 3, 4, 5}).back() == Numbers{2 + 40});
}

TEST_CASE("sizes of what is computed follow from the operators, so that Shape is a constant") {
    using namespace onnx_writer;
    // x [N, 2, 6] → conv [N, 3, 2]; the target of the Reshape is made of its shape: [N, 6].
    Model m{{node("Conv", "conv", {"x", "k"}, {"c"}, {integers("strides", {2}), integers("kernel_shape", {3})}),
             node("Shape", "shape", {"c"}, {"s"}), node("Gather", "batch", {"s", "zero"}, {"n"}, {integer("axis", 0)}),
             node("Unsqueeze", "list", {"n"}, {"nl"}, {integers("axes", {0})}),
             node("Concat", "target", {"nl", "rest"}, {"t"}, {integer("axis", 0)}), node("Reshape", "flat", {"c", "t"}, {"f"}),
             node("Gemm", "fc", {"f", "w"}, {"y"}, {integer("transB", 1)})},
            {tensor("k", {3, 2, 3}, Numbers(18, 1)), tensor("w", {1, 6}, {1, 2, 3, 4, 5, 6}), integerTensor("zero", {}, {0}),
             integerTensor("rest", {1}, {-1})},
            {valueInfo("x", {-1, 2, 6})},
            {valueInfo("y", {-1, 1})}};
    const Network network = readOnnx(m.file());
    REQUIRE(network.layers.size() == 3);
    CHECK(network.layers[1].is<Flatten>());
    CHECK(forward(network, {1, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 0}).back() == Numbers{6 * (1 + 3 + 5) + 12 * (2 + 4 + 6)});
    // What needs the model's input to be computed is refused where it stands.
    m.nodes[1] = node("Einsum", "shape", {"k"}, {"s"});
    CHECK(refusal([&] { readOnnx(m.file()); }) ==
          "node \"shape\": it makes \"s\" from constants alone by operator Einsum, which is not supported.");
}

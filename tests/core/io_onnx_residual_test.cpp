#include <doctest/doctest.h>

#include "core/io/onnx.h"
#include "support/onnx_writer.h"
#include "support/sentence.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;

namespace {

using Numbers = std::vector<double>;

Message dense(const std::string& name, const std::string& from, const std::string& to, const std::string& weights = "w") {
    return node("MatMul", name, {from, weights}, {to});
}
Message add(const std::string& name, const std::string& a, const std::string& b, const std::string& to) {
    return node("Add", name, {a, b}, {to});
}

/// x [batch, 2] → `nodes` → y, with a 2 × 2 matrix "w" and a 2 × 3 matrix "wide".
std::vector<unsigned char> file(std::vector<Message> nodes) {
    return Model{std::move(nodes),
                 {tensor("w", {2, 2}, {1, 2, 3, 4}), tensor("wide", {2, 3}, {1, 2, 3, 4, 5, 6})},
                 {valueInfo("x", {-1, 2})},
                 {valueInfo("y", {-1, 2})}}
        .file();
}
Network read(std::vector<Message> nodes) { return readOnnx(file(std::move(nodes))); }
std::string refused(std::vector<Message> nodes) {
    const auto bytes = file(std::move(nodes));
    const std::string sentence = refusal([&] { readOnnx(bytes); });
    if (!sentence.empty()) CHECK(isOneSentence(sentence));
    return sentence;
}

/// "fc relu | skip" : names of a chain's layers, residual ones as (branch | skip).
std::string outline(const std::vector<Layer>& layers) {
    std::string text;
    for (const Layer& layer : layers) {
        text += text.empty() ? "" : " ";
        text += layer.kind == LayerKind::Residual ? "(" + outline(layer.branch) + "|" + outline(layer.skip) + ")" : layer.name;
    }
    return text;
}

}  // namespace

TEST_CASE("an Add of two chains from one value is a residual layer, whatever the order of nodes and operands") {
    const std::vector<Message> nodes{dense("a", "x", "v"), dense("b", "v", "u"), node("Relu", "r", {"u"}, {"t"})};
    for (const auto& [first, second] : {std::pair{"t", "v"}, std::pair{"v", "t"}}) {
        std::vector<Message> forwards = nodes;
        forwards.push_back(add("sum", first, second, "y"));
        const Network network = read(forwards);
        CHECK(outline(network.layers) == "a (b r|)");
        CHECK(network.layers[1].name == "sum");
        CHECK(network.layers[1].skipScale == 1);
        CHECK(network.layers[1].branchScale == 1);
        std::vector<Message> backwards(forwards.rbegin(), forwards.rend());
        CHECK(outline(read(backwards).layers) == "a (b r|)");
    }
}

TEST_CASE("the longer side is the branch; of two equally long ones the first operand") {
    CHECK(outline(read({dense("a", "x", "p"), dense("b", "x", "q"), node("Relu", "r", {"q"}, {"s"}), add("sum", "p", "s", "y")}).layers) ==
          "(b r|a)");
    CHECK(outline(read({dense("a", "x", "p"), dense("b", "x", "q"), add("sum", "p", "q", "y")}).layers) == "(a|b)");
    CHECK(outline(read({dense("a", "x", "p"), dense("b", "x", "q"), add("sum", "q", "p", "y")}).layers) == "(b|a)");
}

TEST_CASE("blocks follow each other, nest, and share a fork") {
    CHECK(outline(read({dense("a", "x", "p"), add("s1", "p", "x", "u"), node("Relu", "r", {"u"}, {"v"}), dense("b", "v", "q"),
                        add("s2", "q", "v", "y")})
                      .layers) == "(a|) r (b|)");
    CHECK(outline(read({dense("a", "x", "p"), dense("b", "p", "q"), add("inner", "q", "p", "u"), dense("c", "u", "v"),
                        add("outer", "x", "v", "y")})
                      .layers) == "(a (b|) c|)");
    CHECK(outline(read({dense("a", "x", "p"), add("inner", "p", "x", "u"), dense("b", "u", "q"), add("outer", "q", "x", "y")}).layers) ==
          "((a|) b|)");
    CHECK(outline(read({dense("a", "x", "p"), dense("b", "x", "q"), add("s1", "p", "q", "u"), add("s2", "u", "x", "y")}).layers) ==
          "((a|b)|)");
}

TEST_CASE("Identity and Dropout on a skip leave it the identity") {
    CHECK(outline(read({dense("a", "x", "p"), node("Identity", "i", {"x"}, {"s"}), node("Dropout", "d", {"s"}, {"t"}),
                        add("sum", "t", "p", "y")})
                      .layers) == "(|a)");
}

TEST_CASE("a value added to itself is doubled") {
    const Network network = read({dense("a", "x", "p"), add("sum", "p", "p", "y")});
    CHECK(outline(network.layers) == "a sum");
    CHECK(forward(network, {1, 1}).back() == Numbers{8, 12});
}

TEST_CASE("the factor of a side that holds nothing else is not lost") {
    const auto factored = [](std::vector<Message> nodes) {
        nodes.insert(nodes.begin(), dense("a", "x", "p"));
        return Model{std::move(nodes),
                     {tensor("w", {2, 2}, {1, 0, 0, 1}), tensor("half", {}, {0.5}), tensor("third", {}, {3})},
                     {valueInfo("x", {-1, 2})},
                     {valueInfo("y", {-1, 2})}}
            .file();
    };
    const auto made = [&](const std::vector<Message>& nodes) { return forward(readOnnx(factored(nodes)), {1, 2}).back(); };
    const auto times = [](const char* factor, const char* from, const char* to) { return node("Mul", to, {from, factor}, {to}); };
    for (const char* nothing : {"Identity", "Dropout", "Flatten"}) {
        CAPTURE(nothing);
        const Message pass = node(nothing, "n", {"p"}, {"q"}), other = node(nothing, "o", {"p"}, {"s"});
        CHECK(made({pass, times("half", "q", "r"), add("sum", "r", "p", "y")}) == Numbers{1.5, 3});
        CHECK(made({pass, times("half", "q", "r"), add("sum", "p", "r", "y")}) == Numbers{1.5, 3});
        CHECK(made({pass, times("half", "p", "r"), add("sum", "q", "r", "y")}) == Numbers{1.5, 3});
        CHECK(made({pass, times("half", "q", "r"), other, times("third", "s", "t"), add("sum", "r", "t", "y")}) == Numbers{3.5, 7});
        CHECK(made({pass, other, add("sum", "q", "s", "y")}) == Numbers{2, 4});
        CHECK(made({pass, dense("b", "q", "d"), times("half", "d", "r"), add("sum", "r", "p", "y")}) == Numbers{1.5, 3});
    }
    const Network kept =
        readOnnx(factored({dense("b", "p", "d"), times("half", "d", "r"), times("third", "p", "t"), add("sum", "r", "t", "y")}));
    CHECK(kept.layers.at(1).branchScale == 0.5);
    CHECK(kept.layers.at(1).skipScale == 3);
    CHECK(outline(kept.layers) == "a (b|)");
}

TEST_CASE("a factor with more dimensions than what it meets is refused as it is anywhere else") {
    Model m{{node("Conv", "c", {"x", "k"}, {"z"}), node("Flatten", "f", {"z"}, {"p"}), node("MatMul", "a", {"p", "w"}, {"q"}),
             node("Mul", "m", {"q", "deep"}, {"r"}), node("Flatten", "g", {"z"}, {"s"}), add("sum", "r", "s", "y")},
            {tensor("k", {1, 1, 1}, {1}), tensor("w", {2, 2}, {1, 2, 3, 4}), tensor("deep", {1, 1, 1}, {2})},
            {valueInfo("x", {-1, 1, 2})},
            {valueInfo("y", {-1, 2})}};
    CHECK(refusal([&] { readOnnx(m.file()); }) == "node \"m\": \"deep\" is 1 × 1 × 1, which does not broadcast to N × 2.");
}

TEST_CASE("a bias behind a fork belongs to its own side") {
    // y = (xW + xW·1) where only one side gets the constant.
    Model m{{dense("a", "x", "p"), node("Add", "bias", {"p", "c"}, {"q"}), add("sum", "p", "q", "y")},
            {tensor("w", {2, 2}, {1, 0, 0, 1}), tensor("c", {2}, {10, 20})},
            {valueInfo("x", {-1, 2})},
            {valueInfo("y", {-1, 2})}};
    CHECK(forward(readOnnx(m.file()), {1, 2}).back() == Numbers{12, 24});
}

TEST_CASE("sides of different shapes are refused with both") {
    CHECK(refused({dense("a", "x", "p", "wide"), add("sum", "p", "x", "y")}) ==
          "node \"sum\": it adds N × 3 to N × 2; the two must have the same shape.");
    CHECK(refused({node("Unsqueeze", "u", {"x"}, {"p"}, {integers("axes", {1})}), dense("a", "x", "q"), add("sum", "p", "q", "y")}) ==
          "node \"sum\": it adds N × 1 × 2 to N × 2; the two must have the same shape.");
}

TEST_CASE("graphs that are no chain with residual blocks are refused where they leave it") {
    // A branch that starts before the fork of the block it joins: blocks that overlap.
    CHECK(refused({dense("a", "x", "p"), dense("b", "p", "q"), add("s1", "q", "x", "u"), dense("c", "u", "v"), add("s2", "v", "p", "y")}) ==
          "node \"a\": what it makes (\"p\") is read by residual blocks that overlap; they must follow each other or be nested.");
    // DenseNet with additions: every value goes on to all later ones.
    CHECK(
        refused({dense("a", "x", "p"), add("s1", "p", "x", "u"), dense("b", "u", "q"), add("s2", "q", "p", "v"), add("s3", "v", "x", "y")})
            .find("is read by residual blocks that overlap") != std::string::npos);
    CHECK(refused({dense("a", "x", "y"), dense("b", "x", "q")}) ==
          "node \"b\": what it makes (\"q\") does not lead to the output; networks that branch without an Add are not supported.");
    CHECK(refused({dense("a", "x", "p"), node("Mul", "gate", {"p", "x"}, {"y"})}) ==
          "node \"gate\": operator Mul joins 2 computed values; the only join that is supported is the Add (or Sum) of two, as in residual "
          "networks.");
    CHECK(refused({dense("a", "x", "p"), dense("b", "x", "q"), node("Sum", "sum", {"p", "q", "x"}, {"y"})}) ==
          "node \"sum\": operator Sum takes 1 to 2 inputs.");
    CHECK(refused({dense("a", "late", "p"), add("sum", "p", "x", "late"), dense("b", "x", "y")}) ==
          "The nodes read each other's outputs in a cycle: node \"a\", node \"sum\".");
}

TEST_CASE("blocks may be nested eight deep, and no deeper") {
    const auto nested = [](int depth) {
        // y = x + a(x + a(x + …)): every Add but the last lies in the branch of the next.
        std::vector<Message> nodes;
        std::string value = "x";
        for (int i = 1; i <= depth; ++i) {
            const std::string n = std::to_string(i);
            nodes.push_back(dense("a" + n, value, "p" + n));
            nodes.push_back(add("s" + n, "p" + n, "x", i == depth ? "y" : "u" + n));
            value = "u" + n;
        }
        return nodes;
    };
    CHECK(refused(nested(8)) == "");
    CHECK(refused(nested(9)) == "node \"s1\": residual blocks are nested more than 8 deep.");
    CHECK(refused(nested(1500)).find("nested more than 8 deep") != std::string::npos);
}

TEST_CASE("an input that is the output, or an output nothing computes, is refused") {
    CHECK(refused({dense("a", "x", "z")}) == "output \"y\": no node computes it from the model's input.");
    Model m{{dense("a", "x", "z")}, {tensor("w", {2, 2}, {1, 2, 3, 4})}, {valueInfo("x", {-1, 2})}, {valueInfo("w", {2, 2})}};
    CHECK(refusal([&] { readOnnx(m.file()); }) == "output \"w\": no node computes it from the model's input.");
    m.outputs = {valueInfo("x", {-1, 2})};
    CHECK(refusal([&] { readOnnx(m.file()); }).find("does not lead to the output") != std::string::npos);
}

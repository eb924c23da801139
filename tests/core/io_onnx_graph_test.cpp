#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

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

/// Names of a chain's layers; of a block in brackets, with what each of its layers reads: 0 the block's input, l the l-th of them.
std::string outline(const std::vector<Layer>& layers) {
    std::string text;
    for (const Layer& layer : layers) {
        text += text.empty() ? "" : " ";
        text += layer.is<Sum>() ? "+" : layer.is<Product>() ? "*" : layer.name;
        if (layer.is<Block>()) text += "[" + outline(layer.as<Block>().inner) + "]";
        for (const int read : layer.reads) text += std::to_string(read + 1);
    }
    return text;
}

}  // namespace

TEST_CASE("an Add of two chains from one value is a block, whatever the order of nodes") {
    const std::vector<Message> nodes{dense("a", "x", "v"), dense("b", "v", "u"), node("Relu", "r", {"u"}, {"t"})};
    for (const auto& [first, second] : {std::pair{"t", "v"}, std::pair{"v", "t"}}) {
        std::vector<Message> forwards = nodes;
        forwards.push_back(add("sum", first, second, "y"));
        const Network network = read(forwards);
        CHECK(outline(network.layers) == (first == std::string("t") ? "a sum[b0 r1 +20]" : "a sum[b0 r1 +02]"));
        CHECK(network.layers[1].as<Block>().inner.back().as<Sum>().scales == Numbers{1, 1});
        std::vector<Message> backwards(forwards.rbegin(), forwards.rend());
        CHECK(read(backwards).layers == network.layers);
    }
}

TEST_CASE("blocks follow each other, and what overlaps or lies inside another is one block") {
    const auto read2 = [](std::vector<Message> nodes) { return outline(read(std::move(nodes)).layers); };
    CHECK(read2({dense("a", "x", "p"), add("s1", "p", "x", "u"), node("Relu", "r", {"u"}, {"v"}), dense("b", "v", "q"),
                 add("s2", "q", "v", "y")}) == "s1[a0 +10] r s2[b0 +10]");
    CHECK(read2({dense("a", "x", "p"), dense("b", "p", "q"), add("inner", "q", "p", "u"), dense("c", "u", "v"),
                 add("outer", "x", "v", "y")}) == "outer[a0 b1 +21 c3 +04]");
    CHECK(read2({dense("a", "x", "p"), dense("b", "x", "q"), add("s1", "p", "q", "u"), add("s2", "u", "x", "y")}) == "s2[a0 b0 +12 +30]");
    // A branch that starts before the fork of what it joins.
    CHECK(read2({dense("a", "x", "p"), dense("b", "p", "q"), add("s1", "q", "x", "u"), dense("c", "u", "v"), add("s2", "v", "p", "y")}) ==
          "s2[a0 b1 +20 c3 +41]");
    // Every value goes on to all later ones.
    CHECK(read2({dense("a", "x", "p"), add("s1", "p", "x", "u"), dense("b", "u", "q"), add("s2", "q", "p", "v"),
                 add("s3", "v", "x", "y")}) == "s3[a0 +10 b2 +31 +40]");
    CHECK(read2({dense("a", "x", "p"), dense("b", "x", "q"), node("Sum", "sum", {"p", "q", "x"}, {"y"})}) == "sum[a0 b0 +120]");
    CHECK(read2({dense("a", "x", "p"), node("Mul", "gate", {"p", "x"}, {"y"})}) == "gate[a0 *10]");
    CHECK(read2({dense("a", "x", "p"), node("Mul", "square", {"p", "p"}, {"y"})}) == "a square[*00]");
}

TEST_CASE("a difference is a sum with the scale −1") {
    const Network network = read({dense("a", "x", "p"), node("Sub", "sub", {"x", "p"}, {"y"})});
    CHECK(network.layers[0].as<Block>().inner.back().as<Sum>().scales == Numbers{1, -1});
    CHECK(forward(network, {1, 1}).back() == Numbers{-3, -5});
}

TEST_CASE("what leads nowhere is left out") {
    CHECK(outline(read({dense("a", "x", "y"), dense("b", "x", "q"), node("NonZero", "odd", {"q"}, {"z"})}).layers) == "a");
}

TEST_CASE("Identity and Dropout on a skip leave it the identity") {
    CHECK(outline(read({dense("a", "x", "p"), node("Identity", "i", {"x"}, {"s"}), node("Dropout", "d", {"s"}, {"t"}),
                        add("sum", "t", "p", "y")})
                      .layers) == "sum[a0 +01]");
}

TEST_CASE("a value added to itself is doubled") {
    const Network network = read({dense("a", "x", "p"), add("sum", "p", "p", "y")});
    CHECK(outline(network.layers) == "a sum[+00]");
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
    CHECK(kept.layers.at(1).as<Block>().inner.back().as<Sum>().scales == Numbers{0.5, 3});
    CHECK(outline(kept.layers) == "a sum[b0 +10]");
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

TEST_CASE("values of different shapes are repeated along axes of one entry, or refused") {
    CHECK(refused({dense("a", "x", "p", "wide"), add("sum", "p", "x", "y")}) ==
          "node \"sum\": it joins N × 3 and N × 2, which do not broadcast to each other.");
    CHECK(refused({node("Unsqueeze", "u", {"x"}, {"p"}, {integers("axes", {1})}), dense("a", "x", "q"), add("sum", "p", "q", "y")}) ==
          "node \"sum\": it joins N × 1 × 2 and N × 2, which do not broadcast to each other.");
    // The mean of two channels weighs them: z·mean z.
    const Model m{
        {node("Conv", "c", {"x", "k"}, {"z"}), node("GlobalAveragePool", "g", {"z"}, {"m"}), node("Mul", "gate", {"z", "m"}, {"y"})},
        {tensor("k", {2, 1, 1}, {1, 10})},
        {valueInfo("x", {-1, 1, 2})},
        {valueInfo("y", {-1, 2, 2})}};
    CHECK(forward(readOnnx(m.file()), {1, 3}).back() == Numbers{2, 6, 200, 600});
}

TEST_CASE("joins that are not read are refused in a sentence") {
    CHECK(refused({dense("a", "x", "p"), node("Pow", "d", {"p", "x"}, {"y"})}) ==
          "node \"d\": operator Pow joins 2 computed values; Add, Sum, Sub, Mul, Div, Concat, MatMul, Einsum, Max and Min may.");
    CHECK(refused({dense("a", "x", "p"), node("Concat", "c", {"p", "w"}, {"y"}, {integer("axis", 1)})}) != "");
    CHECK(refused({dense("a", "x", "p"), node("MatMul", "m", {"p", "x"}, {"y"})}) ==
          "node \"m\": it multiplies N × 2 and N × 2, which are no matrices that fit.");
    CHECK(refused({dense("a", "late", "p"), add("sum", "p", "x", "late"), dense("b", "x", "y")}) ==
          "The nodes read each other's outputs in a cycle: node \"a\", node \"sum\".");
}

TEST_CASE("a thousand sums inside one another are one block") {
    // y = x + a(x + a(x + …)).
    std::vector<Message> nodes;
    std::string value = "x";
    for (int i = 1; i <= 1000; ++i) {
        const std::string n = std::to_string(i);
        nodes.push_back(dense("a" + n, value, "p" + n));
        nodes.push_back(add("s" + n, "p" + n, "x", i == 1000 ? "y" : "u" + n));
        value = "u" + n;
    }
    const Network network = read(nodes);
    CHECK(network.layers.size() == 1);
    CHECK(network.layers[0].as<Block>().inner.size() == 2000);
}

TEST_CASE("an input that is the output, or an output nothing computes, is refused") {
    CHECK(refused({dense("a", "x", "z")}) == "output \"y\": no node computes it from the model's input.");
    Model m{{dense("a", "x", "z")}, {tensor("w", {2, 2}, {1, 2, 3, 4})}, {valueInfo("x", {-1, 2})}, {valueInfo("w", {2, 2})}};
    CHECK(refusal([&] { readOnnx(m.file()); }) == "output \"w\": no node computes it from the model's input.");
    m.outputs = {valueInfo("x", {-1, 2})};
    CHECK(refusal([&] { readOnnx(m.file()); }) == "The model has no layer with weights.");
}

TEST_CASE("a linear Resize goes from the middle of a cell to that of the next") {
    for (const int up : {1, 2, 3, 4, 5})
        for (const int along : {1, 2, 3}) {
            CAPTURE(up);
            CAPTURE(along);
            const int height = 3, width = 4;
            const Model m{{node("Resize", "r", {"x", "", "s"}, {"y"}, {text("mode", "linear")})},
                          {tensor("s", {4}, {1, 1, static_cast<double>(up), static_cast<double>(along)})},
                          {valueInfo("x", {-1, 2, height, width})},
                          {valueInfo("y", {-1, 2, height * up, width * along})}};
            Numbers x;
            for (int i = 0; i < 2 * height * width; ++i) x.push_back(i * i % 17 - 6);
            const Numbers y = forward(readOnnx(m.file()), x).back();
            REQUIRE(y.size() == static_cast<std::size_t>(2 * height * up * width * along));
            // The place of an output among the cells, then the two next to it, the outermost repeated.
            const auto at = [](int o, int factor, int cells) {
                const double place = (o + 0.5) / factor - 0.5;
                const int below = static_cast<int>(std::floor(place));
                return std::tuple(std::clamp(below, 0, cells - 1), std::clamp(below + 1, 0, cells - 1), place - below);
            };
            for (int c = 0; c < 2; ++c)
                for (int oy = 0; oy < height * up; ++oy)
                    for (int ox = 0; ox < width * along; ++ox) {
                        const auto [y0, y1, ty] = at(oy, up, height);
                        const auto [x0, x1, tx] = at(ox, along, width);
                        const double* plane = &x[static_cast<std::size_t>(c * height * width)];
                        const double top = (1 - tx) * plane[y0 * width + x0] + tx * plane[y0 * width + x1],
                                     bottom = (1 - tx) * plane[y1 * width + x0] + tx * plane[y1 * width + x1];
                        const auto unit = static_cast<std::size_t>((c * height * up + oy) * width * along + ox);
                        CHECK(y[unit] == doctest::Approx((1 - ty) * top + ty * bottom).epsilon(1e-12));
                    }
        }
}

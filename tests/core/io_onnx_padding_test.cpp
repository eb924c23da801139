#include <doctest/doctest.h>

#include "core/io/onnx.h"
#include "support/onnx_writer.h"
#include "support/same_network.h"
#include "support/sentence.h"

using namespace kappaflow;
using namespace kappaflow::onnx_writer;

namespace {

/// Padding nodes in front of a convolution over one channel of `cells`.
Model paddedModel(std::vector<Message> padding, std::int64_t cells, std::vector<Message> attributes = {}) {
    Model m;
    m.operatorSet = 13;
    m.nodes = std::move(padding);
    m.nodes.push_back(node("Conv", "conv", {"p", "w"}, {"y"}, attributes));
    m.tensors = {tensor("w", {1, 1, 3}, {1, 10, 100})};
    m.inputs = {valueInfo("x", {-1, 1, cells})};
    m.outputs = {valueInfo("y", {-1, 1, -2})};
    return m;
}

Model gathered(const std::vector<std::int64_t>& cells, std::int64_t of, Storage storage = Storage::Raw) {
    Model m = paddedModel({node("Gather", "wrap", {"x", "i"}, {"p"}, {integer("axis", 2)})}, of);
    m.tensors.push_back(integerTensor("i", {static_cast<std::int64_t>(cells.size())}, cells, kInt64, storage));
    return m;
}

Model withPad(const char* mode, const std::vector<std::int64_t>& pads, std::vector<Message> attributes = {}) {
    Model m = paddedModel({node("Pad", "pad", {"x", "pads"}, {"p"}, {text("mode", mode)})}, 4, std::move(attributes));
    m.tensors.push_back(integerTensor("pads", {static_cast<std::int64_t>(pads.size())}, pads));
    return m;
}

/// Nodes in front of a pooling over one channel of `cells`, behind a convolution that leaves all as it is.
Model pooled(std::vector<Message> padding, std::vector<std::int64_t> cells, Message pooling) {
    std::vector<std::int64_t> in{-1, 1}, one{1, 1};
    in.insert(in.end(), cells.begin(), cells.end());
    one.resize(in.size(), 1);
    Model m;
    m.operatorSet = 13;
    m.nodes = {node("Conv", "conv", {"x", "w"}, {"z"})};
    m.nodes.insert(m.nodes.end(), padding.begin(), padding.end());
    m.nodes.push_back(std::move(pooling));
    m.tensors = {tensor("w", one, {1})};
    m.inputs = {valueInfo("x", in)};
    m.outputs = {valueInfo("y", std::vector<std::int64_t>(in.size(), -2))};
    return m;
}
Message reflected(const std::vector<std::int64_t>& pads) {
    return node("Pad", "pad", {"z"}, {"p"}, {text("mode", "reflect"), integers("pads", pads)});
}
Message pooling(const char* type, std::vector<Message> attributes) { return node(type, "pool", {"p"}, {"y"}, attributes); }
std::vector<double> outputOf(const Model& model, const std::vector<double>& input) { return forward(readOnnx(model.file()), input).back(); }

Window windowRead(const Model& model) { return readOnnx(model.file()).layers.at(0).as<Conv>().window; }
std::string paddingRefusal(const Model& model) {
    return refusal([&] { readOnnx(model.file()); });
}

}  // namespace

TEST_CASE("padding wider than a kernel may be is read, and comes back from the file that the writer writes") {
    const Network network = readOnnx(withPad("constant", {0, 0, 1, 0, 0, 65536}).file());
    CHECK(network.layers.at(0).as<Conv>().window.after[1] == 65536);
    CHECK(sameWindow(readOnnx(writeOnnx(network)).layers.at(0).as<Conv>().window, network.layers.at(0).as<Conv>().window));
    CHECK(paddingRefusal(withPad("constant", {0, 0, 1, 0, 0, 1 << 20})) ==
          "node \"pad\": it makes 1048581 cells; at most 1048576 are possible.");
}

TEST_CASE("a Gather that repeats an axis around itself, or reflects it, is padding of the convolution behind it") {
    const Window ring = windowRead(gathered({3, 0, 1, 2, 3, 0}, 4));
    CHECK(ring.padding == Padding::Periodic);
    CHECK(ring.before[1] == 1);
    CHECK(ring.after[1] == 1);
    CHECK(windowRead(gathered({3, 0, 1, 2, 3, 0}, 4, Storage::Packed)).padding == Padding::Periodic);
    const Window mirror = windowRead(gathered({2, 1, 0, 1, 2, 3, 2}, 4));
    CHECK(mirror.padding == Padding::Reflect);
    CHECK(mirror.before[1] == 2);
    CHECK(mirror.after[1] == 1);
    CHECK(forward(readOnnx(gathered({3, 0, 1, 2, 3, 0}, 4).file()), {1, 2, 3, 4}).back() == std::vector<double>{214, 321, 432, 143});
}

TEST_CASE("Pad reflects and wraps as its mode says") {
    const Network mirror = readOnnx(withPad("reflect", {0, 0, 2, 0, 0, 1}).file());
    CHECK(mirror.layers.at(0).as<Conv>().window.padding == Padding::Reflect);
    CHECK(forward(mirror, {1, 2, 3, 4}).back() == std::vector<double>{123, 212, 321, 432, 343});
    const Network ring = readOnnx(withPad("wrap", {0, 0, 1, 0, 0, 1}).file());
    CHECK(ring.layers.at(0).as<Conv>().window.padding == Padding::Periodic);
    CHECK(forward(ring, {1, 2, 3, 4}).back() == std::vector<double>{214, 321, 432, 143});
}

TEST_CASE("a pooling goes over what is padded in front of it, along both axes of a picture") {
    const std::vector<Message> pairs{integers("kernel_shape", {2}), integers("strides", {2})};
    CHECK(outputOf(pooled({reflected({0, 0, 1, 0, 0, 1})}, {4}, pooling("MaxPool", pairs)), {9, 2, 3, 4}) == std::vector<double>{9, 3, 4});
    CHECK(outputOf(pooled({reflected({0, 0, 1, 0, 0, 1})}, {4}, pooling("AveragePool", pairs)), {9, 2, 3, 4}) ==
          std::vector<double>{5.5, 2.5, 3.5});
    const std::vector<Message> squares{integers("kernel_shape", {2, 2}), integers("strides", {2, 2})};
    // 1 2 / 3 4 reflected on all sides: 4 3 4 3 / 2 1 2 1 / 4 3 4 3 / 2 1 2 1.
    CHECK(outputOf(pooled({reflected({0, 0, 1, 1, 0, 0, 1, 1})}, {2, 2}, pooling("MaxPool", squares)), {1, 2, 3, 4}) ==
          std::vector<double>{4, 4, 4, 4});
    CHECK(outputOf(pooled({reflected({0, 0, 1, 1, 0, 0, 1, 1})}, {2, 2}, pooling("AveragePool", squares)), {1, 2, 3, 4}) ==
          std::vector<double>{2.5, 2.5, 2.5, 2.5});
}

TEST_CASE("a last window that would hang over reflected cells is refused, one that fits is read") {
    const auto rounded = [](const std::vector<std::int64_t>& pads, std::int64_t size, std::int64_t stride, const char* type = "MaxPool") {
        return pooled({reflected(pads)}, {4},
                      pooling(type, {integers("kernel_shape", {size}), integers("strides", {stride}), integer("ceil_mode", 1)}));
    };
    const char* sentence = "node \"pool\": a last window that ceil_mode lets hang over padding that is not of zeros is not supported.";
    // b a b c d: the last window of ONNX holds d alone, a reflected one d and c.
    CHECK(paddingRefusal(rounded({0, 0, 1, 0, 0, 0}, 2, 2)) == sentence);
    CHECK(paddingRefusal(rounded({0, 0, 1, 0, 0, 0}, 2, 2, "AveragePool")) == sentence);
    // a b c d c b a: the fourth window begins in reflected cells, which are cells of its input.
    CHECK(paddingRefusal(rounded({0, 0, 0, 0, 0, 3}, 2, 2)) == sentence);
    CHECK(outputOf(rounded({0, 0, 1, 0, 0, 1}, 2, 2), {9, 2, 3, 4}) == std::vector<double>{9, 3, 4});
}

TEST_CASE("SAME padding over cells that are padded already is refused, VALID adds nothing to them") {
    const auto automatic = [](const char* kind) { return withPad("reflect", {0, 0, 2, 0, 0, 1}, {text("auto_pad", kind)}); };
    for (const char* kind : {"SAME_UPPER", "SAME_LOWER"})
        CHECK(paddingRefusal(automatic(kind)) ==
              "node \"conv\": its auto_pad is \"" + std::string(kind) + "\" over an input that is padded already, which is not supported.");
    CHECK(outputOf(automatic("VALID"), {1, 2, 3, 4}) == std::vector<double>{123, 212, 321, 432, 343});
    CHECK(outputOf(automatic("NOTSET"), {1, 2, 3, 4}) == std::vector<double>{123, 212, 321, 432, 343});
}

TEST_CASE("a list of cells that is longer than what is kept of it is refused, not cut off") {
    const auto listed = [](const std::vector<std::int64_t>& cells, std::int64_t of) {
        Model m = paddedModel({node("Constant", "list", {}, {"i"}, {integers("value_ints", cells)}),
                               node("Gather", "wrap", {"x", "i"}, {"p"}, {integer("axis", 2)})},
                              of);
        return m;
    };
    CHECK(windowRead(listed({3, 0, 1, 2, 3, 0}, 4)).padding == Padding::Periodic);
    std::vector<std::int64_t> ring{15};
    for (std::int64_t i = 0; i < 16; ++i) ring.push_back(i);
    CHECK(windowRead(listed(ring, 16)).before[1] == 1);
    ring.push_back(0);
    CHECK(paddingRefusal(listed(ring, 16)) == "tensor \"i\": it holds more whole numbers than are read of a list that is not stored raw.");
    // Nine promised, twelve there.
    Model longer = paddedModel({node("Gather", "wrap", {"x", "i"}, {"p"}, {integer("axis", 2)})}, 4);
    longer.tensors.push_back(integerTensor("i", {9}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
    CHECK(paddingRefusal(longer) == "tensor \"i\": it holds more whole numbers than are read of a list that is not stored raw.");
    CHECK(paddingRefusal(withPad("wrap", {0, 0, 1, 0, 0, 1}, {integers("strides", std::vector<std::int64_t>(18, 1))})) ==
          "node \"conv\": its attribute strides has more than the 16 whole numbers that are read.");
}

TEST_CASE("pads that make no sense are refused") {
    CHECK(paddingRefusal(gathered({0, 2, 1, 4}, 4)) != "");
    CHECK(paddingRefusal(withPad("mirror", {0, 0, 1, 0, 0, 1})) ==
          "node \"pad\": Pad with mode \"mirror\" is not supported; constant, edge, reflect and wrap are.");
    CHECK(paddingRefusal(withPad("reflect", {0, 0, 4, 0, 0, 1})) == "node \"pad\": it reflects more cells than there are.");
    CHECK(paddingRefusal(withPad("wrap", {0, 0, -2, 0, 0, -2})) == "node \"pad\": nothing is left of what it reads.");
    CHECK(paddingRefusal(withPad("wrap", {1, 0, 0, 0, 0, 0})) == "node \"pad\": it pads the batch.");
    CHECK(paddingRefusal(withPad("wrap", {1, 1})) == "node \"pad\": its pads are 2 numbers; its input needs 6.");
    CHECK(paddingRefusal(withPad("wrap", {0, 0, 2000000, 0, 0, 0})).find("cells; at most") != std::string::npos);
    CHECK(paddingRefusal(withPad("wrap", {0, 0, 1, 0, 0, 1}, {integers("pads", {1, 1})})) ==
          "node \"conv\": it pads with zeros what node \"pad\" has padded already.");
    Model twice = withPad("wrap", {0, 0, 1, 0, 0, 1});
    twice.nodes.insert(twice.nodes.begin(), node("Pad", "first", {"x", "pads"}, {"q"}, {text("mode", "wrap")}));
    twice.nodes[1] = node("Pad", "second", {"q", "pads"}, {"p"}, {text("mode", "wrap")});
    CHECK(paddingRefusal(twice) == "node \"second\": it pads an axis for the second time.");
}

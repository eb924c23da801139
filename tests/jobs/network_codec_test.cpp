#include "jobs/codec.h"

#include <doctest/doctest.h>

#include <functional>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/io/network_file.h"

using namespace kappaflow;

namespace {

using Bytes = std::vector<unsigned char>;

FoundNetwork rich() {
    const Layer inner{{}, {}, Dense{{{0.1, -0.0, 5e-324}}}};
    return {1000, 250, "", {"The activation was taken as ReLU."}, {{3, 4, 5}, {inner, residualBlock({3, 4, 5}, {inner, inner}, {inner})}}};
}

}  // namespace

TEST_CASE("sample networks come back with the same weights, in about the bytes of their files") {
    for (const SampleNetwork& sample : sampleNetworks()) {
        const auto file = sampleNetworkBytes(sample.id);
        const Network network = readNetwork(file);
        const Bytes bytes = encodeFound({.network = network});
        const FoundNetwork back = decodeFound(bytes);
        CHECK_NOTHROW(validate(back.network));
        const std::vector<double> input(network.input.units(), 0.3);
        CHECK(forward(back.network, input) == forward(network, input));
        CHECK(bytes.size() < 1.1 * static_cast<double>(file.size()));
    }
}

TEST_CASE("every member of a network and of its layers is carried") {
    const std::vector<std::function<void(FoundNetwork&)>> changes = {
        [](FoundNetwork& f) { f.fileBytes = 1; },
        [](FoundNetwork& f) { f.fileWeights = 1; },
        [](FoundNetwork& f) { f.refusal = "It is no network."; },
        [](FoundNetwork& f) { f.notes.push_back(""); },
        [](FoundNetwork& f) { f.network.input.channels = 9; },
        [](FoundNetwork& f) { f.network.input.height = 9; },
        [](FoundNetwork& f) { f.network.input.width = 9; },
        [](FoundNetwork& f) { f.network.layers.pop_back(); },
        [](FoundNetwork& f) { f.network.layers[1].as<Block>().inner[1].as<Dense>().weights[0] = 2; },
        [](FoundNetwork& f) { f.network.layers[1].as<Block>().inner.pop_back(); },
    };
    const std::vector<std::function<void(Layer&)>> layerChanges = {
        [](Layer& l) { l.op = Conv{}; },
        [](Layer& l) { l.in.width = 7; },
        [](Layer& l) { l.out.height = 7; },
        [](Layer& l) { l.op.emplace<LayerNorm>().eachPosition = true; },
        [](Layer& l) { l.op.emplace<LayerNorm>().groups = 2; },
        [](Layer& l) { l.op.emplace<LayerNorm>().shared = false; },
        [](Layer& l) { l.op.emplace<LayerNorm>().bias = {1}; },
        [](Layer& l) { l.op.emplace<MaxPool>().window.size[0] = 2; },
        [](Layer& l) { l.op.emplace<AveragePool>().window.size[0] = 2; },
        [](Layer& l) { l.op.emplace<BatchNorm>().shared = false; },
        [](Layer& l) { l.op.emplace<BatchNorm>().weights = {3}; },
        [](Layer& l) { l.op.emplace<Conv>().bias = {3}; },
        [](Layer& l) { l.op = MatMul{}; },
        [](Layer& l) { l.op.emplace<Conv>().window.size[1] = 3; },
        [](Layer& l) { l.op.emplace<Conv>().window.stride[0] = 2; },
        [](Layer& l) { l.op.emplace<Conv>().window.dilation[1] = 4; },
        [](Layer& l) { l.op.emplace<Conv>().window.before[0] = 1; },
        [](Layer& l) { l.op.emplace<Conv>().window.after[1] = 1; },
        [](Layer& l) { l.op.emplace<Conv>().window.padding = Padding::Reflect; },
        [](Layer& l) { l.op.emplace<Conv>().groups = 2; },
        [](Layer& l) { l.op.emplace<Conv>().shared = false; },
        [](Layer& l) { l.op.emplace<AveragePool>().countsPadding = true; },
        [](Layer& l) { l.op.emplace<Pointwise>().activation = Activation::PseudoRandom; },
        [](Layer& l) { l.op.emplace<Pointwise>().slope = 0.2; },
        [](Layer& l) {
            l.op.emplace<Pointwise>().slopes = {0.1, 0.2};
        },
        [](Layer& l) { l.op.emplace<Pointwise>().gain = 0.3; },
        [](Layer& l) { l.op.emplace<Pointwise>().offset = 0.1; },
        [](Layer& l) { l.op.emplace<Pointwise>().seed = ~0ull; },
        [](Layer& l) { l.as<Weights>().weights = {}; },
        [](Layer& l) { l.as<Weights>().bias = {1}; },
        [](Layer& l) { l.op.emplace<BatchNorm>().mean = {1.5}; },
        [](Layer& l) { l.op.emplace<BatchNorm>().variance = {1e300}; },
        [](Layer& l) { l.op.emplace<BatchNorm>().epsilon = 1e-3; },
        [](Layer& l) {
            l.op.emplace<Sum>().scales = {0.7, 1};
        },
        [](Layer& l) {
            l.op.emplace<Route>().route = {-1, 0};
        },
        [](Layer& l) { l.reads = {-1}; },
        [](Layer& l) { l.name = "conv·1"; },
    };
    const Bytes plain = encodeFound(rich());
    const auto carried = [&](const FoundNetwork& changed) {
        const Bytes bytes = encodeFound(changed);
        CHECK(bytes != plain);
        CHECK(encodeFound(decodeFound(bytes)) == bytes);
        CHECK(decodeFound(bytes).network.layers == changed.network.layers);
    };
    for (const auto& change : changes) {
        FoundNetwork changed = rich();
        change(changed);
        carried(changed);
    }
    for (std::size_t i = 0; i < layerChanges.size(); ++i) {
        INFO("change of a layer ", i);
        FoundNetwork changed = rich();
        layerChanges[i](changed.network.layers[0]);
        carried(changed);
    }
}

TEST_CASE("damaged bytes of a network are refused, at every length and after every change of a byte") {
    const Bytes bytes = encodeFound(rich());
    for (std::size_t length = 0; length < bytes.size(); ++length) CHECK_THROWS_AS(decodeFound(std::span(bytes).first(length)), InputError);
    Rng rng(1, Purpose::Data);
    for (int i = 0; i < 20000; ++i) {
        Bytes changed = bytes;
        changed[rng.below(changed.size())] = static_cast<unsigned char>(rng.below(256));
        try {
            decodeFound(changed);
        } catch (const InputError&) {
        }
    }
}

TEST_CASE("blocks within blocks are refused") {
    FoundNetwork found;
    found.network.layers.resize(1);
    for (int depth = 0; depth < 100; ++depth) {
        const Layer outer{{}, {}, Block{std::move(found.network.layers)}};
        found.network.layers = {outer};
    }
    CHECK_THROWS_AS(decodeFound(encodeFound(found)), InputError);
}

TEST_CASE("a written file comes back, and so does why there is none") {
    CHECK(decodeWritten(encodeWritten({"", {1, 2, 255}})).file == Bytes{1, 2, 255});
    CHECK(decodeWritten(encodeWritten({"Layer 3 has no words in ONNX.", {}})).refusal == "Layer 3 has no words in ONNX.");
    CHECK_THROWS_AS(decodeWritten({}), InputError);
}

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
    Layer inner;
    inner.kind = LayerKind::Dense;
    inner.weights = {0.1, -0.0, 5e-324};
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
        [](FoundNetwork& f) { f.network.layers[1].inner[1].weights[0] = 2; },
        [](FoundNetwork& f) { f.network.layers[1].inner.pop_back(); },
    };
    const std::vector<std::function<void(Layer&)>> layerChanges = {
        [](Layer& l) { l.kind = LayerKind::Conv; },
        [](Layer& l) { l.in.width = 7; },
        [](Layer& l) { l.out.height = 7; },
        [](Layer& l) { l.eachPosition = true; },
        [](Layer& l) { l.window.size[1] = 3; },
        [](Layer& l) { l.window.stride[0] = 2; },
        [](Layer& l) { l.window.dilation[1] = 4; },
        [](Layer& l) { l.window.before[0] = 1; },
        [](Layer& l) { l.window.after[1] = 1; },
        [](Layer& l) { l.window.padding = Padding::Reflect; },
        [](Layer& l) { l.groups = 2; },
        [](Layer& l) { l.shared = false; },
        [](Layer& l) { l.countsPadding = true; },
        [](Layer& l) { l.activation = Activation::PseudoRandom; },
        [](Layer& l) { l.slope = 0.2; },
        [](Layer& l) {
            l.slopes = {0.1, 0.2};
        },
        [](Layer& l) { l.gain = 0.3; },
        [](Layer& l) { l.offset = 0.1; },
        [](Layer& l) { l.seed = ~0ull; },
        [](Layer& l) { l.weights = {}; },
        [](Layer& l) { l.bias = {1}; },
        [](Layer& l) { l.mean = {1.5}; },
        [](Layer& l) { l.variance = {1e300}; },
        [](Layer& l) { l.batchNormEpsilon = 1e-3; },
        [](Layer& l) {
            l.scales = {0.7, 1};
        },
        [](Layer& l) {
            l.route = {-1, 0};
        },
        [](Layer& l) { l.reads = {-1}; },
        [](Layer& l) { l.name = "conv·1"; },
    };
    const Bytes plain = encodeFound(rich());
    const auto carried = [&](const FoundNetwork& changed) {
        const Bytes bytes = encodeFound(changed);
        CHECK(bytes != plain);
        CHECK(encodeFound(decodeFound(bytes)) == bytes);
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
        Layer outer;
        outer.kind = LayerKind::Block;
        outer.inner = std::move(found.network.layers);
        found.network.layers = {outer};
    }
    CHECK_THROWS_AS(decodeFound(encodeFound(found)), InputError);
}

TEST_CASE("a written file comes back, and so does why there is none") {
    CHECK(decodeWritten(encodeWritten({"", {1, 2, 255}})).file == Bytes{1, 2, 255});
    CHECK(decodeWritten(encodeWritten({"Layer 3 has no words in ONNX.", {}})).refusal == "Layer 3 has no words in ONNX.");
    CHECK_THROWS_AS(decodeWritten({}), InputError);
}

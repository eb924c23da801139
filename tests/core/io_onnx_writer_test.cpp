#include <doctest/doctest.h>

#include <cmath>

#include "core/io/network_file.h"
#include "core/io/onnx.h"
#include "support/random_networks.h"
#include "support/same_network.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

/// Whether two networks make the same numbers of the same inputs, to the bit.
bool sameOutputs(const Network& a, const Network& b) {
    for (std::uint64_t sample = 0; sample < 3; ++sample) {
        const std::vector<double> input = gaussians(a.input.units(), 77 + sample);
        if (!sameBits(forward(a, input).back(), forward(b, input).back())) return false;
    }
    return true;
}

Network written(const Network& network) { return readOnnx(writeOnnx(network)); }

/// A layer between what its shape needs to be a network with an input and weights.
Network networkAround(Layer layer) {
    Network network{layer.in, {std::move(layer)}};
    const Shape out = network.output();
    const Shape flat{1, 1, static_cast<int>(out.units())};
    if (out != flat) network.layers.push_back(layerOf<Flatten>(out, flat));
    network.layers.push_back(withNumbers(denseLayer(flat.width, 2), 9));
    return network;
}

bool hasOwnKernels(const Layer& layer) { return layer.is<Conv>() && !layer.as<Conv>().shared; }

}  // namespace

TEST_CASE("a random network comes back from its ONNX file with the same layers, weights and outputs, to the bit") {
    for (const bool single : {true, false}) {
        RandomNetworks random(single ? 11 : 12, single);
        for (int i = 0; i < 400; ++i) {
            CAPTURE(single);
            CAPTURE(i);
            const Network network = random.next();
            const Network back = written(network);
            CHECK(difference(network, back) == "");
            CHECK(sameOutputs(network, back));
            CHECK(writeOnnx(back) == writeOnnx(network));
        }
    }
}

TEST_CASE("a random network with identities comes back without them, its outputs the same to the bit") {
    RandomNetworks random(13, true, true);
    for (int i = 0; i < 400; ++i) {
        CAPTURE(i);
        const Network network = random.next(), back = written(network);
        CHECK(sameOutputs(network, back));
        CHECK(difference(back, written(back)) == "");
    }
}

TEST_CASE("every kind and form of layer comes back as it is, kernels of their own excepted") {
    int kept = 0;
    for (const Layer& layer : layersOfEveryKind()) {
        CAPTURE(layer.name);
        if (hasOwnKernels(layer)) continue;
        const Network network = networkAround(layer);
        CHECK(difference(network, written(network)) == "");
        CHECK(sameOutputs(network, written(network)));
        ++kept;
    }
    CHECK(kept > 20);
}

TEST_CASE("blocks with every join, routes and softmax come back with the same outputs, and as they are from then on") {
    for (const Layer& layer : layersAndBlocks()) {
        if (!layer.is<Block, Softmax>()) continue;
        CAPTURE(layer.name);
        for (const bool last : {true, false}) {
            const Network network = last ? Network{layer.in, {withNumbers(windowLayer<Conv>(layer.in, layer.in.channels, {}), 5), layer}}
                                         : networkAround(layer);
            const Network back = written(network);
            CHECK(sameOutputs(network, back));
            CHECK(difference(back, written(back)) == "");
        }
    }
}

TEST_CASE("the sample networks come back as they are") {
    for (const auto& sample : sampleNetworks()) {
        const Network network = readNetwork(sampleNetworkBytes(sample.id));
        CHECK(difference(network, written(network)) == "");
        CHECK(sameOutputs(network, written(network)));
        CHECK(writeOnnx(network).size() < 1.1 * static_cast<double>(sampleNetworkBytes(sample.id).size()) + 4000);
    }
}

TEST_CASE("weights that are floats are written as floats, others as doubles") {
    Network network{{1, 1, 40}, {denseLayer(40, 50)}};
    initialise(network, {}, 1);
    const std::size_t asFloats = writeOnnx(network).size();
    CHECK(asFloats > 4 * 2000);
    CHECK(asFloats < 4 * 2000 + 300);
    network.layers[0].as<Weights>().weights[7] = 0.1;
    CHECK(writeOnnx(network).size() == asFloats + 4 * 2000);
    CHECK(difference(network, written(network)) == "");
}

TEST_CASE("what ONNX has no form for comes back in another one with the same outputs") {
    const auto keepsOutputs = [](const Network& network, std::size_t layers) {
        const Network back = written(network);
        CHECK(sameOutputs(network, back));
        CHECK(back.layers.size() == layers);
        CHECK(difference(back, written(back)) == "");
    };
    SUBCASE("a dense layer on a grid") { keepsOutputs({{2, 3, 4}, {withNumbers(layerOf<Dense>({2, 3, 4}, {2, 2, 1}), 3)}}, 3); }
    SUBCASE("an epsilon that is no single") {
        Layer norm = withNumbers(layerOf<BatchNorm>({3, 1, 4}, {3, 1, 4}), 4);
        norm.as<Norm>().epsilon = 0.001;
        keepsOutputs(networkAround(norm), 3);
    }
    SUBCASE("a batch norm with one scale a unit of a grid") {
        Layer norm = layerOf<BatchNorm>({2, 1, 4}, {2, 1, 4});
        norm.as<Norm>().shared = false;
        keepsOutputs(networkAround(withNumbers(norm, 5)), 5);
    }
    SUBCASE("the identity, as an activation or a flattening that changes nothing") {
        Network network = networkAround(activationLayer({1, 1, 4}, Activation::Identity));
        network.layers.push_back(layerOf<Flatten>({1, 1, 2}, {1, 1, 2}));
        keepsOutputs(network, 1);
    }
    SUBCASE("a sum of two sides without layers") { keepsOutputs(networkAround(residualBlock({1, 1, 3}, {}, {}, -1.7, 0.3)), 2); }
    SUBCASE("a factor of a side that holds an identity alone") {
        keepsOutputs(networkAround(residualBlock({1, 1, 3}, {activationLayer({1, 1, 3}, Activation::Identity)}, {}, 1, 0.3)), 2);
    }
}

TEST_CASE("a network that ONNX has no words for is refused in a sentence that names the layer") {
    const auto sentence = [](Network network) { return refusal([&] { writeOnnx(network); }); };
    Layer own;
    for (const Layer& layer : layersOfEveryKind())
        if (hasOwnKernels(layer)) own = layer;
    CHECK(sentence({own.in, {own}}) ==
          "Layer 1 (\"conv 2-D groups own weights\") cannot be written to an ONNX file: its kernels differ from position to position, for "
          "which ONNX has no operator.");
    CHECK(sentence({{1, 1, 2}, {denseLayer(2, 3)}}) == "Layer 1 cannot be written to an ONNX file: it has no weights.");
    const Layer block = residualBlock({1, 1, 2}, {activationLayer({1, 1, 2}, Activation::PseudoRandom)});
    CHECK(sentence({{1, 1, 2}, {block}}) == "Layer 1, inner layer 1 cannot be written to an ONNX file: ONNX has no pseudo-random signs.");
    Layer steep = activationLayer({1, 1, 2}, Activation::HardSigmoid);
    steep.as<Pointwise>().gain = 0.1;
    CHECK(sentence({{1, 1, 2}, {steep}}) ==
          "Layer 1 cannot be written to an ONNX file: ONNX keeps the line of a hard sigmoid as two singles, and these are none.");
    CHECK(sentence({{1, 1, 2}, {}}) == "A network without layers cannot be written to an ONNX file.");
    Layer infinite = withNumbers(denseLayer(2, 3), 1);
    infinite.as<Weights>().weights[3] = INFINITY;
    CHECK(sentence({{1, 1, 2}, {infinite}}) == "layer 1: its weights contain a NaN or an infinity.");
}

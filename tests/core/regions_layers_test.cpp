#include <doctest/doctest.h>

#include <cmath>

#include "core/io/network_file.h"
#include "support/networks.h"
#include "support/region_mesh.h"
#include "support/sentence.h"
#include "testData.h"

using namespace kappaflow;

namespace {

Slice randomSlice(std::size_t inputs, std::uint64_t seed) {
    return {gaussians(inputs, seed), gaussians(inputs, seed + 1), gaussians(inputs, seed + 2)};
}

Partition built(const Network& network, const Slice& slice) {
    Partition partition = builtPartition(network, slice, unitSquare());
    CHECK(partition.certificate().holds());
    return partition;
}

/// The layer as a dense one, column by column.
Layer asDense(const Layer& layer) {
    const std::size_t inputs = layer.in.units(), outputs = layer.out.units();
    Layer dense = denseLayer(static_cast<int>(inputs), static_cast<int>(outputs));
    dense.as<Weights>().bias = applyLayer(layer, std::vector<double>(inputs));
    dense.as<Weights>().weights.resize(inputs * outputs);
    for (std::size_t i = 0; i < inputs; ++i) {
        std::vector<double> unit(inputs);
        unit[i] = 1;
        const auto image = applyLayer(layer, unit);
        for (std::size_t o = 0; o < outputs; ++o) dense.as<Weights>().weights[o * inputs + i] = image[o] - dense.as<Weights>().bias[o];
    }
    return dense;
}

/// The faces' outputs are those of the network.
void checkOutputs(const Network& network, const Slice& slice, const Partition& partition) {
    const RegionMesh& mesh = partition.mesh();
    REQUIRE(mesh.outputs == network.output().units());
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        const auto y = forward(network, slice.at(mesh.vertices[v])).back();
        for (std::size_t o = 0; o < y.size(); ++o) CHECK(mesh.output[v * y.size() + o] == doctest::Approx(y[o]).epsilon(1e-8));
    }
}

Network chainOf(const std::vector<Layer>& layers, std::uint64_t seed) {
    Network network;
    network.input = layers.front().in;
    for (const Layer& layer : layers) network.layers.push_back(withNumbers(layer, seed += 20));
    return network;
}

}  // namespace

TEST_CASE("every linear layer unrolled on a slice cuts as the dense layer it is") {
    for (const Layer& layer : layersOfEveryKind()) {
        const bool linear = layer.is<Dense, Conv, BatchNorm, AveragePool, GlobalAveragePool, Flatten>();
        if (!linear) continue;
        CAPTURE(layer.name);
        const Shape out{1, 1, static_cast<int>(layer.out.units())};
        // Behind another activation, so that it is not only composed with the slice.
        Network unrolled, dense;
        unrolled.input = dense.input = layer.in;
        const Layer first = activationLayer(layer.in, Activation::LeakyRelu, 0.5);
        unrolled.layers = {first, layer, activationLayer(layer.out, Activation::Relu)};
        dense.layers = {first, asDense(layer), activationLayer(out, Activation::Relu)};
        dense.layers[0].in = dense.layers[0].out = dense.input = dense.layers[1].in;
        const Slice slice = randomSlice(layer.in.units(), 5);
        const Partition a = built(unrolled, slice), b = built(dense, slice);
        CHECK(a.mesh().depths == b.mesh().depths);
        CHECK(a.mesh().depths[2].faces > 1);
        if (layer.out.units() <= 64) checkOutputs(unrolled, slice, a);
    }
}

TEST_CASE("convolutions, batch norm and average pooling in a row give the network's own outputs") {
    const Window three{{3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, Padding::Zero}, two{{2, 2}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, Padding::Zero};
    const Layer conv = windowLayer<Conv>({1, 6, 6}, 2, three), pool = windowLayer<AveragePool>({2, 6, 6}, 2, two);
    const Layer second = windowLayer<Conv>({2, 3, 3}, 3, three);
    const Network network =
        chainOf({conv, layerOf<BatchNorm>(conv.out, conv.out), activationLayer(conv.out, Activation::Relu), pool, second,
                 activationLayer(second.out, Activation::HardTanh), layerOf<GlobalAveragePool>(second.out, {3, 1, 1}),
                 layerOf<Flatten>({3, 1, 1}, {1, 1, 3}), denseLayer(3, 2)},
                3);
    const Slice slice = randomSlice(36, 9);
    const Partition partition = built(network, slice);
    CHECK(partition.depths() == 2);
    checkOutputs(network, slice, partition);
}

TEST_CASE("a residual sum is the dense network that keeps its input beside the branch") {
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
        CAPTURE(seed);
        const Layer residual = residualBlock({1, 1, 5}, {activationLayer({1, 1, 5}, Activation::Relu), denseLayer(5, 5)}, {}, 0.75, 0.5);
        const Network network =
            chainOf({denseLayer(2, 5), residual, activationLayer({1, 1, 5}, Activation::Abs), denseLayer(5, 2)}, 100 * seed);
        const Layer &first = network.layers[0], &branch = network.layers[1].as<Block>().inner[1];

        // Units 5 … 9 have slope 1 on both sides: no boundary.
        Network plain;
        plain.input = network.input;
        Layer twice = denseLayer(2, 10), kink = activationLayer({1, 1, 10}, Activation::LeakyRelu), sum = denseLayer(10, 5);
        twice.as<Weights>().weights = first.as<Weights>().weights;
        twice.as<Weights>().weights.insert(twice.as<Weights>().weights.end(), first.as<Weights>().weights.begin(),
                                           first.as<Weights>().weights.end());
        twice.as<Weights>().bias = first.as<Weights>().bias;
        twice.as<Weights>().bias.insert(twice.as<Weights>().bias.end(), first.as<Weights>().bias.begin(), first.as<Weights>().bias.end());
        kink.as<Pointwise>().slopes = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
        sum.as<Weights>().weights.assign(50, 0.0);
        for (std::size_t o = 0; o < 5; ++o) {
            for (std::size_t i = 0; i < 5; ++i) sum.as<Weights>().weights[10 * o + i] = 0.5 * branch.as<Weights>().weights[5 * o + i];
            sum.as<Weights>().weights[10 * o + 5 + o] = 0.75;
            sum.as<Weights>().bias.push_back(0.5 * branch.as<Weights>().bias[o]);
        }
        plain.layers = {twice, kink, sum, network.layers[2], network.layers[3]};
        const Slice slice = sliceOfInputs(2);
        const Partition a = built(network, slice), b = built(plain, slice);
        CHECK(a.mesh().depths == b.mesh().depths);
        CHECK(countOf(affinePieces(a)) == countOf(affinePieces(b)));
        checkOutputs(network, slice, a);
    }
}

TEST_CASE("residual layers with a projection, nested and with wide branches give the network's own outputs") {
    const Layer inner =
        residualBlock({1, 1, 4}, {denseLayer(4, 70), activationLayer({1, 1, 70}, Activation::LeakyRelu), denseLayer(70, 4)});
    const Layer outer = residualBlock({1, 1, 4}, {inner, activationLayer({1, 1, 4}, Activation::Relu6), denseLayer(4, 3)},
                                      {denseLayer(4, 3), activationLayer({1, 1, 3}, Activation::Relu)});
    const Network network = chainOf({denseLayer(2, 4), outer, activationLayer({1, 1, 3}, Activation::Relu)}, 7);
    const Partition partition = built(network, sliceOfInputs(2));
    CHECK(partition.depths() == 4);
    checkOutputs(network, sliceOfInputs(2), partition);
}

TEST_CASE("pooling over more inputs than the engine takes is refused in a sentence that names the layer") {
    const Layer pool = windowLayer<MaxPool>({1, 1, 1100}, 1, window1d(1100, 1, 1, 0, 0, Padding::Zero));
    const Network network = chainOf({denseLayer(2, 1100), pool}, 1);
    Partition partition;
    CHECK_THROWS_WITH_AS(partition.start(network, sliceOfInputs(2), unitSquare()),
                         "The max pooling at layer 2 looks at 1100 units at once: regions can be cut for up to 1024.", InputError);
}

TEST_CASE("one of three outputs is largest: decision segments lie where the first two are equal, and end on each other or on the border") {
    const Network network = chainOf({denseLayer(2, 7), activationLayer({1, 1, 7}, Activation::Relu), denseLayer(7, 3)}, 5);
    const Partition partition = built(network, sliceOfInputs(2));
    const auto segments = decisionBoundary(partition.mesh());
    REQUIRE(segments.size() > 3);
    for (const auto& s : segments)
        for (double share : {0.001, 0.5, 0.999}) {
            const Vec2 p = s.a + (s.b - s.a) * share;
            auto y = forward(network, {p.x, p.y}).back();
            std::sort(y.begin(), y.end());
            CHECK(y[2] - y[1] == doctest::Approx(0).epsilon(1e-9));
        }
    // Points at random: between two of different decision the segments are crossed.
    const auto winner = [&](Vec2 p) {
        const auto y = forward(network, {p.x, p.y}).back();
        return std::max_element(y.begin(), y.end()) - y.begin();
    };
    Rng rng(1, Purpose::MonteCarlo);
    const auto side = [](Vec2 a, Vec2 b, Vec2 p) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); };
    for (int draw = 0; draw < 200; ++draw) {
        const Vec2 p{2 * rng.uniform() - 1, 2 * rng.uniform() - 1}, q{2 * rng.uniform() - 1, 2 * rng.uniform() - 1};
        int crossed = 0;
        for (const auto& s : segments) crossed += side(s.a, s.b, p) * side(s.a, s.b, q) < 0 && side(p, q, s.a) * side(p, q, s.b) < 0;
        if (winner(p) != winner(q)) CHECK(crossed > 0);
    }
}

TEST_CASE("the zero set of one output is as long as for the pair of it and zero") {
    const Network network = chainOf({denseLayer(2, 6), activationLayer({1, 1, 6}, Activation::Relu), denseLayer(6, 1)}, 11);
    Network pair = network;
    pair.layers[2].out.width = 2;
    pair.layers[2].as<Weights>().weights.resize(12);
    pair.layers[2].as<Weights>().bias.push_back(0);
    const auto length = [](const std::vector<MeshSegment>& segments) {
        double sum = 0;
        for (const auto& s : segments) sum += std::hypot(s.b.x - s.a.x, s.b.y - s.a.y);
        return sum;
    };
    const double one = length(decisionBoundary(built(network, sliceOfInputs(2)).mesh()));
    CHECK(one > 0.1);
    CHECK(length(decisionBoundary(built(pair, sliceOfInputs(2)).mesh())) == doctest::Approx(one).epsilon(1e-12));
}

TEST_CASE("blocks of piecewise linear layers are cut exactly, however their values are joined") {
    for (const Layer& block : blocksOfEveryJoin(true)) {
        CAPTURE(block.name);
        const Network network = chainOf({block, layerOf<Flatten>(block.out, {1, 1, static_cast<int>(block.out.units())}),
                                         denseLayer(static_cast<int>(block.out.units()), 2)},
                                        3);
        const Slice slice = randomSlice(network.input.units(), 5);
        const Partition partition = built(network, slice);
        CHECK(partition.mesh().faces() > (block.name == "shuffled" ? 0u : 20u));  // which holds no activation
        checkOutputs(network, slice, partition);
    }
}

TEST_CASE("products, attention and gates are refused in a sentence that names the layer and scenes that take it") {
    for (const Layer& block : blocksOfEveryJoin()) {
        const std::string sentence = refusal([&] { builtPartition({block.in, {block}}, randomSlice(block.in.units(), 5), unitSquare()); });
        CAPTURE(block.name);
        CAPTURE(sentence);
        const bool linear = block.name != "squeeze and excite" && block.name != "gated" && block.name != "attention";
        CHECK(sentence.empty() == linear);
        if (linear) continue;
        CHECK(isOneSentence(sentence));
        CHECK(sentence.find("Layer 1") == 0);
        CHECK(sentence.find(" the scene") != std::string::npos);
    }
}

TEST_CASE("exported networks: as many regions as V − E + F = 1 says, outputs of the network, affine inside each region" *
          doctest::test_suite("long")) {
    constexpr std::pair<const char*, double> kWindows[] = {{"mlp_relu", 0.3},    {"mlp_batchnorm", 0.3}, {"resnet", 0.03},
                                                           {"densenet", 0.01},   {"squeezenet", 0.03},   {"wavenet", 0.1},
                                                           {"shufflenet", 0.03}, {"mobilenet", 0.1}};
    for (const auto& [file, half] : kWindows) {
        const std::string name = file;
        CAPTURE(name);
        Network network = readNetwork(testData(name + ".onnx"));
        for (Layer& layer : network.layers)
            if (auto* f = layer.getIf<Pointwise>(); f && f->activation == Activation::HardSwish) f->activation = Activation::Relu;
        const Slice slice = randomSlice(network.input.units(), 31);
        const Partition partition = builtPartition(network, slice, rectangle({-half, -half}, {half, half}));
        CHECK(partition.certificate().holds());
        REQUIRE(partition.exactDepth() == partition.depths());
        checkOutputs(network, slice, partition);
        const RegionMesh& mesh = partition.mesh();
        CHECK(mesh.faces() > 10);
        for (std::size_t face = 0; face < mesh.faces(); face += 1 + mesh.faces() / 50) {
            // The output at the mean of a face's corners is the mean of their outputs.
            const double share = 1.0 / static_cast<double>(mesh.sides(face));
            Vec2 mean;
            std::vector<double> expected(mesh.outputs);
            for (std::size_t i = mesh.faceStart[face]; i < mesh.faceStart[face + 1]; ++i) {
                mean = mean + mesh.vertices[mesh.corners[i]] * share;
                for (std::size_t o = 0; o < mesh.outputs; ++o) expected[o] += share * mesh.output[mesh.corners[i] * mesh.outputs + o];
            }
            const std::vector<double> y = forward(network, slice.at(mean)).back();
            for (std::size_t o = 0; o < y.size(); ++o) CHECK(std::abs(y[o] - expected[o]) < 1e-9 * (1 + std::abs(y[o])));
        }
    }
}

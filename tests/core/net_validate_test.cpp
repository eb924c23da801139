#include <doctest/doctest.h>

#include <functional>

#include "support/networks.h"

using namespace kappaflow;

namespace {

std::string refusal(const Network& network) {
    try {
        validate(network);
    } catch (const InputError& error) {
        return error.what();
    }
    return "not refused";
}

/// What `validate` says of a good layer after `spoil` has changed it.
std::string spoilt(const char* name, const std::function<void(Layer&)>& spoil) {
    for (Layer layer : layersOfEveryKind()) {
        if (layer.name != name) continue;
        layer.name.clear();
        const Shape input = layer.in;
        spoil(layer);
        return refusal({input, {layer}});
    }
    return "no such layer";
}

}  // namespace

TEST_CASE("every kind of layer is accepted, with weights and without") {
    for (Layer layer : layersOfEveryKind()) {
        CAPTURE(layer.name);
        CHECK(refusal({layer.in, {layer}}) == "not refused");
        if (auto* own = layer.getIf<Weights>()) *own = {};
        CHECK(refusal({layer.in, {layer}}) == "not refused");
    }
    for (const Layer& block : blocksOfEveryJoin()) CHECK_MESSAGE(refusal({block.in, {block}}) == "not refused", block.name);
    CHECK(refusal({}) == "not refused");
}

TEST_CASE("weight counts follow the shapes, without overflowing") {
    CHECK(weightCount(denseLayer(3, 4)) == 12);
    CHECK(weightCount(denseLayer(1000000, 1000000)) == 1e12);
    Layer conv = windowLayer<Conv>({4, 5, 6}, 6, {{3, 5}, {1, 1}, {1, 1}, {1, 2}, {1, 2}, Padding::Zero});
    CHECK(weightCount(conv) == 6 * 4 * 15);
    conv.as<Conv>().groups = 2;
    CHECK(weightCount(conv) == 6 * 2 * 15);
    conv.as<Conv>().shared = false;
    CHECK(weightCount(conv) == 30 * 6 * 2 * 15);
    CHECK(weightCount(activationLayer({3, 4, 5}, Activation::Relu)) == 0);
    Layer batchNorm = layerOf<BatchNorm>({3, 4, 5}, {3, 4, 5});
    CHECK(weightCount(batchNorm) == 3);
    batchNorm.as<Norm>().shared = false;
    CHECK(weightCount(batchNorm) == 60);
}

TEST_CASE("sizes that overflow are refused with the numbers") {
    CHECK(refusal({{1, 1, 1000000}, {denseLayer(1000000, 1000000)}}) ==
          "layer 1: with its 1000000000000 weights the network has more than the 50000000 that are possible.");
    CHECK(refusal({{2147483647, 2147483647, 2147483647}, {}}) ==
          "input: a layer of 2147483647×2147483647×2147483647 units is more than the 16777216 that are possible.");
    CHECK(refusal({{1, 1, 100}, std::vector<Layer>(6000, denseLayer(100, 100))}) ==
          "layer 5001: with its 10000 weights the network has more than the 50000000 that are possible.");
    CHECK(spoilt("conv zero", [](Layer& l) {
              l.as<Conv>().window.before = {2147483647, 2147483647};
          }).find("layer 1: its window gives ") == 0);
    CHECK(spoilt("conv zero", [](Layer& l) {
              l.as<Conv>().window.before[0] = l.as<Conv>().window.after[0] = 1 << 24;
              l.out.height = (1 << 25) + 1;
          }) == "layer 1: a layer of 3×33554433×9 units is more than the 16777216 that are possible.");
    CHECK(spoilt("conv zero", [](Layer& l) {
              l.as<Conv>().window.stride[0] = 1 << 30;
              l.as<Conv>().window.before[0] = 1 << 29;
          }) == "layer 1: its input with padding is too large.");
    CHECK(spoilt("conv zero", [](Layer& l) {
              l.as<Conv>().window.dilation[1] = l.as<Conv>().window.size[1] = 2147483647;
          }).find("layer 1: its window gives -") == 0);
}

TEST_CASE("shapes that do not fit are refused with the layer's number and name") {
    Layer second = denseLayer(4, 2);
    second.name = "fc2";
    CHECK(refusal({{1, 1, 3}, {denseLayer(3, 5), second}}) == "layer 2 (\"fc2\"): it takes 1×1×4 units, but 1×1×5 come from below.");
    CHECK(refusal({{1, 0, 3}, {}}) == "input: channels, height and width must be 1 or more.");
    CHECK(spoilt("dense", [](Layer& l) { l.out.width = -1; }) == "layer 1: channels, height and width must be 1 or more.");
    CHECK(spoilt("conv zero", [](Layer& l) { l.out.width = 8; }) == "layer 1: its window gives 9 columns, not 8.");
    CHECK(spoilt("conv 2-D zero", [](Layer& l) { l.out.height = 1; }) == "layer 1: its window gives 4 rows, not 1.");
    CHECK(spoilt("conv groups", [](Layer& l) { l.as<Conv>().groups = 4; }) == "layer 1: the number of groups must divide the channels.");
    CHECK(spoilt("conv groups", [](Layer& l) { l.as<Conv>().groups = 0; }) == "layer 1: the number of groups must divide the channels.");
    CHECK(spoilt("max pool", [](Layer& l) { l.out.channels = 2; }) == "layer 1: pooling keeps the channels.");
    CHECK(spoilt("global average pool", [](Layer& l) { l.out = {1, 1, 3}; }) == "layer 1: global pooling leaves one unit a channel.");
    CHECK(spoilt("batch norm", [](Layer& l) { l.out = {1, 1, 24}; }) == "layer 1: batch normalisation keeps the shape.");
    CHECK(spoilt("flatten", [](Layer& l) { l.out = {1, 1, 23}; }) == "layer 1: flattening keeps the number of units.");
    CHECK(spoilt("tanh", [](Layer& l) { l.out = {1, 1, 10}; }) == "layer 1: an activation keeps the shape.");
}

TEST_CASE("windows that cannot be are refused") {
    const std::string positive = "layer 1: size, stride and dilation of a window must be 1 or more.";
    CHECK(spoilt("conv zero", [](Layer& l) { l.as<Conv>().window.size[1] = 0; }) == positive);
    CHECK(spoilt("conv zero", [](Layer& l) { l.as<Conv>().window.stride[0] = 0; }) == positive);
    CHECK(spoilt("conv zero", [](Layer& l) { l.as<Conv>().window.dilation[1] = -1; }) == positive);
    CHECK(spoilt("conv zero", [](Layer& l) { l.as<Conv>().window.after[1] = -1; }) == "layer 1: padding must not be negative.");
    CHECK(spoilt("conv mirror", [](Layer& l) { l.as<Conv>().window.before[1] = 6; }) ==
          "layer 1: reflected padding must be narrower than what it reflects.");
    CHECK(spoilt("max pool", [](Layer& l) {
              l.as<MaxPool>().window.before = {2, 0};
              l.out.height = 4;
          }) == "layer 1: a pooling window lies wholly in the padding.");
}

TEST_CASE("weights of the wrong number or not finite are refused") {
    CHECK(spoilt("dense", [](Layer& l) { l.as<Weights>().weights.pop_back(); }) == "layer 1: it has 34 weights where its shape needs 35.");
    CHECK(spoilt("dense", [](Layer& l) { l.as<Weights>().bias.push_back(0); }) == "layer 1: it has 6 biases where its shape needs 5.");
    CHECK(spoilt("dense", [](Layer& l) { l.as<Weights>().weights[3] = NAN; }) == "layer 1: its weights contain a NaN or an infinity.");
    CHECK(spoilt("conv groups", [](Layer& l) { l.as<Weights>().bias[0] = INFINITY; }) ==
          "layer 1: its biases contain a NaN or an infinity.");
    CHECK(spoilt("tanh", [](Layer& l) { l.as<Pointwise>().slope = NAN; }) == "layer 1: the slope of its activation is not finite.");
    CHECK(spoilt("hard sigmoid", [](Layer& l) { l.as<Pointwise>().gain = INFINITY; }) ==
          "layer 1: the line of its activation is not finite.");
    CHECK(spoilt("slope per channel", [](Layer& l) { l.as<Pointwise>().slopes.pop_back(); }) ==
          "layer 1: it has 2 slopes where its shape needs 24.");
    CHECK(spoilt("slope per unit", [](Layer& l) { l.as<Pointwise>().slopes[7] = NAN; }) ==
          "layer 1: its slopes contain a NaN or an infinity.");
    CHECK(spoilt("batch norm", [](Layer& l) { l.as<BatchNorm>().mean.clear(); }) == "layer 1: it has 0 means where its shape needs 3.");
    CHECK(spoilt("batch norm", [](Layer& l) { l.as<BatchNorm>().variance[1] = -1; }) == "layer 1: its variances must be positive.");
    CHECK(spoilt("batch norm", [](Layer& l) { l.as<Norm>().epsilon = l.as<BatchNorm>().variance[1] = 0; }) ==
          "layer 1: its variances must be positive.");
    CHECK(spoilt("batch norm", [](Layer& l) { l.as<Norm>().epsilon = -1; }) == "layer 1: epsilon must be 0 or more.");
}

TEST_CASE("blocks are checked inside and out") {
    CHECK(spoilt("residual", [](Layer& l) { l.as<Block>().inner[0].as<Weights>().weights[0] = NAN; }) ==
          "layer 1, inner layer 1: its weights contain a NaN or an infinity.");
    CHECK(spoilt("residual", [](Layer& l) { l.as<Block>().inner[3].reads[1] = 1; }) ==
          "layer 1, inner layer 4: it adds 1×1×4 units to 1×1×6.");
    CHECK(spoilt("residual", [](Layer& l) { l.as<Block>().inner[3].reads[1] = -1; }) == "layer 1, inner layer 3: nothing reads it.");
    CHECK(spoilt("residual", [](Layer& l) { l.as<Block>().inner[1].reads = {1}; }) ==
          "layer 1, inner layer 2: it reads what does not stand before it.");
    CHECK(spoilt("residual", [](Layer& l) { l.as<Block>().inner[1].reads = {-2}; }) ==
          "layer 1, inner layer 2: it reads what does not stand before it.");
    CHECK(spoilt("residual", [](Layer& l) { l.as<Block>().inner[1].reads.clear(); }) ==
          "layer 1, inner layer 2: it must say what it reads.");
    CHECK(spoilt("residual", [](Layer& l) {
              l.as<Block>().inner[1].reads = {0, 0};
          }) == "layer 1, inner layer 2: it must say what it reads.");
    CHECK(spoilt("residual", [](Layer& l) { l.as<Block>().inner[3].reads.pop_back(); }) ==
          "layer 1, inner layer 4: it joins two values or more.");
    CHECK(spoilt("residual", [](Layer& l) { l.as<Block>().inner[3].as<Sum>().scales[0] = INFINITY; }) ==
          "layer 1, inner layer 4: its scales contain a NaN or an infinity.");
    CHECK(spoilt("residual", [](Layer& l) { l.as<Block>().inner.clear(); }) == "layer 1: it holds no layers.");
    CHECK(spoilt("residual", [](Layer& l) { l.as<Block>().inner.push_back(l), l.as<Block>().inner.back().reads = {3}; }) ==
          "layer 1, inner layer 5: a block stands inside a block.");
    CHECK(spoilt("residual", [](Layer& l) { l.out.width = 5; }) == "layer 1 end: the output is 1×1×6 units instead of 1×1×5.");
    const auto refused = [](const char* name, const auto& spoil) {
        for (Layer block : blocksOfEveryJoin())
            if (block.name == name) {
                block.name.clear();
                spoil(block);
                return refusal({block.in, {block}});
            }
        return std::string("no such block");
    };
    CHECK(refused("densely connected", [](Layer& l) { l.as<Block>().inner[2].out.channels = 3; }) ==
          "layer 1, inner layer 3: its operands have not as many units as it makes.");
    CHECK(refused("gated", [](Layer& l) { l.as<Block>().inner.back().reads[1] = -1; }) ==
          "layer 1, inner layer 5: it multiplies 2×1×6 units with 3×1×6.");
    CHECK(refused("attention", [](Layer& l) { l.as<Block>().inner[6].reads[1] = 1; }) ==
          "layer 1, inner layer 7: matrices of 1×6×2 and 1×6×2 make none of 1×6×6.");
    CHECK(refused("shuffled", [](Layer& l) { l.as<Block>().inner[0].as<Route>().route[3] = 24; }) ==
          "layer 1, inner layer 1: a source is no unit of its input.");
    CHECK(refused("shuffled", [](Layer& l) { l.as<Block>().inner[0].as<Route>().route.pop_back(); }) ==
          "layer 1, inner layer 1: it has 23 sources for 24 units.");
    Layer bare = blocksOfEveryJoin().front().as<Block>().inner[2];
    bare.reads.clear();
    CHECK(refusal({bare.in, {bare}}) == "layer 1: what joins several values must stand inside a block.");
}

TEST_CASE("a block inside a side of a residual block becomes part of it") {
    const Shape two{1, 1, 2};
    Layer nested = residualBlock(two, {withNumbers(denseLayer(2, 2), 1)}, {}, 0.5);
    Network chain{two, {nested, withNumbers(denseLayer(2, 2), 2)}};
    const Layer outer = residualBlock(two, chain.layers, {nested}, 2, 3);
    CHECK(refusal({two, {outer}}) == "not refused");
    for (const Layer& inner : outer.as<Block>().inner) CHECK(!inner.is<Block>());
    const std::vector<double> x{0.3, -1.2}, branch = forward(chain, x).back(), skip = applyLayer(nested, x), sum = applyLayer(outer, x);
    for (std::size_t i = 0; i < 2; ++i) CHECK(sum[i] == doctest::Approx(2 * skip[i] + 3 * branch[i]).epsilon(1e-14));
}

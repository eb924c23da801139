#include "core/capacity/capacity_network.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/capacity_flow.h"
#include "support/matrices.h"
#include "support/networks.h"
#include "support/reference.h"

using namespace kappaflow;
using Json = nlohmann::json;
using Vector = std::vector<double>;

namespace {

// Entry (i, j) of D.
double entry(const CapacityLayer& D, std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e)
        if (D.entries[e].input == i) sum += D.entries[e].share;
    return sum;
}

Layer dense(int inputs, int outputs, Vector weights) {
    Layer layer = denseLayer(inputs, outputs);
    layer.as<Weights>().weights = std::move(weights);
    return layer;
}

// A 1-D convolution from a case: kernel[tap] or kernel[tap][in][out].
Layer conv(const Json& c) {
    Conv conv;
    const auto& kernel = c["kernel"];
    const int taps = static_cast<int>(kernel.size()), stride = c["stride"], dilation = c.value("dilation", 1), width = c["n_in"];
    const bool channels = kernel[0].is_array();
    const int ins = channels ? static_cast<int>(kernel[0].size()) : 1, outs = channels ? static_cast<int>(kernel[0][0].size()) : 1;
    const std::string pad = c["pad"];
    conv.window.size[1] = taps;
    conv.window.stride[1] = stride;
    conv.window.dilation[1] = dilation;
    conv.window.padding = pad == "periodic" ? Padding::Periodic : Padding::Zero;
    conv.window.before[1] = pad == "valid" ? 0 : c.value("anchor", (taps - 1) / 2) * dilation;
    const int outWidth = pad == "valid" ? width - (taps - 1) * dilation : (width + stride - 1) / stride;
    conv.window.after[1] = std::max(0, (outWidth - 1) * stride + (taps - 1) * dilation + 1 - width - conv.window.before[1]);
    for (int out = 0; out < outs; ++out)
        for (int in = 0; in < ins; ++in)
            for (int k = 0; k < taps; ++k) conv.weights.push_back((channels ? kernel[k][in][out] : kernel[k]).get<double>());
    return {{ins, 1, width}, {outs, 1, outWidth}, std::move(conv)};
}

Layer batchNorm(Shape shape, Vector scale, Vector variance) {
    BatchNorm norm;
    norm.bias = norm.mean = Vector(scale.size());
    norm.weights = std::move(scale);
    norm.variance = std::move(variance);
    norm.epsilon = 0;
    return {shape, shape, std::move(norm)};
}

std::vector<Layer> weightLayers(const Network& network) {
    std::vector<Layer> layers;
    Layer scratch;
    for (const WeightLayer& part : weightLayerParts(network.layers)) layers.push_back(part.folded(scratch));
    return layers;
}

}  // namespace

TEST_CASE("D of every convolution of the reference cases has their entries") {
    const auto cases = reference("case_13_conv_D.json");
    for (const auto& c : cases["layers"]) {
        CAPTURE(c["name"].get<std::string>());
        const auto layer = conv(c);
        const auto D = capacityLayer(layer);
        const auto& expected = c["D"];
        REQUIRE(D.inputs == expected.size());
        REQUIRE(D.outputs == expected[0].size());
        // The cases number units position·channels + channel, we number them channel-major.
        const auto unit = [](std::size_t u, const Shape& s) {
            const auto channels = static_cast<std::size_t>(s.channels);
            return u % channels * static_cast<std::size_t>(s.width) + u / channels;
        };
        for (std::size_t i = 0; i < D.inputs; ++i)
            for (std::size_t j = 0; j < D.outputs; ++j)
                CHECK(entry(D, unit(i, layer.in), unit(j, layer.out)) == doctest::Approx(expected[i][j].get<double>()).epsilon(1e-9));
    }
}

TEST_CASE("the reference stack of three layers gives its capacities") {
    const auto stack = reference("case_13_conv_D.json")["stack"];
    Network network;
    for (const auto& c : stack["spec"]) network.layers.push_back(conv(c));
    network.input = network.layers.front().in;
    const auto flow = capacityFlow(network, stack["kL"].get<Vector>());
    const auto& expected = stack["kappas_L_to_0"];
    for (std::size_t l = 0; l < expected.size(); ++l) {
        const auto row = expected[l].get<Vector>();
        const auto& ours = flow.capacity[expected.size() - 1 - l];
        REQUIRE(ours.size() == row.size());
        for (std::size_t i = 0; i < row.size(); ++i) CHECK(ours[i] == doctest::Approx(row[i]).epsilon(1e-9));
    }
}

TEST_CASE("differential layers mix D with the identity as the reference does") {
    const auto c = reference("case_16_differential.json");
    const auto matrix = [&](const char* name) {
        Vector w;  // P is [input][unit], ours [out][in]
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t i = 0; i < 4; ++i) w.push_back(c[name][i][j].get<double>());
        return w;
    };
    for (const auto& row : c["rows"]) {
        const double eps = row["eps"];
        const auto D1 = mixWithIdentity(capacityLayer(dense(4, 4, matrix("P"))), 1 / (1 + eps));
        const auto D2 = mixWithIdentity(capacityLayer(dense(4, 4, matrix("P2"))), 1 / (1 + eps));
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) CHECK(entry(D1, i, j) == doctest::Approx(row["D"][i][j].get<double>()).epsilon(1e-9));
        double unattributed = 0;
        const auto top = c["kappa_phi"].get<Vector>();
        const auto one = propagate(D1, top, unattributed), two = propagate(D1, propagate(D2, top, unattributed), unattributed);
        for (std::size_t i = 0; i < 4; ++i) {
            CHECK(one[i] == doctest::Approx(row["kappa0_one_layer"][i].get<double>()).epsilon(1e-9));
            CHECK(two[i] == doctest::Approx(row["kappa0_two_layers"][i].get<double>()).epsilon(1e-9));
        }
    }
}

TEST_CASE("columns of every kind of layer sum to 1, hold nothing negative, and conserve the total") {
    for (const auto& layer : layersOfEveryKind()) {
        CAPTURE(layer.name);
        const auto D = capacityLayer(layer);
        REQUIRE(D.inputs == layer.in.units());
        REQUIRE(D.outputs == layer.out.units());
        for (std::size_t j = 0; j < D.outputs; ++j) {
            double sum = 0;
            for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e) {
                CHECK(D.entries[e].share >= 0);
                sum += D.entries[e].share;
            }
            CHECK(sum == doctest::Approx(1).epsilon(1e-14));
        }
        Vector above(D.outputs);
        Rng rng(8, Purpose::Inputs);
        for (double& x : above) x = rng.uniform();
        double unattributed = 0;
        CHECK(std::abs(total(propagate(D, above, unattributed)) - total(above)) <= 1e-12 * total(above));
        CHECK(unattributed == 0);
    }
}

TEST_CASE("a thousand layers lose nothing to rounding") {
    Vector capacity(40);
    capacity[7] = 1;
    double unattributed = 0;
    for (std::uint64_t l = 0; l < 1000; ++l) capacity = propagate(capacityLayer(dense(40, 40, gaussians(1600, l))), capacity, unattributed);
    CHECK(std::abs(total(capacity) - 1) < 1e-12);
}

TEST_CASE("squares of huge and tiny weights neither overflow nor vanish") {
    for (const double scale : {1e-200, 1e200}) {
        const auto D = capacityLayer(dense(2, 1, {scale, 2 * scale}));
        CHECK(entry(D, 0, 0) == doctest::Approx(0.2));
        CHECK(entry(D, 1, 0) == doctest::Approx(0.8));
    }
}

TEST_CASE("a unit whose weights are all zero keeps its capacity, and says so") {
    Network network{{1, 1, 3}, {dense(3, 2, {1, 1, 1, 0, 0, 0}), dense(2, 1, {3, 4})}};
    const auto flow = capacityFlow(network, {1});
    CHECK(flow.unattributed[2] == 0);
    CHECK(flow.unattributed[1] == 0);
    CHECK(flow.unattributed[0] == doctest::Approx(0.64));
    for (std::size_t l = 0; l < 3; ++l) CHECK(total(flow.capacity[l]) + flow.unattributed[l] == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE("a residual block splits by the squared norms of its two last columns") {
    const Shape two{1, 1, 2};
    const Layer branch = dense(2, 2, {3, 4, 0, 0});  // norms 5 and 0
    const auto D = capacityLayer(residualBlock(two, {branch}, {}, 1, 0.5));
    // Unit 0: s = 1, b = 25/4; unit 1: its branch is dead, all goes down the skip.
    CHECK(entry(D, 0, 0) == doctest::Approx((1 + 6.25 * 0.36) / 7.25));
    CHECK(entry(D, 1, 0) == doctest::Approx(6.25 * 0.64 / 7.25));
    CHECK(entry(D, 1, 1) == doctest::Approx(1));
    SUBCASE("an identity skip and a normalised branch scaled by √ε give (I + ε P∘P)/(1 + ε)") {
        const Layer turned = dense(2, 2, {0.6, 0.8, -0.8, 0.6});
        const auto mixed = mixWithIdentity(capacityLayer(turned), 1 / 1.3),
                   direct = capacityLayer(residualBlock(two, {turned}, {}, 1, std::sqrt(0.3)));
        for (std::size_t i = 0; i < 2; ++i)
            for (std::size_t j = 0; j < 2; ++j) CHECK(entry(direct, i, j) == doctest::Approx(entry(mixed, i, j)).epsilon(1e-14));
    }
    SUBCASE("a projection on the skip counts with its own weights") {
        const Layer projected = residualBlock(two, {branch}, {dense(2, 2, {2, 0, 0, 1})}, 1, 0.5);
        CHECK(entry(capacityLayer(projected), 0, 0) == doctest::Approx((4 + 6.25 * 0.36) / 10.25));
    }
    SUBCASE("what dead units inside the branch swallow stays unattributed") {
        const Layer block =
            residualBlock(two, {dense(2, 2, {1, 1, 0, 0}), activationLayer(two, Activation::Relu), dense(2, 2, {0, 1, 1, 0})});
        double unattributed = 0;
        const auto below = propagate(capacityLayer(block), {1, 1}, unattributed);
        CHECK(unattributed == doctest::Approx(0.5));  // unit 0 reads hidden unit 1, which is dead
        CHECK(total(below) == doctest::Approx(1.5));
    }
}

TEST_CASE("batch norm is folded into the linear map it touches") {
    const Shape three{1, 1, 3};
    auto norm = batchNorm(three, {2, 1, 3}, {4, 1, 1});
    norm.as<Norm>().shared = false;  // one scale a unit: 1, 1, 3
    SUBCASE("behind: it scales whole columns, so D stays and only the norm changes") {
        const Network network{three, {dense(3, 3, gaussians(9, 2)), norm}};
        const auto layers = weightLayers(network);
        REQUIRE(layers.size() == 1);
        const auto plain = capacityLayer(network.layers[0]), folded = capacityLayer(layers[0]);
        CHECK(layers[0].as<Weights>().weights[6] == doctest::Approx(3 * network.layers[0].as<Weights>().weights[6]));
        for (std::size_t i = 0; i < 3; ++i) CHECK(entry(plain, i, 2) == doctest::Approx(entry(folded, i, 2)).epsilon(1e-14));
    }
    SUBCASE("in front, past an activation: it scales the inputs") {
        const Network network{three, {norm, activationLayer(three, Activation::Relu), dense(3, 1, {1, 1, 1})}};
        const auto layers = weightLayers(network);
        REQUIRE(layers.size() == 1);
        CHECK(entry(capacityLayer(layers[0]), 2, 0) == doctest::Approx(9.0 / 11));
        CHECK(weightLayerStates(network) == std::vector<std::size_t>{0, 3});
    }
    SUBCASE("a channel scaled by 0 is dead") {
        const Network network{three, {dense(3, 3, gaussians(9, 2)), batchNorm({3, 1, 1}, {1, 0, 1}, {1, 1, 1})}};
        CHECK(capacityLayer(weightLayers(network)[0]).lost[1] == 1);
    }
}

TEST_CASE("activations and flatten are no layers, and states stand behind them") {
    const Shape four{1, 1, 4};
    const Network network{four, {dense(4, 4, gaussians(16, 1)), activationLayer(four, Activation::Relu), dense(4, 2, gaussians(8, 2))}};
    CHECK(weightLayers(network).size() == 2);
    CHECK(weightLayerStates(network) == std::vector<std::size_t>{0, 2, 3});
}

TEST_CASE("a composed D is the product") {
    const auto A = capacityLayer(dense(5, 7, gaussians(35, 1))), B = capacityLayer(dense(7, 3, gaussians(21, 2)));
    const auto AB = compose(A, B);
    double unattributed = 0;
    const Vector top{0.2, 0.3, 0.5}, once = propagate(AB, top, unattributed),
                                     twice = propagate(A, propagate(B, top, unattributed), unattributed);
    for (std::size_t i = 0; i < 5; ++i) CHECK(once[i] == doctest::Approx(twice[i]).epsilon(1e-14));
}

TEST_CASE("sizes that do not fit are refused, and so is a layer too big to follow") {
    const auto D = capacityLayer(dense(5, 7, gaussians(35, 1)));
    double unattributed = 0;
    CHECK_THROWS_AS(propagate(D, Vector(5), unattributed), InputError);
    CHECK_THROWS_AS(mixWithIdentity(D, 0.5), InputError);
    CHECK_THROWS_AS(compose(D, D), InputError);
    auto large = dense(5000, 5000, {});
    large.name = "fc1";
    CHECK_THROWS_WITH_AS(capacityLayer(large), doctest::Contains("fc1"), InputError);
}

TEST_CASE(
    "of n units that a layer norm centres, each keeps 1 − 1/n of its capacity and gives each other one the same part, whatever the scale") {
    Layer layer = layerNorm({4, 1, 2}, true, true);
    layer.as<Weights>().weights = {3, -0.5, 1e100, 0};
    const auto D = capacityLayer(layer);
    double unattributed = 0;
    // Channel c of position x: unit 2c + x.
    const Vector below = propagate(D, Vector{1, 0, 0, 2, 0, 0, 0, 4}, unattributed);
    const Vector expected{3.0 / 4, 2.0 / 12, 1.0 / 12, 2 * 3.0 / 4, 1.0 / 12, 2.0 / 12, 1.0 / 12, 2.0 / 12};
    for (std::size_t i = 0; i < 8; ++i) CHECK(below[i] == doctest::Approx(expected[i]).epsilon(1e-14));
    CHECK(unattributed == 4);
    for (std::size_t j = 6; j < 8; ++j) CHECK(D.lost[j] == 1);
}

TEST_CASE("a layer norm of more pairs of units than can be followed is refused by name, but capacity moves through it") {
    Layer wide = layerNorm({1, 1, 5000}, false, false);
    wide.name = "norm";
    wide.as<Weights>().weights.assign(5000, 1);
    CHECK_THROWS_WITH_AS(capacityLayer(wide), doctest::Contains("norm"), InputError);
    double unattributed = 0;
    Vector top(5000);
    top[7] = 1;
    const Vector below = propagate(wide, top, unattributed);
    CHECK(below[7] == doctest::Approx(1 - 1.0 / 5000));
    CHECK(below[8] == doctest::Approx(1 / (5000.0 * 4999)));
    CHECK(unattributed == 0);
    // All its columns are too many one by one as well; some of them are not.
    const auto share = [&](std::size_t unit, std::span<const CapacityLayer::Entry> column, double) {
        CHECK(column.size() == 5000);
        CHECK(column[unit].share == doctest::Approx(1 - 1.0 / 5000));
    };
    const std::vector<std::size_t> some{3, 4999};
    visitColumns(wide, share, {}, &some);
    CHECK_THROWS_WITH_AS(visitColumns(wide, share), doctest::Contains("norm"), InputError);
}

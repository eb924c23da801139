#include "core/capacity/measured_capacity.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/capacity/augmented_space.h"
#include "core/capacity/capacity_network.h"
#include "core/capacity/nu_continuum.h"
#include "support/matrices.h"
#include "support/networks.h"
#include "support/reference.h"
#include "support/sentence.h"
#include "support/slow_paths.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

Layer drawn(Layer layer, std::uint64_t seed) { return withNumbers(std::move(layer), seed); }
Layer pointwise(Shape shape, Activation activation) { return activationLayer(shape, activation); }

/// inputs – units – …, an activation behind each layer; the last layer is the start.
Network denseNetwork(const std::vector<int>& units, Activation activation, bool biases, std::uint64_t seed) {
    Network network{{1, 1, units[0]}, {}};
    for (Size l = 1; l < units.size(); ++l) {
        Layer layer = drawn(denseLayer(units[l - 1], units[l]), seed + 10 * l);
        if (!biases) layer.as<Weights>().bias.clear();
        network.layers.push_back(layer);
        network.layers.push_back(pointwise({1, 1, units[l]}, activation));
    }
    validate(network);
    return network;
}

Network convolutions() {
    Network network{{2, 1, 7}, {}};
    network.layers = {drawn(windowLayer<Conv>({2, 1, 7}, 4, window1d(3, 2, 1, 1, 1, Padding::Zero)), 1)};
    network.layers.push_back(pointwise({4, 1, 4}, Activation::Relu));
    Layer grouped = windowLayer<Conv>({4, 1, 4}, 2, window1d(2, 1, 1, 0, 1, Padding::Periodic));
    grouped.as<Conv>().groups = 2;
    network.layers.push_back(drawn(grouped, 2));
    network.layers.push_back(drawn(layerOf<BatchNorm>({2, 1, 4}, {2, 1, 4}), 3));
    network.layers.push_back(pointwise({2, 1, 4}, Activation::Tanh));
    network.layers.push_back(windowLayer<AveragePool>({2, 1, 4}, 2, window1d(2, 2, 1, 0, 0, Padding::Zero)));
    network.layers.push_back(layerOf<Flatten>({2, 1, 2}, {1, 1, 4}));
    network.layers.push_back(drawn(denseLayer(4, 3), 4));
    network.layers.push_back(pointwise({1, 1, 3}, Activation::LeakyRelu));
    validate(network);
    return network;
}

Network pooled() {
    Network network{{1, 4, 4}, {}};
    Window window;
    window.size = {2, 2};
    network.layers = {drawn(windowLayer<Conv>({1, 4, 4}, 2, window), 5)};
    network.layers.push_back(pointwise({2, 3, 3}, Activation::Abs));
    network.layers.push_back(windowLayer<MaxPool>({2, 3, 3}, 2, window));  // windows that overlap
    network.layers.push_back(drawn(windowLayer<Conv>({2, 2, 2}, 3, Window{}), 6));
    network.layers.push_back(pointwise({3, 2, 2}, Activation::Relu));
    network.layers.push_back(layerOf<GlobalAveragePool>({3, 2, 2}, {3, 1, 1}));
    validate(network);
    return network;
}

Network residual(double skipScale) {
    Network network{{1, 1, 4}, {}};
    const Shape four{1, 1, 4}, two{1, 1, 2};
    const Layer block = residualBlock(
        four, {pointwise(four, Activation::Relu), denseLayer(4, 3), pointwise({1, 1, 3}, Activation::Sigmoid), denseLayer(3, 4)}, {},
        skipScale, 0.5);
    const Layer narrow = residualBlock(four, {denseLayer(4, 2), pointwise(two, Activation::HardTanh)}, {denseLayer(4, 2)});
    network.layers = {drawn(block, 7), pointwise(four, Activation::Relu), drawn(narrow, 8), pointwise(two, Activation::LeakyRelu)};
    validate(network);
    return network;
}

Vector measured(const Network& network, const Matrix& samples, const Matrix& directions, Size state, bool diagonal) {
    MeasureSpec spec{.states = {state}, .diagonal = diagonal};
    const auto all = measureCapacity(GatedPaths(network, samples), {network.layers.size(), directions}, spec);
    if (all.rank > 0) CHECK(total(all.profiles[0].capacity) == doctest::Approx(static_cast<double>(all.rank)).epsilon(1e-9));
    return all.profiles[0].capacity;
}

/// √samples times orthonormal rows, so that E[y yᵀ] = I.
Matrix whiteStates(Size units, Size samples) {
    Matrix states(units, samples);
    for (Size i = 0; i < units; ++i) states(i, i) = std::sqrt(static_cast<double>(samples));
    return states;
}

DenseChain whiteChain(const std::vector<Size>& units, std::uint64_t seed) {
    DenseChain chain;
    for (Size l = 0; l < units.size(); ++l) {
        chain.states.push_back(whiteStates(units[l], 20));
        if (l > 0) chain.features.push_back(gaussianMatrix(units[l - 1], units[l], seed + l));
    }
    return chain;
}

std::vector<Matrix> gramsOf(const DenseChain& chain, double nu) {
    std::vector<Matrix> grams;
    for (const Matrix& P : chain.features) {
        Matrix c(P.columns, P.columns, Vector(P.columns * P.columns, nu));
        for (Size j = 0; j < c.rows; ++j) c(j, j) = 1;
        grams.push_back(c);
    }
    return grams;
}

Vector shares(Vector capacity) {
    double sum = 0;
    for (const double x : capacity) sum += x;
    for (double& x : capacity) x /= sum;
    return capacity;
}

}  // namespace

TEST_CASE("measured capacities of dense networks are those of the reference, at every layer") {
    for (const char* name : {"measured_dense_relu.json", "measured_dense_leaky_two.json", "measured_dense_abs_deep.json"}) {
        INFO(name);
        const auto c = reference(name);
        Network network{{1, 1, static_cast<int>(c["weights [in][out]"][0].size())}, {}};
        const std::string activation = c["activation"];
        for (const auto& weights : c["weights [in][out]"]) {
            const Matrix P = matrixFrom(weights);
            Layer layer = denseLayer(static_cast<int>(P.rows), static_cast<int>(P.columns));
            layer.as<Weights>().weights = transposed(P).values;
            network.layers.push_back(layer);
            network.layers.push_back(activationLayer(layer.out, activationFromKey(activation.substr(0, activation.find(' '))), 0.1));
        }
        const Matrix directions = matrixFrom(c["start directions [unit][k]"]);
        const auto& expected = c["capacity by layer, inputs first"];
        MeasureSpec spec{.diagonal = true};
        for (Size l = 0; l < expected.size(); ++l) spec.states.push_back(2 * l);
        const GatedPaths paths(network, transposed(matrixFrom(c["samples"])));
        const auto all = measureCapacity(paths, {network.layers.size(), directions}, spec);
        CHECK(all.rank == directions.columns);
        CHECK(all.pairs == all.allPairs);
        for (Size l = 0; l < expected.size(); ++l) CHECK(largestDifference(all.profiles[l].capacity, expected[l].get<Vector>()) < 1e-12);
    }
}

TEST_CASE("the pairs' sums are the sums over all paths, one by one: dense, convolutional, pooled and residual networks") {
    const Network networks[] = {denseNetwork({3, 4, 3, 2}, Activation::Tanh, true, 20),
                                denseNetwork({2, 3, 4}, Activation::Sigmoid, true, 30),
                                denseNetwork({3, 5, 2}, Activation::Relu, false, 40),
                                denseNetwork({3, 4, 2}, Activation::Gelu, true, 44),
                                denseNetwork({2, 4, 3}, Activation::Softplus, true, 46),
                                convolutions(),
                                pooled(),
                                residual(0.7),
                                residual(0)};
    for (Size n = 0; n < std::size(networks); ++n) {
        const Network& network = networks[n];
        const Matrix samples = gaussianMatrix(network.input.units(), 14, 50 + n);
        const Matrix directions = orthonormalised(gaussianMatrix(network.output().units(), 2, 60 + n));
        for (const Size state : {Size{0}, network.layers.size() / 2, network.layers.size()})
            for (const bool diagonal : {true, false}) {
                INFO("network " << n << ", state " << state << ", diagonal " << diagonal);
                const Vector fast = measured(network, samples, directions, state, diagonal);
                CHECK(largestDifference(fast, slow::measuredCapacity(network, slow::columnsOf(samples), state, directions, diagonal)) <
                      1e-9);
            }
    }
}

TEST_CASE("leaving out a group of samples measures the others; standard errors are the jackknife's") {
    const Network network = denseNetwork({3, 6, 4}, Activation::Relu, true, 70);
    const Matrix samples = gaussianMatrix(3, 30, 71), directions = orthonormalised(gaussianMatrix(4, 1, 72));
    const auto all = measureCapacity(GatedPaths(network, samples), {4, directions}, {.states = {0}, .groups = 5});
    REQUIRE(all.profiles[0].leftOut.size() == 5);
    for (Size group = 0; group < 5; ++group) {
        Matrix others(3, 24);
        for (Size s = 0; s < 24; ++s)
            for (Size i = 0; i < 3; ++i) others(i, s) = samples(i, s < 6 * group ? s : s + 6);
        CHECK(largestDifference(all.profiles[0].leftOut[group], measured(network, others, directions, 0, false)) < 1e-10);
    }
    CHECK(jackknifeError({1, 2, 3, 6}) == doctest::Approx(std::sqrt(3.0 / 4 * 14)));
    // Of a mean without each sample in turn the jackknife finds the standard error of the mean: s/√n.
    CHECK(jackknifeError({(2 + 4) / 2.0, (1 + 4) / 2.0, (1 + 2) / 2.0}) == doctest::Approx(std::sqrt((16.0 + 1 + 25) / 9 / 2 / 3)));
}

TEST_CASE("standard errors are as large as the spread between independent sets of samples" * doctest::test_suite("long")) {
    const Network network = denseNetwork({3, 6, 4}, Activation::Relu, false, 80);
    const Matrix directions = orthonormalised(gaussianMatrix(4, 1, 81));
    constexpr int kSets = 150;
    double sum = 0, squares = 0, variance = 0;
    for (int set = 0; set < kSets; ++set) {
        const GatedPaths paths(network, gaussianMatrix(3, 400, 1000 + static_cast<std::uint64_t>(set)));
        const auto one = measureCapacity(paths, {4, directions}, {.states = {0}}).profiles[0];
        sum += one.capacity[0], squares += one.capacity[0] * one.capacity[0];
        variance += standardErrors(one)[0] * standardErrors(one)[0] / kSets;
    }
    const double spread = (squares - sum * sum / kSets) / (kSets - 1);
    // The spread's own standard error is √(2/150) of it, the jackknife of 40 groups is as uncertain each time but not on average.
    CHECK(variance / spread == doctest::Approx(1).epsilon(4 * std::sqrt(2.0 / kSets)));
}

TEST_CASE("drawn pairs estimate what all pairs give, within four standard errors") {
    const Network network = denseNetwork({6, 12, 8}, Activation::Relu, true, 90);
    const GatedPaths paths(network, gaussianMatrix(6, 401, 91));
    const PathStart start{4, orthonormalised(gaussianMatrix(8, 1, 92))};
    const auto all = measureCapacity(paths, start, {.states = {0, 2}});
    const auto some = measureCapacity(paths, start, {.states = {0, 2}, .mostPairs = 10000, .seed = 3});
    CHECK(all.pairs == 401 * 200);
    CHECK(some.pairs == 401 * 24);
    CHECK(some.allPairs == all.pairs);
    for (Size p = 0; p < 2; ++p) {
        const Vector errors = standardErrors(some.profiles[p]);
        for (Size i = 0; i < errors.size(); ++i) {
            const double off = std::abs(some.profiles[p].capacity[i] - all.profiles[p].capacity[i]);
            CHECK((off > 0 && off < 4 * errors[i]));
        }
    }
}

TEST_CASE("rescaling hidden units changes neither what is measured nor the channel") {
    Network network = denseNetwork({4, 6, 5}, Activation::Relu, true, 100);
    const Matrix samples = gaussianMatrix(4, 50, 101), directions(5, 1, shares(Vector(5, 1)));
    const auto profiles = [&](const Network& of) {
        const GatedPaths paths(of, samples);
        const DenseChain chain = denseChain(paths, 4);
        std::vector<Matrix> grams;
        for (const Matrix& gates : chain.gates) grams.push_back(gateStatistics(gates).coactivation);
        return sideBySide({Matrix(4, 1, measureCapacity(paths, {4, directions}, {.states = {0}}).profiles[0].capacity),
                           Matrix(4, 1, channelCapacity(chain, directions.values, grams, false)[0]),
                           Matrix(4, 1, channelCapacity(chain, directions.values, gramsOf(chain, 0), false)[0])})
            .values;
    };
    const Vector before = profiles(network);
    for (Size j = 0; j < 6; ++j) {
        const double factor = 0.3 + static_cast<double>(j);
        for (Size i = 0; i < 4; ++i) network.layers[0].as<Weights>().weights[j * 4 + i] *= factor;
        network.layers[0].as<Weights>().bias[j] *= factor;
        for (Size k = 0; k < 5; ++k) network.layers[2].as<Weights>().weights[k * 6 + j] /= factor;
    }
    CHECK(largestDifference(profiles(network), before) < 1e-12);
}

TEST_CASE("the channel with C = I is the rule D = P∘P, once norms are given to the weights above") {
    DenseChain chain = whiteChain({5, 7, 6, 4}, 110);
    Vector u = gaussians(4, 115);
    const Vector asGiven = channelCapacity(chain, u, gramsOf(chain, 0), true)[0];
    for (Size l = 0; l < 3; ++l)
        for (Size j = 0; j < chain.features[l].columns; ++j) {
            Matrix& P = chain.features[l];
            double norm = 0;
            for (Size i = 0; i < P.rows; ++i) norm += P(i, j) * P(i, j);
            norm = std::sqrt(norm);
            for (Size i = 0; i < P.rows; ++i) P(i, j) /= norm;
            if (l == 2) u[j] *= norm;
            for (Size k = 0; l < 2 && k < chain.features[l + 1].columns; ++k) chain.features[l + 1](j, k) *= norm;
        }
    const auto channel = channelCapacity(chain, u, gramsOf(chain, 0), true);
    CHECK(largestDifference(channel[0], asGiven) < 1e-13);
    Vector capacity;
    for (const double x : u) capacity.push_back(x * x);
    capacity = shares(capacity);
    for (Size l = 3; l-- > 0;) {
        Layer layer = denseLayer(static_cast<int>(chain.features[l].rows), static_cast<int>(chain.features[l].columns));
        layer.as<Weights>().weights = transposed(chain.features[l]).values;
        double lost = 0;
        capacity = propagate(layer, capacity, lost);
        CHECK(largestDifference(channel[l], capacity) < 1e-13);
    }
}

TEST_CASE("the channel with C = 11ᵀ is the linear network") {
    DenseChain chain = whiteChain({5, 7, 6}, 120);
    chain.states[0] = gaussianMatrix(5, 20, 123);
    const Vector u = gaussians(6, 124);
    const Matrix map = product(product(chain.features[0], chain.features[1]), Matrix(6, 1, u));
    const Matrix image = product(chain.states[0], transposedProduct(chain.states[0], map));
    Vector squares;
    for (const double x : image.values) squares.push_back(x * x);
    CHECK(largestDifference(channelCapacity(chain, u, gramsOf(chain, 1), true)[0], shares(squares)) < 1e-12);
}

TEST_CASE("the channel with one ν a layer is the continuum") {
    DenseChain chain = whiteChain({5, 7, 6, 4}, 130);
    for (Matrix& P : chain.features) P = unitFeatures(P, Matrix(P.columns, 0)).features;
    chain.states[0] = gaussianMatrix(5, 40, 135);
    Matrix sigma = product(chain.states[0], transposed(chain.states[0]));
    for (double& value : sigma.values) value /= 40;
    Matrix free(4, 1, gaussians(4, 136));
    free = orthonormalised(free);
    const ContinuumNetwork network{sigma, chain.features, free};
    const Vector nu{0.2, 0.9, 0.5};
    std::vector<Matrix> grams;
    for (Size l = 0; l < 3; ++l) grams.push_back(gramsOf(chain, nu[l])[l]);
    CHECK(largestDifference(channelCapacity(chain, free.values, grams, true)[0], shares(continuumCapacity(network, nu).capacity)) < 1e-9);
    const auto layers = layerCapacities(network, 0.3, {});
    const auto channel = channelCapacity(chain, free.values, gramsOf(chain, 0.3), true);
    for (Size l = 1; l < 3; ++l) CHECK(largestDifference(channel[l], layers[l]) < 1e-9);
}

TEST_CASE("a linear network's measured capacities are the channel's with its measured C, with and without the diagonal") {
    const Network network = denseNetwork({4, 6, 5}, Activation::Identity, false, 140);
    const GatedPaths paths(network, gaussianMatrix(4, 30, 141));
    const Matrix directions = orthonormalised(gaussianMatrix(5, 1, 142));
    const DenseChain chain = denseChain(paths, 4);
    std::vector<Matrix> grams;
    for (const Matrix& gates : chain.gates) grams.push_back(gateStatistics(gates).coactivation);
    for (const bool diagonal : {true, false}) {
        const auto all = measureCapacity(paths, {4, directions}, {.states = chain.stateOf, .diagonal = diagonal});
        const auto channel = channelCapacity(chain, directions.values, grams, diagonal);
        for (Size l = 0; l < 3; ++l) CHECK(largestDifference(all.profiles[l].capacity, channel[l]) < 1e-12);
    }
}

TEST_CASE("a chain is made of dense layers, with batch norm folded in and linear layers joined") {
    Network network{{1, 1, 3}, {}};
    Layer each = layerOf<BatchNorm>({1, 1, 4}, {1, 1, 4});
    each.as<BatchNorm>().shared = false;
    network.layers = {drawn(denseLayer(3, 4), 150), drawn(each, 151), pointwise({1, 1, 4}, Activation::Relu), drawn(denseLayer(4, 2), 152),
                      drawn(denseLayer(2, 3), 153)};
    const GatedPaths paths(network, gaussianMatrix(3, 9, 154));
    const DenseChain chain = denseChain(paths, 5);
    CHECK(chain.stateOf == std::vector<Size>{0, 3, 5});
    REQUIRE(chain.features.size() == 2);
    const Layer& norm = network.layers[1];
    for (Size i = 0; i < 3; ++i)
        for (Size j = 0; j < 4; ++j)
            CHECK(chain.features[0](i, j) ==
                  doctest::Approx(network.layers[0].as<Weights>().weights[j * 3 + i] * norm.as<Weights>().weights[j] /
                                  std::sqrt(norm.as<BatchNorm>().variance[j] + norm.as<Norm>().epsilon)));
    CHECK(chain.features[1].rows == 4);
    CHECK(chain.features[1].columns == 3);
    CHECK(chain.gates[1].values == Vector(3 * 9, 1));
    const Network other = convolutions();
    CHECK(denseChain(GatedPaths(other, gaussianMatrix(14, 3, 155)), other.layers.size()).features.empty());
}

TEST_CASE("co-activation, ν, its spread and the gating overlap by hand") {
    // Units on for samples {0, 1}, {1, 2}, never, {3}.
    const Matrix gates(4, 4, {1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    const GateStatistics s = gateStatistics(gates);
    CHECK(s.on == 3);
    CHECK(s.coactivation(0, 1) == doctest::Approx(0.5));
    CHECK(s.coactivation(0, 0) == doctest::Approx(1));
    CHECK(s.coactivation(2, 2) == 0);
    CHECK(s.nu == doctest::Approx(0.5 / 3));
    CHECK(s.spread == doctest::Approx(std::sqrt((0.25 / 3) - 0.25 / 9)));
    // Λ(Y, Y') is 1 for samples (0, 1) and (1, 2), 0 for the other four pairs; Λ(Y, Y) is 1, 2, 1, 1.
    CHECK(s.overlap == doctest::Approx((2.0 / 6) / (5.0 / 4)));
    for (const Matrix& some :
         {gates, gaussianMatrix(9, 4, 1), gaussianMatrix(3, 5, 2), gaussianMatrix(70, 90, 3), gaussianMatrix(90, 70, 4)}) {
        const GateStatistics whole = gateStatistics(some), numbers = gateStatistics(some, true);
        CHECK(numbers.coactivation.values.empty());
        CHECK(numbers.nu == doctest::Approx(whole.nu));
        CHECK(numbers.spread == doctest::Approx(whole.spread));
        CHECK(numbers.overlap == whole.overlap);
    }
    CHECK(std::isnan(gateStatistics(Matrix(1, 2, {1, 1})).nu));
    Layer relu = pointwise({1, 1, 1}, Activation::Relu), tanh = pointwise({1, 1, 1}, Activation::Tanh),
          sigmoid = pointwise({1, 1, 1}, Activation::Sigmoid), leaky = pointwise({1, 1, 1}, Activation::LeakyRelu);
    const Matrix z(1, 4, {-2, 0, 1e-9, 3});
    CHECK(gatesOf(relu, z).values == Vector{0, 0, 1, 1});
    CHECK(largestDifference(gatesOf(leaky, z).values, {0.2, 0.2, 1, 1}) < 1e-15);
    CHECK(largestDifference(gatesOf(tanh, z).values, {std::tanh(2) / 2, 1, 1, std::tanh(3) / 3}) < 1e-14);
    CHECK(largestDifference(gatesOf(sigmoid, z).values, {std::tanh(1) / 4, 0.25, 0.25, std::tanh(1.5) / 6}) < 1e-14);
}

TEST_CASE("outputs start in the span of their weights") {
    Network network = denseNetwork({3, 4}, Activation::Relu, true, 160);
    network.layers.push_back(drawn(denseLayer(4, 3), 161));
    const PathStart two = startAtOutputs(network, {0, 2});
    CHECK(two.state == 2);
    CHECK(two.directions.columns == 2);
    const PathStart one = startAtOutputs(network, {1});
    double norm = 0, along = 0;
    for (Size i = 0; i < 4; ++i) {
        const double w = network.layers[2].as<Weights>().weights[4 + i];
        norm += w * w, along += w * one.directions(i, 0);
    }
    CHECK(std::abs(along) == doctest::Approx(std::sqrt(norm)));
    CHECK(isOneSentence(refusal([&] { startAtOutputs(network, {3}); })));
    network.layers[2].as<Weights>().weights.assign(12, 0);
    CHECK(isOneSentence(refusal([&] { startAtOutputs(network, {0}); })));
    network.layers.pop_back();
    const PathStart gated = startAtOutputs(network, {3});
    CHECK(gated.state == 2);
    CHECK(gated.directions.values == Vector{0, 0, 0, 1});
    CHECK(gated.reads == Vector{0, 0, 0, 1});
}

TEST_CASE("outputs of a convolution, a mean or an activation start where they read: the sums are those over the paths to there") {
    Network convolved = convolutions(), averaged = pooled();
    convolved.layers.resize(5);
    convolved.layers.push_back(drawn(windowLayer<Conv>({2, 1, 4}, 3, window1d(2, 1, 1, 1, 0, Padding::Zero)), 180));
    convolved.layers.push_back(routeLayer({3, 1, 4}, {4, 1, 3}, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
    const struct {
        Network network;
        Size output, state, read;
    } cases[] = {
        {convolved, 1, 5, 2}, {convolved, 5, 5, 4}, {averaged, 2, 5, 4}, {denseNetwork({3, 4, 2}, Activation::Tanh, true, 181), 1, 4, 1}};
    for (const auto& [network, output, state, read] : cases) {
        validate(network);
        const Matrix samples = gaussianMatrix(network.input.units(), 12, 182);
        const PathStart start = startAtOutputs(network, {output});
        REQUIRE(start.state == state);
        std::vector<int> units;
        Vector direction;
        for (Size i = 0; i < start.reads.size(); ++i) {
            CHECK((start.reads[i] != 0 || start.directions(i, 0) == 0));
            if (start.reads[i] != 0) units.push_back(static_cast<int>(i)), direction.push_back(start.directions(i, 0));
        }
        REQUIRE(units.size() == read);
        // Along the direction the output changes as the state does, but for its bias.
        const GatedPaths paths(network, samples);
        const Matrix psi = transposedProduct(start.directions, paths.state(state));
        const double slope =
            (paths.state(network.layers.size())(output, 1) - paths.state(network.layers.size())(output, 0)) / (psi(0, 1) - psi(0, 0));
        CHECK(paths.state(network.layers.size())(output, 2) - paths.state(network.layers.size())(output, 0) ==
              doctest::Approx(slope * (psi(0, 2) - psi(0, 0))));
        Network below = network;
        below.layers.resize(state);
        const Shape reads{1, 1, static_cast<int>(read)};
        below.layers.push_back(routeLayer(below.output(), reads, units));
        for (const Size at : {Size{0}, Size{2}}) {
            const auto all = measureCapacity(paths, start, {.states = {at}});
            CHECK(largestDifference(all.profiles[0].capacity,
                                    slow::measuredCapacity(below, slow::columnsOf(samples), at, Matrix(read, 1, direction), false)) < 1e-9);
        }
    }
}

TEST_CASE("what cannot be measured is refused, and nothing positive left is no number") {
    const Network network = denseNetwork({3, 4}, Activation::Relu, false, 170);
    const Matrix samples = gaussianMatrix(3, 8, 171), directions(4, 1, {1, 0, 0, 0});
    const GatedPaths paths(network, samples);
    const auto refused = [&](const PathStart& start, const MeasureSpec& spec) {
        return isOneSentence(refusal([&] { measureCapacity(paths, start, spec); }));
    };
    CHECK(refused({3, directions}, {.states = {0}}));
    CHECK(refused({2, Matrix(3, 1)}, {.states = {0}}));
    CHECK(refused({1, directions}, {.states = {2}}));
    CHECK(refused({2, directions}, {.states = {}}));
    CHECK(refused({2, directions}, {.states = {0}, .groups = 1}));
    CHECK(isOneSentence(refusal([&] { GatedPaths(network, gaussianMatrix(4, 8, 172)); })));
    CHECK(isOneSentence(refusal([&] { GatedPaths(network, Matrix(3, 0)); })));
    CHECK(isOneSentence(refusal([&] {
        measureCapacity(GatedPaths(network, gaussianMatrix(3, 2, 173)), {2, directions}, {.states = {0}});
    })));
    Network shared = network;
    shared.layers.push_back(layerOf<Softmax>({1, 1, 4}, {1, 1, 4}));
    CHECK(isOneSentence(refusal([&] { GatedPaths(shared, samples); })));
    Layer product = layerOf<Block>({1, 1, 4}, {1, 1, 4});
    addInner(product, layerOf<Product>({1, 1, 4}, {1, 1, 4}), {-1, -1});
    shared.layers.back() = product;
    CHECK(isOneSentence(refusal([&] { GatedPaths(shared, samples); })));
    const Vector none = measured(network, Matrix(3, 8), directions, 0, false);
    for (const double x : none) CHECK(std::isnan(x));
    const DenseChain chain = denseChain(paths, 2);
    CHECK(isOneSentence(refusal([&] { channelCapacity(chain, {1, 2}, gramsOf(chain, 0), true); })));
    CHECK(isOneSentence(refusal([&] { channelCapacity(chain, {1, 2, 3, 4}, {}, true); })));
    CHECK(isOneSentence(refusal([&] { channelCapacity(chain, {1, 2, 3, 4}, {Matrix(2, 2)}, true); })));
}

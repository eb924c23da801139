#include "core/capacity/lower_layers.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/matrices.h"
#include "support/networks.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

struct Named {
    Activation activation;
    double slope;
};

Named activationOf(const std::string& name) {
    if (name == "linear") return {Activation::Identity, 0};
    if (name == "leaky") return {Activation::LeakyRelu, 0.2};
    return {activationFromKey(name), 0};
}

Network networkOf(const nlohmann::json& row, Named a) {
    if (!row.contains("widths")) {
        return smallConvNetwork(row["taps"].get<std::vector<int>>(), row["dilations"].get<std::vector<int>>(),
                                row["channels"].get<std::vector<int>>(), a.activation, a.slope, 5);
    }
    auto network = smallDenseNetwork(row["widths"].get<std::vector<int>>(), a.activation, a.slope, 5);
    // The reference lists each layer as [in][out].
    const auto listed = row["w"].get<Vector>();
    Size next = 0;
    for (Layer& layer : network.layers)
        if (auto* own = layer.getIf<Weights>())
            for (Size w = 0; w < own->weights.size(); ++w, ++next)
                own->weights[w % layer.out.units() * layer.in.units() + w / layer.out.units()] = listed[next];
    return network;
}

NumericalRank functionRank(const Network& network, Size samples) {
    FunctionJacobian jacobian(network, 1, 3);
    jacobian.add(samples);
    return jacobian.rank();
}

/// y by differences of the network as it runs: ∂y_o/∂w for one input.
Matrix slowGradient(Network network, const Vector& input) {
    const auto weights = allWeights(network);
    const auto at = [&](Size w, double step) {
        auto moved = weights;
        moved[w] += step;
        setAllWeights(network, moved);
        return forward(network, input).back();
    };
    Matrix gradient(network.output().units(), weights.size());
    for (Size w = 0; w < weights.size(); ++w) {
        const auto up = at(w, 1e-5), down = at(w, -1e-5);
        for (Size o = 0; o < up.size(); ++o) gradient(o, w) = (up[o] - down[o]) / 2e-5;
    }
    return gradient;
}

}  // namespace

TEST_CASE("path ranks and function ranks of every network and activation of the reference" * doctest::test_suite("long")) {
    const auto rows = reference("case_17_lower_layers.json");
    int compared = 0;
    for (const auto& row : rows["rows"]) {
        INFO(row.dump().substr(0, 120));
        const auto leaky = networkOf(row, activationOf("leaky"));
        const auto paths = networkPaths(leaky);
        CHECK(paths.parameters == row["p"].get<Size>());
        CHECK(genericPathRank(paths, 1) == row["path_rank"].get<Size>());
        const auto numerical = numericalRank(singularSpace(triangularFactor(pathJacobian(paths, allWeights(leaky)))).values);
        CHECK(numerical.rank == row["path_rank"].get<Size>());
        CHECK(numerical.gap > 1e9);
        if (row.contains("linear_generic")) CHECK(genericLinearRank(paths, 1) == row["linear_generic"].get<Size>());
        CHECK(scaleDirections(leaky).size() == row["p"].get<Size>() - row["path_rank"].get<Size>());
        for (const auto& item : row["function_rank"].items()) {
            const std::string name = item.key();
            INFO(name);
            const auto network = networkOf(row, activationOf(name));
            const auto rank = functionRank(network, 3000);
            CHECK(rank.rank == item.value().get<Size>());
            CHECK(rank.gap > 1e5);
            if (name == "linear") CHECK(genericLinearRank(paths, 1) == item.value().get<Size>());
            ++compared;
        }
    }
    CHECK(compared == 34);
}

TEST_CASE("the exact rank does not depend on the residues drawn") {
    const auto paths = networkPaths(smallDenseNetwork({4, 8, 8, 2}, Activation::Relu, 0, 1));
    CHECK(paths.parameters == 112);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) CHECK(genericPathRank(paths, seed) == 112 - 16);
}

TEST_CASE("overlapping dilations, several outputs and single layers keep the rule") {
    const auto overlapping = networkPaths(smallConvNetwork({3, 3, 2}, {1, 1, 1}, {2, 3}, Activation::LeakyRelu, 0.2, 1));
    CHECK(genericPathRank(overlapping, 1) == overlapping.parameters - 5);
    const auto single = networkPaths(smallDenseNetwork({3, 2}, Activation::Relu, 0, 1));
    CHECK(genericPathRank(single, 1) == 6);
    CHECK(scaleDirections(smallDenseNetwork({3, 2}, Activation::Relu, 0, 1)).empty());
    CHECK(functionRank(smallConvNetwork({3, 3, 2}, {1, 1, 1}, {2, 3}, Activation::LeakyRelu, 0.2, 1), 1500).rank ==
          overlapping.parameters - 5);
}

TEST_CASE("paths carry the coefficients of the linear network") {
    auto network = smallConvNetwork({2, 3}, {1, 2}, {2}, Activation::Identity, 0, 3);
    const auto weights = allWeights(network);
    const auto paths = networkPaths(network);
    for (Size i = 0; i < network.input.units(); ++i) {
        Vector unit(network.input.units());
        unit[i] = 1;
        double sum = 0;
        for (Size p = 0; p < paths.count(); ++p) {
            double coefficient = paths.input[p] == i ? 1 : 0;
            for (Size l = 0; l < paths.layers; ++l) coefficient *= weights[paths.weights[p * paths.layers + l]];
            sum += coefficient;
        }
        CHECK(forward(network, unit).back()[0] == doctest::Approx(sum).epsilon(1e-12));
    }
    // Every coefficient is linear in each of the two layers: J·w counts it twice.
    const auto J = pathJacobian(paths, weights);
    for (Size p = 0; p < paths.count(); ++p) {
        double sum = 0;
        for (Size w = 0; w < weights.size(); ++w) sum += J(p, w) * weights[w];
        CHECK(sum == doctest::Approx(2 * weights[paths.weights[2 * p]] * weights[paths.weights[2 * p + 1]]).epsilon(1e-12));
    }
}

TEST_CASE("each hidden unit's scale direction lies in the kernel of the path Jacobian, and they are independent") {
    for (const auto& network : {smallDenseNetwork({3, 4, 3, 2}, Activation::LeakyRelu, 0.2, 4),
                                smallConvNetwork({2, 3, 2}, {1, 2, 3}, {2, 3}, Activation::LeakyRelu, 0.2, 4)}) {
        const auto J = pathJacobian(networkPaths(network), allWeights(network));
        const auto units = scaleDirections(network);
        Matrix directions(J.columns, units.size());
        for (Size u = 0; u < units.size(); ++u)
            for (Size w = 0; w < J.columns; ++w) directions(w, u) = units[u].direction[w];
        const auto moved = slowProduct(J, directions);
        CHECK(largestDifference(moved.values, Vector(moved.values.size())) < 1e-14);
        CHECK(spanBasis(directions).rank() == units.size());
        CHECK(units.back().layer == 2);
    }
}

TEST_CASE("moving along a scale direction leaves the function of a homogeneous network, not of a tanh network") {
    const auto change = [](Activation activation) {
        auto network = smallConvNetwork({2, 2, 2}, {1, 2, 4}, {2, 2}, activation, 0.2, 4);
        const Vector input = gaussians(network.input.units(), 1), weights = allWeights(network);
        const double before = forward(network, input).back()[0];
        double worst = 0;
        for (const auto& unit : scaleDirections(network)) {
            auto moved = weights;
            for (Size w = 0; w < moved.size(); ++w) moved[w] += 1e-6 * unit.direction[w];
            setAllWeights(network, moved);
            worst = std::max(worst, std::abs(forward(network, input).back()[0] - before) / 1e-6);
        }
        return worst;
    };
    // What is left is of second order: 1e-6 of the output.
    CHECK(change(Activation::LeakyRelu) < 1e-5);
    CHECK(change(Activation::Abs) < 1e-5);
    CHECK(change(Activation::Tanh) > 1e-3);
}

TEST_CASE("the function's rank sees the network's own derivative by its weights") {
    for (const auto& network :
         {smallDenseNetwork({2, 3, 2}, Activation::Tanh, 0, 6), smallConvNetwork({2, 2}, {1, 2}, {2}, Activation::Tanh, 0, 6)}) {
        FunctionJacobian jacobian(network, 1, 9);
        const Size samples = 7, outputs = network.output().units();
        jacobian.add(samples);
        Rng rng(9, Purpose::Inputs);
        Matrix rows(samples * outputs, allWeights(network).size());
        for (Size s = 0; s < samples; ++s) {
            Vector input(network.input.units());
            for (double& value : input) value = rng.gaussian();
            const auto gradient = slowGradient(network, input);
            std::copy(gradient.values.begin(), gradient.values.end(), rows.row(s * outputs));
        }
        Vector norms(rows.columns);
        for (Size k = 0; k < rows.values.size(); ++k) norms[k % rows.columns] += rows.values[k] * rows.values[k];
        for (Size k = 0; k < rows.values.size(); ++k) rows.values[k] /= std::sqrt(norms[k % rows.columns]);
        CHECK(largestDifference(jacobian.singularValues(), singularSpace(rows).values) < 1e-7);
    }
}

TEST_CASE("slices of samples change nothing but the rounding, and the rank grows to its end") {
    const auto network = smallDenseNetwork({3, 4, 1}, Activation::LeakyRelu, 0.2, 2);
    FunctionJacobian whole(network, 1, 3), sliced(network, 1, 3);
    whole.add(200);
    Size last = 0;
    for (const Size slice : {1u, 4u, 95u, 100u}) {
        sliced.add(slice);
        CHECK(sliced.rank().rank >= last);
        last = sliced.rank().rank;
    }
    CHECK(sliced.samples() == 200);
    CHECK(largestDifference(whole.singularValues(), sliced.singularValues()) < 1e-12);
    FunctionJacobian one(network, 1, 3);
    CHECK(one.rank().rank == 0);
    one.add(1);
    CHECK(one.rank().rank == 1);
}

TEST_CASE("dead and always-on ReLUs lose rank that the paths keep") {
    // Positive weights between two units in a row: dead for one sign of the input, linear for the other.
    auto dead = smallDenseNetwork({1, 1, 1, 1}, Activation::Relu, 0, 1);
    setAllWeights(dead, {1, -1, 1});
    CHECK(functionRank(dead, 500).rank == 0);
    CHECK(genericPathRank(networkPaths(dead), 1) == 1);
}

TEST_CASE("which activations keep η still") {
    for (const auto activation : {Activation::Identity, Activation::Relu, Activation::LeakyRelu, Activation::Abs, Activation::PseudoRandom})
        CHECK(derivativeIsEta(activation));
    for (const auto activation : {Activation::Tanh, Activation::Sigmoid, Activation::HardTanh}) CHECK(!derivativeIsEta(activation));
}

TEST_CASE("networks too large or of other layers are refused in a sentence") {
    const auto dense = [](std::vector<int> widths) { return refusal([&] { smallDenseNetwork(widths, Activation::Relu, 0, 1); }); };
    CHECK(isOneSentence(dense({3})));
    CHECK(isOneSentence(dense({})));
    CHECK(isOneSentence(dense({3, 0, 1})));
    CHECK(isOneSentence(dense({2000000000, 2000000000})));
    const auto conv = [](std::vector<int> taps, std::vector<int> dilations, std::vector<int> channels) {
        return refusal([&] { smallConvNetwork(taps, dilations, channels, Activation::Relu, 0, 1); });
    };
    CHECK(isOneSentence(conv({}, {}, {})));
    CHECK(isOneSentence(conv({2, 2}, {1}, {1})));
    CHECK(isOneSentence(conv({2, 2}, {1, 2}, {0})));
    CHECK(isOneSentence(conv({2, 2}, {1, 1000000000}, {1})));
    CHECK(isOneSentence(conv({2, 2}, {1, 1}, {1000000000})));
    CHECK(isOneSentence(refusal([] { networkPaths(smallDenseNetwork({8, 8, 8, 8, 8, 8}, Activation::Relu, 0, 1)); })));
    auto biased = smallDenseNetwork({2, 2}, Activation::Relu, 0, 1);
    biased.layers[0].as<Weights>().bias = {1, 0};
    CHECK(isOneSentence(refusal([&] { networkPaths(biased); })));
    Network pooled{{1, 1, 4}, {windowLayer<AveragePool>({1, 1, 4}, 1, window1d(2, 2, 1, 0, 0, Padding::Zero))}};
    CHECK(isOneSentence(refusal([&] { networkPaths(pooled); })));
    CHECK(isOneSentence(refusal([&] { FunctionJacobian(pooled, 1, 1); })));
    CHECK(isOneSentence(refusal([&] { setAllWeights(biased, {1}); })));
}

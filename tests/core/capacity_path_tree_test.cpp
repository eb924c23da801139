#include "core/capacity/nu_continuum.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/linalg/decompositions.h"
#include "support/matrices.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

/// Σ̃ and the path coefficients of a two-layer tree written out: lag τ, hidden unit (τ div n_1, channel o), weights
/// W_1[τ mod n_1][o] and W_2[τ div n_1][o].
Vector slowTwoLayers(const PathTree& tree, double nu) {
    const Size n1 = static_cast<Size>(tree.taps[0]), n2 = static_cast<Size>(tree.taps[1]), c = static_cast<Size>(tree.channels),
               n = n1 * n2;
    const auto w1 = [&](Size tap, Size o) { return tap * c + o; };
    const auto w2 = [&](Size tap, Size o) { return n1 * c + tap * c + o; };
    Matrix J(n * c, tree.weights.size()), tilde(n * c, n * c);
    for (Size t = 0; t < n; ++t)
        for (Size o = 0; o < c; ++o) {
            J(t * c + o, w1(t % n1, o)) = tree.weights[w2(t / n1, o)];
            J(t * c + o, w2(t / n1, o)) = tree.weights[w1(t % n1, o)];
            for (Size s = 0; s < n; ++s)
                for (Size q = 0; q < c; ++q)
                    tilde(t * c + o, s * c + q) = std::pow(1 + std::abs(static_cast<double>(t) - static_cast<double>(s)), -tree.alpha) *
                                                  (t / n1 == s / n1 && o == q ? 1 : nu);
        }
    const auto K = spanBasis(slowProduct(tilde, J)).basis;
    Vector kappa(n);
    for (Size p = 0; p < K.rows; ++p)
        for (Size k = 0; k < K.columns; ++k) kappa[p / c] += K(p, k) * K(p, k);
    return kappa;
}

}  // namespace

TEST_CASE("capacities by lag and totals of the reference's trees, one channel and two") {
    const auto reference12 = reference("case_12_deep_nu.json");
    for (const char* name : {"tree_c1", "tree_c2"}) {
        const auto& c = reference12[name];
        const PathTree tree{std::vector<int>(c["L"].get<Size>(), 2), c.value("c", 1), c["alpha"], c["w"].get<Vector>()};
        for (const auto& row : c["rows"]) {
            INFO(name << " ν = " << row["nu"]);
            const auto result = pathTreeCapacity(tree, pathTreeJacobian(tree), row["nu"].get<double>());
            CHECK(result.total == row["total"].get<Size>());
            CHECK(largestDifference(result.capacity, row["cpi_recent_first"].get<Vector>()) < 1e-9);
        }
    }
}

TEST_CASE("totals are parameters − hidden channels below ν = 1, the tensor train's dimension at 1") {
    struct Row {
        int layers, channels;
        Size below, linear;
    };
    for (const auto& row : {Row{3, 2, 12, 8}, {4, 2, 18, 12}, {5, 2, 24, 16}, {6, 1, 7, 7}}) {
        INFO(row.layers << " layers, " << row.channels << " channels");
        const auto tree = randomPathTree(std::vector<int>(static_cast<Size>(row.layers), 2), row.channels, 0.5, 3);
        const auto jacobian = pathTreeJacobian(tree);
        for (const double nu : {0.0, 0.3, 0.8}) {
            const auto result = pathTreeCapacity(tree, jacobian, nu);
            CHECK(result.total == row.below);
            CHECK(total(result.capacity) == doctest::Approx(static_cast<double>(row.below)));
        }
        CHECK(pathTreeCapacity(tree, jacobian, 1).total == row.linear);
        CHECK(linearTreeCapacity(tree).total == row.linear);
        const auto size = pathTreeSize(tree);
        CHECK(size.parameters - row.channels * (row.layers - 1) == static_cast<double>(row.below));
    }
}

TEST_CASE("at ν = 1 the paths give the linear model's capacities") {
    for (const int channels : {1, 2, 3}) {
        const auto tree = randomPathTree({2, 3, 2}, channels, 0.7, 5);
        CHECK(largestDifference(pathTreeCapacity(tree, pathTreeJacobian(tree), 1).capacity, linearTreeCapacity(tree).capacity) < 1e-9);
    }
}

TEST_CASE("two layers written out by hand have the same capacities") {
    for (const int channels : {1, 2, 3})
        for (const double nu : {0.0, 0.4, 0.9, 1.0}) {
            const auto tree = randomPathTree({3, 2}, channels, 0.4, 8);
            CHECK(largestDifference(pathTreeCapacity(tree, pathTreeJacobian(tree), nu).capacity, slowTwoLayers(tree, nu)) < 1e-9);
        }
}

TEST_CASE("the Jacobian is the derivative of the path coefficients") {
    auto tree = randomPathTree({2, 2, 3}, 2, 0.5, 2);
    const auto coefficients = [&] {
        // Euler: each coefficient is linear in every layer, so J·w is the number of layers times it.
        const auto J = pathTreeJacobian(tree);
        Vector values;
        for (Size p = 0; p < J.rows; ++p) {
            double sum = 0;
            for (Size w = 0; w < J.columns; ++w) sum += J(p, w) * tree.weights[w];
            values.push_back(sum / 3);
        }
        return values;
    };
    const auto J = pathTreeJacobian(tree);
    const auto before = coefficients();
    for (Size w = 0; w < tree.weights.size(); ++w) {
        tree.weights[w] += 0.5;
        const auto after = coefficients();
        tree.weights[w] -= 0.5;
        for (Size p = 0; p < J.rows; ++p) CHECK((after[p] - before[p]) / 0.5 == doctest::Approx(J(p, w)).epsilon(1e-10));
    }
}

TEST_CASE("trees too large, with wrong weights or no layers are refused") {
    CHECK(isOneSentence(refusal([] { randomPathTree(std::vector<int>(13, 2), 1, 0.5, 1); })));
    CHECK(isOneSentence(refusal([] { randomPathTree({2, 2}, 1000000, 0.5, 1); })));
    CHECK(isOneSentence(refusal([] { randomPathTree({}, 1, 0.5, 1); })));
    CHECK(isOneSentence(refusal([] { randomPathTree({2, 0}, 1, 0.5, 1); })));
    CHECK(isOneSentence(refusal([] { pathTreeJacobian({{2, 2}, 1, 0.5, {1, 2, 3}}); })));
    CHECK(isOneSentence(refusal([] { pathTreeJacobian({{2}, 1, 0.5, {1, INFINITY}}); })));
    const auto tree = randomPathTree({2, 2}, 1, 0.5, 1);
    CHECK(isOneSentence(refusal([&] { pathTreeCapacity(tree, pathTreeJacobian(tree), 1.1); })));
}

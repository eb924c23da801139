#include "core/capacity/differential_layers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/capacity/augmented_space.h"
#include "core/capacity/deep_limit.h"
#include "core/linalg/decompositions.h"
#include "support/matrices.h"
#include "support/reference.h"
#include "support/sentence.h"
#include "support/slow_forward.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

/// κ from Σ̃ over all paths (a_L … a_1, i), a = 0 the unchanged copy: unchanged copies at full, pairs of different copies at √ν or ν.
Vector slowDifferential(const DifferentialNetwork& network, double nu) {
    const Size n = network.free.rows, copies = n + 1, layers = network.features.size();
    Size paths = n;
    for (Size l = 0; l < layers; ++l) paths *= copies;
    const auto copy = [&](Size path, Size l) {
        path /= n;
        for (; l > 0; --l) path /= copies;
        return path % copies;
    };
    Matrix tilde(paths, paths), weights(paths, network.free.columns);
    for (Size p = 0; p < paths; ++p) {
        Size unit = p % n;
        double weight = 1;
        for (Size l = 0; l < layers; ++l) {
            const Size a = copy(p, l);
            if (a == 0) continue;
            weight *= std::sqrt(network.epsilon) * network.features[l](unit, a - 1);
            unit = a - 1;
        }
        for (Size k = 0; k < network.free.columns; ++k) weights(p, k) = weight * network.free(unit, k);
        for (Size q = 0; q < paths; ++q) {
            tilde(p, q) = p % n == q % n ? 1 : 0;
            for (Size l = 0; l < layers; ++l) {
                const Size a = copy(p, l), b = copy(q, l);
                tilde(p, q) *= a == b ? 1 : std::sqrt(a == 0 ? 1 : nu) * std::sqrt(b == 0 ? 1 : nu);
            }
        }
    }
    const auto K = spanBasis(slowProduct(tilde, weights)).basis;
    Vector capacity(n);
    for (Size p = 0; p < paths; ++p)
        for (Size k = 0; k < K.columns; ++k) capacity[p % n] += K(p, k) * K(p, k);
    return capacity;
}

Vector carriedBy(const Matrix& D, const Vector& kappa) {
    Vector below(D.rows);
    for (Size i = 0; i < D.rows; ++i)
        for (Size j = 0; j < D.columns; ++j) below[i] += D(i, j) * kappa[j];
    return below;
}

}  // namespace

TEST_CASE("D, capacities through one and two layers, and at intermediate ν, are those of the reference") {
    const auto c = reference("case_16_differential.json");
    const Matrix P = matrixFrom(c["P"]), P2 = matrixFrom(c["P2"]), U = matrixFrom(c["U"]);
    const auto kappa = c["kappa_phi"].get<Vector>();
    for (const auto& row : c["rows"]) {
        const double epsilon = row["eps"];
        const Matrix D = differentialMatrix(P, epsilon);
        CHECK(largestDifference(D, matrixFrom(row["D"])) < 1e-12);
        const auto one = row["kappa0_one_layer"].get<Vector>(), two = row["kappa0_two_layers"].get<Vector>();
        CHECK(largestDifference(carriedBy(D, kappa), one) < 1e-12);
        CHECK(largestDifference(differentialCapacity({{P}, epsilon, U}, 0), one) < 1e-9);
        CHECK(largestDifference(differentialCapacity({{P, P2}, epsilon, U}, 0), two) < 1e-9);
    }
    for (const auto& row : c["intermediate_nu"])
        CHECK(largestDifference(differentialCapacity({{P}, row["eps"], U}, row["nu"]), row["kappa"].get<Vector>()) < 1e-9);
}

TEST_CASE("the recursion gives what all paths in pairs give, for any norms, depth, ν and U") {
    for (const bool normalised : {true, false})
        for (const Size layers : {1u, 2u})
            for (const Size free : {1u, 2u, 3u})
                for (const double nu : {0.0, 0.3, 0.9, 1.0}) {
                    DifferentialNetwork network{{}, 0.4, gaussianMatrix(3, free, 5)};
                    for (Size l = 0; l < layers; ++l) network.features.push_back(randomFeatures(3, 3, normalised, 2, l));
                    INFO("normalised " << normalised << " layers " << layers << " free " << free << " ν " << nu);
                    const auto fast = differentialCapacity(network, nu);
                    CHECK(largestDifference(fast, slowDifferential(network, nu)) < 1e-9);
                    CHECK(total(fast) == doctest::Approx(static_cast<double>(free)));
                }
}

TEST_CASE("with unequal norms D is exact for directions along units and wrong for others") {
    const Matrix P = randomFeatures(4, 4, false, 7), D = differentialMatrix(P, 0.5);
    const auto distance = [&](const Matrix& U) {
        const auto basis = spanBasis(U).basis;
        Vector kappa(4);
        for (Size i = 0; i < 4; ++i)
            for (Size k = 0; k < basis.columns; ++k) kappa[i] += basis(i, k) * basis(i, k);
        return largestDifference(carriedBy(D, kappa), differentialCapacity({{P}, 0.5, U}, 0));
    };
    CHECK(distance(Matrix(4, 2, {1, 0, 0, 0, 0, 0, 0, 1})) < 1e-13);
    CHECK(distance(gaussianMatrix(4, 2, 3)) > 1e-3);
    for (Size j = 0; j < 4; ++j) {
        double column = 0;
        for (Size i = 0; i < 4; ++i) column += D(i, j);
        CHECK(column == doctest::Approx(1).epsilon(1e-14));
    }
}

TEST_CASE("two hashed layers, run 40000 times, have the theory's covariances and capacities within four standard errors" *
          doctest::test_suite("long")) {
    const DifferentialNetwork network{
        {randomFeatures(3, 3, true, 4, 1), randomFeatures(3, 3, true, 4, 2)}, 0.2, randomFreeDirections(3, 2, 4)};
    DifferentialSimulation simulation(network, 6);
    simulation.add(40000);
    const auto first = simulation.outputVariance(1), second = simulation.outputVariance(2);
    CHECK(std::abs(first.value - 1.2) < 4 * first.standardError);
    CHECK(std::abs(second.value - 1.44) < 4 * second.standardError);
    CHECK(second.standardError < 0.01);
    // 1176 entries of variance at most 2 about I: six standard errors, √(2/40000) each.
    CHECK(largestDifference(simulation.pathCovariance(), identityMatrix(48)) < 6 * std::sqrt(2.0 / 40000));
    const auto measured = simulation.capacities();
    const auto theory = differentialCapacity(network, 0);
    for (Size i = 0; i < 3; ++i) {
        CHECK(std::abs(measured.capacity[i] - theory[i]) < 4 * measured.standardError[i]);
        CHECK(measured.standardError[i] < 0.01);
    }
    CHECK(total(measured.capacity) == doctest::Approx(2));
}

TEST_CASE("draws of the simulation do not depend on their slices") {
    const DifferentialNetwork network{{randomFeatures(2, 2, true, 4, 1), randomFeatures(2, 2, true, 4, 2)}, 0.2, identityMatrix(2)};
    DifferentialSimulation whole(network, 1), sliced(network, 1);
    whole.add(300);
    for (const Size slice : {1u, 20u, 279u}) sliced.add(slice);
    CHECK(whole.pathCovariance().values == sliced.pathCovariance().values);
    CHECK(whole.capacities().capacity == sliced.capacities().capacity);
    CHECK(whole.draws() == 300);
}

TEST_CASE("2000 solutions of the forward equation have its mean and second moment within four and a half standard errors") {
    const ForwardEquation equation{{-0.6, 0.5, 0.62}, 0.05, 30};
    Vector start(11);
    start[5] = 1;
    start[6] = -0.5;
    start[2] = 0.7;
    constexpr int kDraws = 2000;
    Vector sum(11), squares(11), fourths(11);
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
        const auto last = forwardDraw(equation, start, 3, draw).back();
        for (Size x = 0; x < 11; ++x) {
            sum[x] += last[x] / kDraws;
            squares[x] += last[x] * last[x] / kDraws;
            fourths[x] += std::pow(last[x], 4) / kDraws;
        }
    }
    const auto moment = slow::forwardSecondMoment(equation, start);
    REQUIRE(moment.size() == 31);
    for (Size x = 0; x < 11; ++x) {
        CHECK(std::abs(sum[x] - start[x]) < 4.5 * std::sqrt((squares[x] - sum[x] * sum[x]) / kDraws));
        CHECK(std::abs(squares[x] - moment.back()[x]) < 4.5 * std::sqrt((fourths[x] - squares[x] * squares[x]) / kDraws));
    }
}

TEST_CASE("the forward second moment is the covariance recursion C + ε diag(Pᵀ C P)") {
    const ForwardEquation equation{{0.3, -0.4, 0.5, 0.2, -0.9}, 0.2, 6};
    const auto start = gaussianMatrix(1, 7, 3).values;
    Matrix P(7, 7), C(7, 7);
    for (Size x = 0; x < 7; ++x)
        for (Size k = 0; k < 5; ++k) P((x + k + 5) % 7, x) += equation.weights[k];
    for (Size x = 0; x < 7; ++x)
        for (Size y = 0; y < 7; ++y) C(x, y) = start[x] * start[y];
    const auto moments = slow::forwardSecondMoment(equation, start);
    for (Size l = 0; l <= 6; ++l) {
        for (Size x = 0; x < 7; ++x) CHECK(moments[l][x] == doctest::Approx(C(x, x)).epsilon(1e-12));
        const auto growth = slowProduct(transposed(P), slowProduct(C, P));
        for (Size x = 0; x < 7; ++x) C(x, x) += equation.epsilon * growth(x, x);
    }
}

TEST_CASE("solutions are keyed by draw, and without a step nothing moves") {
    const Vector start{1, 2, 3};
    const ForwardEquation still{{1, 0, 1}, 0, 4}, moving{{1, 0, 1}, 0.1, 4};
    CHECK(forwardDraw(still, start, 1, 0).back() == start);
    CHECK(forwardDraw(moving, start, 1, 0) == forwardDraw(moving, start, 1, 0));
    CHECK(forwardDraw(moving, start, 1, 0) != forwardDraw(moving, start, 1, 1));
    CHECK(forwardDraw({{1, 2, 3, 4, 5, 6, 7}, 0.1, 2}, {1, 1}, 1, 0).size() == 3);
}

TEST_CASE("networks and equations that cannot be are refused in a sentence") {
    const Matrix P = identityMatrix(3);
    CHECK(isOneSentence(refusal([&] { differentialCapacity({{P}, -0.1, P}, 0); })));
    CHECK(isOneSentence(refusal([&] { differentialCapacity({{P}, 0.1, P}, 2); })));
    CHECK(isOneSentence(refusal([&] { differentialCapacity({{identityMatrix(2)}, 0.1, P}, 0); })));
    CHECK(isOneSentence(refusal([&] { differentialCapacity({{}, 0.1, P}, 0); })));
    CHECK(isOneSentence(refusal([&] { DifferentialSimulation({{P}, 0.1, P}, 1); })));
    CHECK(isOneSentence(refusal([&] { DifferentialSimulation({{identityMatrix(9), identityMatrix(9)}, 0.1, identityMatrix(9)}, 1); })));
    CHECK(isOneSentence(refusal([] { forwardDraw({{1, 1}, 0.1, 2}, {1, 1}, 1, 0); })));
    CHECK(isOneSentence(refusal([] { forwardDraw({{1}, 0.1, 2000000000}, {1, 1}, 1, 0); })));
    CHECK(isOneSentence(refusal([] { forwardDraw({{1}, 0.1, 2}, {}, 1, 0); })));
}

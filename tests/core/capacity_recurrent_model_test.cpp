#include "core/linear/linear_model.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/linear/subspace.h"
#include "support/linear_models.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

/// h_t = rec ∘ h_{t−1} + in y_t, ŷ = outᵀ h_n, run over unit pulses.
Vector slowResponse(Size n, Size c, const Vector& w) {
    Vector response(n);
    for (Size pulse = 0; pulse < n; ++pulse) {
        Vector h(c);
        for (Size t = 0; t < n; ++t)
            for (Size j = 0; j < c; ++j) h[j] = w[c + j] * h[j] + (t == pulse ? w[j] : 0);
        for (Size j = 0; j < c; ++j) response[pulse] += w[2 * c + j] * h[j];
    }
    return response;
}

Vector evenlySpaced(Size c) {
    Vector w(3 * c, 1.0);
    for (Size j = 0; j < c; ++j) w[c + j] = static_cast<double>(j + 1) / static_cast<double>(c + 1);
    return w;
}

}  // namespace

TEST_CASE("response, Jacobian and capacities are the reference's") {
    const auto c = reference("case_07_recurrent.json");
    Vector w;
    for (const char* part : {"win", "rec", "wout"})
        for (double value : c[part]) w.push_back(value);
    const RecurrentModel model(c["n"].get<Size>(), 2);
    CHECK(largestDifference(model.response(w), c["A_oldest_first"].get<Vector>()) < 1e-14);
    CHECK(largestDifference(model.jacobian(w), matrixFrom(c["J"])) < 1e-14);
    const auto K = constraints(model, w, InputCovariance(c["autocov"].get<Vector>()));
    CHECK(K.rank == c["kappa"].get<Size>());
    CHECK(largestDifference(capacityPerInput(K.basis), c["cpi_oldest_first"].get<Vector>()) < 1e-10);
}

TEST_CASE("the response is the recursion's, the Jacobian its derivative, the gradient Jᵀ times the slope") {
    for (const Size c : {1, 2, 5})
        for (const Size n : {1, 2, 12}) {
            const RecurrentModel model(n, c);
            const auto w = model.randomWeights(c + n);
            CHECK(largestDifference(model.response(w), slowResponse(n, c, w)) < 1e-13);
            const auto J = model.jacobian(w);
            CHECK(largestDifference(J, differenceJacobian(model, w, 1e-5)) < 1e-7);
            const auto slope = gaussianMatrix(n, 1, 5);
            CHECK(largestDifference(model.gradient(w, slope.values), slowProduct(transposed(J), slope).values) < 1e-12);
        }
}

TEST_CASE("exact ranks are min(n, 2c), in closed form and modulo 2³¹ − 1") {
    const auto reference07 = reference("case_05_generic_ranks.json");
    for (const auto& c : reference07["recurrent"]) {
        const RecurrentModel model(c["n"].get<Size>(), c["c"].get<Size>());
        CHECK(model.exactRank() == c["kappa"].get<Size>());
        CHECK(model.exactRank({0, 1, 2}) == c["kappa"].get<Size>());
        // Input and output weights move the same directions.
        CHECK(model.exactRank({0}) == std::min(model.length(), model.channels()));
        CHECK(model.exactRank({0, 2}) == std::min(model.length(), model.channels()));
        CHECK(model.exactRank(std::vector<Size>{}) == 0);
    }
}

TEST_CASE("the numerical rank is the exact one for few units and saturates for many") {
    const auto reference07 = reference("case_07_recurrent.json");
    for (const auto& row : reference07["numeric_rank_table"]) {
        const Size n = row["n"], c = row["c"], exact = row["exact"];
        const RecurrentModel model(n, c);
        CHECK(model.exactRank() == exact);
        const auto K = constraints(model, evenlySpaced(c), powerLaw(n));
        INFO("c = " << c << ": numerical rank " << K.rank);
        CHECK(K.rank <= exact);
        if (c <= 8) CHECK(K.rank == exact);
        if (c >= 16) CHECK(K.rank < exact);
        if (c >= 16) CHECK(std::abs(static_cast<double>(K.rank) - row["svd64"].get<double>()) <= 3);
        const auto capacity = capacityPerInput(K.basis);
        CHECK(sumOf(capacity) == doctest::Approx(static_cast<double>(K.rank)).epsilon(1e-12));
        for (double kappa : capacity) CHECK((kappa >= 0 && kappa <= 1 + 1e-12));
    }
}

TEST_CASE("constraints are orth(Σ J) while that is well conditioned, and ignore the units' scales") {
    const RecurrentModel model(12, 3);
    Vector w{0.3, -2, 1e-7, 0.9, 0.2, -0.5, 1, 1e-6, 2};
    const auto capacity = capacityPerInput(constraints(model, w, powerLaw(12)).basis);
    CHECK(sumOf(capacity) == doctest::Approx(6));
    const Vector balanced{1, 1, 1, 0.9, 0.2, -0.5, 1, 1, 1};
    CHECK(largestDifference(capacity, capacityPerInput(slowConstraints(model, balanced, powerLaw(12)))) < 1e-9);
    // A unit without output is moved by its output weight alone; one that is off on both sides by nothing.
    CHECK(constraints(model, {1, 1, 1, 0.9, 0.2, -0.5, 1, 1, 0}, powerLaw(12)).rank == 5);
    CHECK(constraints(model, {1, 1, 0, 0.9, 0.2, -0.5, 1, 1, 0}, powerLaw(12)).rank == 4);
    CHECK(constraints(model, {1, 1, 1, 0.9, 0.9, -0.5, 1, 1, 1}, powerLaw(12)).rank == 4);
    CHECK(constraints(model, Vector(9), powerLaw(12)).rank == 0);
    for (Size layer = 0; layer < 3; ++layer) CHECK(constraints(model, balanced, powerLaw(12), {layer}).rank == 3);
}

TEST_CASE("lengths, channels and weights out of range are refused in a sentence") {
    CHECK(isOneSentence(refusal([] { RecurrentModel(0, 1); })));
    CHECK(isOneSentence(refusal([] { RecurrentModel(5000, 1); })));
    CHECK(isOneSentence(refusal([] { RecurrentModel(4, 0); })));
    CHECK(isOneSentence(refusal([] { RecurrentModel(4, 257); })));
    const RecurrentModel model(200, 1);
    CHECK(isOneSentence(refusal([&] { model.response({1, 2}); })));
    CHECK(isOneSentence(refusal([&] { model.gradient({1, 2, 3}, {1}); })));
    CHECK(isOneSentence(refusal([&] { model.response({1, std::nan(""), 1}); })));
    // Powers that overflow.
    CHECK(isOneSentence(refusal([&] { constraints(model, {1, 1e10, 1}, powerLaw(200)); })));
}

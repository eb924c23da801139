// The augmented input space: both routes to the capacities of a linear layer agree, other layers have the reference's capacities, and
// the redrawn layer computes what the layer computes.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/capacity/augmented_space.h"
#include "support/matrices.h"
#include "support/report_checks.h"
#include "support/scene_runs.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

Report run(const Settings& settings) {
    std::vector<std::pair<std::string, Value>> values(settings.begin(), settings.end());
    return runRequest(requestWith(*findDeclaration("augmented-space"), std::move(values)));
}
double total(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

}  // namespace

TEST_CASE("the augmented route follows the blocks it is given, not the direct formula") {
    // A Σ̃ made of another Σ than the layer's: a route that used Σ would not notice.
    const Matrix P = randomFeatures(3, 4, false, 1), U = randomFreeDirections(4, 2, 1);
    const Matrix sigma = covarianceMatrix(Covariance::Random, 3, 5);
    const auto augmented = [&](const Matrix& s) {
        Matrix tilde(12, 12);
        for (Size r = 0; r < 12; ++r)
            for (Size c = 0; c < 12; ++c) tilde(r, c) = s(r % 3, c % 3);
        return augmentedCapacity(tilde, P, U).capacity;
    };
    CHECK(largestDifference(augmented(sigma), directCapacity(sigma, P, U).capacity) <= 1e-12);
    CHECK(largestDifference(augmented(sigma), directCapacity(identityMatrix(3), P, U).capacity) > 0.01);
    CHECK(largestDifference(augmented(identityMatrix(3)), directCapacity(identityMatrix(3), P, U).capacity) <= 1e-12);
    // And in the scene: with blocks that are not Σ repeated, the two routes part.
    for (const char* activation : {"relu", "abs", "tanh", "sigmoid", "pseudo-random", "leaky-relu"}) {
        CAPTURE(activation);
        CHECK(scalarOf(run({{"activation", activation}}), "difference") > 1e-5);
    }
}

TEST_CASE("the redrawn layer computes what the layer computes, for every activation and any input") {
    for (const char* activation : {"identity", "leaky-relu", "relu", "abs", "tanh", "hard-tanh", "sigmoid", "pseudo-random"})
        for (const char* sample : {"", "1,-2,0.5", "-3,3,3"}) {
            Settings settings{{"activation", activation}};
            if (*sample) settings.push_back({"sample", sample});
            CHECK(scalarOf(run(settings), "outputDifference") < 1e-14);
        }
}

TEST_CASE("an input given is the one shown, and a short list is filled up as drawn") {
    const auto drawn = arrayOf(run({}), "sample").values, given = arrayOf(run({{"sample", "1.5,-2"}}), "sample").values;
    CHECK(given == std::vector<double>{1.5, -2, drawn[2]});
    // z = 0 in a ReLU's kink: η is its left slope.
    const auto zero = arrayOf(run({{"sample", "0,0,0"}, {"activation", "relu"}}), "eta").values;
    CHECK(zero == std::vector<double>(4, 0.0));
    const auto poles = arrayOf(run({{"sample", "0,0,0"}, {"activation", "sigmoid"}}), "eta").values;
    for (const double eta : poles) CHECK(std::isnan(eta));
}

TEST_CASE("copies add up to inputs, blocks on the diagonal are Σ, and columns have norm 1 when asked") {
    for (const char* activation : {"identity", "relu", "tanh"}) {
        const Report report = run({{"activation", activation}, {"covariance", "ar1"}, {"inputs", "4"}});
        const auto &copies = arrayOf(report, "copies").values, &capacity = arrayOf(report, "capacity").values;
        const auto& tilde = arrayOf(report, "sigmaTilde");
        for (Size i = 0; i < 4; ++i) {
            CHECK(copies[i] + copies[4 + i] + copies[8 + i] + copies[12 + i] == doctest::Approx(capacity[i]).epsilon(1e-13));
            for (Size j = 0; j < 4; ++j)
                for (Size k = 0; k < 4; ++k)
                    CHECK(tilde.row(4 * j + i)[4 * j + k] ==
                          doctest::Approx(std::pow(0.6, std::abs(double(i) - double(k)))).epsilon(1e-13));
        }
        for (const double norm : arrayOf(report, "norms").values) CHECK(norm == doctest::Approx(1).epsilon(1e-14));
    }
    double furthest = 0;
    const auto norms = arrayOf(run({{"normalised", "false"}}), "norms").values;
    for (const double norm : norms) furthest = std::max(furthest, std::abs(norm - 1));
    CHECK(furthest > 0.2);
}

TEST_CASE("with more units than inputs a linear layer has the rank of its inputs, any other that of its learned directions") {
    CHECK(scalarOf(run({{"free", "4"}}), "total") == 3);
    const Report relu = run({{"free", "4"}, {"activation", "relu"}});
    CHECK(scalarOf(relu, "total") == 4);
    CHECK(scalarOf(relu, "totalDirect") == 3);
    CHECK(relu.summary.find("4 instead of 3") != std::string::npos);
}

TEST_CASE("exact blocks and Eq 14 differ for a ReLU, and agree where Eq 14 is exact") {
    const auto blocks = [](const char* activation, const char* form) {
        return arrayOf(run({{"activation", activation}, {"form", form}}), "sigmaTilde").values;
    };
    CHECK(largestDifference(blocks("relu", "exact"), blocks("relu", "eq14")) > 0.05);
    CHECK(largestDifference(blocks("identity", "exact"), blocks("identity", "eq14")) < 1e-14);
    CHECK(blocks("tanh", "exact") == blocks("tanh", "eq14"));
}

TEST_CASE("weights given are the ones taken, column by column, normalised when asked; a list of another size is not") {
    const std::string list = "3,0,0,0,2,0,0,0,1,1,1,1";
    const Report raw = run({{"weights", list}, {"normalised", "false"}}), unit = run({{"weights", list}});
    CHECK(arrayOf(raw, "weights").values == std::vector<double>{3, 0, 0, 0, 2, 0, 0, 0, 1, 1, 1, 1});
    CHECK(arrayOf(raw, "norms").values[3] == doctest::Approx(std::sqrt(3.0)));
    CHECK(arrayOf(unit, "weights").values[0] == 1);
    CHECK(arrayOf(unit, "weights").values[9] == doctest::Approx(1 / std::sqrt(3.0)));
    CHECK(scalarOf(raw, "difference") <= 1e-12);
    const Report other = run({{"weights", "1,2,3"}});
    CHECK(arrayOf(other, "weights").values == arrayOf(run({}), "weights").values);
    CHECK(warnsOf(other, "12 are needed"));
}

TEST_CASE("independent copies without weights take nothing, and a layer without weights has no capacity") {
    const Report one = run({{"weights", "0,0,0,1,0,0,0,1,0,0,0,1"}, {"activation", "pseudo-random"}, {"free", "4"}});
    CHECK(scalarOf(one, "total") == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(arrayOf(one, "copies").values[i] == 0);
    for (const char* activation : {"identity", "relu", "tanh", "sigmoid", "pseudo-random"}) {
        const Report none = run({{"weights", "0,0,0,0,0,0,0,0,0,0,0,0"}, {"activation", activation}});
        CHECK(scalarOf(none, "total") == 0);
        CHECK(total(arrayOf(none, "capacity").values) == 0);
    }
}

TEST_CASE("more learned directions than units are lowered, with a warning; words for numbers are refused") {
    CHECK(scalarOf(run({{"features", "2"}, {"free", "5"}}), "total") == 2);
    const auto& declaration = *findDeclaration("augmented-space");
    Values wanted;
    wanted.set("features", 2.0);
    wanted.set("free", 5.0);
    std::vector<std::string> warnings;
    CHECK(completeValues(declaration, wanted, warnings).number("free") == 2);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("free") != std::string::npos);
    CHECK_THROWS(parseValue(*declaration.param("sample"), "one"));
    CHECK_THROWS(parseValue(*declaration.param("sample"), "1,2,3,4,5,6,7,8,9"));
    CHECK_FALSE(parseValue(*declaration.param("sample"), "50").warning.empty());
}

// The augmented input space: both routes to the capacities of a linear layer agree, other layers have the reference's capacities, and
// the redrawn layer computes what the layer computes.
#include <doctest/doctest.h>

#include <cmath>

#include "support/scene_runs.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runRequest(requestOf("augmented-space", settings)); }

}  // namespace

TEST_CASE("with blocks that are not Σ repeated the augmented and the direct route part") {
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

TEST_CASE("with more units than inputs a linear layer has the rank of its inputs, any other that of its learned directions") {
    CHECK(scalarOf(run({{"free", "4"}}), "total") == 3);
    const Report relu = run({{"free", "4"}, {"activation", "relu"}});
    CHECK(scalarOf(relu, "total") == 4);
    CHECK(scalarOf(relu, "totalDirect") == 3);
    CHECK(relu.summary.find("4 instead of 3") != std::string::npos);
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
        for (const double capacity : arrayOf(none, "capacity").values) CHECK(capacity == 0);
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

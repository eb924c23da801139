#include <doctest/doctest.h>

#include "support/report_checks.h"
#include "support/scene_runs.h"

using namespace kappaflow;

namespace {

Settings on(const Settings& more) {
    Settings all{{"space", "grid"}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

Report runGrid(const Settings& more) { return runDiffusion(on(more)); }

std::vector<Settings> variants() {
    return {{},
            {{"filter", "cross"}, {"topIndex", "40"}},
            {{"edges", "zero"}, {"topIndex", "0"}, {"extent", "12"}},
            {{"edges", "zero"}, {"kernel", "random"}, {"shared", "false"}, {"extent", "9"}, {"channels", "2"}, {"draws", "3"}},
            {{"layer", "residual"}, {"filter", "cross"}, {"epsilon", "0.7"}, {"top", "block"}, {"blockWidth", "5"}},
            {{"layer", "differential"}, {"kernel", "triangle"}, {"taps", "5"}},
            {{"kernel", "random"}, {"channels", "4"}, {"channel", "3"}, {"extent", "16"}},
            {{"kernel", "random"}, {"shared", "false"}, {"extent", "10"}, {"layers", "6"}, {"channels", "2"}},
            {{"stride", "2"}, {"extent", "30"}, {"layers", "3"}},
            {{"top", "uniform"}, {"extent", "12"}, {"filter", "cross"}},
            {{"stride", "3"}, {"extent", "50"}, {"layers", "5"}, {"edges", "zero"}, {"kernel", "random"}},
            {{"dilation", "doubling"}, {"layers", "5"}, {"extent", "64"}},
            {{"top", "painted"}, {"extent", "20"}},
            {{"extent", "1"}, {"layers", "2"}},
            {{"extent", "2"}, {"taps", "5"}, {"kernel", "random"}}};
}

double totalVariationOf(const Array& a, const Array& b, std::size_t l) {
    double sum = 0;
    for (std::size_t i = 0; i < a.rowLength(); ++i) sum += std::abs(a.row(l)[i] - b.row(l)[i]) / 2;
    return sum;
}

}  // namespace

TEST_CASE("space=grid alone is a torus of 33 × 33: variance 2L/3 along both axes, equal to the theory's") {
    const auto report = runGrid({});
    CHECK(report.warnings.empty());
    CHECK(report.params.integer("extent") == 33);
    CHECK(scalarOf(report, "spread") == doctest::Approx(4).epsilon(1e-12));
    CHECK(scalarOf(report, "spreadY") == doctest::Approx(4).epsilon(1e-12));
    CHECK(scalarOf(report, "diffusionY") == doctest::Approx(1.0 / 3).epsilon(1e-12));
    CHECK(scalarOf(report, "driftY") == doctest::Approx(0));
    CHECK(scalarOf(report, "totalVariation") < 0.02);
    const auto& capacity = arrayOf(report, "capacity");
    REQUIRE(capacity.values.size() == 25 * 33 * 33);
    CHECK(capacity.axes[1].name == "y");
    CHECK(capacity.axes[2].name == "x");
    CHECK(capacity.row(24)[16 * 33 + 16] == 1);
    CHECK(arrayOf(report, "heights").values == std::vector<double>(25, 33));
    CHECK(arrayOf(report, "channelCounts").values == std::vector<double>(25, 1));
    CHECK(arrayOf(report, "variance").axes[1].keys == std::vector<std::string>{"y", "x"});
    for (std::size_t l = 0; l <= 24; ++l)
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const double expected = (24.0 - static_cast<double>(l)) * 2 / 3;
            CHECK(arrayOf(report, "variance").row(l)[axis] == doctest::Approx(expected).epsilon(1e-12));
            CHECK(arrayOf(report, "variancePredicted").row(l)[axis] == doctest::Approx(expected).epsilon(1e-12));
            CHECK(std::abs(arrayOf(report, "mean").row(l)[axis]) < 1e-12);
        }
    for (const double c : arrayOf(report, "covariance").values) CHECK(std::abs(c) < 1e-12);
    CHECK_FALSE(report.array("flowFrom"));
    CHECK_FALSE(report.array("channelCapacity"));
    CHECK(report.summary.find("±4 rows and ±4 columns") != std::string::npos);
}

TEST_CASE("a uniform grid's capacity and overlay are products of two rings'") {
    const auto plane = runGrid({{"layers", "7"}, {"topIndex", "5"}}),
               ring = runDiffusion({{"extent", "33"}, {"layers", "7"}, {"topIndex", "5"}}),
               first = runDiffusion({{"extent", "33"}, {"layers", "7"}, {"topIndex", "0"}});
    for (const char* name : {"capacity", "gaussian"}) {
        const auto &both = arrayOf(plane, name), &x = arrayOf(ring, name), &y = arrayOf(first, name);
        for (std::size_t l = 0; l <= 7; ++l)
            for (std::size_t i = 0; i < 33 * 33; ++i)
                CHECK(both.row(l)[i] == doctest::Approx(y.row(l)[i / 33] * x.row(l)[i % 33]).epsilon(1e-11));
    }
}

TEST_CASE("with edges=zero strides and borders are those of the line, along each axis") {
    const Settings shape{{"extent", "30"}, {"layers", "3"}, {"stride", "2"}};
    Settings gridShape = shape, lineShape = shape;
    gridShape.insert(gridShape.end(), {{"space", "grid"}, {"edges", "zero"}, {"topIndex", "5"}});  // row 1, column 1 of 4 × 4
    lineShape.insert(lineShape.end(), {{"space", "line"}, {"topIndex", "1"}});
    const auto plane = runDiffusion(gridShape), line = runDiffusion(lineShape);
    CHECK(arrayOf(plane, "widths").values == arrayOf(line, "widths").values);
    CHECK(arrayOf(plane, "heights").values == arrayOf(line, "widths").values);
    for (std::size_t l = 0; l <= 3; ++l) {
        const auto width = static_cast<std::size_t>(arrayOf(line, "widths").values[l]);
        const auto &both = arrayOf(plane, "capacity"), &one = arrayOf(line, "capacity");
        for (std::size_t y = 0; y < width; ++y)
            for (std::size_t x = 0; x < width; ++x)
                CHECK(both.row(l)[y * 30 + x] == doctest::Approx(one.row(l)[y] * one.row(l)[x]).epsilon(1e-12));
        for (const char* name : {"mean", "variance", "meanPredicted", "variancePredicted"})
            for (std::size_t axis = 0; axis < 2; ++axis)
                CHECK(arrayOf(plane, name).row(l)[axis] == doctest::Approx(arrayOf(line, name).values[l]).epsilon(1e-12));
    }
}

TEST_CASE("capacity plus what dead units keep is constant in two dimensions, and every report is well-formed") {
    for (const auto& settings : variants()) {
        const auto report = runGrid(settings);
        CAPTURE(report.summary);
        checkReport(*findDeclaration("capacity-diffusion"), report);
        const auto &capacity = arrayOf(report, "capacity"), &total = arrayOf(report, "total"), &kept = arrayOf(report, "unattributed");
        for (std::size_t l = 0; l < total.values.size(); ++l) {
            CHECK(std::abs(total.values[l] + kept.values[l] - 1) < 1e-12);
            CHECK(rowTotal(capacity, l) == doctest::Approx(total.values[l]).epsilon(1e-13));
            for (std::size_t i = 0; i < capacity.rowLength(); ++i) CHECK_FALSE(capacity.row(l)[i] < 0);
        }
        const auto &gaussian = arrayOf(report, "gaussian"), &start = arrayOf(report, "profileStart");
        const std::size_t last = total.values.size() - 1, side = start.axes[1].size();
        for (std::size_t i = 0; i < start.values.size(); ++i)
            CHECK(gaussian.row(last)[i / side * gaussian.axes[2].size() + i % side] == doctest::Approx(start.values[i]));
        const auto& variance = arrayOf(report, "variancePredicted");
        for (std::size_t l = 0; l < last; ++l) {
            const double gained = std::min(variance.row(l)[0] - variance.row(last)[0], variance.row(l)[1] - variance.row(last)[1]);
            const double mixed = arrayOf(report, "covariancePredicted").values[l];
            if (gained - std::abs(mixed) > 1.5) CHECK(rowTotal(gaussian, l) == doctest::Approx(1).epsilon(1e-8));
        }
    }
}

TEST_CASE("far from the edges a torus, zero padding, and moments followed in any way agree" * doctest::test_suite("long")) {
    const Settings base{{"extent", "31"}, {"layers", "6"}, {"kernel", "random"}, {"channels", "3"}, {"seed", "5"}};
    Settings zero = base, own = base, ownZero = base;
    zero.push_back({"edges", "zero"});
    own.push_back({"shared", "false"});
    ownZero = own;
    ownZero.push_back({"edges", "zero"});
    for (const auto& [wrapped, bounded] : {std::pair{base, zero}, {own, ownZero}}) {
        const auto a = runGrid(wrapped), b = runGrid(bounded);
        CHECK(totalVariationOf(arrayOf(a, "capacity"), arrayOf(b, "capacity"), 0) < 1e-13);
        for (const char* name : {"mean", "variance", "covariance"})
            for (std::size_t i = 0; i < arrayOf(a, name).values.size(); ++i)
                CHECK(std::abs(arrayOf(a, name).values[i] - arrayOf(b, name).values[i]) < 1e-11);
    }
}

TEST_CASE("a random kernel's mean, variance and covariance are what its shares predict when all positions share it") {
    const auto report = runGrid({{"kernel", "random"}, {"layers", "9"}, {"seed", "3"}});
    for (const auto& [measured, predicted] :
         {std::pair{"mean", "meanPredicted"}, {"variance", "variancePredicted"}, {"covariance", "covariancePredicted"}})
        for (std::size_t i = 0; i < arrayOf(report, measured).values.size(); ++i)
            CHECK(arrayOf(report, measured).values[i] == doctest::Approx(arrayOf(report, predicted).values[i]).epsilon(1e-10));
    CHECK(std::abs(arrayOf(report, "covariance").values[0]) > 0.01);
    CHECK(scalarOf(report, "totalVariation") < 0.1);
}

TEST_CASE("starts of a grid are products along both axes") {
    const auto block = runGrid({{"top", "block"}, {"blockWidth", "3"}, {"topIndex", "0"}, {"extent", "8"}, {"layers", "1"}});
    for (const std::size_t at : {0, 1, 7, 8, 9, 15, 56, 57, 63})
        CHECK(arrayOf(block, "profileStart").values[at] == doctest::Approx(1.0 / 9));
    CHECK(arrayOf(block, "variance").row(1)[0] == doctest::Approx(2.0 / 3));
    const auto even = runGrid({{"top", "uniform"}, {"extent", "8"}, {"layers", "1"}});
    CHECK(arrayOf(even, "profileStart").values == std::vector<double>(64, 1.0 / 64));
    CHECK(arrayOf(even, "capacity").row(0)[17] == doctest::Approx(1.0 / 64));
    const auto painted = runGrid({{"top", "painted"}, {"profile", "0,1,3"}, {"extent", "3"}, {"layers", "1"}});
    CHECK(arrayOf(painted, "profileStart").values[5] == doctest::Approx(0.25 * 0.75));
    CHECK(arrayOf(painted, "profileStart").values[8] == doctest::Approx(0.75 * 0.75));
    const auto named = runGrid({{"topIndex", "23"}, {"extent", "9"}, {"layers", "1"}});
    CHECK(arrayOf(named, "profileStart").values[2 * 9 + 5] == 1);
    CHECK(arrayOf(named, "capacity").row(0)[3 * 9 + 6] == doctest::Approx(1.0 / 9));
    CHECK(warnsOf(runGrid({{"topIndex", "16000"}, {"layers", "1"}}), "topIndex was lowered to 1088"));
}

TEST_CASE("a channel's capacity is its part of the sum") {
    const Settings settings{{"kernel", "random"}, {"channels", "3"}, {"extent", "9"}, {"layers", "4"}, {"draws", "2"}};
    std::vector<double> sum;
    for (const char* channel : {"0", "1", "2"}) {
        auto one = settings;
        one.push_back({"channel", channel});
        const auto report = runGrid(one);
        const auto& part = arrayOf(report, "channelCapacity").values;
        sum.resize(part.size());
        for (std::size_t i = 0; i < part.size(); ++i) sum[i] += part[i];
        CHECK(arrayOf(report, "channelCounts").values == std::vector<double>(5, 3));
    }
    const auto whole = runGrid(settings);
    for (std::size_t i = 0; i < sum.size(); ++i) CHECK(sum[i] == doctest::Approx(arrayOf(whole, "capacity").values[i]).epsilon(1e-12));
    auto beyond = settings;
    beyond.push_back({"channel", "3"});
    const auto report = runGrid(beyond);
    CHECK(warnsOf(report, "There is no channel 3: the last is 2."));
    CHECK_FALSE(report.array("channelCapacity"));
}

TEST_CASE("shares of a cross stand in the square around it") {
    const auto report = runGrid({{"filter", "cross"}, {"layers", "2"}, {"layer", "residual"}, {"epsilon", "0.5"}});
    const auto& shares = arrayOf(report, "kernelShares");
    CHECK(shares.axes[1].values == std::vector<double>{-1, 0, 1});
    REQUIRE(shares.values.size() == 18);
    const std::vector<double> expected{0, 0.125, 0, 0.125, 0.5, 0.125, 0, 0.125, 0};
    for (std::size_t k = 0; k < 9; ++k) CHECK(shares.values[k] == doctest::Approx(expected[k]));
    CHECK(arrayOf(report, "diffusionByLayer").row(0)[0] == doctest::Approx(0.5 * 0.5 * 0.5));
}

TEST_CASE("a diamond becomes a disc: the cross comes to its Gaussian as layers go by") {
    double last = 1;
    for (const char* layers : {"1", "4", "16", "64"}) {
        const double distance = scalarOf(runGrid({{"filter", "cross"}, {"extent", "65"}, {"layers", layers}}), "totalVariation");
        CHECK(distance < 0.6 * last);
        last = distance;
    }
    CHECK(last < 0.01);
}

TEST_CASE("the mean squared gradient of the real convolution lies where the capacity does" * doctest::test_suite("long")) {
    for (const char* filter : {"square", "cross"})
        for (const char* layer : {"plain", "residual"}) {
            const auto report = runGrid({{"filter", filter},
                                         {"layer", layer},
                                         {"kernel", "random"},
                                         {"extent", "7"},
                                         {"layers", "3"},
                                         {"channels", "2"},
                                         {"gradient", "true"},
                                         {"activation", "pseudo-random"},
                                         {"gradientSamples", "3000"}});
            const auto &gradient = arrayOf(report, "gradient"), &capacity = arrayOf(report, "capacity");
            CHECK(scalarOf(report, "gradientTotalVariation") < 0.06);
            double chi = 0;
            for (std::size_t i = 0; i < 49; ++i) {
                const double error = gradient.standardError[i];
                if (error > 0) chi += std::pow((gradient.values[i] - capacity.values[i]) / error, 2) / 49;
            }
            CHECK(chi < 2.5);
            for (std::size_t l = 0; l <= 3; ++l) CHECK(rowTotal(gradient, l) == doctest::Approx(1).epsilon(1e-12));
        }
}

TEST_CASE("ensembles: what one network has plus what centres wander, along each axis, with errors") {
    const auto report = runGrid({{"kernel", "random"}, {"extent", "21"}, {"layers", "5"}, {"draws", "300"}});
    const auto &variance = arrayOf(report, "variance"), &within = arrayOf(report, "varianceWithin");
    for (const auto& [axis, name] : {std::pair{std::size_t{0}, "centreWanderY"}, {std::size_t{1}, "centreWander"}}) {
        const auto* wander = report.scalar(name);
        REQUIRE(wander);
        CHECK(wander->draws == 300);
        // For normal means the standard deviation's error is s/√(2(n − 1)).
        REQUIRE(wander->standardError);
        CHECK(*wander->standardError / wander->value * std::sqrt(2.0 * 299) == doctest::Approx(1).epsilon(0.3));
        CHECK(variance.values[axis] == doctest::Approx(within.values[axis] + wander->value * wander->value * 299 / 300).epsilon(1e-9));
        // Any kernel's shares average to the uniform one's: 2/3 a layer.
        CHECK(std::abs(variance.values[axis] - 10.0 / 3) < 4 * variance.standardError[axis]);
    }
    CHECK(std::abs(arrayOf(report, "covariance").values[0]) < 4 * arrayOf(report, "covariance").standardError[0]);
    CHECK(report.scalar("spreadY")->standardError);
}

TEST_CASE("the wandering of centres on a ring has its error too: it is as far off as 40 ensembles say" * doctest::test_suite("long")) {
    double mean = 0, square = 0, claimed = 0;
    constexpr int kSeeds = 40;
    for (int seed = 1; seed <= kSeeds; ++seed) {
        const auto report =
            runDiffusion({{"kernel", "random"}, {"extent", "9"}, {"layers", "4"}, {"draws", "50"}, {"seed", std::to_string(seed)}});
        const auto* wander = report.scalar("centreWander");
        REQUIRE(wander->standardError);
        mean += wander->value / kSeeds;
        square += wander->value * wander->value / kSeeds;
        claimed += *wander->standardError / kSeeds;
    }
    const double seen = std::sqrt((square - mean * mean) * kSeeds / (kSeeds - 1));
    CHECK(claimed / seen > 0.7);
    CHECK(claimed / seen < 1.4);
}

TEST_CASE("weights of the convolutions printed with the report have a window in two dimensions") {
    auto request = diffusionRequest(on({{"kernel", "random"}, {"layers", "1"}, {"channels", "2"}, {"filter", "cross"}, {"extent", "5"}}));
    request.withNetwork = true;
    const auto report = runRequest(request);
    REQUIRE(report.network.size() == 1);
    CHECK(report.network[0].shape == std::vector<std::size_t>{2, 2, 3, 3});
    CHECK(report.network[0].weights[0] == 0);
    CHECK(report.network[0].weights[1] != 0);
}

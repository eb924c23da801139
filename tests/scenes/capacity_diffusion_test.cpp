#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "core/base/errors.h"
#include "scene/scene.h"
#include "support/followed.h"
#include "support/report_checks.h"
#include "support/scene_runs.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

// Every kind of network the scene draws or reads.
std::vector<Settings> variants() {
    return {{},
            {{"layer", "residual"}},
            {{"layer", "differential"}, {"epsilon", "1"}},
            {{"space", "line"}, {"topIndex", "2"}},
            {{"space", "line"}, {"layer", "residual"}, {"epsilon", "0.7"}, {"layers", "80"}},
            {{"kernel", "random"}, {"shared", "false"}, {"channels", "3"}},
            {{"kernel", "random"}, {"draws", "5"}, {"top", "block"}},
            {{"kernel", "triangle"}, {"stride", "2"}, {"layers", "4"}, {"extent", "100"}},
            {{"dilation", "doubling"}, {"layers", "14"}, {"extent", "300"}},
            {{"space", "dense"}, {"kernel", "random"}, {"extent", "12"}},
            {{"space", "dense"}, {"kernel", "triangle"}, {"layer", "residual"}, {"draws", "3"}},
            {{"extent", "700"}, {"layers", "200"}, {"taps", "7"}},
            {{"network", "shapes-classifier"}, {"topIndex", "3"}},
            {{"extent", "2"}, {"top", "uniform"}},
            {{"top", "painted"}}};
}

/// Of the capacity at the inputs: how many share it (e to the entropy), the largest share, where it lies, and how many there are.
void addInputs(const Report& r, Numbers& into) {
    const Array& capacity = *r.array("capacity");
    double whole = 0, entropy = 0, inputs = 0;
    std::size_t best = 0;
    for (std::size_t i = 0; i < capacity.rowLength(); ++i) {
        const double k = capacity.row(0)[i];
        if (!std::isfinite(k)) continue;
        whole += k, ++inputs;
        if (k > capacity.row(0)[best]) best = i;
    }
    for (std::size_t i = 0; i < capacity.rowLength(); ++i)
        if (const double k = capacity.row(0)[i] / whole; k > 0) entropy -= k * std::log(k);
    const std::size_t columns = capacity.axes.back().size();
    into.insert(into.end(),
                {std::exp(entropy), capacity.row(0)[best] / whole, static_cast<double>(best), static_cast<double>(best % columns),
                 static_cast<double>(best / columns), inputs, static_cast<double>(columns)});
    double starts = 0;
    for (std::size_t i = 0; i < capacity.rowLength(); ++i) starts += capacity.row(capacity.axes[0].size() - 1)[i] > 0;
    into.push_back(starts);
}

}  // namespace

const SummaryOf kSummary{"capacity-diffusion",
                         {{{"layers", "12"}},
                          {{{"draws", "20"}, {"kernel", "random"}}, {{"network", "strokes-cnn"}}},
                          {{"deviationWithin", Of::First},
                           {"total", Of::AxisEnd},
                           {"total", Of::First},
                           {"mean", Of::Errors},
                           {"mean", Of::First},
                           {"standardDeviation", Of::First},
                           {"standardDeviationPredicted", Of::First},
                           {"widths", Of::All}},
                          {{"stays 1 in every layer",
                            [](const Report& r) {
                                const auto& total = r.array("total")->values;
                                return std::all_of(total.begin(), total.end(), [](double t) { return std::abs(t - 1) < 1e-9; });
                            }}},
                          addInputs}};

TEST_CASE("the default scene is the diffusion of P1 Fig 4: variance 2L/3, equal to the theory's") {
    const auto report = runDiffusion({});
    CHECK(scalarOf(report, "spread") == doctest::Approx(4).epsilon(1e-12));
    CHECK(scalarOf(report, "drift") == doctest::Approx(0));
    CHECK(scalarOf(report, "diffusion") == doctest::Approx(1.0 / 3).epsilon(1e-12));
    CHECK(scalarOf(report, "totalVariation") < 0.01);
    const auto &variance = arrayOf(report, "variance"), &predicted = arrayOf(report, "variancePredicted");
    for (std::size_t l = 0; l <= 24; ++l) {
        CHECK(variance.values[l] == doctest::Approx((24.0 - static_cast<double>(l)) * 2 / 3).epsilon(1e-12));
        CHECK(variance.values[l] == doctest::Approx(predicted.values[l]).epsilon(1e-12));
    }
    CHECK(report.warnings.empty());
}

TEST_CASE("the Gaussian sums to 1 in every layer and its distance is at most 1, however little a layer spreads") {
    for (const char* space : {"ring", "line", "grid"})
        for (const char* epsilon : {"0", "0.001", "0.02", "0.1", "0.7"})
            for (const char* kernel : {"uniform", "random"}) {
                const auto report = runDiffusion(
                    {{"space", space}, {"extent", "17"}, {"layer", "residual"}, {"epsilon", epsilon}, {"layers", "2"}, {"kernel", kernel}});
                INFO(space, " ", epsilon, " ", kernel);
                const auto& gaussian = arrayOf(report, "gaussian");
                for (std::size_t l = 0; l <= 2; ++l)
                    CHECK(std::accumulate(gaussian.row(l), gaussian.row(l) + gaussian.rowLength(), 0.0) ==
                          doctest::Approx(1).epsilon(1e-9));
                CHECK(scalarOf(report, "totalVariation") <= 1);
            }
}

TEST_CASE("an even start stays even: its distance to the Gaussian is 0, not what rounding leaves") {
    for (const char* space : {"ring", "grid"}) CHECK(scalarOf(runDiffusion({{"space", space}, {"top", "uniform"}}), "totalVariation") == 0);
}

TEST_CASE("every report is well-formed, capacity plus what dead units keep is constant, and the edges of the flow carry it bin by bin") {
    for (const auto& settings : variants()) {
        const auto report = runDiffusion(settings);
        CAPTURE(report.summary);
        checkReport(*findDeclaration("capacity-diffusion"), report);
        const auto &capacity = arrayOf(report, "capacity"), &total = arrayOf(report, "total"), &kept = arrayOf(report, "unattributed");
        for (std::size_t l = 0; l < total.values.size(); ++l) {
            CHECK(std::abs(total.values[l] + kept.values[l] - 1) < 1e-12);
            CHECK(rowTotal(capacity, l) == doctest::Approx(total.values[l]).epsilon(1e-13));
            for (std::size_t i = 0; i < capacity.rowLength(); ++i) CHECK_FALSE(capacity.row(l)[i] < 0);
        }
        // What leaves a bin is its capacity, and what arrives is the capacity below.
        const auto& widths = arrayOf(report, "widths");
        const auto &from = arrayOf(report, "flowFrom"), &to = arrayOf(report, "flowTo"), &amount = arrayOf(report, "flowAmount"),
                   &offsets = arrayOf(report, "flowOffsets");
        const double size = arrayOf(report, "flowBinSize").values[0];
        CHECK(amount.values.size() <= 40000);
        for (std::size_t l = 1; l < offsets.values.size(); ++l) {
            std::map<double, double> left, arrived, above, below;
            for (auto e = static_cast<std::size_t>(offsets.values[l - 1]); e < static_cast<std::size_t>(offsets.values[l]); ++e) {
                left[from.values[e]] += amount.values[e];
                arrived[to.values[e]] += amount.values[e];
            }
            for (std::size_t x = 0; x < static_cast<std::size_t>(widths.values[l]); ++x)
                above[std::floor(static_cast<double>(x) / size)] += capacity.row(l)[x];
            for (std::size_t x = 0; x < static_cast<std::size_t>(widths.values[l - 1]); ++x)
                below[std::floor(static_cast<double>(x) / size)] += capacity.row(l - 1)[x];
            for (const auto& [bin, c] : above) CHECK(std::abs(left[bin] - c) < 1e-12);
            for (const auto& [bin, c] : below) CHECK(std::abs(arrived[bin] - c) < 1e-12);
        }
    }
}

TEST_CASE("every network's centre is reported, and how far they wander at every layer beside the width of one network") {
    const auto report = runDiffusion({{"kernel", "random"}, {"layers", "10"}, {"draws", "40"}});
    const auto centres = arrayOf(report, "centres"), wander = arrayOf(report, "centreWanderByLayer"),
               one = arrayOf(report, "deviationWithin");
    const auto mean = arrayOf(report, "mean"), variance = arrayOf(report, "variance"), within = arrayOf(report, "varianceWithin");
    REQUIRE(centres.axes[0].size() == 40);
    for (std::size_t l = 0; l <= 10; ++l) {
        double sum = 0, squares = 0;
        for (std::size_t n = 0; n < 40; ++n) sum += centres.row(n)[l];
        for (std::size_t n = 0; n < 40; ++n) squares += std::pow(centres.row(n)[l] - sum / 40, 2);
        CHECK(std::abs(mean.values[l] - sum / 40) < 1e-12);
        CHECK(std::abs(wander.values[l] - std::sqrt(squares / 39)) < 1e-12);
        CHECK(std::abs(one.values[l] - std::sqrt(within.values[l])) < 1e-12);
        CHECK(std::abs(variance.values[l] - within.values[l] - squares / 40) < 1e-10);
    }
    CHECK(wander.values[10] == 0);
    CHECK(scalarOf(report, "centreWander") == wander.values[0]);
    CHECK(*report.scalar("centreWander")->standardError == wander.standardError[0]);
    // About σ/√(2(n − 1)) for centres that are nearly Gaussian.
    CHECK(wander.standardError[0] / wander.values[0] == doctest::Approx(1 / std::sqrt(78.0)).epsilon(0.5));
    CHECK(report.summary.find("v = 0 holds on average") != std::string::npos);
    CHECK(arrayOf(runDiffusion({{"kernel", "random"}, {"draws", "80"}, {"layers", "3"}}), "centres").axes[0].size() == 60);
    CHECK_FALSE(runDiffusion({{"kernel", "random"}}).array("centres"));
}

TEST_CASE("starts are what their names say") {
    CHECK(arrayOf(runDiffusion({{"top", "uniform"}}), "profileStart").values == std::vector<double>(65, 1.0 / 65));
    const auto block = runDiffusion({{"top", "block"}, {"blockWidth", "3"}, {"topIndex", "0"}});
    CHECK(arrayOf(block, "profileStart").values[64] == doctest::Approx(1.0 / 3));  // a ring: the block goes round
    CHECK(arrayOf(block, "variance").values[24] == doctest::Approx(2.0 / 3));
    const auto line = runDiffusion({{"space", "line"}, {"top", "block"}, {"blockWidth", "3"}, {"topIndex", "0"}});
    CHECK(arrayOf(line, "profileStart").values[1] == doctest::Approx(0.5));
    const auto wide = runDiffusion({{"space", "line"}, {"top", "block"}, {"blockWidth", "2048"}, {"topIndex", "3"}});
    CHECK(arrayOf(wide, "profileStart").values == std::vector<double>(65, 1.0 / 65));
    const auto painted = runDiffusion({{"top", "painted"}, {"profile", "0,1,3"}, {"extent", "3"}});
    CHECK(arrayOf(painted, "profileStart").values == std::vector<double>{0, 0.25, 0.75});
    const auto shrunk = runDiffusion({{"top", "painted"}, {"profile", "0,8,0,0,2,2"}, {"extent", "3"}});
    CHECK(arrayOf(shrunk, "profileStart").values[0] == doctest::Approx(2.0 / 3));  // a peak between two units' middles is kept
    CHECK(arrayOf(shrunk, "profileStart").values[2] == doctest::Approx(1.0 / 3));
    CHECK(arrayOf(painted, "mean").values[24] == doctest::Approx(0));
    const auto empty = runDiffusion({{"top", "painted"}, {"profile", "0,0"}});
    CHECK(warnsOf(empty, "painted start is empty"));
    CHECK(arrayOf(empty, "profileStart").values[32] == 1);
    CHECK(warnsOf(runDiffusion({{"topIndex", "500"}}), "topIndex was lowered to 64"));
}

TEST_CASE("the gradient is scaled to 1 a layer, belongs to the same network, and comes with its error" * doctest::test_suite("long")) {
    for (const char* activation : {"relu", "tanh", "pseudo-random"}) {
        const auto report = runDiffusion({{"kernel", "random"},
                                          {"channels", "4"},
                                          {"layers", "6"},
                                          {"gradient", "true"},
                                          {"activation", activation},
                                          {"gradientSamples", "200"}});
        const auto& gradient = arrayOf(report, "gradient");
        for (std::size_t l = 0; l <= 6; ++l) CHECK(rowTotal(gradient, l) == doctest::Approx(1).epsilon(1e-12));
        CHECK(gradient.standardError.size() == gradient.values.size());
        CHECK(gradient.row(6)[32] == doctest::Approx(1));
        CHECK(scalarOf(report, "gradientTotalVariation") < 0.35);
    }
    SUBCASE("averaged over networks it comes to the capacity's profile") {
        const auto report = runDiffusion(
            {{"kernel", "random"}, {"channels", "4"}, {"layers", "6"}, {"gradient", "true"}, {"gradientSamples", "20"}, {"draws", "100"}});
        CHECK(scalarOf(report, "gradientTotalVariation") < 0.05);
    }
    SUBCASE("kernels of equal sizes get random signs") {
        const auto report = runDiffusion({{"channels", "8"}, {"layers", "5"}, {"gradient", "true"}, {"draws", "20"}});
        CHECK(scalarOf(report, "gradientTotalVariation") < 0.1);
        CHECK_FALSE(warnsOf(report, "stands for all"));
    }
}

TEST_CASE("the columns of the matrices in the report sum to 1 and carry the capacity down") {
    const auto report = runDiffusion({{"space", "dense"}, {"kernel", "random"}, {"extent", "9"}, {"layers", "3"}});
    const auto &shares = arrayOf(report, "shares"), &capacity = arrayOf(report, "capacity"), &offsets = arrayOf(report, "sharesOffsets");
    for (std::size_t l = 1; l <= 3; ++l) {
        const double* D = shares.values.data() + static_cast<std::size_t>(offsets.values[l - 1]);
        for (std::size_t i = 0; i < 9; ++i) {
            double below = 0, column = 0;
            for (std::size_t j = 0; j < 9; ++j) {
                below += D[i * 9 + j] * capacity.row(l)[j];
                column += D[j * 9 + i];
            }
            CHECK(below == doctest::Approx(capacity.row(l - 1)[i]).epsilon(1e-12));
            CHECK(column == doctest::Approx(1).epsilon(1e-14));
        }
    }
}

TEST_CASE("the report can carry the network: squaring its weights gives D again") {
    auto request = diffusionRequest({{"kernel", "random"}, {"layers", "2"}});
    request.withNetwork = true;
    const auto report = runRequest(request);
    REQUIRE(report.network.size() == 2);
    const auto& w = report.network[0].weights;
    CHECK(report.network[0].kind == "convolution");
    CHECK(report.network[0].shape == std::vector<std::size_t>{1, 1, 3});
    const auto& shares = arrayOf(report, "kernelShares");
    const double sum = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    for (std::size_t k = 0; k < 3; ++k) CHECK(shares.row(0)[k] == doctest::Approx(w[k] * w[k] / sum).epsilon(1e-9));
    CHECK(runDiffusion({}).network.empty());
}

TEST_CASE("what cannot take effect is said") {
    const std::pair<Settings, const char*> cases[] = {
        {{{"layer", "residual"}, {"stride", "2"}}, "stride was taken as 1"},
        {{{"layer", "residual"}, {"taps", "1"}}, "moves nothing"},
        {{{"draws", "7"}}, "stands for all 7"},
        {{{"extent", "2"}}, "wider than the ring"},
        {{{"space", "grid"}, {"extent", "2"}, {"layers", "1"}}, "wider than the torus"},
        {{{"space", "grid"}, {"layer", "residual"}, {"stride", "2"}, {"layers", "1"}}, "stride was taken as 1"},
        {{{"network", "shapes-classifier"}, {"extent", "30"}, {"layers", "5"}}, "extent, layers"},
    };
    for (const auto& each : cases) {
        INFO(each.second);
        CHECK(warnsOf(runDiffusion(each.first), each.second));
    }
    CHECK(runDiffusion({{"network", "shapes-classifier"}}).warnings.empty());
}

TEST_CASE("a file that is no network is refused in a sentence, at the latest when the computation starts") {
    auto request = diffusionRequest({{"network", "file"}});
    CHECK_THROWS_AS(runRequest(request), InputError);
    request.network = std::make_shared<Attachment>(Attachment{"noise.onnx", {1, 2, 3, 4}});
    CHECK_THROWS_AS(runRequest(request), InputError);
    request.network = std::make_shared<Attachment>(Attachment{"large.onnx", std::vector<unsigned char>(40u << 20)});
    CHECK_THROWS_WITH_AS(runRequest(request), doctest::Contains("The file \"large.onnx\" is damaged"), InputError);
    request.network = std::make_shared<Attachment>(Attachment{"empty.onnx", {}});
    CHECK_THROWS_WITH_AS(runRequest(request), "The file \"empty.onnx\" is empty.", InputError);
}

TEST_CASE("requests too large are refused with the param to lower") {
    const std::pair<Settings, const char*> cases[] = {
        {{{"channels", "64"}, {"extent", "2048"}, {"layers", "400"}, {"taps", "15"}}, "lower"},
        {{{"kernel", "random"}, {"draws", "1000"}, {"layers", "400"}, {"extent", "1024"}}, "draws"},
        {{{"layers", "400"}, {"extent", "512"}, {"gradient", "true"}, {"gradientSamples", "4096"}}, "gradientSamples"},
        {{{"kernel", "random"}, {"channels", "64"}, {"draws", "40"}, {"extent", "512"}, {"layers", "100"}}, "channels"},
        {{{"space", "grid"}, {"extent", "128"}, {"layers", "400"}}, "lower extent"},
        {{{"space", "grid"}, {"channels", "64"}, {"kernel", "random"}, {"shared", "false"}, {"extent", "64"}}, "lower channels"},
        {{{"space", "grid"}, {"channels", "64"}, {"extent", "64"}, {"taps", "15"}, {"layers", "100"}}, "lower channels"},
        {{{"space", "grid"}, {"kernel", "random"}, {"draws", "1000"}, {"channels", "16"}, {"extent", "64"}}, "lower"},
        {{{"space", "grid"}, {"gradient", "true"}, {"gradientSamples", "4096"}, {"extent", "100"}, {"layers", "20"}, {"channels", "4"}},
         "lower gradientSamples"},
    };
    for (const auto& [settings, culprit] : cases) CHECK_THROWS_WITH_AS(runDiffusion(settings), doctest::Contains(culprit), InputError);
}

TEST_CASE("partial reports of an ensemble are reports" * doctest::test_suite("long")) {
    const Request request =
        diffusionRequest({{"kernel", "random"}, {"channels", "8"}, {"draws", "60"}, {"gradient", "true"}, {"gradientSamples", "3"}});
    bool partial = false;
    const Report whole = follow(request, [&](const Report& report, double) {
        CHECK(report.status == Status::Partial);
        if (!report.array("capacity") || partial) return;
        partial = true;
        for (const auto& a : report.arrays) checkArray(*findDeclaration("capacity-diffusion"), a);
        CHECK(arrayOf(report, "total").values[0] == doctest::Approx(1));
    });
    CHECK(partial);
    CHECK(whole.status == Status::Ok);
}

#include <doctest/doctest.h>

#include <cmath>

#include "support/followed.h"
#include "support/scene_runs.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("signal-and-noise", settings); }

}  // namespace

const SummaryOf kSummary{
    "signal-and-noise",
    {{},
     {{{"gain", "0.5"}}},
     {},
     {{"it reduces noise", [](const Report& r) { return valueIn(r, "chi") < 1; }},
      {"it amplifies noise", [](const Report& r) { return valueIn(r, "chi") > 1; }},
      {"neither reduces nor amplifies noise", [](const Report& r) { return std::abs(valueIn(r, "chi") - 1) < 0.005; }}},
     [](const Report& r, Numbers& n) {
         for (const char* name : {"snrIn", "snrOut", "snrOutActual"}) n.push_back(10 * std::log10(valueIn(r, name)));
     }}};

TEST_CASE("signal-and-noise: a straight line has χ = 1 at any gain, and its noise comes out as it goes in") {
    for (const char* gain : {"0.1", "1", "10"}) {
        const Report report = run({{"net", "linear"}, {"gain", gain}, {"noise", "0.3"}});
        for (const char* name : {"chi", "chiFromJacobian", "chiActual"}) CHECK(scalarOf(report, name) == doctest::Approx(1).epsilon(1e-9));
        const auto &curve = arrayOf(report, "curve").values, &rescaling = arrayOf(report, "rescaling").values,
                   &noise = arrayOf(report, "noiseActual").values;
        for (std::size_t i = 0; i < curve.size(); ++i) {
            CHECK(curve[i] == doctest::Approx(rescaling[i]).epsilon(1e-9));
            CHECK(noise[i] == doctest::Approx(0.3 * std::stod(gain)).epsilon(1e-9));
        }
        CHECK(report.summary.find("neither reduces nor amplifies") != std::string::npos);
    }
}

TEST_CASE("signal-and-noise: folding amplifies, and the chart knows the same χ as the layer") {
    const Report report = run({{"activation", "abs"}, {"gain", "1"}});
    CHECK(scalarOf(report, "chi") == doctest::Approx(std::sqrt(1.04) / 0.2).epsilon(1e-5));
    CHECK(report.summary.find("amplifies noise") != std::string::npos);
    const Array& chart = arrayOf(report, "chiByGain");
    const auto &keys = chart.axes[0].keys, &activation = keys;
    const auto& gains = chart.axes[1].values;
    REQUIRE(keys.size() == 6);
    for (const std::size_t g : {0u, 16u, 32u})
        for (std::size_t a = 1; a < 6; ++a) {
            if (gains[g] != doctest::Approx(1) && activation[a] != "abs") continue;
            const Report one = run({{"activation", keys[a]}, {"gain", std::to_string(gains[g])}});
            CHECK(scalarOf(one, "chi") == doctest::Approx(chart.row(a)[g]).epsilon(1e-5));
        }
    for (const double chi : std::vector<double>(chart.row(0), chart.row(0) + gains.size())) CHECK(chi == doctest::Approx(1).epsilon(1e-10));
}

TEST_CASE("signal-and-noise: noise that stays among the inputs parts outputs no further than two independent ones") {
    const Report report =
        run({{"net", "batch-norm"}, {"activation", "relu"}, {"layers", "18"}, {"noise", "0.2"}, {"separation", "0"}, {"spread", "0.8"}});
    const double most = std::sqrt(2 * scalarOf(report, "snrIn"));
    for (const double actual : arrayOf(report, "layerChiActual").values) CHECK(actual < 1.1 * most);
    CHECK(scalarOf(report, "chi") > 2 * most);
}

TEST_CASE("signal-and-noise: where all inputs lie on flats nothing comes out, and that is said") {
    const Report report = run({{"activation", "hard-tanh"}, {"gain", "10"}, {"separation", "3"}, {"spread", "0.05"}, {"noise", "0.01"}});
    CHECK(scalarOf(report, "chi") == 0);
    CHECK_FALSE(report.scalar("snrOut"));
    CHECK_FALSE(report.scalar("noiseFactor"));
    CHECK(report.summary.find("no noise at all") != std::string::npos);
}

TEST_CASE("signal-and-noise: a curve that jumps between two points of the grid has no χ, and that is said") {
    const Report report = run({{"net", "batch-norm"}, {"width", "1"}, {"layers", "20"}, {"activation", "relu"}});
    CHECK_FALSE(report.scalar("chi"));
    CHECK_FALSE(report.scalar("snrOut"));
    CHECK_FALSE(report.scalar("noiseFactor"));
    CHECK(report.summary.find("steeper than the grid's step") != std::string::npos);
    CHECK(report.summary.find("reduces noise") == std::string::npos);
    const auto &chi = arrayOf(report, "layerChi").values, &chords = arrayOf(report, "layerChiFromJacobian").values;
    for (std::size_t l = 0; l <= 20; ++l) {
        CAPTURE(l);
        const bool defined = std::isfinite(chi[l]);
        CHECK(defined == (l <= 11));
        if (defined) CHECK(chi[l] == doctest::Approx(chords[l]).epsilon(0.3));
        CHECK(std::isfinite(chords[l]));
    }
}

TEST_CASE("signal-and-noise: words name the layer reached, the activation as the panel does, and no ratio that is rounding") {
    const Request request =
        requestOf("signal-and-noise", {{"net", "batch-norm"}, {"activation", "relu"}, {"layers", "6"}, {"width", "128"}});
    std::size_t partial = 0;
    const auto look = [&](const Report& report, double) {
        const std::size_t reached = report.array("layerChi")->values.size() - 1;
        CHECK(report.summary.find("After " + std::to_string(reached) + (reached == 1 ? " layer " : " layers ")) == 0);
        if (report.status == Status::Partial) ++partial;
    };
    const Report whole = follow(request, look);
    look(whole, 1);
    CHECK(partial > 3);
    CHECK(whole.message.empty());

    const Report line = run({{"activation", "relu"}, {"gain", "1"}});
    CHECK(line.summary.find("one layer of ReLU") != std::string::npos);
    const Report flat = run({{"gain", "10"}, {"separation", "3"}, {"spread", "0.05"}, {"noise", "0.01"}});
    CHECK(scalarOf(flat, "chi") > 0);
    CHECK(flat.summary.find("to beyond 200 dB to first order") != std::string::npos);
}

TEST_CASE("signal-and-noise: χ that is 1 to three digits neither reduces nor amplifies") {
    const Report nearly = run({{"activation", "tanh"}, {"gain", "0.1"}, {"separation", "0"}, {"spread", "0.4"}});
    CHECK(std::abs(scalarOf(nearly, "chi") - 1) < 1e-3);
    CHECK(std::abs(scalarOf(nearly, "chi") - 1) > 1e-8);
    CHECK(nearly.summary.find("neither reduces nor amplifies") != std::string::npos);
}

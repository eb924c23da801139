#include <doctest/doctest.h>

#include <cmath>

#include "core/moments/moment_theory.h"
#include "scenes/moments/random_nets_model.h"
#include "scenes/moments/sensitivity_theorems.h"
#include "support/complete_set.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Report run(Settings settings) {
    for (const auto& [key, text] : Settings{{"width", "24"}, {"layers", "8"}, {"samples", "24"}, {"draws", "6"}}) {
        bool given = false;
        for (const auto& setting : settings) given |= setting.first == key;
        if (!given) settings.emplace_back(key, text);
    }
    return runChecked("sensitivity-theorems", settings);
}

/// The first network of a report, to be propagated again.
MomentPropagation firstNetwork(const Report& report) {
    sensitivity_theorems::Params params;
    bindParams(sensitivity_theorems::kScene, report.params, &params);
    return random_nets::propagationOf(random_nets::setupOf(params), 0, {false, true});
}

double valueAt(const Report& report, const char* name, std::size_t layer) { return arrayOf(report, name).values[layer]; }

/// Mean ratio within `tolerance` of 1, whatever its standard error.
void checkRatio(const Report& report, const char* name, double tolerance) {
    const Scalar* ratio = report.scalar(name);
    REQUIRE(ratio);
    CAPTURE(name);
    CAPTURE(ratio->value);
    CAPTURE(*ratio->standardError);
    CHECK(std::abs(ratio->value - 1) < tolerance);
}

}  // namespace

const SummaryOf kSummary{"sensitivity-theorems",
                         {{{"width", "16"}, {"layers", "8"}, {"samples", "16"}, {"draws", "6"}},
                          {{{"net", "resnet"}, {"skipScale", "0"}, {"expectation", "channels"}}, {{"width", "1"}, {"layers", "30"}}},
                          {},
                          {{"% above", [](const Report& r) { return valueIn(r, "meanRatio") > 1; }},
                           {"% below", [](const Report& r) { return valueIn(r, "meanRatio") < 1; }},
                           {"equal to", [](const Report& r) { return std::abs(valueIn(r, "meanRatio") - 1) < 1e-6; }},
                           {"the variance of branches grows exponentially",
                            [](const Report& r) { return lastIn(r, "branchVariance") > 4 * r.array("branchVariance")->values[1]; }}},
                          [](const Report& r, Numbers& n) { n.push_back(100 * std::abs(valueIn(r, "meanRatio") - 1)); }}};

TEST_CASE("sensitivity-theorems: the theorem's value does not hang on the weights it predicts, unless it is asked to") {
    const Report fresh = run({{"draws", "1"}}), exact = run({{"draws", "1"}, {"expectation", "exact"}}),
                 channels = run({{"draws", "1"}, {"expectation", "channels"}});
    // One network: fresh weights, all weights and its own channels give three numbers near each other.
    for (std::size_t l = 1; l <= 8; ++l) {
        CHECK(valueAt(fresh, "deltaChi", l) == valueAt(exact, "deltaChi", l));
        CHECK(valueAt(fresh, "deltaChiTheorem", l) != valueAt(channels, "deltaChiTheorem", l));
        CHECK(valueAt(fresh, "deltaChiTheorem", l) == doctest::Approx(valueAt(exact, "deltaChiTheorem", l)).epsilon(0.08));
    }
    CHECK(scalarOf(exact, "firstStep") == valueAt(exact, "deltaChiTheorem", 1));
}

TEST_CASE("sensitivity-theorems: Theorem 2 lies between 1 and √2, and what it is the expectation of is met within its errors") {
    const Report report = run({{"expectation", "exact"}, {"draws", "60"}});
    for (std::size_t l = 1; l <= 8; ++l) {
        CHECK(valueAt(report, "deltaChiTheorem", l) > valueAt(report, "boundLow", l));
        CHECK(valueAt(report, "deltaChiTheorem", l) < valueAt(report, "boundHigh", l));
    }
    const Scalar* identity = report.scalar("varianceIdentity");
    REQUIRE(identity);
    CHECK(std::abs(identity->value - 1) < 4 * *identity->standardError);
    CHECK(identity->draws == 60);
    CHECK(report.scalar("deviation")->value ==
          doctest::Approx(std::abs(scalarOf(report, "meanRatio") - 1) / *report.scalar("meanRatio")->standardError));
}

TEST_CASE("sensitivity-theorems: without ε batch norm's term of the drawn channels is measured exactly, and the first step closed") {
    const Report report =
        run({{"net", "batch-norm"}, {"epsilon", "0"}, {"expectation", "channels"}, {"draws", "40"}, {"data", "low-rank"}});
    for (std::size_t l = 1; l <= 8; ++l)
        CHECK(valueAt(report, "deltaBatchNorm", l) == doctest::Approx(valueAt(report, "deltaBatchNormTheorem", l)).epsilon(1e-10));
    checkRatio(report, "meanRatioActivation", 0.02);
    // Both factors of the first step: low-rank data make batch norm's large.
    const Scalar* measured = report.scalar("firstStepMeasured");
    REQUIRE(measured);
    CHECK(scalarOf(report, "firstStep") > 1.4);
    CHECK(measured->value == doctest::Approx(scalarOf(report, "firstStep")).epsilon(0.12));
}

TEST_CASE("sensitivity-theorems: a unit's share follows from its inputs on either side of 0, in every kind of network") {
    for (const char* net : {"vanilla", "batch-norm", "resnet", "resnet-plain"}) {
        CAPTURE(net);
        const Report report = run({{"net", net}, {"layers", "4"}, {"weightScale", "0.7"}, {"biasVariance", "0.3"}});
        const Array &u = arrayOf(report, "preactivations"), &shares = arrayOf(report, "switching");
        for (std::size_t l = 0; l < 4; ++l)
            for (std::size_t c = 0; c < 12; ++c) {
                double above = 0, below = 0;
                for (std::size_t i = 0; i < 24; ++i) {
                    const double value = u.values[(l * 12 + c) * 24 + i];
                    (value > 0 ? above : below) += std::abs(value) / 24;
                }
                CHECK(2 * above * below / valueAt(report, "preactivationVariance", l) ==
                      doctest::Approx(shares.values[l * 24 + c]).epsilon(1e-9));
            }
    }
    CHECK(run({{"activation", "tanh"}}).array("preactivations") == nullptr);
}

TEST_CASE("sensitivity-theorems: branches of a ResNet have an ever smaller part of the variance, and without a skip all of it") {
    const Report skip = run({{"net", "resnet"}}), bare = run({{"net", "resnet"}, {"skipScale", "0"}, {"expectation", "channels"}});
    for (std::size_t l = 1; l <= 8; ++l) CHECK(valueAt(bare, "branchShare", l) == doctest::Approx(1));
    CHECK(valueAt(skip, "branchShare", 8) < 0.5 * valueAt(skip, "branchShare", 1));
    CHECK(run({}).array("branchShare") == nullptr);
}

TEST_CASE("sensitivity-theorems: a ResNet keeps between Eq 14's bounds and under its undiluted increments; without skip it has these") {
    const Report report = run({{"net", "resnet"}, {"draws", "10"}});
    for (std::size_t l = 2; l <= 8; ++l) {
        CHECK(valueAt(report, "deltaChiTheorem", l) < valueAt(report, "undiluted", l));
        CHECK(valueAt(report, "deltaChi", l) < 1.05 * valueAt(report, "boundHigh", l));
        CHECK(valueAt(report, "deltaChi", l) > 0.95 * valueAt(report, "boundLow", l));
    }
    CHECK(scalarOf(report, "exponentLow") < scalarOf(report, "exponentHigh"));
    checkRatio(report, "meanRatio", 0.02);
    const Report bare = run({{"net", "resnet"}, {"skipScale", "0"}, {"expectation", "channels"}});
    for (std::size_t l = 1; l <= 8; ++l) {
        CHECK(valueAt(bare, "deltaChi", l) == doctest::Approx(valueAt(bare, "undiluted", l)).epsilon(1e-9));
        CHECK(valueAt(bare, "deltaChiTheorem", l) == doctest::Approx(valueAt(bare, "deltaChi", l)).epsilon(1e-9));
    }
    CHECK(bare.array("boundLow") == nullptr);
}

TEST_CASE("sensitivity-theorems: Eq 14's bounds count the input as the zeroth branch, and hold every unit of wide ResNets" *
          doctest::test_suite("long")) {
    for (const char* data : {"gaussian", "spread"}) {
        CAPTURE(data);
        const Report report = run({{"net", "resnet"}, {"branch", "1"}, {"width", "256"}, {"layers", "40"}, {"draws", "3"}, {"data", data}});
        for (std::size_t l = 1; l <= 40; ++l)
            for (const char* name : {"deltaChi", "deltaChiTheorem"}) {
                CAPTURE(l);
                CHECK(valueAt(report, name, l) >= valueAt(report, "boundLow", l));
                CHECK(valueAt(report, name, l) <= valueAt(report, "boundHigh", l));
            }
        const double own = firstNetwork(report).layers().front().mu2;
        CHECK(valueAt(report, "branchVariance", 0) == doctest::Approx(own).epsilon(data == std::string("spread") ? 0.5 : 0.1));
        CHECK(scalarOf(report, "exponentLow") < scalarOf(report, "exponentHigh"));
    }
}

TEST_CASE("sensitivity-theorems: at the widths that the notes name the ratio of vanilla networks is 1.001 to 1.005") {
    const Report report = run({{"width", "64"}, {"layers", "30"}, {"draws", "40"}, {"samples", "32"}, {"expectation", "exact"}});
    const Scalar& ratio = *report.scalar("meanRatio");
    CHECK(ratio.value > 1.001 - 2 * *ratio.standardError);
    CHECK(ratio.value < 1.005 + 2 * *ratio.standardError);
    CHECK(*ratio.standardError < 0.002);
}

TEST_CASE("sensitivity-theorems: words say which average is meant and what the theorems do not say, and claim nothing that is not there") {
    struct Case {
        Settings settings;
        std::vector<const char*> says, conceals, missing;  ///< missing: fields
    };
    const Case cases[] = {
        {{{"expectation", "exact"}}, {"averaged over all weights, ", "standard errors"}, {}, {}},
        {{{"expectation", "exact"}, {"net", "batch-norm"}}, {"averaged over fresh weights, "}, {}, {}},
        {{{"draws", "2"}}, {}, {"standard errors"}, {"deviation"}},
        {{{"net", "resnet"}, {"skipScale", "0"}, {"expectation", "channels"}},
         {"on average equal to the dilution law of Theorem 4, averaged over the drawn channels."},
         {},
         {"deviation"}},
        {{{"net", "resnet-plain"}, {"skipScale", "0"}, {"layers", "4"}},
         {"without a skip there is nothing to dilute"},
         {"grows exponentially"},
         {}},
        {{{"net", "resnet-plain"}, {"layers", "4"}}, {"does not apply", "grows exponentially"}, {}, {"boundHigh", "exponentLow"}},
        {{{"activation", "tanh"}}, {"about the ReLU"}, {}, {"meanRatio"}},
        {{{"width", "1"}, {"draws", "5"}, {"layers", "30"}}, {"5 of 5 networks ended early (Every unit of layer "}, {}, {}}};
    for (const Case& c : cases) {
        const Report report = run(c.settings);
        CAPTURE(report.summary);
        for (const char* words : c.says) CHECK_MESSAGE(report.summary.find(words) != std::string::npos, words);
        for (const char* words : c.conceals) CHECK_MESSAGE(report.summary.find(words) == std::string::npos, words);
        for (const char* name : c.missing) CHECK_MESSAGE((!report.scalar(name) && !report.array(name)), name);
    }
}

// What the scene of moments says in words.
#include <doctest/doctest.h>

#include <algorithm>

#include "scenes/moments/moments_model.h"
#include "support/scene_runs.h"

using namespace kappaflow;

namespace {

Report runSmall(Settings settings) {
    for (const auto& [key, text] : Settings{{"width", "16"}, {"layers", "12"}, {"samples", "16"}, {"draws", "3"}, {"seed", "5"}})
        if (std::none_of(settings.begin(), settings.end(), [&, k = key](const auto& m) { return m.first == k; }))
            settings.emplace_back(key, text);
    return runChecked("moments", settings);
}

using random_nets::Net;

/// Four draws that end at layer 12 of 20, their numbers alike everywhere.
moments::Result endedEarly(Net net, double rate) {
    moments::Result r;
    r.layers = countUp(21);
    for (auto& curve : r.curves) curve.mean.values.assign(21, 2.0);
    r.drawn.push_back({net, 4, 4, "Every unit of layer 13 is off for every sample.", 12, 0});
    r.rate = r.exponent = Estimate{rate, 0, 4};
    return r;
}

}  // namespace

TEST_CASE("moments: networks that all end early are not called well-behaved, and units are not called layers") {
    const std::string vanilla = moments::summary({}, endedEarly(Net::Vanilla, 3e-17)),
                      plain = moments::summary({}, endedEarly(Net::ResnetPlain, 0.02));
    CHECK(vanilla.find("not pathological as far as layer 12") != std::string::npos);
    CHECK(vanilla.find("well-behaved") == std::string::npos);
    CHECK(vanilla.find("log χ changes by 0 a layer") != std::string::npos);
    CHECK(plain.find("At unit 12") == 0);
    CHECK(plain.find("as far as unit 12") != std::string::npos);
    CHECK(plain.find("by 0.02 a unit") != std::string::npos);
    CHECK(plain.find("before the last unit") != std::string::npos);
}

TEST_CASE("moments: nothing is said of nets before a draw of them is whole") {
    moments::Result begun = endedEarly(Net::Vanilla, 0.1);
    begun.drawn.push_back(begun.drawn[0]);
    begun.drawn[1].draws = 0;
    CHECK(moments::summary({}, begun).find("Beside it") == std::string::npos);
    begun.drawn[0].draws = 0;
    for (const std::size_t last : {0u, 5u}) {
        begun.drawn[0].last = last;
        CHECK(moments::summary({}, begun) == "The first draw is under way.");
    }
}

TEST_CASE("moments of a given network: a layer raises χ where the factor that is printed is not 1") {
    moments::Result given = endedEarly(Net::Vanilla, 0);
    given.layerKind.assign(21, 1.0);
    auto& increments = given.curves[static_cast<std::size_t>(moments::Quantity::DeltaChi)].mean.values;
    increments.assign(21, 0.9);
    increments[7] = 1.004;
    CHECK(moments::summary({}, given).find("; no layer raises it.") != std::string::npos);
    increments[7] = 1.006;
    CHECK(moments::summary({}, given).find("by a factor of 1.01, in layer 7 (dense)") != std::string::npos);
}

TEST_CASE("moments: a power law is claimed where there is one, and a fit needs three layers") {
    for (const char* scale : {"0", "0.5", "2"}) {
        const Report report = runSmall({{"net", "resnet"}, {"skipScale", scale}});
        CHECK(report.summary.find("to the power") == std::string::npos);
        CHECK(report.summary.find("log χ changes by") != std::string::npos);
        CHECK(report.scalar("exponentPredicted") == nullptr);
    }
    CHECK(runSmall({{"net", "resnet"}}).summary.find("to the power") != std::string::npos);
    const Report two = runSmall({{"layers", "2"}}), three = runSmall({{"layers", "3"}});
    CHECK(two.scalar("rate") == nullptr);
    CHECK(two.summary.find("there are too few layers for a fit") != std::string::npos);
    CHECK(three.scalar("rate") != nullptr);
}

TEST_CASE("moments: networks that die are counted out of the means and told") {
    const Report report = runChecked("moments", {{"width", "2"}, {"layers", "20"}, {"samples", "8"}, {"draws", "20"}});
    const auto& alive = arrayOf(report, "alive").values;
    CHECK(alive[0] == 20);
    CHECK(alive[20] < 10);
    for (std::size_t l = 1; l <= 20; ++l) CHECK(alive[l] <= alive[l - 1]);
    CHECK(report.summary.find("before the last layer") != std::string::npos);
    const Report narrow = runChecked("moments", {{"width", "1"}, {"layers", "30"}, {"samples", "2"}, {"draws", "3"}});
    CHECK(narrow.summary.find("3 of 3 draws end before the last layer") != std::string::npos);
    CHECK(narrow.summary.find("well-behaved") == narrow.summary.find("well-behaved or pathological"));
    const Report vanished =
        runChecked("moments", {{"weightScale", "0.25"}, {"biasVariance", "1"}, {"width", "16"}, {"layers", "60"}, {"draws", "2"}});
    CHECK(scalarOf(vanished, "pathology") == 1);
    CHECK(vanished.summary.find("zero variance") != std::string::npos);
}

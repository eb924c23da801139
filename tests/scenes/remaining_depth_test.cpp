#include <doctest/doctest.h>

#include <cmath>

#include "scenes/remaining_depth/model_run.h"
#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

const Settings kSmall{{"width", "8"}, {"layers", "4"}, {"samples", "60"}, {"epochs", "3"}, {"draws", "2"}, {"batch", "20"}};

}  // namespace

TEST_CASE("remaining-depth: the trained layer and what lies behind it learn as the whole network does with all else frozen") {
    const Request request = requestOf("remaining-depth", kSmall);
    Request complete = request;
    std::vector<std::string> warnings;
    complete.params = completeValues(*findDeclaration("remaining-depth"), request.params, warnings);
    const auto samples = digit_training::readSamples(complete);
    const Network network = digit_training::hardTanhNet(complete.params, samples.inputs(), samples.classes());
    TrainingSpec spec = digit_training::specOf(complete.params, {.kind = Optimiser::Momentum});
    for (std::size_t layer = 1; layer <= 3; ++layer) {
        CAPTURE(layer);
        auto behind = remaining_depth::trainedLayer(network, layer, samples, spec);
        TrainingSpec frozen = spec;
        frozen.frozen.assign(network.layers.size(), true);
        frozen.frozen[2 * layer] = false;
        Trainer whole(network, samples.train, frozen);
        for (int t = 0; t < 7; ++t) behind.trainer->step(), whole.step();
        CHECK(whole.network().layers[2 * layer].weights == behind.trainer->network().layers[0].weights);
        CHECK(whole.network().layers[2 * layer].weights != network.layers[2 * layer].weights);
        CHECK(whole.evaluate().loss == behind.trainer->evaluate().loss);
        CHECK(whole.outputs(samples.held.inputs).values == behind.trainer->outputs(behind.held.inputs).values);
        CHECK(behind.trainer->network().layers[2].weights == network.layers[2 * layer + 2].weights);
    }
}

TEST_CASE("remaining-depth: all layers begin alike and are trained equally") {
    const Report report = runChecked("remaining-depth", kSmall);
    const Array &train = arrayOf(report, "trainAccuracy"), &test = arrayOf(report, "testAccuracy");
    CHECK(train.axes[0].values == std::vector<double>{1, 2, 3});
    CHECK(arrayOf(report, "remainingDepth").values == std::vector<double>{2, 1, 0});
    for (std::size_t l = 1; l < 3; ++l) {
        CHECK(train.row(l)[0] == train.row(0)[0]);
        CHECK(test.row(l)[0] == test.row(0)[0]);
    }
    CHECK(train.row(0)[3] > train.row(0)[0]);
    CHECK(scalarOf(report, "parameters") == 72);
    double inversions = 0;
    for (std::size_t l = 1; l < 3; ++l) inversions += test.row(l)[3] > test.row(l - 1)[3];
    CHECK(scalarOf(report, "inversionsTest") == inversions);
}

TEST_CASE("remaining-depth: curves of all layers grow together") {
    const auto computation = startRequest(requestOf("remaining-depth", kSmall));
    std::size_t most = 0;
    while (computation->step()) {
        const Report report = computation->report();
        if (scalarOf(report, "draws") > 1) break;
        const Array& train = arrayOf(report, "trainAccuracy");
        std::size_t reached[3] = {};
        for (std::size_t l = 0; l < 3; ++l)
            while (reached[l] < 3 && !std::isnan(train.row(l)[reached[l] + 1])) ++reached[l];
        CHECK(reached[0] - reached[2] <= 1);
        most = std::max(most, reached[2]);
    }
    CHECK(most >= 2);
}

TEST_CASE("remaining-depth: a layer that diverges is named, and its curve ends") {
    Settings settings = kSmall;
    settings.insert(settings.end(), {{"learningRate", "1"}, {"weightVariance", "64"}, {"epochs", "40"}});
    const Report report = runRequest(requestOf("remaining-depth", settings));
    for (const auto& warning : report.warnings) CHECK(isOneSentence(warning));
}

TEST_SUITE("long") {
    TEST_CASE("remaining-depth: the lower the trained layer, the better, with at most one inversion over three draws (survey Fig 6)") {
        constexpr std::size_t kTrained = 7;
        std::vector<double> learnt(kTrained), held(kTrained);
        for (const char* seed : {"1", "2", "3"}) {
            // 60 steps an epoch: 1500 in all.
            const Report report = runChecked("remaining-depth", {{"width", "100"},
                                                                 {"layers", "8"},
                                                                 {"samples", "1500"},
                                                                 {"batch", "25"},
                                                                 {"epochs", "25"},
                                                                 {"draws", "1"},
                                                                 {"seed", seed}});
            for (std::size_t l = 0; l < kTrained; ++l) {
                learnt[l] += arrayOf(report, "trainAccuracy").row(l)[25] / 3;
                held[l] += arrayOf(report, "testAccuracy").row(l)[25] / 3;
            }
        }
        int inversions = 0;
        for (std::size_t l = 1; l < kTrained; ++l) inversions += learnt[l] > learnt[l - 1];
        CHECK(inversions <= 1);
        CHECK(learnt.front() > learnt.back() + 0.1);
        // Held-out shares are known to 0.015 only: neighbours may be out of order, the two lowest layers and the two highest may not.
        CHECK(held[0] + held[1] > held[5] + held[6]);
    }
}

#include <doctest/doctest.h>

#include <cmath>

#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "core/io/network_file.h"
#include "core/io/onnx.h"
#include "support/digit_learning.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

Report run(const Settings& settings) { return runChecked("transitions", settings); }

double lastOf(const Report& report, const char* name, std::size_t layer) { return arrayOf(report, name).row(0)[layer]; }

Request withFile(std::vector<unsigned char> bytes, Settings settings = {}) {
    settings.emplace_back("network", "file");
    Request request = requestOf("transitions", settings);
    request.network = std::make_shared<Attachment>(Attachment{"mine.onnx", std::move(bytes)});
    return request;
}

}  // namespace

const SummaryOf kSummary{"transitions",
                         {{{"width", "12"}, {"layers", "5"}, {"widths", "12"}, {"weightVariances", "4"}},
                          {{{"weightVariance", "0.25"}, {"weightVariances", "0.25"}, {"layers", "10"}},
                           {{"draws", "4"}},
                           {{"pieces", "100"}, {"weightVariance", "64"}}},
                          {{"length", Of::All}, {"transitions", Of::All}, {"predicted", Of::All}, {"exactLayers", Of::First}},
                          {{"transitions rise by", [](const Report& r) { return valueIn(r, "slope") >= 0; }},
                           {"transitions fall by", [](const Report& r) { return valueIn(r, "slope") < 0; }},
                           {"more pieces than the limit",
                            [](const Report& r) {
                                const auto& layers = r.array("exactLayers")->values;
                                return *std::min_element(layers.begin(), layers.end()) <
                                       static_cast<double>(r.array("length")->axes[1].size() - 1);
                            }}},
                          [](const Report& r, Numbers& n) { n.push_back(-valueIn(r, "slope")); }}};

TEST_CASE("transitions: the drawn network's curve is the one that a sweep finds") {
    const Report report = run({{"width", "16"}, {"widths", "16"}, {"weightVariances", "4"}, {"layers", "6"}, {"seed", "9"}});
    CHECK(arrayOf(report, "curveWidth").values.size() == 1);
    const GrowthSetting setting{Activation::HardTanh, 0.2, 16, 4, 0.01};
    const auto layers = randomLayers(setting, 6, 9);
    const RandomEnds ends = randomEnds(16, 9);
    const auto passages = sweepTrajectory(layers, arcCurve(ends.x0, ends.x1, 0, std::acos(-1.0) / 2));
    for (std::size_t l = 0; l <= 6; ++l) {
        CHECK(lastOf(report, "length", l) == doctest::Approx(passages[l].length).epsilon(1e-12));
        CHECK(lastOf(report, "pieces", l) == static_cast<double>(passages[l].pieces));
        if (l == 0) continue;
        CHECK(lastOf(report, "transitions", l) * 16 == doctest::Approx(passages[l].signTransitions));
        CHECK(lastOf(report, "saturations", l) * 16 == doctest::Approx(passages[l].transitions));
    }
    CHECK(std::isnan(lastOf(report, "transitions", 0)));
}

TEST_CASE("transitions: a unit changes sign on average within 5 % of the angular length over π, with the reference's numbers" *
          doctest::test_suite("long")) {
    // k = 64, σ_w² = 4, no biases, 10 draws of 64 units a layer: about 4 % in the first layer, less where there are more transitions.
    const Report report = run({{"width", "64"},
                               {"widths", "64"},
                               {"weightVariances", "4"},
                               {"layers", "8"},
                               {"biasVariance", "0"},
                               {"draws", "10"},
                               {"seed", "2"}});
    const double reference[] = {0.512, 0.738, 0.963, 1.32, 1.77, 2.37, 3.16, 4.23};
    const auto &transitions = arrayOf(report, "transitions"), &predicted = arrayOf(report, "predicted");
    double counted = 0, expected = 0;
    for (std::size_t l = 1; l <= 8; ++l) {
        CAPTURE(l);
        counted += transitions.values[l];
        expected += predicted.values[l];
        CHECK(std::abs(transitions.values[l] - predicted.values[l]) < 4 * transitions.standardError[l] + 1e-12);
        CHECK(predicted.values[l] == doctest::Approx(reference[l - 1]).epsilon(0.12));
        CHECK(arrayOf(report, "saturations").values[l] == doctest::Approx(arrayOf(report, "saturationsPredicted").values[l]).epsilon(0.1));
    }
    CHECK(counted == doctest::Approx(expected).epsilon(0.05));
    CHECK(report.scalar("slope")->value == doctest::Approx(0.048).epsilon(0.05));
    CHECK(report.scalar("slopePredicted")->value == doctest::Approx(0.0479).epsilon(2e-3));
    CHECK(report.scalar("r2")->value > 0.99);
    const auto &pieces = arrayOf(report, "pieces"), &expectedPieces = arrayOf(report, "piecesPredicted");
    for (std::size_t l = 1; l <= 8; ++l) CHECK(std::abs(pieces.values[l] - expectedPieces.values[l]) < 4 * pieces.standardError[l]);
}

TEST_CASE("transitions: mean-field slopes are the reference's for every width and variance") {
    const Report report =
        run({{"width", "64"}, {"widths", "64,256,16"}, {"weightVariances", "16,8"}, {"layers", "1"}, {"biasVariance", "0"}});
    const auto &widths = arrayOf(report, "curveWidth").values, &variances = arrayOf(report, "curveWeightVariance").values,
               &slopes = arrayOf(report, "slopesPredicted").values;
    const double expected[][3] = {{64, 4, 0.0479}, {64, 16, 0.0430}, {256, 16, 0.0215}, {16, 8, 0.0894}};
    for (const auto& row : expected)
        for (std::size_t c = 0; c < widths.size(); ++c)
            if (widths[c] == row[0] && variances[c] == row[1]) CHECK(slopes[c] == doctest::Approx(row[2]).epsilon(3e-3));
    CHECK(widths.size() == 7);
}

TEST_CASE("transitions: the turning unit's counts and places agree, and its quarter turns are units of the next layer") {
    const Report report = run({{"width", "12"}, {"widths", "12"}, {"weightVariances", "8"}, {"weightVariance", "8"}, {"layers", "5"}});
    const auto &counts = arrayOf(report, "turnTransitions"), &places = arrayOf(report, "turnCrossings"),
               &offsets = arrayOf(report, "turnCrossingsOffsets"), &pair = arrayOf(report, "pair");
    const auto& t = pair.axes[1].values;
    REQUIRE(counts.values.size() == 6 * 24);
    for (std::size_t i = 0; i < counts.values.size(); ++i) {
        const auto from = static_cast<std::size_t>(offsets.values[i]), to = static_cast<std::size_t>(offsets.values[i + 1]);
        CHECK(static_cast<double>(to - from) == counts.values[i]);
        for (std::size_t c = from; c < to; ++c) CHECK((places.values[c] > 0 && places.values[c] < t.back()));
    }
    // What the drawn points see of unit 1 (turn 0) and unit 2 (turn 12) is at most what there is, and of the same parity.
    for (std::size_t l = 0; l < 6; ++l)
        for (std::size_t unit = 0; unit < 2; ++unit) {
            int seen = 0;
            for (std::size_t i = 1; i < t.size(); ++i) seen += (pair.row(l)[2 * i + unit] > 0) != (pair.row(l)[2 * i - 2 + unit] > 0);
            const double exact = counts.row(l)[unit == 0 ? 0 : 12];
            CHECK(seen <= exact);
            CHECK(std::fmod(exact - seen, 2) == 0);
        }
    for (const double share : arrayOf(report, "planeShare").values) CHECK((share > 0 && share <= 1 + 1e-12));
    CHECK(arrayOf(report, "planeShare").values[0] == doctest::Approx(1));
}

TEST_CASE("transitions: for ReLU sign changes are the changes of piece, and without growth lengths stay") {
    const Report report = run({{"activation", "relu"}, {"weightVariance", "2"}, {"weightVariances", "2"}, {"biasVariance", "0"}});
    for (std::size_t l = 1; l <= 10; ++l) {
        CHECK(lastOf(report, "transitions", l) == lastOf(report, "saturations", l));
        CHECK(lastOf(report, "predicted", l) == lastOf(report, "saturationsPredicted", l));
    }
}

TEST_CASE("transitions: a curve whose next image is over the limit ends there, which is said") {
    const Report report = run({{"pieces", "150"}, {"layers", "12"}});
    const auto& exact = arrayOf(report, "exactLayers").values;
    const auto& transitions = arrayOf(report, "transitions");
    for (std::size_t c = 0; c < exact.size(); ++c) {
        CHECK(exact[c] < 12);
        const auto last = static_cast<std::size_t>(exact[c]);
        CHECK(arrayOf(report, "pieces").row(c)[last] <= 150);
        CHECK(std::isnan(transitions.row(c)[last + 1]));
    }
    CHECK(arrayOf(report, "image").axes[0].size() == static_cast<std::size_t>(exact[0]) + 1);
    CHECK(report.summary.find("more pieces than the limit") != std::string::npos);
}

TEST_CASE("transitions: points are as many as the longest image asks for, and no step along it is long") {
    const Report report = run({{"weightVariance", "16"}, {"width", "32"}, {"layers", "7"}, {"widths", "32"}, {"weightVariances", "16"}});
    const auto &image = arrayOf(report, "image"), &length = arrayOf(report, "length"), &share = arrayOf(report, "planeShare");
    const auto& t = image.axes[1].values;
    REQUIRE(t.size() > 1500);
    const auto points = static_cast<double>(t.size());
    CHECK(points == std::floor(std::clamp(60 * *std::max_element(length.row(0), length.row(0) + 8) / length.values[0], 400.0, 2400.0)));
    for (std::size_t i = 1; i < t.size(); ++i) CHECK(t[i] > t[i - 1]);
    CHECK(t.front() == 0);
    CHECK(t.back() == doctest::Approx(std::acos(-1.0) / 2));
    for (std::size_t l = 0; l <= 7; ++l) {
        CAPTURE(l);
        double longest = 0;
        for (std::size_t i = 1; i < t.size(); ++i)
            longest = std::max(
                longest, std::hypot(image.row(l)[2 * i] - image.row(l)[2 * i - 2], image.row(l)[2 * i + 1] - image.row(l)[2 * i - 1]));
        // Spread evenly every step would be one of so many parts of the length; a third of them are spread evenly over t, and layers share
        // the others.
        CHECK(longest < 12 * length.values[l] / points);
        CHECK(share.values[l] > 0.05);
    }
}

TEST_CASE("transitions: a pair of pre-activations is what the next layer makes of the curve") {
    const Report report = run({{"width", "16"}, {"widths", "16"}, {"weightVariances", "4"}, {"layers", "3"}, {"seed", "9"}});
    const auto layers = randomLayers({Activation::HardTanh, 0.2, 16, 4, 0.01}, 4, 9);
    const RandomEnds ends = randomEnds(16, 9);
    const Array& pair = arrayOf(report, "pair");
    for (std::size_t i = 0; i < pair.axes[1].size(); i += 37) {
        const double t = pair.axes[1].values[i];
        std::vector<double> z;
        for (std::size_t u = 0; u < 16; ++u) z.push_back(std::cos(t) * ends.x0[u] + std::sin(t) * ends.x1[u]);
        for (std::size_t l = 0; l < 4; ++l) {
            std::vector<double> h(layers[l].bias);
            for (std::size_t j = 0; j < 16; ++j)
                for (std::size_t u = 0; u < 16; ++u) h[u] += layers[l].weights[j * 16 + u] * z[j];
            for (std::size_t u = 0; u < 2; ++u) CHECK(pair.row(l)[2 * i + u] == doctest::Approx(h[u]).epsilon(1e-9));
            for (std::size_t u = 0; u < 16; ++u) z[u] = std::min(std::max(h[u], -1.0), 1.0);
        }
    }
}

TEST_CASE("transitions: through a given network lengths, patterns and changes are the exact sweep's, its last layer only reads") {
    const auto layers = curveLayers(readNetwork(sampleNetworkBytes("shapes-classifier"), "shapes-classifier"));
    const RandomEnds ends = randomEnds(64, 5);
    const auto passages = sweepTrajectory(layers, arcCurve(ends.x0, ends.x1, 0, std::acos(-1.0) / 2));
    const Report report = run({{"network", "shapes-classifier"}, {"seed", "5"}});
    const std::size_t hidden = layers.size() - 1;
    REQUIRE(arrayOf(report, "length").values.size() == hidden + 1);
    CHECK(arrayOf(report, "exactLayers").values == std::vector<double>{static_cast<double>(hidden)});
    for (std::size_t l = 0; l <= hidden; ++l) {
        CHECK(lastOf(report, "length", l) == doctest::Approx(passages[l].length).epsilon(1e-12));
        CHECK(lastOf(report, "pieces", l) == static_cast<double>(passages[l].pieces));
        if (l == 0) continue;
        const double units = static_cast<double>(layers[l - 1].out);
        CHECK(lastOf(report, "transitions", l) * units == doctest::Approx(passages[l].signTransitions));
        CHECK(lastOf(report, "saturations", l) * units == doctest::Approx(passages[l].transitions));
    }
    // Turn 0 is unit 1 of the layer that reads: its exact sign changes.
    std::vector<CurveLayer> first(layers.begin(), layers.begin() + 1);
    TrajectorySweep sweep(first, arcCurve(ends.x0, ends.x1, 0, std::acos(-1.0) / 2), {});
    while (sweep.advance()) continue;
    const auto& signs = sweep.crossings()[0].signs;
    const auto own = std::count_if(signs.begin(), signs.end(), [](const CurveTransition& t) { return t.unit == 0; });
    CHECK(arrayOf(report, "turnTransitions").row(0)[0] == static_cast<double>(own));
}

TEST_CASE("transitions: a file of random Gaussian layers is predicted as a drawn one is, width by width") {
    // 10 trajectories through 100 and 40 units: their means are within 4 of their own standard errors, and 6 % for units that are shared.
    const Report report = runRequest(withFile(writeOnnx(denseNet({60, 100, 40, 5}, Activation::Relu, 4, 3)), {{"draws", "10"}}));
    checkReport(*findDeclaration("transitions"), report);
    const auto &counted = arrayOf(report, "transitions"), &predicted = arrayOf(report, "predicted");
    for (std::size_t l = 1; l <= 2; ++l)
        CHECK(std::abs(counted.values[l] - predicted.values[l]) < 4 * counted.standardError[l] + 0.15 * predicted.values[l]);
    CHECK(arrayOf(report, "saturations").values[2] == counted.values[2]);
}

TEST_CASE("transitions: networks whose transitions cannot be counted are refused in one sentence") {
    const auto convolutional = sampleNetworkBytes("strokes-cnn");
    const std::pair<std::vector<unsigned char>, const char*> bads[] = {
        {writeOnnx(denseNet({4, 8, 8, 2}, Activation::Tanh, 4, 3)), "tanh behind dense layer 1 of this network has none"},
        {writeOnnx(denseNet({4, 2}, Activation::Relu, 4, 3)), "2 to 17 dense layers, and this network has 1"},
        {{convolutional.begin(), convolutional.end()}, "Layer 1 (\"conv1\") of the network is neither dense nor an activation"},
        {{1, 2, 3}, "mine.onnx"}};
    for (const auto& bad : bads) {
        const std::string sentence = refusal([&] { runRequest(withFile(bad.first)); });
        CAPTURE(sentence);
        CHECK(isOneSentence(sentence));
        CHECK(sentence.find(bad.second) != std::string::npos);
    }
    CHECK(isOneSentence(refusal([] { runRequest(requestOf("transitions", {{"network", "file"}})); })));
}

TEST_CASE("transitions: a wide network over the limits is followed as far as they reach, and its cost is admitted" *
          doctest::test_suite("long")) {
    const Report report = runRequest(withFile(writeOnnx(denseNet({20, 600, 600, 600, 600, 3}, Activation::HardTanh, 4, 3))));
    CHECK(report.status == Status::Ok);
    CHECK(arrayOf(report, "exactLayers").values[0] >= 1);
}

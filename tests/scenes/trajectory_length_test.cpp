// Trajectory length: what the report says of length, growth and theory, against the core and the spec's numbers.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "core/io/network_file.h"
#include "support/followed.h"
#include "support/onnx_writer.h"
#include "support/report_checks.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

Report run(std::vector<std::pair<std::string, Value>> settings) {
    return runRequest(requestWith(*findDeclaration("trajectory-length"), std::move(settings)));
}

/// A small network without the growth charts.
Report runSmall(std::vector<std::pair<std::string, Value>> settings) {
    std::vector<std::pair<std::string, Value>> all{{"width", 20.0}, {"layers", 6.0}, {"sweepDraws", 0.0}};
    all.insert(all.end(), settings.begin(), settings.end());
    return run(std::move(all));
}

Request requestWithFile(std::vector<unsigned char> bytes, std::vector<std::pair<std::string, Value>> settings = {}) {
    settings.push_back({"network", std::string("file")});
    Request request = requestWith(*findDeclaration("trajectory-length"), std::move(settings));
    request.network = std::make_shared<Attachment>(Attachment{"mine.onnx", std::move(bytes)});
    return request;
}

/// `depth` layers z → scale·z of four units, and no activation.
onnx_writer::Model scalingNetwork(int depth, double scale) {
    Vector weights(16);
    for (Size i = 0; i < 4; ++i) weights[5 * i] = scale;
    onnx_writer::Model model{
        {}, {onnx_writer::tensor("w", {4, 4}, weights)}, {onnx_writer::valueInfo("x", {-1, 4})}, {onnx_writer::valueInfo("y", {-1, 4})}};
    const auto name = [&](int l) { return l == 0 ? "x" : l == depth ? "y" : "z" + std::to_string(l); };
    for (int l = 0; l < depth; ++l)
        model.nodes.push_back(onnx_writer::node("Gemm", "fc" + std::to_string(l), {name(l), "w"}, {name(l + 1)}, {}));
    return model;
}

}  // namespace

const SummaryOf kSummary{
    "trajectory-length",
    {{{"width", "12"}, {"layers", "5"}, {"sweepDraws", "0"}},
     {{{"draws", "8"}}, {{"width", "2"}, {"weightVariance", "100"}, {"draws", "8"}, {"layers", "30"}}, {{"pieces", "20"}}},
     {{"pieces", Of::Last}},
     {{"does not grow", [](const Report& r) { return valueIn(r, "heGrowth") < 1; }},
      {"nothing is left", [](const Report& r) { return lastIn(r, "length") == 0; }}}}};

TEST_CASE("lengths, pieces and transitions are the exact sweep's, for arcs, lines and what is drawn") {
    const auto layers = randomLayers({Activation::HardTanh, 0.2, 20, 4, 0.01}, 6, 1);
    const RandomEnds ends = randomEnds(20, 1);
    Vector corners;
    for (const auto& [a, b] : {std::pair{1.0, 0.0}, {0.5, 0.5}, {-0.5, 1.0}})
        for (Size u = 0; u < 20; ++u) corners.push_back(a * ends.x0[u] + b * ends.x1[u]);
    const struct {
        std::vector<std::pair<std::string, Value>> settings;
        CurvePieces curve;
    } cases[] = {{{{"span", 90.0}}, arcCurve(ends.x0, ends.x1, 0, std::numbers::pi / 2)},
                 {{{"start", 30.0}, {"span", 270.0}}, arcCurve(ends.x0, ends.x1, std::numbers::pi / 6, std::numbers::pi * 5 / 3)},
                 {{{"trajectory", std::string("line")}}, segmentCurve(ends.x0, ends.x1)},
                 {{{"trajectory", std::string("drawn")}, {"path", Vector{1, 0, 0.5, 0.5, -0.5, 1}}}, polylineCurve(corners, 20)}};
    for (const auto& c : cases) {
        const Report report = runSmall(c.settings);
        const auto passages = sweepTrajectory(layers, c.curve);
        const Array &length = arrayOf(report, "length"), &pieces = arrayOf(report, "pieces"), &transitions = arrayOf(report, "transitions");
        CHECK(scalarOf(report, "exactLayers") == 6);
        for (Size l = 0; l <= 6; ++l) {
            CHECK(length.values[l] == doctest::Approx(passages[l].length).epsilon(1e-12));
            CHECK(length.standardError[l] == 0);
            CHECK(pieces.values[l] == static_cast<double>(passages[l].pieces));
            CHECK(transitions.values[l] == passages[l].transitions);
        }
        CHECK(scalarOf(report, "lengthRatio") == doctest::Approx(passages[6].length / passages[0].length));
    }
}

TEST_CASE("beyond the limit on pieces lengths are sampled to the precision, about the exact ones") {
    const Report exact = runSmall({}), sampled = runSmall({{"pieces", 300.0}, {"precision", 0.02}});
    const auto deepest = static_cast<Size>(scalarOf(sampled, "exactLayers"));
    REQUIRE(deepest > 0);
    REQUIRE(deepest < 6);
    CHECK(scalarOf(sampled, "points") > 0);
    const Array &length = arrayOf(sampled, "length"), &truth = arrayOf(exact, "length");
    for (Size l = 0; l <= 6; ++l) {
        CHECK((length.standardError[l] == 0) == (l <= deepest));
        CHECK(std::abs(length.values[l] - truth.values[l]) <= 4 * length.standardError[l] + 1e-9);
        CHECK(std::isnan(arrayOf(sampled, "pieces").values[l]) == (l > deepest));
    }
    CHECK(length.standardError[6] < 0.04 * length.values[6]);
    CHECK(sampled.summary.find("the last that is exact") != std::string::npos);
}

TEST_CASE("ReLU: 120 networks lie within 4 standard errors of the exact factor, and the words say that He's do not grow") {
    const Report report =
        runSmall({{"activation", std::string("relu")}, {"weightVariance", 2.0}, {"biasVariance", 0.0}, {"draws", 120.0}, {"width", 16.0}});
    const Array &length = arrayOf(report, "length"), &exact = arrayOf(report, "exactLength");
    CHECK(scalarOf(report, "exactGrowth") == doctest::Approx(0.9602).epsilon(6e-5));
    for (Size l = 1; l <= 6; ++l) CHECK(std::abs(length.values[l] - exact.values[l]) < 4 * length.standardError[l]);
    CHECK(report.summary.find("does not grow: g = 0.9602") != std::string::npos);
}

TEST_CASE("the image is the trajectory's at the points' places: lengths of its steps never exceed the curve's") {
    const Report report = runSmall({{"points", 300.0}});
    const Array &image = arrayOf(report, "image"), &length = arrayOf(report, "length");
    REQUIRE(image.axes[1].size() == 300);
    for (Size l = 0; l <= 6; ++l) {
        double steps = 0;
        const double* row = image.row(l);
        for (Size i = 2; i < 600; i += 2) steps += std::hypot(row[i] - row[i - 2], row[i + 1] - row[i - 1]);
        CHECK(steps <= length.values[l] * (1 + 1e-9));
        CHECK(arrayOf(report, "planeShare").values[l] > 0.1);
        // A whole circle ends where it began.
        CHECK(row[598] == doctest::Approx(row[0]).epsilon(1e-6));
    }
    // The input lies in its plane: nothing is lost.
    CHECK(arrayOf(report, "planeShare").values[0] == doctest::Approx(1));
    const Array& place = arrayOf(report, "place");
    CHECK(place.values.front() == 0);
    CHECK(place.values.back() == doctest::Approx(2 * std::numbers::pi));
}

TEST_CASE("the growth charts have the spec's numbers at k = 64, and refine draw by draw") {
    const auto& declaration = *findDeclaration("trajectory-length");
    const Request request = requestWith(declaration, {{"width", 8.0},
                                                      {"layers", 2.0},
                                                      {"biasVariance", 0.0},
                                                      {"sweepWidths", Vector{64}},
                                                      {"sweepVariances", Vector{2, 8}},
                                                      {"sweepDraws", 40.0}});
    double seen = 0;
    const Report report = follow(request, [&](const Report& partial, double) {
        const Array* drawn = partial.array("sweepDrawn");
        if (!drawn) return;
        CHECK(drawn->values[0] >= seen);
        seen = drawn->values[0];
        CHECK(std::isnan(partial.array("sweepGrowth")->values[0]) == (seen < 2));
    });
    CHECK(seen >= 2);
    const Array& growth = arrayOf(report, "sweepGrowth");
    CHECK(growth.values[0] == doctest::Approx(1.151).epsilon(0.03 / 1.151));
    CHECK(growth.values[1] == doctest::Approx(1.540).epsilon(0.03 / 1.540));
    CHECK(growth.standardError[0] < 0.02);
    CHECK(arrayOf(report, "sweepMeanField").values[1] == doctest::Approx(1.572).epsilon(1e-3));
    CHECK(arrayOf(report, "sweepDrawn").values[1] == 40);
    const Array &lengths = arrayOf(report, "sweepLengths"), &field = arrayOf(report, "sweepLengthsMeanField");
    REQUIRE(lengths.values.size() == 26);
    for (Size v = 0; v < 2; ++v) {
        const double *row = lengths.values.data() + 13 * v, *expected = field.values.data() + 13 * v;
        CHECK(row[0] == 1);
        CHECK(std::pow(row[12] / row[4], 1.0 / 8) == doctest::Approx(growth.values[v]).epsilon(1e-12));
        for (Size l = 1; l <= 12; ++l) CHECK(row[l] == doctest::Approx(expected[l]).epsilon(0.03 * static_cast<double>(l)));
    }
    CHECK(arrayOf(report, "sweepTheoremTwo").values == Vector{8, 8});
    CHECK(arrayOf(report, "sweepSaturated").values[0] == doctest::Approx(64 / std::numbers::pi * std::acos(1 - 2.0 / 64)));
}

TEST_CASE("tanh, collapse and odd paths are told, not hidden") {
    const Report smooth = runSmall({{"activation", std::string("tanh")}});
    CHECK(scalarOf(smooth, "exactLayers") == 0);
    CHECK_FALSE(smooth.array("pieces"));
    CHECK(arrayOf(smooth, "length").standardError[6] > 0);
    const Report dead = run({{"width", 1.0}, {"layers", 40.0}, {"weightVariance", 100.0}, {"sweepDraws", 0.0}});
    CHECK_MESSAGE(dead.summary.find("nothing is left") != std::string::npos, dead.summary);
    const Report odd = runSmall({{"trajectory", std::string("drawn")}, {"path", Vector{1, 0, 2}}});
    CHECK(warnsOf(odd, "pairs"));
    CHECK(warnsOf(odd, "two corners"));
    // Corners that all coincide: a curve of no length.
    const Report still = runSmall({{"trajectory", std::string("drawn")}, {"path", Vector{1, 1, 1, 1}}});
    checkReport(*findDeclaration("trajectory-length"), still);
    CHECK(arrayOf(still, "length").values[3] == 0);
}

TEST_CASE("through a trained network lengths and pieces are the exact sweep's, from ends in its own input space") {
    const auto layers = curveLayers(readNetwork(sampleNetworkBytes("shapes-classifier"), "shapes-classifier"));
    const RandomEnds ends = randomEnds(64, 5);
    const auto passages = sweepTrajectory(layers, arcCurve(ends.x0, ends.x1, 0, std::numbers::pi / 2));
    const Report report = run({{"network", std::string("shapes-classifier")}, {"span", 90.0}, {"seed", 5.0}});
    checkReport(*findDeclaration("trajectory-length"), report);
    const Array &length = arrayOf(report, "length"), &pieces = arrayOf(report, "pieces");
    REQUIRE(length.values.size() == layers.size() + 1);
    CHECK(scalarOf(report, "exactLayers") == static_cast<double>(layers.size()));
    for (Size l = 0; l <= layers.size(); ++l) {
        CHECK(length.values[l] == doctest::Approx(passages[l].length).epsilon(1e-12));
        CHECK(pieces.values[l] == static_cast<double>(passages[l].pieces));
    }
}

TEST_CASE("of a given network theory says nothing, and the report says so; what draws it is put away") {
    const Report report = run({{"network", std::string("shapes-classifier")}});
    for (const char* name : {"theoremBase", "meanField", "upperBound", "exactLength", "sweepGrowth"}) CHECK_FALSE(report.array(name));
    for (const char* name : {"base", "meanFieldGrowth", "exactGrowth", "heGrowth"}) CHECK_FALSE(report.scalar(name));
    CHECK(report.summary.find("say nothing of this network") != std::string::npos);
    for (const char* key :
         {"width", "layers", "weightVariance", "biasVariance", "activation", "slope", "sweepWidths", "sweepVariances", "sweepDraws"}) {
        CAPTURE(key);
        const Param& param = *findDeclaration("trajectory-length")->param(key);
        CHECK_FALSE(param.visible(report.params));
    }
}

TEST_CASE("a file of layers that double everything doubles lengths, draw by draw") {
    for (const double draws : {1.0, 20.0}) {
        const Report report = runRequest(requestWithFile(scalingNetwork(3, 2).file(), {{"draws", draws}}));
        const Array& length = arrayOf(report, "length");
        REQUIRE(length.values.size() == 4);
        for (Size l = 1; l <= 3; ++l) CHECK(length.values[l] == doctest::Approx(2 * length.values[l - 1]).epsilon(1e-12));
        CHECK(scalarOf(report, "growthPerLayer") == doctest::Approx(2));
        CHECK((length.standardError[0] > 0) == (draws > 1));
    }
}

TEST_CASE("ends that are given are where the trajectory through a given network begins and ends; others are told to be wrong") {
    const auto given = [](Vector ends, double draws) {
        return runRequest(
            requestWithFile(scalingNetwork(3, 2).file(), {{"trajectory", std::string("line")}, {"draws", draws}, {"ends", ends}}));
    };
    constexpr std::size_t inputs = 4;
    Vector ends(2 * inputs, 0.0);
    ends[0] = 1, ends[inputs] = 4, ends[inputs + 1] = 4;
    const Report report = given(ends, 1);
    CHECK(report.warnings.empty());
    for (Size l = 0; l <= 3; ++l) CHECK(arrayOf(report, "length").values[l] == doctest::Approx(5 * std::pow(2.0, l)).epsilon(1e-12));
    CHECK(given(ends, 7).summary == report.summary);
    CHECK(warnsOf(given(ends, 7), "draws was lowered to 1"));
    CHECK(warnsOf(given({1, 2, 3}, 1), "ends takes 2 × 4 numbers, not 3"));
    CHECK(arrayOf(given(Vector(2 * inputs, 1.0), 1), "length").values[3] == 0);
}

TEST_CASE("networks that cannot be followed are refused in a sentence that says why") {
    const std::pair<std::vector<unsigned char>, const char*> bads[] = {
        {scalingNetwork(41, 1).file(), "through 1 to 40 layers, and this network has 41"}, {{1, 2, 3}, "mine.onnx"}};
    for (const auto& bad : bads) {
        const std::string sentence = refusal([&] { runRequest(requestWithFile(bad.first)); });
        CAPTURE(sentence);
        CHECK(isOneSentence(sentence));
        CHECK(sentence.find(bad.second) != std::string::npos);
    }
}

TEST_CASE("a curve that most narrow networks lose: the mean over draws is that of exact sweeps, with an error that says so" *
          doctest::test_suite("long")) {
    double sum = 0, square = 0;
    constexpr int kDraws = 100;
    for (int draw = 0; draw < kDraws; ++draw) {
        const auto layers = randomLayers({Activation::HardTanh, 0, 4, 64, 0.01}, 15, 1, static_cast<std::uint64_t>(draw));
        const RandomEnds ends = randomEnds(4, 1, static_cast<std::uint64_t>(draw));
        const double length = sweepTrajectory(layers, arcCurve(ends.x0, ends.x1, 0, 2 * std::numbers::pi), {1e6, 1e9, 1e15}).back().length;
        sum += length;
        square += length * length;
    }
    const double mean = sum / kDraws, error = std::sqrt((square / kDraws - mean * mean) / (kDraws - 1));
    const Report report = run({{"width", 4.0}, {"weightVariance", 64.0}, {"draws", double{kDraws}}, {"sweepDraws", 0.0}});
    const Array& length = arrayOf(report, "length");
    CHECK(length.values.back() == doctest::Approx(mean).epsilon(0.05));
    CHECK(length.standardError.back() == doctest::Approx(error).epsilon(0.1));
    CHECK(mean > 50);
}

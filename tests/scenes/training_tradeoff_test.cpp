#include <doctest/doctest.h>

#include <cmath>

#include "scenes/expressivity/training_tradeoff.h"
#include "support/complete_set.h"
#include "support/followed.h"
#include "support/image_files.h"
#include "support/report_cache.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

const Settings kSmall{{"width", "10"}, {"layers", "3"}, {"samples", "60"}, {"steps", "30"}, {"arcs", "2"}, {"batch", "20"}};

/// The survey's experiment at a size that 1600 steps are enough for: 784 – 8 × 100 – 10, σ_w² = 16.
const Settings kSurvey{{"width", "100"}, {"layers", "8"},   {"samples", "2000"},      {"batch", "100"},
                       {"arcs", "4"},    {"steps", "1600"}, {"learningRate", "0.003"}};

Settings withSteps(const char* steps) {
    Settings settings = kSmall;
    settings.emplace_back("steps", steps);
    return settings;
}

std::string circleTable() {
    std::string text = "x,y,class\n";
    for (int i = 0; i < 40; ++i)
        text += std::to_string(std::cos(i)) + "," + std::to_string(std::sin(i)) + "," + (std::cos(i) > 0 ? "right" : "left") + "\n";
    return text;
}

Request withFile(Request request, const char* name, std::vector<unsigned char> bytes) {
    request.params.set("data", std::string("file"));
    request.data = std::make_shared<Attachment>(Attachment{name, std::move(bytes)});
    return request;
}

Request tableRequest(const std::string& text) {
    const Settings settings{{"width", "8"}, {"layers", "2"}, {"samples", "50"}, {"steps", "20"}, {"arcs", "2"}};
    return withFile(requestOf("training-tradeoff", settings), "points.csv", {text.begin(), text.end()});
}

/// With a learning rate that no reader can ask for, after which the readout soon is beyond all bounds.
Request divergingRequest(double steps) {
    Request request = requestOf("training-tradeoff", kSmall);
    std::vector<std::string> warnings;
    request.params = completeValues(*findDeclaration("training-tradeoff"), request.params, warnings);
    request.params.set("steps", steps);
    request.params.set("optimiser", std::string("momentum"));
    request.params.set("learningRate", 1e20);
    return request;
}

Report runUnclamped(const Request& request, Leftovers& leftovers) {
    Progress unheard(&leftovers);
    unheard.begin(request.scene, nullptr);
    return modelOf(request.scene).open(request)->run(unheard).report;
}

}  // namespace

const SummaryOf kSummary{
    "training-tradeoff",
    {{{"width", "10"}, {"layers", "3"}, {"samples", "60"}, {"steps", "30"}, {"arcs", "2"}},
     {{{"weightVariance", "3"}}, {{"steps", "10"}, {"learningRate", "0.00001"}}, {{"meanImage", "1"}, {"learningRate", "0.05"}}},
     {{"accuracy", Of::Last}, {"testAccuracy", Of::Last}},
     {{"lengths fall, and faster between samples",
       [](const Report& r) {
           return valueIn(r, "lastLayerChange") < 1 && valueIn(r, "lastLayerChange") < valueIn(r, "lastLayerChangeRandom");
       }},
      {"lengths fall between samples, but not faster than between random points",
       [](const Report& r) {
           return valueIn(r, "lastLayerChange") < 1 && valueIn(r, "lastLayerChange") >= valueIn(r, "lastLayerChangeRandom");
       }},
      {"lengths rise between samples", [](const Report& r) { return valueIn(r, "lastLayerChange") > 1; }},
      {"they end longer by over a standard error in", [](const Report& r) { return r.scalar("risingLayers") != nullptr; }}}}};

TEST_CASE("training-tradeoff: the input's lengths stay, the others change with the steps") {
    const Report report = runChecked("training-tradeoff", kSmall);
    const Array &length = arrayOf(report, "length"), &random = arrayOf(report, "lengthRandom");
    const std::vector<double> steps{0, 10, 13, 16, 20, 25, 30};
    CHECK(length.axes[0].values == steps);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        CHECK(length.row(i)[0] == length.row(0)[0]);
        CHECK(random.row(i)[0] == random.row(0)[0]);
        CHECK(arrayOf(report, "transitions").row(i)[0] == 0);
    }
    CHECK(length.row(6)[3] != length.row(0)[3]);
    CHECK(scalarOf(report, "lastLayerChange") == doctest::Approx(length.row(6)[3] / length.row(0)[3]).epsilon(1e-14));
    CHECK(scalarOf(report, "firstLayerChange") == doctest::Approx(length.row(6)[1] / length.row(0)[1]).epsilon(1e-14));
    CHECK(arrayOf(report, "loss").values.back() < arrayOf(report, "loss").values.front());
}

TEST_CASE("training-tradeoff: more steps go on from those made, to the bit, and fewer are taken from them") {
    const Request few = requestOf("training-tradeoff", withSteps("22")), many = requestOf("training-tradeoff", withSteps("41"));
    const Report anew = runRequest(many);
    Leftovers leftovers;
    const Report shorter = runAfter(few, leftovers);
    checkSameReports(runAfter(many, leftovers), anew);
    // Back to the shorter run, of which the last look alone is missing when it was none of the longer one's.
    checkSameReports(runAfter(few, leftovers), shorter);
    // Another network has nothing to take over.
    Settings other = withSteps("41");
    other.emplace_back("seed", "2");
    CHECK(arrayOf(runAfter(requestOf("training-tradeoff", other), leftovers), "length").values != arrayOf(anew, "length").values);
    // So does a run stopped in the middle of a look.
    for (const int stop : {3, 40, 200}) {
        Leftovers some;
        breakOff(few, some, stop);
        checkSameReports(runAfter(many, some), anew);
    }
}

TEST_CASE("training-tradeoff, remaining-depth: files of fewer than three samples are refused, three are enough") {
    const std::string two = "1,2,a\n3,4,b\n";
    for (const char* scene : {"training-tradeoff", "remaining-depth"}) {
        CAPTURE(scene);
        const Settings settings{{"width", "6"}, {"layers", "2"}, {"samples", "50"}};
        CHECK(isOneSentence(refusal([&] { runRequest(withFile(requestOf(scene, settings), "two.csv", {two.begin(), two.end()})); })));
        CHECK(
            isOneSentence(refusal([&] { runRequest(withFile(requestOf(scene, settings), "two", joined(idxFile(2, 28), labelFile(2)))); })));
        const std::string three = two + "-1,5,a\n";
        const Report report = runRequest(withFile(requestOf(scene, settings), "three.csv", {three.begin(), three.end()}));
        checkReport(*findDeclaration(scene), report);
        CHECK(report.status == Status::Ok);
    }
}

TEST_CASE("training-tradeoff: the run of a file goes on when every request brings its own copy") {
    Leftovers leftovers;
    const auto ticks = [&](const std::string& table) {
        Following following(nullptr, &leftovers);
        runRequest(tableRequest(table), following);
        return following.ticks;
    };
    const Report report = runAfter(tableRequest(circleTable()), leftovers);
    CHECK(ticks(circleTable()) == 0);
    checkSameReports(runAfter(tableRequest(circleTable()), leftovers), report);
    // Other bytes under the same name are another run.
    CHECK(ticks(circleTable() + "0,0,left\n") > 0);
}

TEST_CASE("training-tradeoff: a run that diverges is looked at up to there, a shorter one as if nothing had happened") {
    using training_tradeoff::lookedAt, training_tradeoff::lookedAtUntil;
    using Steps = std::vector<std::uint64_t>;
    CHECK(lookedAtUntil(30, 17) == Steps{0, 10, 13, 16, 17});
    CHECK(lookedAtUntil(30, 16) == Steps{0, 10, 13, 16});
    CHECK(lookedAtUntil(30, 0) == Steps{0});
    CHECK(lookedAtUntil(14, 17) == lookedAt(14));
    CHECK(lookedAtUntil(17, 17) == lookedAt(17));
}

TEST_CASE("training-tradeoff: a run that diverges says so and keeps what it has, and again when a shorter one goes on") {
    Leftovers leftovers;
    const Report report = runUnclamped(divergingRequest(100), leftovers);
    REQUIRE(report.warnings.size() == 1);
    CHECK(isOneSentence(report.warnings[0]));
    const double end = scalarOf(report, "steps");
    CHECK(end < 50);
    CHECK(report.warnings[0].find("step " + inWords(end)) != std::string::npos);
    CHECK(arrayOf(report, "length").axes[0].values.back() == end);
    // Up to where it came it is a run like any other.
    for (const double last : {end, 0.0}) {
        const Report shorter = runUnclamped(divergingRequest(last), leftovers);
        CHECK(shorter.warnings.empty());
        CHECK(scalarOf(shorter, "steps") == last);
    }
    const Report again = runUnclamped(divergingRequest(100), leftovers);
    CHECK(scalarOf(again, "steps") == end);
    CHECK(again.warnings == report.warnings);
}

TEST_CASE("training-tradeoff: lengths rise, fall or stay by their numbers; layers without any are left out") {
    using training_tradeoff::lengthsInWords;
    CHECK(lengthsInWords(1, 1) == "lengths stay as they were between samples");
    CHECK(lengthsInWords(1.001, 0.5) == lengthsInWords(0.999, 2));
    CHECK(lengthsInWords(1.2, 0.5) == "lengths rise between samples");
    CHECK(lengthsInWords(0.5, 0.9) == "lengths fall, and faster between samples");
    CHECK(lengthsInWords(0.5, 0.4) == "lengths fall between samples, but not faster than between random points");
    // So few units with such weights are saturated all along.
    const Report report = runChecked("training-tradeoff", {{"width", "4"},
                                                           {"layers", "12"},
                                                           {"weightVariance", "64"},
                                                           {"samples", "60"},
                                                           {"steps", "10"},
                                                           {"learningRate", "0.00001"},
                                                           {"seed", "2"},
                                                           {"arcs", "2"}});
    const Array& length = arrayOf(report, "length");
    REQUIRE(length.row(0)[12] == 0);
    CHECK_FALSE(report.scalar("lastLayerChange"));
    CHECK_MESSAGE(report.summary.find("nothing to compare") != std::string::npos, report.summary);
}

TEST_CASE("training-tradeoff: a layer rises when its arcs' differences do, beyond their standard error") {
    // Differences (0.1, 0.3) and (−0.2, 0.3): means 0.2 and 0.05, standard errors 0.1 and 0.25.
    const std::vector<std::vector<double>> before{{1, 1, 9}, {1, 5, 1}}, after{{1, 1.1, 8.8}, {1, 5.3, 1.3}};
    CHECK(training_tradeoff::risingLayers(before, after) == 1);
    CHECK(training_tradeoff::risingLayers(after, before) == 0);
    CHECK(training_tradeoff::risingLayers(before, before) == 0);
}

TEST_CASE("training-tradeoff: a share of the mean image goes into what samples keep, and arcs of digits begin equally long") {
    const auto inputLength = [](const char* share) {
        Settings settings = kSmall;
        settings.emplace_back("meanImage", share);
        return arrayOf(runChecked("training-tradeoff", settings), "length").row(0)[0];
    };
    // Two unlike images at right angles: a quarter of a circle of radius √784, a little less for what they share.
    CHECK(inputLength("0") == doctest::Approx(44).epsilon(0.06));
    CHECK(inputLength("0.6") == doctest::Approx(41.5).epsilon(0.06));
    CHECK(inputLength("0") > inputLength("0.6"));
}

TEST_CASE("training-tradeoff: the drawn arc runs between samples of two classes, and its images lie as far apart as the points do") {
    const Report report = runChecked("training-tradeoff", kSmall);
    const Array &image = arrayOf(report, "image"), &ends = arrayOf(report, "endImages");
    REQUIRE(image.axes.size() == 4);
    CHECK(image.axes[2].values.front() == 0);
    CHECK(image.axes[2].values.back() == 90);
    CHECK(ends.axes[0].keys[0] != ends.axes[0].keys[1]);
    const std::size_t points = image.axes[2].size(), layers = image.axes[1].size(), steps = image.axes[0].size();
    const auto apart = [&](std::size_t step, std::size_t layer, std::size_t a, std::size_t b) {
        const double* row = &image.values[(step * layers + layer) * 2 * points];
        return std::hypot(row[2 * a] - row[2 * b], row[2 * a + 1] - row[2 * b + 1]);
    };
    // The input's arc lies in a plane: there distances are those of the samples, before training and after it.
    double square = 0;
    for (std::size_t i = 0; i < ends.rowLength(); ++i) square += std::pow(ends.row(0)[i] - ends.row(1)[i], 2);
    for (const std::size_t step : {std::size_t{0}, steps - 1})
        CHECK(apart(step, 0, 0, points - 1) == doctest::Approx(std::sqrt(square)).epsilon(1e-9));
    // A hidden layer's is a projection: a polygon in it is no longer than the image of units between −1 and 1 can be.
    double most = 0;
    for (std::size_t k = 1; k < points; ++k) most = std::max(most, apart(steps - 1, 3, 0, k));
    CHECK(most > 0.1);
    CHECK(most <= 2 * std::sqrt(10.0));
}

TEST_SUITE("long") {
    TEST_CASE("training-tradeoff: in the opening lengths between samples halve in the last layer while the digits are learnt") {
        const Report& report = reportOf(requestOf(
            "training-tradeoff",
            {{"meanImage", "1"}, {"layers", "3"}, {"width", "40"}, {"samples", "800"}, {"learningRate", "0.004"}, {"steps", "3000"}}));
        CHECK(scalarOf(report, "lastLayerChange") == doctest::Approx(0.5).epsilon(0.03));
        CHECK(scalarOf(report, "lastLayerChangeRandom") > 1);
        CHECK(scalarOf(report, "risingLayers") == 0);
        CHECK(arrayOf(report, "accuracy").values.back() > 0.95);
        CHECK(arrayOf(report, "testAccuracy").values.back() > 0.5);
    }

    // At the survey's size; at the defaults' the next test looks for the same signs.
    TEST_CASE("training-tradeoff: at σ_w² = 16 lengths fall, faster between samples, and layer 1 rises; at 3 they rise (survey Figs 4–5)" *
              doctest::skip(!completeSet())) {
        // Means over three seeds: each draws digits, weights and arcs anew.
        double last = 0, random = 0, first = 0;
        for (const char* seed : {"1", "2", "3"}) {
            Settings large = kSurvey;
            large.emplace_back("seed", seed);
            const Report falls = runChecked("training-tradeoff", large);
            last += scalarOf(falls, "lastLayerChange") / 3;
            random += scalarOf(falls, "lastLayerChangeRandom") / 3;
            first += scalarOf(falls, "firstLayerChange") / 3;
        }
        CHECK(last <= 0.7);
        CHECK(random > last + 0.05);
        CHECK(first > 1.03);
        Settings small = kSurvey;
        small.emplace_back("weightVariance", "3");
        const Report rises = runChecked("training-tradeoff", small);
        const Array& length = arrayOf(rises, "length");
        for (std::size_t l = 1; l <= 4; ++l) CHECK(length.row(length.axes[0].values.size() - 1)[l] > 1.05 * length.row(0)[l]);
        CHECK(arrayOf(rises, "accuracy").values.back() > 0.95);
    }

    TEST_CASE("training-tradeoff: the first example has learnt its samples and shows the survey's signs, as do other seeds") {
        double last = 0;
        for (const char* seed : {"1", "2", "3", "5", "6"}) {
            if (*seed > '2' && !completeSet()) break;
            CAPTURE(seed);
            const Report& falls = reportOf(requestOf("training-tradeoff", {{"seed", seed}}));
            CHECK(arrayOf(falls, "accuracy").values.back() > 0.95);
            CHECK(scalarOf(falls, "lastLayerChange") < 0.9);
            CHECK(scalarOf(falls, "lastLayerChangeRandom") > scalarOf(falls, "lastLayerChange"));
            CHECK(scalarOf(falls, "firstLayerChange") > 1.05);
            last = scalarOf(falls, "lastLayerChange");
        }
        CHECK(last > 0);
        const Report& rises = reportOf(requestOf("training-tradeoff", {{"weightVariance", "3"}}));
        CHECK(scalarOf(rises, "risingLayers") == 5);
        CHECK(arrayOf(rises, "accuracy").values.back() > 0.95);
    }
}

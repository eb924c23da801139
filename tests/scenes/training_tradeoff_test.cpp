#include <doctest/doctest.h>

#include <cmath>

#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

const Settings kSmall{{"width", "10"}, {"layers", "3"}, {"samples", "60"}, {"steps", "30"}, {"arcs", "2"}, {"batch", "20"}};

Settings withSteps(const char* steps) {
    Settings settings = kSmall;
    settings.emplace_back("steps", steps);
    return settings;
}

void checkSameArrays(const Report& a, const Report& b) {
    REQUIRE(a.arrays.size() == b.arrays.size());
    for (std::size_t i = 0; i < a.arrays.size(); ++i) {
        CAPTURE(a.arrays[i].name);
        CHECK(a.arrays[i].values == b.arrays[i].values);
        CHECK(a.arrays[i].standardError == b.arrays[i].standardError);
    }
    CHECK(a.summary == b.summary);
}

Request tableRequest(const std::string& text) {
    Request request = requestOf("training-tradeoff", {{"width", "8"}, {"layers", "2"}, {"samples", "50"}, {"steps", "20"}, {"arcs", "2"}});
    request.params.set("data", std::string("file"));
    request.data = std::make_shared<Attachment>(Attachment{"points.csv", {text.begin(), text.end()}});
    return request;
}

}  // namespace

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
    auto computation = startRequest(few);
    while (computation->step()) continue;
    const Report shorter = computation->report();
    computation = startRequest(many, std::move(computation));
    int slices = 0;
    while (computation->step()) ++slices;
    checkSameArrays(computation->report(), anew);
    // Back to the shorter run, of which the last look alone is missing when it was none of the longer one's.
    computation = startRequest(few, std::move(computation));
    while (computation->step()) continue;
    checkSameArrays(computation->report(), shorter);
    // Another network has nothing to take over.
    Settings other = withSteps("41");
    other.emplace_back("seed", "2");
    computation = startRequest(requestOf("training-tradeoff", other), std::move(computation));
    while (computation->step()) continue;
    CHECK(arrayOf(computation->report(), "length").values != arrayOf(anew, "length").values);
}

TEST_CASE("training-tradeoff: a run stopped in the middle of a look goes on to the same numbers") {
    const Request few = requestOf("training-tradeoff", withSteps("22")), many = requestOf("training-tradeoff", withSteps("41"));
    const Report anew = runRequest(many);
    for (const int stop : {3, 40, 200}) {
        auto computation = startRequest(few);
        for (int i = 0; i < stop && computation->step(); ++i) continue;
        computation = startRequest(many, std::move(computation));
        while (computation->step()) continue;
        checkSameArrays(computation->report(), anew);
    }
}

TEST_CASE("training-tradeoff: a table of points is learnt as well, a single point is refused") {
    std::string text = "x,y,class\n";
    for (int i = 0; i < 40; ++i)
        text += std::to_string(std::cos(i)) + "," + std::to_string(std::sin(i)) + "," + (std::cos(i) > 0 ? "right" : "left") + "\n";
    const Report report = runRequest(tableRequest(text));
    checkReport(*findDeclaration("training-tradeoff"), report);
    CHECK(arrayOf(report, "length").row(0)[0] < 5);
    CHECK(isOneSentence(refusal([] { runRequest(tableRequest("1,2,a\n")); })));
    CHECK(isOneSentence(refusal([] { runRequest(tableRequest("what is this")); })));
}

TEST_CASE("training-tradeoff: a run that diverges says so and keeps what it has") {
    Settings settings = kSmall;
    settings.insert(settings.end(),
                    {{"optimiser", "momentum"}, {"learningRate", "1"}, {"weightVariance", "64"}, {"steps", "2000"}, {"arcs", "2"}});
    const Report report = runChecked("training-tradeoff", settings);
    CHECK(arrayOf(report, "length").axes[0].values.back() == scalarOf(report, "steps"));
}

TEST_SUITE("long") {
    TEST_CASE("training-tradeoff: lengths fall at σ_w² = 16, faster between samples, and rise in lower layers at 3 (survey Fig 4)") {
        const Settings setting{{"width", "100"}, {"layers", "8"},   {"samples", "2000"},      {"batch", "100"},
                               {"arcs", "4"},    {"steps", "1600"}, {"learningRate", "0.001"}};
        Settings large = setting, small = setting;
        large.emplace_back("weightVariance", "16");
        small.emplace_back("weightVariance", "3");
        const Report falls = runChecked("training-tradeoff", large);
        CHECK(scalarOf(falls, "lastLayerChange") <= 0.7);
        CHECK(scalarOf(falls, "lastLayerChangeRandom") > scalarOf(falls, "lastLayerChange") + 0.1);
        // The first layer rises where samples share no background.
        Settings without = large;
        without.emplace_back("centred", "true");
        CHECK(scalarOf(runChecked("training-tradeoff", without), "firstLayerChange") > 1.02);
        // Rises in the lowest layers alone, as long as the samples share no background; the survey has it rise without saying where.
        small.emplace_back("centred", "true");
        const Report rises = runChecked("training-tradeoff", small);
        CHECK(scalarOf(rises, "firstLayerChange") > 1.01);
        CHECK(scalarOf(rises, "risingLayers") >= 2);
        CHECK(arrayOf(rises, "accuracy").values.back() > 0.95);
    }
}

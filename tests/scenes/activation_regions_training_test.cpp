#include <doctest/doctest.h>

#include <cmath>

#include "support/followed.h"
#include "support/regions_scene.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

const Declaration& scene() { return *findDeclaration("activation-regions"); }

using Settings = std::vector<std::pair<std::string, std::string>>;

Request requestOf(const Settings& settings) {
    Request request;
    request.scene = scene().id;
    for (const auto& [key, text] : settings) request.params.set(key, parseValue(*scene().param(key), text).value);
    return request;
}

Request withData(Request request, const std::string& text, const std::string& name = "points.csv") {
    request.params.set("data", std::string("file"));
    request.data = std::make_shared<Attachment>(Attachment{name, {text.begin(), text.end()}});
    return request;
}

/// NaN where nothing is defined equals itself.
bool same(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void checkSame(const Report& a, const Report& b) {
    CHECK(a.summary == b.summary);
    CHECK(a.warnings == b.warnings);
    REQUIRE(a.scalars.size() == b.scalars.size());
    REQUIRE(a.arrays.size() == b.arrays.size());
    for (std::size_t i = 0; i < a.scalars.size(); ++i) CHECK_MESSAGE(a.scalars[i].value == b.scalars[i].value, a.scalars[i].name);
    for (std::size_t i = 0; i < a.arrays.size(); ++i) CHECK_MESSAGE(same(a.arrays[i].values, b.arrays[i].values), a.arrays[i].name);
}

const Settings kSpirals{{"data", "spirals"}, {"widths", "12,12"}, {"steps", "300"}};

Settings with(Settings settings, const std::string& key, const std::string& text) {
    settings.emplace_back(key, text);
    return settings;
}

}  // namespace

TEST_CASE("the curves end with the last step, whether or not it is one of those they are drawn at") {
    for (const char* steps : {"301", "400", "401"}) {
        CAPTURE(steps);
        const Report report = runRequest(requestOf(with(kSpirals, "steps", steps)));
        const Array& loss = arrayIn(report, "loss");
        CHECK(std::none_of(loss.values.begin(), loss.values.end(), [](double x) { return std::isnan(x); }));
        CHECK(loss.axes[0].values.back() == std::stod(steps));
        CHECK(loss.values.back() == scalarIn(report, "trainingLoss"));
        CHECK(arrayIn(report, "accuracy").values.back() == scalarIn(report, "trainingAccuracy"));
    }
}

TEST_CASE("every preset that trains learns what it shows, and opens on the step where it has learnt most") {
    int trained = 0;
    for (const auto& preset : scene().presets) {
        const bool trains =
            std::any_of(preset.values.begin(), preset.values.end(), [](const auto& value) { return value.first == "data"; });
        if (!trains) continue;
        CAPTURE(preset.name);
        ++trained;
        const Report report = runRequest(requestOf(preset.values));
        checkReport(scene(), report);
        CHECK(scalarIn(report, "trainingAccuracy") > 0.95);
        CHECK(scalarIn(report, "trainedSteps") == arrayIn(report, "loss").axes[0].values.back());
        CHECK(arrayIn(report, "accuracy").values.front() < 0.8);
        CHECK(arrayIn(report, "accuracy").values.back() == scalarIn(report, "trainingAccuracy"));
        CHECK(arrayIn(report, "loss").values.back() == scalarIn(report, "trainingLoss"));
        CHECK(arrayIn(report, "decisionBoundary").axes[0].size() > 10);
    }
    CHECK(trained >= 3);
}

TEST_CASE("a report is the same with and without the computation before it, forward, back and from another training") {
    Leftovers leftovers;
    for (const char* step : {"0", "10", "11", "300", "299", "7", "150", "0"}) {
        CAPTURE(step);
        const Request request = requestOf(with(kSpirals, "step", step));
        const Report report = runAfter(request, leftovers);
        checkSame(report, runRequest(request));
        CHECK(scalarIn(report, "trainedSteps") == std::atof(step));
    }
    for (const Settings& other :
         {with(kSpirals, "learningRate", "0.05"), with(kSpirals, "seed", "5"), with(kSpirals, "noise", "0.2"), with(kSpirals, "batch", "7"),
          with(kSpirals, "optimiser", "momentum"), with(kSpirals, "loss", "mean-square"), with(kSpirals, "steps", "250"),
          with(kSpirals, "activation", "abs"), with(kSpirals, "weightVariance", "1"), with(kSpirals, "samples", "60"),
          with(kSpirals, "data", "moons"), with(kSpirals, "data", "none"), kSpirals}) {
        checkSame(runAfter(requestOf(other), leftovers), runRequest(requestOf(other)));
    }
}

TEST_CASE("going on by some steps costs those steps, not the whole training") {
    Leftovers leftovers;
    const auto ticks = [&](const Request& request) {
        Following following(nullptr, &leftovers);
        runRequest(request, following);
        return following.ticks;
    };
    Settings settings{{"data", "spirals"}, {"widths", "48,48"}, {"steps", "640"}, {"batch", "100"}, {"budget", "10"}};
    const int first = ticks(requestOf(with(settings, "step", "100")));
    const int second = ticks(requestOf(with(settings, "step", "110")));
    const int back = ticks(requestOf(with(settings, "step", "3")));
    CHECK(first > 20 * second);
    CHECK(first > 20 * back);
}

TEST_CASE("without training the scene's report has nothing of it, and the seam leaves it as it was") {
    const Report report = runRequest(requestOf({}));
    for (const char* name : {"loss", "accuracy", "samplePoints", "sampleClass"}) CHECK(report.array(name) == nullptr);
    CHECK(report.scalar("trainedSteps") == nullptr);
    // At step 0 the network is the one drawn.
    const Report drawn = runRequest(requestOf({{"widths", "12,12"}}));
    const Report start = runRequest(requestOf(with(kSpirals, "step", "0")));
    CHECK(scalarIn(start, "regions") == scalarIn(drawn, "regions"));
    CHECK(same(arrayIn(start, "vertices").values, arrayIn(drawn, "vertices").values));
}

TEST_CASE("data do not train a network read from a file or of more than two inputs") {
    for (const Settings& settings :
         {Settings{{"data", "moons"}, {"inputs", "3"}}, Settings{{"data", "moons"}, {"network", "shapes-classifier"}}})
        CHECK(runRequest(requestOf(settings)).array("loss") == nullptr);
}

TEST_CASE("a training that diverges shows the last network before, with a sentence") {
    Settings settings{{"data", "spirals"}, {"optimiser", "momentum"}, {"loss", "mean-square"}, {"learningRate", "10"}};
    const Report report = runRequest(requestOf(settings));
    checkReport(scene(), report);
    CHECK(scalarIn(report, "trainedSteps") < 600);
    CHECK(std::isnan(arrayIn(report, "loss").values.back()));
    REQUIRE_FALSE(report.warnings.empty());
    CHECK(report.warnings.front().find("diverged after step") != std::string::npos);
    CHECK(isOneSentence(report.warnings.front()));
}

TEST_CASE("a file's points train the network, two classes or more") {
    std::string two = "x,y,kind\n", three = "x;y;kind\n";
    for (int i = 0; i < 60; ++i) {
        const double a = 0.1 * i, r = i % 3;
        two += std::to_string(std::cos(a) * (1 + i % 2)) + "," + std::to_string(std::sin(a) * (1 + i % 2)) + (i % 2 ? ",out\n" : ",in\n");
        three += std::to_string(3 * r + std::cos(a)) + ";" + std::to_string(r * r + std::sin(a)) + ";" + std::to_string(i % 3) + "\n";
    }
    for (const std::string& text : {two, three}) {
        const Report report = runRequest(withData(requestOf({{"widths", "10,10"}, {"steps", "300"}}), text));
        checkReport(scene(), report);
        CHECK(arrayIn(report, "samplePoints").axes[0].size() == 60);
        CHECK(scalarIn(report, "trainingAccuracy") > 0.95);
        CHECK(arrayIn(report, "decisionBoundary").axes[0].size() > 3);
    }
}

TEST_CASE("a file that is no table of points is refused in a sentence that names it") {
    for (const char* text : {"", "hello", "1,2\n", "1,2,a\n1,x,b\n", "1,2,a\n3,4,a\n"}) {
        const std::string sentence = refusal([&] { runRequest(withData(requestOf({}), text)); });
        CAPTURE(sentence);
        CHECK(isOneSentence(sentence));
        CHECK(sentence.find("points.csv") != std::string::npos);
    }
    CHECK(isOneSentence(refusal([] { openRequest(requestOf({{"data", "file"}})); })));
}

TEST_CASE("a training that would take too long is refused at once, and lowering what the sentence names is enough") {
    const Settings wide{{"data", "moons"}, {"widths", "1024,1024"}, {"steps", "5000"}, {"budget", "100"}};
    const std::string sentence = refusal([&] { openRequest(requestOf(wide)); });
    CHECK(isOneSentence(sentence));
    CHECK_MESSAGE(sentence.find("lower widths") != std::string::npos, sentence);
    CHECK_NOTHROW(openRequest(requestOf(with(wide, "widths", "100,100"))));
}

TEST_CASE("steps in between are exact: the network at a step is that of a training of so many steps") {
    const Report between = runRequest(requestOf(with(kSpirals, "step", "120")));
    Settings shorter = kSpirals;
    shorter.back().second = "120";
    const Report whole = runRequest(requestOf(shorter));
    CHECK(same(arrayIn(between, "vertices").values, arrayIn(whole, "vertices").values));
    CHECK(scalarIn(between, "trainingLoss") == scalarIn(whole, "trainingLoss"));
}

TEST_CASE("a long training shows regions on the way: those of one of its steps, to the bit") {
    const Settings settings{{"data", "spirals"}, {"widths", "24,24"}, {"samples", "400"}, {"batch", "100"}, {"steps", "600"}};
    std::vector<Report> seen;
    const Report last = follow(requestOf(settings), [&](const Report& now, double) {
        CHECK(now.status == Status::Partial);
        if (now.arrays.empty()) return;
        if (seen.empty() || scalarIn(seen.back(), "trainedSteps") != scalarIn(now, "trainedSteps")) seen.push_back(now);
    });
    REQUIRE(seen.size() >= 2);
    for (const Report& report : {seen.front(), seen.back()}) {
        const double step = scalarIn(report, "trainedSteps");
        CHECK(step > 0);
        CHECK(step < 600);
        Report complete = report;
        complete.status = Status::Ok;
        checkReport(scene(), complete);
        const Report whole = runRequest(requestOf(with(settings, "step", std::to_string(static_cast<int>(step)))));
        for (const char* name : {"vertices", "weights", "regionsByDepth", "decisionBoundary"})
            CHECK_MESSAGE(same(arrayIn(report, name).values, arrayIn(whole, name).values), name);
        CHECK(scalarIn(report, "trainingLoss") == scalarIn(whole, "trainingLoss"));
        const auto &some = arrayIn(report, "loss").values, &all = arrayIn(whole, "loss").values;
        CHECK(std::isnan(some.back()));
        for (std::size_t i = 0; i < some.size(); ++i)
            if (!std::isnan(some[i])) CHECK(some[i] == all[i]);
    }
    checkSame(last, runRequest(requestOf(settings)));
}

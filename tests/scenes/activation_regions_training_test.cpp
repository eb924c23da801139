#include <doctest/doctest.h>

#include <cmath>

#include "support/followed.h"
#include "support/regions_scene.h"
#include "support/report_cache.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

const Declaration& scene() { return *findDeclaration("activation-regions"); }

Request requestOf(const Settings& settings) { return kappaflow::requestOf("activation-regions", settings); }

Request withData(Request request, const std::string& text, const std::string& name = "points.csv") {
    request.params.set("data", std::string("file"));
    request.data = std::make_shared<Attachment>(Attachment{name, {text.begin(), text.end()}});
    return request;
}

const Settings kSpirals{{"data", "spirals"}, {"widths", "12,12"}, {"steps", "300"}};

Settings with(Settings settings, const std::string& key, const std::string& text) {
    settings.emplace_back(key, text);
    return settings;
}

}  // namespace

TEST_CASE("every preset that trains learns what it shows, and opens on its last step, the opening one on the first") {
    int trained = 0;
    for (const auto& preset : scene().presets) {
        const bool trains =
            std::any_of(preset.values.begin(), preset.values.end(), [](const auto& value) { return value.first == "data"; });
        if (!trains) continue;
        CAPTURE(preset.name);
        ++trained;
        Settings values = preset.values;
        const bool begins = std::erase_if(values, [](const auto& value) { return value.first == "step"; }) > 0;
        CHECK(begins == (preset.name == scene().opening));
        if (begins) CHECK(scalarOf(reportOf(requestOf(preset.values)), "trainedSteps") == 0);
        const Report& report = reportOf(requestOf(values));
        checkReport(scene(), report);
        CHECK(scalarOf(report, "trainingAccuracy") > 0.95);
        CHECK(scalarOf(report, "trainedSteps") == arrayOf(report, "loss").axes[0].values.back());
        CHECK(arrayOf(report, "accuracy").values.front() < 0.8);
        CHECK(arrayOf(report, "accuracy").values.back() == scalarOf(report, "trainingAccuracy"));
        CHECK(arrayOf(report, "loss").values.back() == scalarOf(report, "trainingLoss"));
        CHECK(arrayOf(report, "decisionBoundary").axes[0].size() > 10);
    }
    CHECK(trained >= 3);
}

TEST_CASE("a report is the same with and without the computation before it, forward, back and from another training") {
    Leftovers leftovers;
    const Settings spirals{{"data", "spirals"}, {"widths", "6,6"}, {"samples", "80"}, {"steps", "60"}};
    for (const char* step : {"0", "10", "11", "60", "59", "7", "30", "0"}) {
        CAPTURE(step);
        const Request request = requestOf(with(spirals, "step", step));
        const Report report = runAfter(request, leftovers);
        checkSameReports(report, runRequest(request));
        CHECK(scalarOf(report, "trainedSteps") == std::atof(step));
    }
    for (const Settings& other : {with(spirals, "learningRate", "0.05"), with(spirals, "seed", "5"), with(spirals, "noise", "0.2"),
                                  with(spirals, "batch", "7"), with(spirals, "optimiser", "momentum"), with(spirals, "loss", "mean-square"),
                                  with(spirals, "steps", "50"), with(spirals, "activation", "abs"), with(spirals, "weightVariance", "1"),
                                  with(spirals, "samples", "60"), with(spirals, "data", "moons"), with(spirals, "data", "none"), spirals}) {
        checkSameReports(runAfter(requestOf(other), leftovers), runRequest(requestOf(other)));
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

TEST_CASE("at step 0 the network is the one drawn, and nothing of a training is said where there is none") {
    const Report drawn = runRequest(requestOf({{"widths", "12,12"}})), start = runRequest(requestOf(with(kSpirals, "step", "0")));
    CHECK(arrayOf(start, "vertices").values == arrayOf(drawn, "vertices").values);
    for (const Settings& settings :
         {Settings{}, {{"data", "moons"}, {"inputs", "3"}}, {{"data", "moons"}, {"network", "shapes-classifier"}}})
        CHECK(runRequest(requestOf(settings)).array("loss") == nullptr);
}

TEST_CASE("a training that diverges shows the last network before, with a sentence") {
    Settings settings{{"data", "spirals"}, {"optimiser", "momentum"}, {"loss", "mean-square"}, {"learningRate", "10"}};
    const Report report = runRequest(requestOf(settings));
    checkReport(scene(), report);
    CHECK(scalarOf(report, "trainedSteps") < 600);
    CHECK(std::isnan(arrayOf(report, "loss").values.back()));
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
        CHECK(arrayOf(report, "samplePoints").axes[0].size() == 60);
        CHECK(scalarOf(report, "trainingAccuracy") > 0.95);
        CHECK(arrayOf(report, "decisionBoundary").axes[0].size() > 3);
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

TEST_CASE("steps in between are exact: the network at a step is that of a training of so many steps") {
    const Report between = runRequest(requestOf(with(kSpirals, "step", "120")));
    Settings shorter = kSpirals;
    shorter.back().second = "120";
    const Report whole = runRequest(requestOf(shorter));
    CHECK(arrayOf(between, "vertices").values == arrayOf(whole, "vertices").values);
    CHECK(scalarOf(between, "trainingLoss") == scalarOf(whole, "trainingLoss"));
}

TEST_CASE("a long training shows regions on the way: those of one of its steps, to the bit") {
    const Settings settings{{"data", "spirals"}, {"widths", "24,24"}, {"samples", "400"}, {"batch", "100"}, {"steps", "600"}};
    std::vector<Report> seen;
    const Report last = follow(requestOf(settings), [&](const Report& now, double) {
        CHECK(now.status == Status::Partial);
        if (now.arrays.empty()) return;
        if (seen.empty() || scalarOf(seen.back(), "trainedSteps") != scalarOf(now, "trainedSteps")) seen.push_back(now);
    });
    REQUIRE(seen.size() >= 2);
    for (const Report& report : {seen.front(), seen.back()}) {
        const double step = scalarOf(report, "trainedSteps");
        CHECK(step > 0);
        CHECK(step < 600);
        Report complete = report;
        complete.status = Status::Ok;
        checkReport(scene(), complete);
        const Report whole = runRequest(requestOf(with(settings, "step", std::to_string(static_cast<int>(step)))));
        for (const char* name : {"vertices", "weights", "regionsByDepth", "decisionBoundary"})
            CHECK_MESSAGE(arrayOf(report, name).values == arrayOf(whole, name).values, name);
        CHECK(scalarOf(report, "trainingLoss") == scalarOf(whole, "trainingLoss"));
        const auto &some = arrayOf(report, "loss").values, &all = arrayOf(whole, "loss").values;
        CHECK(std::isnan(some.back()));
        for (std::size_t i = 0; i < some.size(); ++i)
            if (!std::isnan(some[i])) CHECK(some[i] == all[i]);
    }
    checkSameReports(last, runRequest(requestOf(settings)));
}

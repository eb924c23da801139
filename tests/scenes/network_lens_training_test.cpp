#include <doctest/doctest.h>

#include "core/io/network_file.h"
#include "support/followed.h"
#include "support/scene_runs.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

const Settings kMoons{{"widths", "12,12"}, {"steps", "120"}, {"samples", "80"}};

Settings with(Settings settings, const std::string& key, const std::string& text) {
    settings.emplace_back(key, text);
    return settings;
}

Report runLens(const Settings& settings) { return runRequest(requestOf("network-lens", settings)); }

bool sameValues(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

void checkEqual(const Report& a, const Report& b) {
    CHECK(a.summary == b.summary);
    CHECK(a.warnings == b.warnings);
    REQUIRE(a.scalars.size() == b.scalars.size());
    REQUIRE(a.arrays.size() == b.arrays.size());
    for (std::size_t i = 0; i < a.scalars.size(); ++i) CHECK_MESSAGE(a.scalars[i].value == b.scalars[i].value, a.scalars[i].name);
    for (std::size_t i = 0; i < a.arrays.size(); ++i) CHECK_MESSAGE(sameValues(a.arrays[i].values, b.arrays[i].values), a.arrays[i].name);
}

}  // namespace

TEST_CASE("a report under the lenses is the same to the bit with and without the computation before it") {
    Leftovers leftovers;
    for (const char* step : {"0", "1", "120", "119", "60", "0"}) {
        CAPTURE(step);
        const Settings settings = with(kMoons, "step", step);
        const Report report = runAfter(requestOf("network-lens", settings), leftovers);
        checkEqual(report, runLens(settings));
        CHECK(scalarOf(report, "regionsStep") == std::atof(step));
    }
    for (const Settings& other : {with(kMoons, "seed", "5"), with(kMoons, "initialisation", "lecun"), with(kMoons, "edit", "freeze"),
                                  with(kMoons, "steps", "0"), with(kMoons, "data", "spirals"), with(kMoons, "half", "0.3"), kMoons}) {
        checkEqual(runAfter(requestOf("network-lens", other), leftovers), runLens(other));
    }
}

TEST_CASE("a frozen layer keeps its weights through the training of the others") {
    const Settings frozen = with(with(kMoons, "edit", "freeze"), "editLayer", "2");
    const auto weightsOf = [](const Settings& settings) {
        Request request = requestOf("network-lens", settings);
        request.withNetwork = true;
        return runRequest(request).network;
    };
    const auto before = weightsOf(with(frozen, "step", "0")), after = weightsOf(frozen);
    REQUIRE(before.size() == 3);
    CHECK(after[0].weights != before[0].weights);
    CHECK(after[1].weights == before[1].weights);
    CHECK(after[1].bias == before[1].bias);
    CHECK(after[2].weights != before[2].weights);
}

TEST_CASE("while a network of eight layers of a hundred learns, all lenses come together on the way, with their step" *
          doctest::test_suite("long")) {
    const Request request = requestOf("network-lens", {{"data", "digits"},
                                                       {"widths", "100,100,100,100,100,100,100,100"},
                                                       {"samples", "300"},
                                                       {"batch", "100"},
                                                       {"learningRate", "0.001"},
                                                       {"steps", "60"}});
    std::vector<double> steps;
    follow(request, [&](const Report& report, double) {
        if (!report.scalar("sensitivityStep")) return;
        const double step = scalarOf(report, "sensitivityStep");
        for (const char* name : {"capacityStep", "regionsStep", "lengthStep", "trainedSteps"}) CHECK(scalarOf(report, name) == step);
        for (const char* name : {"capacity", "vertices", "length", "image", "chi"}) CHECK_MESSAGE(report.array(name), name);
        CHECK(report.status == Status::Partial);
        if (steps.empty() || step > steps.back()) steps.push_back(step);
    });
    REQUIRE(steps.size() >= 2);
    CHECK(steps.front() <= 1);
    CHECK(std::is_sorted(steps.begin(), steps.end()));
}

TEST_CASE("a training under the lenses that diverges shows the last network before, with a sentence") {
    Settings settings{{"optimiser", "momentum"}, {"loss", "mean-square"}, {"learningRate", "10"}, {"widths", "12,12"}};
    const Report report = runLens(settings);
    checkReport(*findDeclaration("network-lens"), report);
    CHECK(scalarOf(report, "trainedSteps") < 300);
    CHECK(warnsOf(report, "diverged"));
}

namespace {

/// The file of a small network for moons as it is drawn, and a request that reads it.
std::shared_ptr<const Attachment> drawnFile(const Settings& settings) {
    Request request = requestOf("network-lens", with(settings, "steps", "0"));
    request.withNetwork = true;
    return std::make_shared<Attachment>(Attachment{"mine.onnx", runRequest(request).networkFile});
}

Report lookAtFile(std::shared_ptr<const Attachment> file, const Settings& settings) {
    Request request = requestOf("network-lens", with(settings, "network", "file"));
    request.network = std::move(file);
    Report report = runRequest(request);
    checkReport(*findDeclaration("network-lens"), report);
    return report;
}

}  // namespace

TEST_CASE("residual networks learn under the lenses, and any of their steps can be gone back to") {
    const Settings blocks{{"layers", "residual"}, {"widths", "12,12,8"}, {"steps", "150"}, {"samples", "100"}};
    Leftovers trained;
    const Report report = runAfter(requestOf("network-lens", blocks), trained);
    CHECK(report.note("training") == nullptr);
    CHECK(scalarOf(report, "trainingAccuracy") > 0.95);
    CHECK(arrayOf(report, "loss").values.back() < 0.5 * arrayOf(report, "loss").values.front());
    const Settings middle = with(blocks, "step", "40");
    checkEqual(runAfter(requestOf("network-lens", middle), trained), runLens(middle));
}

TEST_CASE("a network from a file is trained on data of its shape as the network that was drawn is, and stays as it is unless asked") {
    const Settings chain{{"widths", "12,12"}, {"samples", "80"}, {"half", "1.2"}};
    const auto file = drawnFile(chain);
    const Settings data{{"samples", "80"}, {"half", "1.2"}};
    const Report still = lookAtFile(file, data);
    CHECK(still.array("loss") == nullptr);
    CHECK(still.note("training") == nullptr);
    const Report read = lookAtFile(file, with(data, "steps", "120")), drawn = runLens(with(chain, "steps", "120"));
    // Not the regions: the window of a given network is fitted to the data, that of a drawn one lies about the origin.
    for (const char* name : {"loss", "accuracy", "capacity", "chi"}) {
        CAPTURE(std::string(name));
        CHECK(sameValues(arrayOf(read, name).values, arrayOf(drawn, name).values));
    }
    CHECK(scalarOf(read, "trainingAccuracy") > 0.9);
}

TEST_CASE("a network from a file that the data cannot teach says so in a sentence, and is looked at all the same") {
    const auto flat = drawnFile({{"widths", "12,12"}});
    const std::pair<Settings, const char*> cases[] = {{{{"data", "digits"}}, "do not have the network's 2 inputs"},
                                                      {{{"data", "signals"}}, "do not have the network's 2 inputs"}};
    for (const auto& one : cases) {
        const Report report = lookAtFile(flat, with(one.first, "steps", "20"));
        REQUIRE(report.note("training"));
        CAPTURE(*report.note("training"));
        CHECK(isOneSentence(*report.note("training")));
        CHECK(report.note("training")->find(one.second) != std::string::npos);
        CHECK(report.array("capacity"));
        CHECK(report.array("loss") == nullptr);
    }
    // Four processes for the two classes of another network's outputs.
    const auto few = drawnFile({{"data", "gaussian"}, {"inputs", "32"}, {"outputs", "2"}, {"widths", "8"}});
    const Report report = lookAtFile(few, {{"data", "signals"}, {"steps", "20"}});
    REQUIRE(report.note("training"));
    CHECK(isOneSentence(*report.note("training")));
    CHECK(report.array("chi"));
}

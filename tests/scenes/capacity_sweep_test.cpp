#include <doctest/doctest.h>

#include <cmath>

#include "support/followed.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;

namespace {

constexpr const char* kScene = "capacity-sweep";

std::vector<double> valuesOf(const Report& report, const char* name) { return arrayOf(report, name).values; }

/// Of a sweep over channels: random starts over the least loss found, and what a field says where that is largest.
std::pair<double, std::size_t> gapOf(const Report& r) {
    const auto &found = r.array("loss")->values, &best = r.array("lossOptimal")->values;
    std::pair<double, std::size_t> gap{0, 0};
    for (std::size_t i = 0; i < found.size(); ++i)
        if (const double ratio = found[i] / std::max(best[i], valueIn(r, "roundingLoss")); ratio > gap.first) gap = {ratio, i};
    return gap;
}
double largestGap(const Report& r, const char* name) { return r.array(name)->values[gapOf(r).second]; }
bool nowhereAbove(const Report& r) { return gapOf(r).first <= 1.001; }
bool allSure(const Report& r) {
    const auto& sure = r.array("convergedOptimal")->values;
    return std::all_of(sure.begin(), sure.end(), [](double one) { return one == 1; });
}

const SummaryOf kSummary{
    "capacity-sweep",
    {{{"layers", "4"}, {"length", "16"}, {"channelsList", "1,2"}, {"iterations", "50"}},
     {{{"model", "recurrent"}, {"channelsList", "12,24"}}},
     {{"parameters", Of::All}, {"loss", Of::All}, {"lossOptimal", Of::All}, {"totalCapacity", Of::All}, {"numericalRank", Of::All}},
     {{"comes down to the optimum everywhere", [](const Report& r) { return nowhereAbove(r) && allSure(r); }},
      {"comes as low as the best found everywhere", [](const Report& r) { return nowhereAbove(r) && !allSure(r); }},
      {"where the optimum is", [](const Report& r) { return !nowhereAbove(r) && largestGap(r, "convergedOptimal") == 1; }},
      {"where the best found is", [](const Report& r) { return !nowhereAbove(r) && largestGap(r, "convergedOptimal") == 0; }},
      {"and the optimum 0", [](const Report& r) { return largestGap(r, "totalCapacity") == r.params.number("length"); }}},
     [](const Report& r, Numbers& n) { n.push_back(std::pow(2, r.params.number("layers"))); }}};

TEST_CASE("capacity and weights of trees are those of the paper, up to 256 channels") {
    const Report report = runChecked(kScene, {{"start", "best"}, {"channelsList", "1,2,3,4,8,16,256"}});
    CHECK(valuesOf(report, "totalCapacity") == std::vector<double>{7, 20, 33, 48, 64, 64, 64});
    CHECK(valuesOf(report, "numericalRank") == valuesOf(report, "totalCapacity"));
    CHECK(valuesOf(report, "parameters") == std::vector<double>{12, 40, 84, 144, 544, 2112, 525312});
}

TEST_CASE("random starts end above the optimum and are marked, except with few channels or very many") {
    const Report report = runChecked(kScene, {});
    const auto losses = valuesOf(report, "loss"), optima = valuesOf(report, "lossOptimal"), converged = valuesOf(report, "converged");
    CHECK(arrayOf(report, "loss").axes[0].values == std::vector<double>{1, 2, 4, 8, 16, 32});
    for (std::size_t i = 0; i < losses.size(); ++i) CHECK(losses[i] >= optima[i] * (1 - 1e-9));
    CHECK(converged == std::vector<double>{1, 0, 0, 0, 0, 1});
    CHECK(losses[2] > 1000 * optima[2]);
    CHECK(losses[5] < 100 * scalarOf(report, "roundingLoss"));
    CHECK(scalarOf(report, "exponent") < -1.5);
    CHECK(isOneSentence(report.summary));
    CHECK(report.summary.find("8 channels") != std::string::npos);
}

TEST_CASE("descents start at iteration 0, never rise, and end at the loss") {
    const Report report = runChecked(kScene, {{"channelsList", "1,3,16"}, {"iterations", "90"}});
    const Array& descent = arrayOf(report, "descent");
    const auto losses = valuesOf(report, "loss"), taken = valuesOf(report, "iterationsTaken");
    CHECK(descent.axes[1].values.front() == 0);
    CHECK(descent.axes[1].values.back() == 90);
    for (std::size_t i = 0; i < 3; ++i) {
        double before = 1e300;
        for (std::size_t k = 0; k < descent.rowLength(); ++k) {
            const double loss = descent.row(i)[k];
            if (std::isnan(loss)) continue;
            CHECK(loss <= before);
            before = loss;
        }
        CHECK(before == losses[i]);
        CHECK(taken[i] <= 90);
    }
}

TEST_CASE("recurrent units: more never lose more, and what fails its check is the best found, not the optimum" *
          doctest::test_suite("long")) {
    for (const char* process : {"power-law", "arfima"}) {
        const Report report = runChecked(
            kScene,
            {{"model", "recurrent"}, {"process", process}, {"channelsList", "2,8,10,12,13,14,16,17,32,64,128"}, {"iterations", "20"}});
        const auto best = valuesOf(report, "lossOptimal"), sure = valuesOf(report, "convergedOptimal"),
                   check = valuesOf(report, "optimalityOptimal");
        for (std::size_t i = 0; i < best.size(); ++i) {
            if (i > 0) CHECK(best[i] <= best[i - 1]);
            CHECK((sure[i] == 1) == (check[i] <= 1e-6 || best[i] <= 100 * scalarOf(report, "roundingLoss")));
        }
        CHECK(sure[0] == 1);
        CHECK(sure.back() == 0);
        CHECK(best[3] < 1e-11);
        CHECK(report.summary.find("the best found is ") != std::string::npos);
        CHECK(report.summary.find("where the optimum is") == std::string::npos);
    }
    // As many units as lags or more reach any predictor: whether or not the search finds it, the optimum is 0.
    const Report few = runChecked(kScene, {{"model", "recurrent"}, {"length", "8"}, {"channelsList", "64"}, {"iterations", "10"}});
    const bool sure = valuesOf(few, "convergedOptimal")[0] == 1;
    CHECK(few.summary.find(sure ? "the optimum is " : "and the optimum 0") != std::string::npos);
}

TEST_CASE("a list in any order, with repeats, is one of rising numbers; restarts only help") {
    const Report one = runChecked(kScene, {{"channelsList", "4,2,2,1"}, {"layers", "4"}, {"iterations", "40"}});
    CHECK(arrayOf(one, "loss").axes[0].values == std::vector<double>{1, 2, 4});
    const Report best = runChecked(kScene, {{"channelsList", "1,2,4"}, {"layers", "4"}, {"iterations", "40"}, {"restarts", "3"}});
    for (std::size_t i = 0; i < 3; ++i) CHECK(valuesOf(best, "loss")[i] <= valuesOf(one, "loss")[i]);
}

TEST_CASE("the first results are there before the first random start has ended") {
    Request request = requestOf(kScene, {{"channelsList", "1,2,4,8,64"}, {"iterations", "40"}});
    bool optimaFirst = false;
    int seen = 0;
    follow(request, [&](const Report& partial, double) {
        if (++seen > 300) return;
        CHECK(partial.status == Status::Partial);
        const Array *optimal = partial.array("lossOptimal"), *loss = partial.array("loss");
        REQUIRE(optimal);
        optimaFirst = optimaFirst || (!std::isnan(optimal->values.back()) && std::isnan(loss->values.back()));
        CHECK(partial.array("totalCapacity")->values.back() == 64);
    });
    CHECK(optimaFirst);
}

TEST_CASE("256 channels are within the budget, many restarts of them are not") {
    const auto cost = [](const Settings& settings) {
        Request request = requestOf(kScene, settings);
        std::vector<std::string> warnings;
        request.params = completeValues(*findDeclaration(kScene), request.params, warnings);
        return costOf(request).operations;
    };
    const char* all = "1,2,4,8,16,32,64,128,256";
    CHECK(cost({{"channelsList", all}}) < kCostLimit.operations);
    CHECK(cost({{"channelsList", all}, {"restarts", "8"}}) > kCostLimit.operations);
    const std::string sentence = refusal([&] { runRequest(requestOf(kScene, {{"channelsList", all}, {"restarts", "8"}})); });
    CHECK(isOneSentence(sentence));
}

}  // namespace

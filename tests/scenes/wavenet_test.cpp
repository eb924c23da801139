#include <doctest/doctest.h>

#include <cmath>

#include "support/followed.h"
#include "support/reference.h"
#include "support/scene_runs.h"
#include "support/sentence.h"
#include "support/summary_reader.h"

using namespace kappaflow;
using Size = std::size_t;

namespace {

Report run(const Settings& settings) { return runChecked("wavenet", settings); }

std::string listOf(const nlohmann::json& numbers) {
    std::string text;
    for (const auto& number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number.get<int>());
    return text;
}

/// The totals of a case of the reference, at random weights: they depend on no others.
void checkTotals(const nlohmann::json& c) {
    const Report report = run({{"block", listOf(c["block"])},
                               {"repeats", std::to_string(c["repeats"].get<int>())},
                               {"channels", std::to_string(c["c"].get<int>())},
                               {"steps", "none"}});
    const Size last = c["repeats"].get<Size>() - 1;
    CHECK(scalarOf(report, "totalTiled") == c["kappa_tiled"].get<double>());
    CHECK(scalarOf(report, "totalRepeated") == c["kappa_repeated"].get<double>());
    CHECK(arrayOf(report, "inputs").values[last] == c["n"].get<double>());
    CHECK(arrayOf(report, "parameters").values[last] == c["p"].get<double>());
    for (Size a = 0; a < 2; ++a) CHECK(arrayOf(report, "bound").row(a)[last] >= arrayOf(report, "grownTotal").row(a)[last]);
}

}  // namespace

const SummaryOf kSummary{"wavenet",
                         {{{"block", "1,2"}, {"repeats", "2"}, {"steps", "60"}},
                          {},
                          {{"bound", Of::All}, {"numericalRank", Of::All}},
                          {{"not an optimum", [](const Report& r) {
                                return std::max(valueIn(r, "optimalityTiled"), valueIn(r, "optimalityRepeated")) > 1e-6 ||
                                       std::isnan(valueIn(r, "optimalityTiled")) || std::isnan(valueIn(r, "optimalityRepeated"));
                            }}}}};

TEST_CASE("wavenet: both arrangements have the reference's total capacities") {
    const auto cases = reference("case_05_generic_ranks.json");
    for (const auto& c : cases["tiled_vs_repeated"])
        if (c["p"].get<int>() < 100) checkTotals(c);
}

TEST_CASE("wavenet: paths are counted as by walking them, and are as many in both arrangements") {
    const Report report = run({{"block", "1,3"}, {"repeats", "3"}, {"steps", "none"}});
    const auto& dilations = arrayOf(report, "dilations");
    for (Size a = 0; a < 2; ++a) {
        std::vector<double> walked(13);
        for (unsigned path = 0; path < 64; ++path) {
            double lag = 0;
            for (Size l = 0; l < 6; ++l) lag += (path >> l & 1U) != 0 ? dilations.row(a)[l] : 0;
            ++walked[static_cast<Size>(lag)];
        }
        const double* paths = arrayOf(report, "paths").row(2);
        CHECK(walked == std::vector<double>(paths, paths + walked.size()));
    }
    CHECK(dilations.row(0)[1] == 3);
    CHECK(dilations.row(1)[1] == 1);
}

TEST_CASE("wavenet: one block is one stack, whatever the arrangement, and one channel commutes") {
    const Report report = run({{"channels", "1"}, {"steps", "20"}});
    const auto &grown = arrayOf(report, "grown"), &total = arrayOf(report, "grownTotal");
    for (Size lag = 0; lag < 16; ++lag) CHECK(grown.row(0)[lag] == grown.row(1)[lag]);
    for (Size r = 0; r < 3; ++r) CHECK(total.row(0)[r] == total.row(1)[r]);
    CHECK(scalarOf(report, "totalTiled") == 13);
}

TEST_CASE("wavenet: more steps of the optimiser never raise the loss, and a single block reaches its optimum") {
    double before = 1e300;
    for (const char* steps : {"1", "30", "300"}) {
        const double loss = scalarOf(run({{"arrangement", "tiled"}, {"repeats", "2"}, {"steps", steps}}), "lossTiled");
        CHECK(loss <= before);
        before = loss;
    }
    const Report one = run({{"repeats", "1"}, {"block", "1,2,4,8,16,32"}});
    CHECK(scalarOf(one, "lossTiled") == doctest::Approx(1.225163e-5).epsilon(1e-6));
    CHECK(scalarOf(one, "optimalityTiled") < 1e-6);
    CHECK(scalarOf(one, "totalTiled") == 20);
}

TEST_CASE("wavenet: one arrangement alone has the same numbers") {
    const Report both = run({{"repeats", "2"}}), alone = run({{"repeats", "2"}, {"arrangement", "repeated"}});
    CHECK(scalarOf(both, "meanLagRepeated") == scalarOf(alone, "meanLagRepeated"));
    CHECK_FALSE(alone.scalar("totalTiled"));
    CHECK(arrayOf(alone, "capacity").axes[0].keys == std::vector<std::string>{"repeated"});
}

TEST_CASE("wavenet: what is known early is what stays") {
    const Request request = requestOf("wavenet", {{"steps", "50"}});
    const Report all = runRequest(request);
    Size seen = 0;
    follow(request, [&](const Report& partial, double) {
        const auto& known = arrayOf(partial, "grownTotal").values;
        Size here = 0;
        for (Size i = 0; i < known.size(); ++i) {
            if (std::isnan(known[i])) continue;
            ++here;
            CHECK(known[i] == arrayOf(all, "grownTotal").values[i]);
        }
        CHECK(here >= seen);
        seen = here;
    });
    CHECK(seen >= 4);
}

TEST_CASE("wavenet: stacks that are too long are refused in a sentence that names the param to lower") {
    for (const Settings& settings : {Settings{{"block", "512,512,512,512,512"}}, {{"block", "512,512,512"}, {"repeats", "6"}}}) {
        const std::string sentence = refusal([&] { openRequest(requestOf("wavenet", settings)); });
        CHECK(isOneSentence(sentence));
        CHECK_MESSAGE(sentence.find("lower ") != std::string::npos, sentence);
    }
}

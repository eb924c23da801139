// What every scene says in words, read against its report: each number is a field's, each comparison holds there.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "support/summary_reader.h"
#include "support/tested_scenes.h"

using namespace kappaflow;

namespace {

/// The base, every further setting and every option of every choice beside it, with one seed after another.
std::vector<Settings> settingsOf(const Declaration& declaration, const SummaryRules& scene) {
    const auto with = [&](const Settings& more) {
        Settings all = scene.base;
        for (const auto& [key, value] : more) {
            const auto same = std::find_if(all.begin(), all.end(), [&, k = key](const auto& m) { return m.first == k; });
            if (same == all.end())
                all.emplace_back(key, value);
            else
                same->second = value;
        }
        return all;
    };
    std::vector<Settings> all{scene.base};
    for (const Settings& more : scene.more) all.push_back(with(more));
    for (const Param& param : declaration.params) {
        if (param.affects != Affects::Request || param.kind != Kind::Choice) continue;
        for (const auto& option : param.options) all.push_back(with({{param.key, std::string(option.key)}}));
    }
    if (declaration.param("seed"))
        for (std::size_t i = 0; i < all.size(); ++i) all[i].emplace_back("seed", std::to_string(1 + i % 5));
    return all;
}

/// Where the rules of a scene's summary stand, and how one is written.
std::string hintOf(const Declaration& declaration) {
    std::string file = declaration.id;
    std::replace(file.begin(), file.end(), '-', '_');
    return "What the summary quotes beside scalars and params, and what holds where it compares, is said in tests/scenes/" + file +
           "_test.cpp: const SummaryOf kSummary{\"" + declaration.id +
           "\", {{{\"PARAM\", \"VALUE\"}}, {}, {{\"FIELD\", Of::Last}}, {{\"PHRASE\", [](const Report& r) { return …; }}}}}; "
           "(SummaryRules in support/summary_reader.h).";
}

}  // namespace

TEST_CASE("every number of a summary is a field's, and every comparison in it holds, over seeds and options" *
          doctest::test_suite("long")) {
    for (const auto& declaration : testedScenes()) {
        const SummaryRules scene = SummaryOf::of(declaration.id);
        for (const Settings& settings : settingsOf(declaration, scene)) {
            std::string said = declaration.id;
            for (const auto& [key, value] : settings) said += " " + key + "=" + value;
            CAPTURE(said);
            const Report report = runRequest(requestOf(declaration.id, settings));
            CHECK_FALSE(report.summary.empty());
            for (const std::string& fault : faultsOf(report, scene)) FAIL_CHECK(fault, "\n", report.summary, "\n", hintOf(declaration));
        }
    }
}

TEST_CASE("the reader of summaries sees wrong numbers and comparisons that do not hold") {
    Report report = runRequest(requestOf("signal-and-noise", {}));
    const SummaryRules scene = SummaryOf::of("signal-and-noise");
    REQUIRE(faultsOf(report, scene).empty());
    const std::string said = report.summary;
    for (const auto& [from, to] :
         {std::pair{"reduces", "amplifies"}, {"0.256", "0.257"}, {"20.2 dB", "20.3 dB"}, {"it reduces noise", "noise falls"}}) {
        report.summary = said;
        const std::size_t at = said.find(from);
        REQUIRE(at != std::string::npos);
        report.summary.replace(at, std::strlen(from), to);
        CHECK_MESSAGE(!faultsOf(report, scene).empty(), report.summary);
    }
    const auto numbers = numbersIn("Theorem 2 gives 1.39·10⁻²⁴ of -0.12, 7360 and 5.6e-16; W^(4), 36.4 % (Eqs 6 and 7).");
    REQUIRE(numbers.size() == 5);
    CHECK(numbers[0].value == doctest::Approx(1.39e-24));
    CHECK(numbers[1].value == -0.12);
    CHECK(numbers[2].tolerance == doctest::Approx(5).epsilon(0.01));
    CHECK(numbers[3].value == doctest::Approx(5.6e-16).epsilon(1e-12));
    CHECK((numbers[4].percent && numbers[4].value == 36.4));
}

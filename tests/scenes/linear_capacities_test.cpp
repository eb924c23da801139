// What holds for the capacities that every scene of the linear models reports.
#include "support/scene_runs.h"

using namespace kappaflow;

TEST_CASE("linear models: every capacity lies between 0 and 1, and those of a model sum to its rank") {
    struct Row {
        const char *scene, *capacities, *ranks;
        Settings settings{};
        double most = 1;
    };
    const Settings five{{"layers", "5"}}, four{{"layers", "4"}}, two{{"layers", "4"}, {"degree", "2"}},
        random{{"channels", "16"}, {"length", "32"}, {"watch", "optimisation"}, {"start", "random"}};
    const auto with = [](Settings settings, const char* key, const char* value) {
        settings.emplace_back(key, value);
        return settings;
    };
    for (const Row& row :
         std::vector<Row>{{"hierarchical", "capacityAlong", "numericalRankAlong", five},
                          {"hierarchical", "capacityInBasisAlong", "numericalRankAlong", five},
                          {"hierarchical", "capacityInBasisAlong", "numericalRankAlong", with(five, "basis", "position")},
                          {"hierarchical", "capacityInBasisAlong", "numericalRankAlong", with(five, "basis", "fourier"), 2},
                          {"recurrent", "capacityAlong", "numericalRankAlong", {{"length", "16"}}},
                          {"recurrent", "capacityAlong", "numericalRankAlong", random},
                          {"feature-map", "capacityByDegree", "numericalRank", two},
                          {"feature-map", "capacityByDegree", "totals", with(two, "functions", "fourier")},
                          {"multi-input", "componentsByChannels", "numericalRank", four},
                          {"multi-input", "componentsByChannels", "totals", four},
                          {"wavenet", "grown", "numericalRank"},
                          {"layer-contributions", "chain", "chainTotal", with(five, "channels", "3")},
                          {"layer-contributions", "chainReverse", "chainReverseTotal", with(five, "channels", "3")},
                          {"layer-contributions", "alone", "aloneTotal", with(five, "channels", "3")},
                          {"layer-contributions", "marginal", "marginalTotal", with(five, "channels", "3")}}) {
        INFO(row.scene, ": ", row.capacities);
        const Report report = runChecked(row.scene, row.settings);
        const auto &capacities = arrayOf(report, row.capacities).values, &ranks = arrayOf(report, row.ranks).values;
        const std::size_t length = capacities.size() / ranks.size();
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            double sum = 0;
            for (std::size_t k = i * length; k < (i + 1) * length; ++k) {
                if (std::isnan(capacities[k])) continue;  // inputs or functions that this model does not have
                CHECK(capacities[k] >= -1e-12);
                CHECK(capacities[k] <= row.most + 1e-12);
                sum += capacities[k];
            }
            CHECK(sum == doctest::Approx(ranks[i]).epsilon(1e-9));
        }
    }
}

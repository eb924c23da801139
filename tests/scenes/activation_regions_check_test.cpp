// What the scene says of a partition whose own check fails.
#include <doctest/doctest.h>

#include "core/regions/partition_state.h"
#include "scenes/expressivity/activation_regions_model.h"
#include "support/regions_scene.h"

using namespace kappaflow;

TEST_CASE("activation regions: a partition that fails its own check is nowhere called exact") {
    using namespace activation_regions;
    for (const double budget : {0.0, 3.0}) {
        const Request request = regionsRequest({{"widths", std::vector<double>{4, 4}}});
        Given given;
        bindParams(kScene, request.params, &given.params);
        Setup setup = setupOf(given);
        if (budget > 0) setup.options.regionBudget = budget;
        Partition partition;
        partition.start(setup.network, setup.slice, setup.window, setup.options);
        partition.finish();
        const Result good = resultOf(given.params, setup, partition);
        CHECK(good.doubt.empty());
        CHECK(good.exactThrough == partition.exactDepth());

        auto& state = const_cast<PartitionAccess::State&>(PartitionAccess::state(partition));
        for (bool Certificate::*part : {&Certificate::euler, &Certificate::distinctPatterns, &Certificate::areas, &Certificate::twins}) {
            const Certificate proof = *state.certificate;
            (*state.certificate).*part = false;
            const Result result = resultOf(given.params, setup, partition);
            state.certificate = proof;
            CHECK(result.doubt == "The partition failed its own check.");
            CHECK(result.certificate == 0);
            CHECK(result.exactThrough == 0);
            const std::string summary = summaryOf(given.params, result);
            CHECK(summary.find("failed its own check: these counts may be wrong") != std::string::npos);
            REQUIRE(result.warnings.size() == good.warnings.size() + 1);
            CHECK(result.warnings.back().find("failed its own check") != std::string::npos);
            for (const std::string& text : result.warnings) CHECK(text.find("exact") == std::string::npos);
            CHECK(summary.find("exact") == std::string::npos);
        }
    }
}

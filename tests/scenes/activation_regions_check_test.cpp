// What the scene says of a partition whose own check fails.
#include <doctest/doctest.h>

#include "core/regions/partition_state.h"
#include "scenes/expressivity/activation_regions/model.h"
#include "support/regions_scene.h"

using namespace kappaflow;

TEST_CASE("activation regions: a partition that fails its own check is nowhere called exact") {
    for (const double budget : {0.0, 3.0}) {
        const Request request = regionsRequest({{"widths", std::vector<double>{4, 4}}});
        const regions::Setup setup = regions::readSetup(request);
        Partition partition;
        PartitionOptions options = setup.options;
        if (budget > 0) options.regionBudget = budget;
        partition.start(setup.network, setup.slice, setup.window, options);
        partition.finish();
        regions::Facts facts;
        facts.pieces = affinePieces(partition);
        if (!partition.mesh().output.empty()) facts.slopes = slopeNorms(partition.mesh());
        const Report good = regions::makeReport(setup, partition, facts);
        CHECK(good.status == Status::Ok);
        CHECK(scalarIn(good, "exactThrough") == partition.exactDepth());

        auto& state = const_cast<PartitionAccess::State&>(PartitionAccess::state(partition));
        for (bool Certificate::*part : {&Certificate::euler, &Certificate::distinctPatterns, &Certificate::areas, &Certificate::twins}) {
            const Certificate proof = *state.certificate;
            (*state.certificate).*part = false;
            const Report report = regions::makeReport(setup, partition, facts);
            state.certificate = proof;
            CHECK(report.status == Status::Partial);
            CHECK(report.message == "The partition failed its own check.");
            CHECK(scalarIn(report, "certificate") == 0);
            CHECK(scalarIn(report, "exactThrough") == 0);
            CHECK(report.summary.find("failed its own check: these counts may be wrong") != std::string::npos);
            REQUIRE(report.warnings.size() == good.warnings.size() + 1);
            CHECK(report.warnings.back().find("failed its own check") != std::string::npos);
            for (const std::string& text : report.warnings) CHECK(text.find("exact") == std::string::npos);
            CHECK(report.summary.find("exact") == std::string::npos);
        }
    }
}

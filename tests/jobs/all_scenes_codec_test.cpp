#include <doctest/doctest.h>

#include "jobs/codec.h"
#include "support/complete_set.h"
#include "support/random_states.h"
#include "support/report_cache.h"
#include "support/report_checks.h"
#include "support/scripted.h"
#include "support/temporary_folder.h"

using namespace kappaflow;

namespace {

constexpr double kCheap = 1e8;

/// The defaults and every preset of a scene.
std::vector<Request> showcases(const Declaration& declaration) {
    std::vector<Request> requests{requestWith(declaration, {})};
    for (const auto& preset : declaration.presets)
        requests.push_back(requestWith(declaration, {preset.values.begin(), preset.values.end()}));
    return requests;
}

TEST_CASE("any request of any scene comes back whole") {
    Rng rng(31, Purpose::Data);
    for (const auto& declaration : declarations())
        for (int i = 0; i < 100; ++i) {
            Request request;
            request.scene = declaration.id;
            request.params = randomState(declaration, rng).params;
            const Request back = decodeRequest(encodeRequest(request));
            REQUIRE(back.scene == request.scene);
            REQUIRE(back.params == request.params);
        }
}

TEST_CASE("a report that tests keep, in memory or in a file, has the bits of a fresh one, whatever is viewed" *
          doctest::test_suite("long")) {
    const TemporaryFolder folder;
    ReportCache written(folder.path("")), read(folder.path(""));
    for (const auto& declaration : declarations())
        for (const auto& request : showcases(declaration)) {
            if (openRequest(request)->cost().operations > kCheap) continue;
            CAPTURE(declaration.id);
            const Report fresh = runRequest(request);
            const auto sameBits = [&](Report kept) {
                kept.params = fresh.params;
                return encodeReport(kept) == encodeReport(fresh);
            };
            CHECK(sameBits(written.of(request)));
            CHECK(sameBits(read.of(request)));
        }
    CHECK(written.computed() > 0);
    CHECK(read.computed() == 0);
}

}  // namespace

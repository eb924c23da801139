#include <doctest/doctest.h>

#include "jobs/codec.h"
#include "support/random_states.h"
#include "support/report_checks.h"

using namespace kappaflow;

namespace {

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

TEST_CASE("every scene's reports come back whole, and the same params give the same bits twice" * doctest::test_suite("long")) {
    for (const auto& declaration : declarations())
        for (const auto& request : showcases(declaration)) {
            if (modelOf(declaration.id).cost(request).operations > 1e8) continue;
            CAPTURE(declaration.id);
            const auto once = encodeReport(runRequest(request)), twice = encodeReport(runRequest(request));
            CHECK(once == twice);
            CHECK(encodeReport(decodeReport(once)) == once);
        }
}

TEST_CASE("a runner in slices gives the bits that running at once gives") {
    for (const auto& declaration : declarations()) {
        const Request request = requestWith(declaration, {});
        const auto runner = makeInlineRunner(std::chrono::microseconds(1));
        runner->start(1, request);
        JobEvent last;
        while (runner->busy())
            for (auto& event : runner->poll()) last = std::move(event);
        REQUIRE(last.what == JobEvent::What::Done);
        CHECK(encodeReport(last.report) == encodeReport(runRequest(request)));
    }
}

}  // namespace

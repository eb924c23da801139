#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "jobs/runner.h"
#include "support/complete_set.h"
#include "support/random_states.h"
#include "support/report_checks.h"
#include "support/scripted.h"

using namespace kappaflow;

namespace {

Request randomRequest(const Declaration& scene, Rng& rng) {
    const State state = randomState(scene, rng);
    Request request;
    request.scene = scene.id;
    request.params = state.params;
    return request;
}

/// The scenes whose defaults are computed at once, so that many of them can be.
std::vector<const Declaration*> quickScenes() {
    std::vector<const Declaration*> found;
    for (const Declaration& scene : declarations())
        if (openRequest(requestWith(scene, {}))->cost().operations < 2e8) found.push_back(&scene);
    return found;
}

TEST_CASE("cancelled at a random moment a job says nothing more, and what comes after it is what a fresh runner computes") {
    Rng rng(71, Purpose::Data);
    const auto& scenes = declarations();
    const auto quick = quickScenes();
    REQUIRE(quick.size() >= 10);
    const auto runner = makeThreadRunner();
    const int times = completeSet() ? 1000 : 60;
    int cut = 0;
    for (int i = 0; i < times; ++i) {
        const Declaration& scene = scenes[rng.below(scenes.size())];
        const auto job = static_cast<JobId>(2 * i + 1);
        runner->start(job, randomRequest(scene, rng));
        std::this_thread::sleep_for(std::chrono::microseconds(rng.below(20000)));
        runner->poll();
        cut += runner->busy();
        runner->cancel();
        CAPTURE(scene.id);
        CHECK(!runner->busy());
        CHECK(runner->poll().empty());
        // The same scene may go on from what the cancelled job left.
        if (i % 6 != 0) continue;
        const auto same = std::find(quick.begin(), quick.end(), &scene);
        const Declaration& next = same != quick.end() ? scene : *quick[rng.below(quick.size())];
        const Request request = requestWith(next, {});
        CAPTURE(next.id);
        runner->start(job + 1, request);
        const auto events = pollToEnd(*runner);
        REQUIRE(!events.empty());
        for (const auto& event : events) CHECK(event.job == job + 1);
        REQUIRE(events.back().what == JobEvent::What::Done);
        const auto fresh = makeThreadRunner();
        fresh->start(1, request);
        checkSameReports(events.back().report, pollToEnd(*fresh).back().report);
    }
    CHECK(cut > times / 4);  // the others were refused, or ended first
}

}  // namespace

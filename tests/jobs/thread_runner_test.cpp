#include "jobs/contract.h"

using namespace kappaflow;

namespace {

TEST_CASE("the thread runner keeps the runners' contract") {
    checkRunnerContract([] { return makeThreadRunner(runScripted); });
}

TEST_CASE("a job computes while nobody polls") {
    const auto runner = makeThreadRunner(runScripted);
    const auto start = std::chrono::steady_clock::now();
    runner->start(1, scripted("plain", 10, 5));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(40));
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(400)) {
    }
    const auto events = runner->poll();
    REQUIRE(!events.empty());
    CHECK(events.back().what == JobEvent::What::Done);
}

TEST_CASE("an owner that polls rarely finds the newest progress, not all of it") {
    const auto runner = makeThreadRunner(runScripted);
    const auto start = std::chrono::steady_clock::now();
    runner->start(1, scripted("plain", 200, 1));
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(500)) {
    }
    CHECK(runner->poll().size() <= 3);
}

TEST_CASE("many runners come and go in every state") {
    for (int i = 0; i < 100; ++i) {
        const auto runner = makeThreadRunner(runScripted);
        if (i % 4 > 0) runner->start(1, scripted("plain", 100000, 0.001 * i));
        if (i % 4 > 1) runner->poll();
        if (i % 4 > 2) runner->cancel();
    }
}

}  // namespace

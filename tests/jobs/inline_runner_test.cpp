#include "jobs/contract.h"

using namespace kappaflow;

namespace {

TEST_CASE("the inline runner keeps the runners' contract") {
    checkRunnerContract([] { return makeInlineRunner(std::chrono::milliseconds(2), startScripted); });
}

TEST_CASE("one poll of the inline runner computes for about a slice") {
    const auto runner = makeInlineRunner(std::chrono::milliseconds(5), startScripted);
    runner->start(1, scripted("plain", 1000, 1));
    runner->poll();
    double longest = 0;
    for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        runner->poll();
        longest = std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    CHECK(longest >= 0.005);
    CHECK(longest < 0.1);  // generous: the machine may be busy
    CHECK(runner->busy());
}

}  // namespace

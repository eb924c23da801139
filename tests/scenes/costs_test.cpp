#include <doctest/doctest.h>

// Sanitizers have an allocator of their own.
#if defined(__has_feature)
#define KF_SANITIZED __has_feature(address_sanitizer)
#else
#define KF_SANITIZED 0
#endif
#if defined(__GLIBC__) && !KF_SANITIZED

#include <algorithm>
#include <memory>

#include "support/request_costs.h"
#include "support/tested_scenes.h"

using namespace kappaflow;

// Times are left to tools/bench/costs_bench.cpp.
TEST_CASE("sixty random requests take at most twice the memory they were estimated to take" * doctest::test_suite("long")) {
    // Smaller ones are the allocator's own.
    constexpr double kLeastBytes = 8e6, kAffordable = 3e8;
    Rng rng(11, Purpose::Data);
    int run = 0;
    const auto& scenes = declarations();
    for (std::size_t k = 0; run < 60 && k < 100 * scenes.size(); ++k) {
        const Declaration& scene = scenes[k % scenes.size()];
        const State state = costedState(scene, rng);
        Request request;
        request.scene = state.scene;
        request.params = state.params;
        std::unique_ptr<OpenRequest> opened;
        try {
            opened = openRequest(request, {kAffordable, 1e300});
        } catch (const InputError&) {
            continue;  // refused, or dearer
        }
        CAPTURE(formatLink(state));
        const Taken taken = takenBy(*opened);
        CHECK(taken.ended);
        if (taken.operations < 0) continue;  // refused once it runs
        ++run;
        CHECK(taken.bytes <= std::max(2 * opened->cost().bytes, kLeastBytes));
    }
    CHECK(run == 60);
}
#endif

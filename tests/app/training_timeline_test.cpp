// A timeline whose param is part of the question: training steps; and one of layers that come in one after the other.
#include <doctest/doctest.h>

#include <cmath>

#include "bench_runner.h"

using namespace kappaflow;

namespace {

constexpr const char* kMoons = "v=1&scene=activation-regions&data=moons&widths=4&samples=20&steps=20";

double step(Workbench& bench) { return bench.session().state().params.number("step"); }

/// Open, computed, and one frame further.
void openTraining(Workbench& bench, const std::string& more = "") {
    bench.app.openLink(kMoons + more);
    bench.frame();
    while (bench.runner->busy()) {
        bench.runner->finish();
        bench.frame(0);
    }
}

}  // namespace

TEST_CASE("training steps take the place of layers on the timeline, and give it back") {
    Workbench bench;
    openTraining(bench);
    CHECK(bench.session().timeline().param == "step");
    CHECK(bench.app.playhead().track().steps.back() == 20);
    CHECK(bench.app.playhead().track().whole);
    bench.set("data", std::string("none"));
    bench.settle();
    CHECK(bench.session().timeline().param == "depth");
}

TEST_CASE("a training opened without a step begins at the beginning when it plays, and shows its end when it does not") {
    Workbench playing, still;
    openTraining(playing);
    CHECK(step(playing) < 20);
    openTraining(still, "&play=false");
    CHECK(step(still) == 20);
    CHECK(still.session().report()->scalar("trainedSteps")->value == 20);
}

TEST_CASE("a link to a training that plays names no step: it begins at the beginning again") {
    Workbench bench;
    openTraining(bench);
    REQUIRE(bench.app.playing());
    CHECK(bench.app.link().find("step=") == std::string::npos);
}

TEST_CASE("while training plays, the next step is asked for only when the one before has come") {
    Workbench bench;
    openTraining(bench);
    int asked = 0;
    double before = step(bench);
    for (int i = 0; i < 400 && asked < 8; ++i) {
        bench.frame(0.05);
        if (!bench.runner->busy()) continue;
        ++asked;
        const double now = step(bench);
        CHECK(now > before);
        CHECK(now == std::round(now));
        for (int wait = 0; wait < 5; ++wait) bench.frame(0.2);
        CHECK(step(bench) == now);
        CHECK(bench.runner->started.back().params.number("step") == now);
        before = now;
        bench.runner->finish();
    }
    CHECK(asked == 8);
}

TEST_CASE("between two layers the timeline names the one whose lines all stand, as the counts beside it do") {
    Workbench bench;
    bench.app.openLink("v=1&scene=activation-regions&widths=4,4,4&depth=1.6&play=false");
    bench.settle();
    const Playhead& playhead = bench.app.playhead();
    CHECK(bench.app.at() == 1.6);
    CHECK(playhead.track().steps[playhead.stepAt(bench.app.at())] == 1);
}

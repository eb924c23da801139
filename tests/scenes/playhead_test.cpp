#include "scene/playhead.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace kappaflow;

namespace {

Playhead over(std::vector<double> steps, bool backward, double secondsPerStep = 0.4) {
    Playhead playhead;
    playhead.setTrack({std::move(steps), backward, secondsPerStep});
    return playhead;
}

double playFor(Playhead& playhead, double at, double seconds) {
    for (double t = 0; t < seconds - 1e-9; t += 0.01) at = playhead.play(at, 0.01);
    return at;
}

}  // namespace

TEST_CASE("time and axis values are inverse to each other, in either direction") {
    for (const bool backward : {false, true}) {
        const Playhead playhead = over({0, 1, 2, 5, 9}, backward);
        for (const double at : {0.0, 0.25, 1.0, 3.5, 8.9, 9.0}) CHECK(playhead.valueAt(playhead.timeOf(at)) == doctest::Approx(at));
        CHECK(playhead.timeOf(backward ? 9 : 0) == 0);
        CHECK(playhead.timeOf(backward ? 0 : 9) == 4);
        CHECK(playhead.timeOf(-3) == playhead.timeOf(0));
        CHECK(playhead.timeOf(40) == playhead.timeOf(9));
    }
}

TEST_CASE("shares of the playing time lead from end to end, slow steps take their part, and they agree with playing") {
    Playhead playhead;
    playhead.setTrack({{0, 1, 2, 3, 4}, false, 0.4, false, 2});
    CHECK(playhead.duration() == doctest::Approx(0.4 * (3 + 3 + 1 + 1)));
    CHECK(playhead.valueAfter(0) == 0);
    CHECK(playhead.valueAfter(1) == 4);
    CHECK(playhead.valueAfter(0.75) == doctest::Approx(2));
    double at = 0;
    for (int i = 1; i <= 320; ++i) {
        at = playhead.play(at, 0.01);
        if (i % 40 == 0) CHECK(at == doctest::Approx(playhead.valueAfter(i / 320.0)).epsilon(0.01));
    }
    CHECK(over({0, 1, 2}, true).valueAfter(0) == 2);
    CHECK(over({0, 1, 2}, true).valueAfter(2) == 0);
}

TEST_CASE("the step that is told is the nearest, or the one reached, counted along the axis whichever way one plays") {
    CHECK(over({0, 1, 2, 3}, false).stepAt(2.4) == 2);
    CHECK(over({0, 1, 2, 3}, true).stepAt(2.4) == 2);
    CHECK(over({0, 1, 2, 3}, true).stepAt(2.6) == 3);
    for (const bool backward : {false, true}) {
        Playhead playhead;
        playhead.setTrack({{0, 1, 2, 3}, backward, 0.4, false, 0, true});
        CHECK(playhead.stepAt(0) == 0);
        CHECK(playhead.stepAt(1.6) == (backward ? 2 : 1));
        CHECK(playhead.stepAt(2) == 2);
        CHECK(playhead.stepAt(3) == 3);
    }
}

TEST_CASE("playing meets every step when its time has come and never turns back") {
    Playhead playhead = over({0, 1, 2, 3, 4}, false);
    double at = 0;
    for (int step = 1; step <= 4; ++step) {
        double before = at;
        for (int i = 0; i < 40; ++i) {
            at = playhead.play(at, 0.01);
            CHECK(at >= before);
            before = at;
        }
        CHECK(at == doctest::Approx(step).epsilon(1e-6));
    }
}

TEST_CASE("a backward track plays from its last step down to its first") {
    Playhead playhead = over({0, 1, 2, 3, 4}, true);
    const double at = playFor(playhead, 4, 0.8);
    CHECK(at == doctest::Approx(2).epsilon(1e-6));
    CHECK(playFor(playhead, at, 0.8) == doctest::Approx(0).epsilon(1e-6));
}

TEST_CASE("playing stops at the end") {
    Playhead playhead = over({0, 1, 2}, false);
    CHECK_FALSE(playhead.ended());
    double at = playFor(playhead, 0, 0.85);
    CHECK(at == 2);
    CHECK(playhead.ended());
    CHECK(playFor(playhead, at, 5) == 2);
}

TEST_CASE("asked to play at the end it starts over at once") {
    Playhead playhead = over({0, 1, 2}, false);
    const double at = playFor(playhead, 2, 0.2);
    CHECK(at > 0);
    CHECK(at < 1);
    playFor(playhead, at, 2);
    playhead.release();  // paused at the end, then played again
    CHECK(playhead.play(2, 0.1) < 1);
}

TEST_CASE("whoever moves the position while it plays is followed from there") {
    Playhead playhead = over({0, 1, 2, 3, 4, 5, 6, 7, 8}, false);
    playFor(playhead, 0, 0.37);
    CHECK(playhead.play(5.5, 0.001) == doctest::Approx(5.5).epsilon(0.01));
    CHECK(playFor(playhead, 5.0, 0.4) == doctest::Approx(6).epsilon(1e-6));
}

TEST_CASE("a step glides to the next whole step and ends there") {
    Playhead playhead = over({0, 1, 2, 3}, true);
    playhead.step(2.3, 1);  // onwards in playing order is downwards here
    double at = 2.3, before = 2.3;
    int frames = 0;
    for (; playhead.stepping() && frames < 1000; ++frames) {
        at = playhead.glide(at, 0.01);
        CHECK(at <= before);
        before = at;
    }
    CHECK(at == doctest::Approx(2));
    CHECK(frames * 0.01 >= 0.3);
    CHECK(frames * 0.01 <= 0.6);
}

TEST_CASE("two quick steps go two steps; at the ends there is nowhere to go") {
    Playhead playhead = over({0, 1, 2, 3}, false);
    const auto finish = [&](double at) {
        while (playhead.stepping()) at = playhead.glide(at, 0.05);
        return at;
    };
    playhead.step(0, 1);
    const double half = playhead.glide(0, 0.1);
    playhead.step(half, 1);
    CHECK(finish(half) == doctest::Approx(2));
    playhead.step(3, 1);
    CHECK(finish(3) == 3);
    playhead.step(0, -1);
    CHECK(finish(0) == 0);
}

TEST_CASE("a long axis still runs through within twenty seconds") {
    std::vector<double> steps(401);
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<double>(i);
    CHECK(over(steps, false).stepSeconds() * 400 == doctest::Approx(20));
    CHECK(over({0, 1, 2}, false, 0.25).stepSeconds() == 0.25);
}

TEST_CASE("no axis, no motion") {
    for (auto& playhead : {over({}, false), over({3}, true)}) {
        Playhead copy = playhead;
        CHECK(copy.empty());
        CHECK(copy.play(7, 1) == 7);
        copy.step(7, 1);
        CHECK_FALSE(copy.stepping());
    }
}

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "draw/markup.h"
#include "draw/plot.h"
#include "draw/random.h"

using namespace kappaflow;

namespace {

std::vector<Tick> major(const std::vector<Tick>& ticks) {
    std::vector<Tick> found;
    for (const Tick& tick : ticks)
        if (!tick.label.empty()) found.push_back(tick);
    return found;
}

std::vector<std::string> labels(const AxisSpec& axis, double pixels = 300, double spacing = 50) {
    std::vector<std::string> texts;
    for (const Tick& tick : major(ticksFor(axis, pixels, spacing))) texts.push_back(tick.label);
    return texts;
}

/// A label read back: "−2.5·10^{−7}" is -2.5e-7.
double readBack(std::string text) {
    const auto replace = [&](const std::string& what, const std::string& with) {
        for (std::size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), with);
    };
    replace("−", "-"), replace("·10^{", "e"), replace("}", "");
    replace("10^{", "1e");
    return std::strtod(text.c_str(), nullptr);
}

void checkTicks(const AxisSpec& axis) {
    CAPTURE(axis.lo);
    CAPTURE(axis.hi);
    const AxisSpec usable = usableAxis(axis);
    const auto ticks = ticksFor(axis, 300, 50);
    const auto shown = major(ticks);
    CHECK(shown.size() >= 2);
    CHECK(shown.size() <= 8);
    const double slack = 1e-6 * (usable.hi - usable.lo);
    std::set<std::string> texts;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        CHECK(ticks[i].value >= usable.lo - slack);
        CHECK(ticks[i].value <= usable.hi + slack);
        if (i > 0) CHECK(ticks[i].value > ticks[i - 1].value);
    }
    for (const Tick& tick : shown) {
        CHECK(texts.insert(tick.label).second);
        CHECK(readBack(tick.label) == doctest::Approx(tick.value).epsilon(1e-9));
    }
}

}  // namespace

TEST_CASE("ticks of plain ranges are the ones a person would write") {
    CHECK(labels({.lo = 0, .hi = 1}) == std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
    CHECK(labels({.lo = -10, .hi = 10}) == std::vector<std::string>{"−10", "−5", "0", "5", "10"});
    CHECK(labels({.lo = 0, .hi = 4, .whole = true}) == std::vector<std::string>{"0", "1", "2", "3", "4"});
    CHECK(labels({.lo = 0, .hi = 2e-5}, 150) == std::vector<std::string>{"0", "10^{−5}", "2·10^{−5}"});
    CHECK(labels({.lo = 0, .hi = 4e6}, 150) == std::vector<std::string>{"0", "2·10^{6}", "4·10^{6}"});
    CHECK(labels({.lo = 1, .hi = 1000, .scale = Scale::Log}) == std::vector<std::string>{"1", "10", "100", "1000"});
    CHECK(labels({.lo = 1e-4, .hi = 1, .scale = Scale::Log}, 300) ==
          std::vector<std::string>{"10^{−4}", "10^{−3}", "10^{−2}", "10^{−1}", "1"});
    CHECK(labels({.lo = 1, .hi = 20, .scale = Scale::Log}) == std::vector<std::string>{"1", "2", "5", "10", "20"});
}

TEST_CASE("ticks cover any linear range in order, few, and with labels that tell them apart and read back") {
    Random rng(7);
    for (int round = 0; round < 3000; ++round) {
        const double size = std::pow(10, -300 + 600 * rng.uniform());
        const double from = round % 3 == 0 ? 0 : size * (2 * rng.uniform() - 1) * (round % 3 == 1 ? 1 : 1e4);
        checkTicks({.lo = from, .hi = from + size * (0.1 + rng.uniform())});
    }
    checkTicks({.lo = -1e300, .hi = 1e300});
    checkTicks({.lo = 1e-300, .hi = 3e-300});
    checkTicks({.lo = 1, .hi = 1 + 1e-9});
}

TEST_CASE("ticks cover any logarithmic range") {
    Random rng(8);
    for (int round = 0; round < 3000; ++round) {
        const double from = -300 + 560 * rng.uniform(), decades = std::pow(10, -2 + 3.5 * rng.uniform());
        checkTicks({.lo = std::pow(10, from), .hi = std::pow(10, from + decades), .scale = Scale::Log});
    }
    checkTicks({.lo = 1e-300, .hi = 1e300, .scale = Scale::Log});
}

TEST_CASE("a short logarithmic axis over many decades names its first and its last") {
    CHECK(labels({.lo = 1e-16, .hi = 3, .scale = Scale::Log}, 70, 30) == std::vector<std::string>{"10^{−16}", "1"});
    CHECK(labels({.lo = 2e-17, .hi = 0.05, .scale = Scale::Log}, 70, 30) == std::vector<std::string>{"10^{−16}", "10^{−2}"});
}

TEST_CASE("whole axes have whole ticks only") {
    for (const double hi : {0.0, 0.4, 1.0, 2.5, 3.0, 17.0, 1000.0, 65536.0})
        for (const Tick& tick : ticksFor({.lo = 0, .hi = hi, .whole = true}, 400, 20)) {
            CAPTURE(hi);
            CHECK(tick.value == std::round(tick.value));
        }
    CHECK(labels({.lo = 3, .hi = 3, .whole = true}) == std::vector<std::string>{"3"});
}

TEST_CASE("ranges that are none are widened") {
    const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    const AxisSpec wild[] = {{.lo = nan, .hi = nan},    {.lo = 3, .hi = nan},       {.lo = 0, .hi = 0},
                             {.lo = 5, .hi = 5},        {.lo = -infinite, .hi = 1}, {.lo = -infinite, .hi = infinite},
                             {.lo = 1e308, .hi = 1e308}};
    for (AxisSpec axis : wild)
        for (const Scale scale : {Scale::Linear, Scale::Log}) {
            axis.scale = scale;
            const AxisSpec usable = usableAxis(axis);
            CHECK(std::isfinite(usable.lo));
            CHECK(std::isfinite(usable.hi));
            CHECK(usable.lo < usable.hi);
            if (scale == Scale::Log) CHECK(usable.lo > 0);
            checkTicks(axis);
        }
    CHECK(usableAxis({.lo = 2, .hi = 1}).lo == 1);
    CHECK(usableAxis({.lo = -5, .hi = 1000, .scale = Scale::Log}).lo == doctest::Approx(1));
}

TEST_CASE("place and value on an axis undo each other; what has no logarithm has no place") {
    for (const bool reversed : {false, true})
        for (const Scale scale : {Scale::Linear, Scale::Log}) {
            const AxisSpec axis = usableAxis({.lo = 0.02, .hi = 700, .scale = scale, .reversed = reversed});
            for (const double place : {0.0, 0.1, 0.5, 0.93, 1.0}) CHECK(axisPlace(axis, axisValue(axis, place)) == doctest::Approx(place));
            CHECK(axisPlace(axis, 0.02) == doctest::Approx(reversed ? 1 : 0));
        }
    const AxisSpec log = usableAxis({.lo = 1, .hi = 10, .scale = Scale::Log});
    CHECK(std::isnan(axisPlace(log, 0)));
    CHECK(std::isnan(axisPlace(log, -1)));
}

TEST_CASE("an asinh axis has a place for 0, even steps below its unit and decades above it") {
    const AxisSpec axis{.lo = 0, .hi = 1, .scale = Scale::Asinh};
    CHECK(axisPlace(axis, 0) == 0);
    CHECK(axisPlace(axis, 1) == 1);
    CHECK(axisPlace(axis, 0.002) == doctest::Approx(2 * axisPlace(axis, 0.001)).epsilon(0.02));
    CHECK(axisPlace(axis, 1) - axisPlace(axis, 0.5) == doctest::Approx(axisPlace(axis, 0.5) - axisPlace(axis, 0.25)).epsilon(0.02));
    for (const double place : {0.0, 0.1, 0.5, 0.9, 1.0}) CHECK(axisPlace(axis, axisValue(axis, place)) == doctest::Approx(place));
    CHECK(labels(axis, 400, 50) == std::vector<std::string>{"0", "0.1", "0.3", "1"});
    CHECK(labels(axis, 100, 50) == std::vector<std::string>{"0", "0.1", "1"});
    // In a zoom without a decade in sight the steps are even.
    CHECK(labels({.lo = 0.42, .hi = 0.58, .scale = Scale::Asinh}).size() >= 2);
    for (const double hi : {1e-5, 0.02, 1.0, 1e3, 1e200}) checkTicks({.lo = 0, .hi = hi, .scale = Scale::Asinh});
    for (const double lo : {-2.0, 0.2, 0.9}) checkTicks({.lo = lo, .hi = 1, .scale = Scale::Asinh});
}

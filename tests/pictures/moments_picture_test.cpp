// The picture of signal and noise: its handle, the words about pathologies and fits, clouds, and that its panels fit.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using Given = std::vector<std::pair<std::string, Value>>;

Given small(Given more) {
    for (const auto& [key, value] : Given{{"width", 24.0}, {"layers", 24.0}, {"samples", 24.0}, {"draws", 3.0}})
        if (std::none_of(more.begin(), more.end(), [&, k = key](const auto& m) { return m.first == k; })) more.emplace_back(key, value);
    return more;
}

/// Root mean square distance of the marks from their mean, in pixels.
double spreadOf(Shown& shown, const char* id) {
    const auto marks = shown.recorder.find(id);
    Vec2 mean;
    for (const auto* mark : marks) mean = mean + mark->points[0] * (1.0 / static_cast<double>(marks.size()));
    double sum = 0;
    for (const auto* mark : marks) sum += std::pow(mark->points[0].x - mean.x, 2) + std::pow(mark->points[0].y - mean.y, 2);
    return std::sqrt(sum / static_cast<double>(marks.size()));
}

}  // namespace

TEST_CASE("moments: as the noise grows the signal shrinks, and a zero-dimensional signal shrinks in units of its size") {
    Shown drowned("moments", small({{"net", std::string("batch-norm")}, {"layers", 40.0}, {"at", 0.0}}));
    drowned.draw();
    const double before = spreadOf(drowned, "cloud/signal");
    drowned.state.params.set("at", 40.0);
    drowned.draw();
    CHECK(spreadOf(drowned, "cloud/signal") < 0.1 * before);
    CHECK(spreadOf(drowned, "cloud/noisy") > 0.3 * before);
    Shown point("moments", small({{"weightScale", 0.7}, {"biasVariance", 0.1}, {"cloud", std::string("size")}, {"at", 0.0}}));
    point.draw();
    const double wide = spreadOf(point, "cloud/signal");
    point.state.params.set("at", 20.0);
    point.draw();
    CHECK(spreadOf(point, "cloud/signal") < 0.05 * wide);
}

TEST_CASE("moments: a dot pulled away from its point asks for the noise that brings it there") {
    for (const double layer : {0.0, 9.0}) {
        CAPTURE(layer);
        Shown shown("moments", small({{"at", layer}}));
        CHECK(std::get<double>(shown.afterMove("noise", 0.4).at(0).value) == doctest::Approx(0.4));
        shown.draw();
        const auto knobAt = [&] { return shown.recorder.find("cloud/noise-knob").at(0)->points[0]; };
        Pointer pointer;
        pointer.at = knobAt();
        pointer.inside = pointer.down = pointer.pressed = true;
        CHECK(shown.draw(pointer).empty());
        pointer.pressed = false;
        // Towards where a fifth more noise would have it.
        const Vec2 from = knobAt();
        shown.set("noise", 0.12);
        shown.draw(pointer);
        const Vec2 to = knobAt();
        shown.set("noise", 0.1);
        REQUIRE(std::hypot(to.x - from.x, to.y - from.y) > 0.5);
        pointer.at = to;
        const auto changes = shown.draw(pointer);
        REQUIRE(changes.size() == 1);
        CHECK(changes[0].key == "noise");
        CHECK(std::get<double>(changes[0].value) == doctest::Approx(0.12).epsilon(0.02));
    }
}

TEST_CASE("moments: networks that die are told on the picture") {
    Shown shown("moments", {{"width", 2.0}, {"layers", 20.0}, {"samples", 8.0}, {"draws", 20.0}});
    shown.draw();
    CHECK(shown.says("of 20 draws end early"));
    checkLabels(shown);
}

TEST_CASE("moments: points glide between layers") {
    Shown shown("moments", small({{"at", 5.0}}));
    const auto places = [&](double layer) {
        shown.state.params.set("at", layer);
        shown.draw();
        std::vector<Vec2> all;
        for (const auto* mark : shown.recorder.find("cloud/signal")) all.push_back(mark->points[0]);
        return all;
    };
    const auto from = places(5), to = places(6), between = places(5.5);
    REQUIRE(from.size() == to.size());
    REQUIRE(from.size() == between.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        CHECK(std::abs(between[i].x - (from[i].x + to[i].x) / 2) < 2);
        CHECK(std::abs(between[i].y - (from[i].y + to[i].y) / 2) < 2);
    }
}

TEST_CASE("moments: a power law is straight on double logarithmic axes") {
    Shown shown("moments", small({{"net", std::string("resnet")}, {"axes", std::string("double")}}));
    shown.draw();
    const auto lines = shown.recorder.find("sensitivity/theory");
    REQUIRE_FALSE(lines.empty());
    const auto& law = lines.back()->points;
    REQUIRE(law.size() > 10);
    const Vec2 ends = law.back() - law.front();
    for (const Vec2& p : law) CHECK(std::abs((p.y - law.front().y) * ends.x - (p.x - law.front().x) * ends.y) < 2 * std::abs(ends.x));
}

// What the handles of the family's pictures ask for when the keyboard, or their HTML element, moves them.
#include <doctest/doctest.h>

#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using List = std::vector<double>;
using Named = std::vector<std::pair<std::string, Value>>;

struct Move {
    const char* scene;
    Named values;
    const char* handle;
    double to;
    Named asked;  ///< params and what they become
};

}  // namespace

TEST_CASE("expressivity: every handle asks for the params it stands for") {
    const Named transitions{{"width", 16.0}, {"widths", List{16}}, {"weightVariances", List{4}}, {"layers", 6.0}};
    const Named arc{{"width", 24.0}, {"layers", 6.0}, {"sweepDraws", 4.0}, {"sweepWidths", List{4, 16}}, {"span", 90.0}};
    const Named drawn{{"layers", 3.0}, {"sweepDraws", 0.0}, {"trajectory", std::string("drawn")}, {"path", List{1, 0, 0, 1, -1, 0}}};
    const Named circle{{"path", std::string("circle")}}, turned{{"inputs", 5.0}}, unit{{"chosen", List{2, 1}}};
    const Named line{{"path", std::string("drawn")}, {"drawn", List{-0.5, 0, 0.5, 0.25, 0.5, -0.5}}};
    const Move moves[] = {
        {"dichotomies", {}, "angle", 90, {{"play", false}, {"at", 90.0}}},
        {"dichotomies", {}, "depth", 2, {{"shown", 2.0}}},
        {"transitions", transitions, "layer", 4, {{"play", false}, {"at", 4.0}}},
        {"transitions", transitions, "turn", 7, {{"turn", 7.0}}},
        {"trajectory-length", arc, "weightVariance", 9, {{"weightVariance", 9.0}}},
        {"trajectory-length", arc, "width", 30, {{"width", 30.0}}},
        {"trajectory-length", arc, "layer", 3, {{"play", false}, {"at", 3.0}}},
        {"trajectory-length", arc, "span", 200, {{"span", 200.0}}},
        {"trajectory-length", arc, "start", 45, {{"start", 45.0}}},
        {"trajectory-length", drawn, "a2", 0.5, {{"path", List{1, 0, 0.5, 1, -1, 0}}}},
        {"trajectory-length", drawn, "b2", 0.25, {{"path", List{1, 0, 0, 0.25, -1, 0}}}},
        {"trajectory-length", drawn, "pathCorners", 4, {{"path", List{1, 0, 0.5, 0.5, 0, 1, -1, 0}}}},
        {"trajectory-length", drawn, "pathCorners", 2, {{"path", List{1, 0, 0, 1}}}},
        {"activation-regions", circle, "pathCentreX", 0.24, {{"pathCentre", List{0.24, 0}}}},
        {"activation-regions", circle, "pathRadius", 0.5, {{"pathRadius", 0.5}}},
        {"activation-regions", line, "corner1Y", 0.5, {{"drawn", List{-0.5, 0, 0.5, 0.5, 0.5, -0.5}}}},
        {"activation-regions", line, "drawnCorners", 4, {{"drawn", List{-0.5, 0, 0, 0.125, 0.5, 0.25, 0.5, -0.5}}}},
        {"activation-regions", line, "drawnCorners", 2, {{"drawn", List{-0.5, 0, 0.5, 0.25}}}},
        {"activation-regions", turned, "azimuth", 45, {{"azimuth", 45.0}}},
        {"activation-regions", turned, "tilt", -30, {{"tilt", -30.0}}},
        {"activation-regions", turned, "shift", 0.5, {{"shift", 0.5}}},
        {"activation-regions", unit, "chosenLayer", 3, {{"chosen", List{3, 1}}}},
        {"activation-regions", unit, "chosenUnit", 3, {{"chosen", List{2, 3}}}},
    };
    for (const Move& move : moves) {
        INFO(move.scene << ", " << move.handle << " to " << move.to);
        Shown shown(move.scene, move.values);
        const auto changes = shown.afterMove(move.handle, move.to);
        REQUIRE(changes.size() == move.asked.size());
        for (std::size_t i = 0; i < changes.size(); ++i) {
            CHECK(changes[i].key == move.asked[i].first);
            CHECK(changes[i].value == move.asked[i].second);
        }
    }
}

TEST_CASE("expressivity: texts keep apart and inside at every size, whatever is drawn") {
    const Named small{{"width", 24.0}, {"layers", 6.0}, {"sweepDraws", 4.0}, {"sweepWidths", List{4, 16}}};
    const auto trajectory = [&](Named more) {
        more.insert(more.begin(), small.begin(), small.end());
        return more;
    };
    const Named training{{"widths", List{6, 6}}, {"samples", 40.0}, {"noise", 0.0}, {"half", 1.25}, {"steps", 60.0}};
    const auto trained = [&](const char* data, double step) {
        Named all = training;
        all.insert(all.end(), {{"data", std::string(data)}, {"step", step}});
        return all;
    };
    const std::pair<const char*, Named> shown[] = {
        {"dichotomies", {{"swept", std::string("first")}, {"at", 250.0}}},
        {"dichotomies", {{"swept", std::string("every")}, {"at", 250.0}}},
        {"transitions", {{"axes", std::string("logarithmic")}, {"at", 7.0}}},
        {"transitions", {{"axes", std::string("linear")}, {"at", 7.0}}},
        {"trajectory-length", small},
        {"trajectory-length", trajectory({{"activation", std::string("relu")}, {"weightVariance", 2.0}})},
        {"trajectory-length", trajectory({{"activation", std::string("tanh")}})},
        {"trajectory-length", trajectory({{"trajectory", std::string("drawn")}})},
        {"trajectory-length", trajectory({{"trajectory", std::string("line")}, {"sweepDraws", 0.0}})},
        {"trajectory-length", trajectory({{"weightVariance", 100.0}, {"at", 3.5}})},
        {"activation-regions", {}},
        {"activation-regions", {{"depth", 0.0}}},
        {"activation-regions", {{"widths", List{16, 16, 16}}, {"path", std::string("circle")}}},
        {"activation-regions", {{"widths", List(12, 3.0)}, {"depth", 6.0}}},
        {"activation-regions", {{"inputs", 10.0}, {"widths", List{24, 24}}, {"pin", List{0.1, 0.1}}}},
        {"activation-regions", {{"widths", List{64}}, {"budget", 0.0}}},
        {"activation-regions", {{"half", 1e-5}, {"centre", List{0.123456, -9876.54}}}},
        {"activation-regions", trained("spirals", 0)},
        {"activation-regions", trained("checkerboard", 60)},
    };
    for (const auto& each : shown) {
        CAPTURE(each.first);
        Shown picture(each.first, each.second);
        checkLabels(picture);
    }
}

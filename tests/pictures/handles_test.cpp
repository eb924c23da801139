// What the handles of the pictures ask for when the keyboard, or their HTML element, moves them.
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using List = std::vector<double>;

struct Move {
    const char* scene;
    Named values;
    const char* handle;
    double to;
    Named asked;  ///< params and what they become
};

bool near(const Value& a, const Value& b) {
    if (const double* number = std::get_if<double>(&a)) return *number == doctest::Approx(std::get<double>(b));
    const auto *list = std::get_if<List>(&a), *other = std::get_if<List>(&b);
    if (!list || !other) return a == b;
    return std::equal(list->begin(), list->end(), other->begin(), other->end(), [](double x, double y) { return x == doctest::Approx(y); });
}

/// Rounded: what is asked for may differ by rounding.
void checkMoves(const std::vector<Move>& moves, bool rounded = false) {
    for (const Move& move : moves) {
        INFO(move.scene << ", " << move.handle << " to " << move.to);
        Shown shown(move.scene, move.values);
        const auto changes = shown.afterMove(move.handle, move.to);
        REQUIRE(changes.size() == move.asked.size());
        for (std::size_t i = 0; i < changes.size(); ++i) {
            CHECK(changes[i].key == move.asked[i].first);
            CHECK((changes[i].value == move.asked[i].second || (rounded && near(changes[i].value, move.asked[i].second))));
        }
    }
}

/// A line of the layer, or another mark on the timeline: it stops the play.
Named scrubbed(double at) { return {{"play", false}, {"at", at}}; }

}  // namespace

TEST_CASE("capacity flow: every handle asks for the params it stands for") {
    const Named differential{{"layer", std::string("differential")}, {"depths", List{2, 4, 8, 16}}};
    const Named small{{"architecture", List{3, 4, 1}}}, few{{"draws", 1000.0}};
    const Named relu{{"draws", 1000.0}, {"activation", std::string("relu")}}, tanh{{"draws", 1000.0}, {"activation", std::string("tanh")}};
    const Named large{{"architecture", List{8, 8, 8, 8, 1}}, {"activation", std::string("identity")}, {"inputsTried", 1.0}};
    const Named grid{{"space", std::string("grid")}, {"extent", 9.0}, {"layers", 8.0}, {"sectionAt", 2.0}};
    checkMoves(
        {
            {"capacity-diffusion", {}, "top", 12, {{"topIndex", 12.0}}},
            {"capacity-diffusion", {}, "layer", 7, scrubbed(7)},
            {"capacity-diffusion", grid, "layer", 7, scrubbed(7)},
            {"capacity-diffusion", grid, "top", 12, {{"topIndex", 12.0}}},
            {"capacity-diffusion", grid, "topRow", 3, {{"topIndex", 3.0 * 9 + 4}}},
            {"capacity-diffusion", grid, "section", 4, {{"sectionAt", 4.0}}},
            {"capacity-diffusion", grid, "orbit", 90, {{"orbit", 90.0}}},
            {"capacity-diffusion", grid, "tilt", 60, {{"tilt", 60.0}}},
            {"deep-limit", {}, "up", 12.5, {{"up", 12.5}}},
            {"deep-limit", {}, "exponent", 0.8, {{"exponent", 0.8}}},
            {"deep-limit", {}, "depth", 2, scrubbed(80)},
            {"deep-limit", differential, "weight1", 1.8, {{"weights", List{-1, 0, 1.8}}}},
            {"lower-layers", {}, "unit 2", 1.5, {{"unit", 2.0}, {"play", false}, {"at", 1.25}}},
            {"lower-layers", {}, "shown", 4, {{"shown", std::string("tanh")}}},
            {"lower-layers", small, "width 1", 6, {{"architecture", List{3, 6, 1}}}},
            {"lower-layers", small, "width 2", 2, {{"architecture", List{3, 4, 2}}}},
            {"lower-layers", small, "depth", 2, {{"architecture", List{3, 4, 4, 1}}}},
            {"lower-layers", small, "depth", 0, {{"architecture", List{3, 1}}}},
            {"lower-layers", large, "depth", 4, {}},
            {"decoupling", few, "slope", -0.4, {{"slope", -0.4}}},
            {"decoupling", relu, "slope", 0.3, {{"activation", std::string("leaky-relu")}, {"slope", 0.3}}},
            {"decoupling", tanh, "slope", 0.3, {}},
        },
        true);
}

TEST_CASE("expressivity: every handle asks for the params it stands for") {
    const Named transitions{{"width", 16.0}, {"widths", List{16}}, {"weightVariances", List{4}}, {"layers", 6.0}};
    const Named arc{{"width", 24.0}, {"layers", 6.0}, {"sweepDraws", 4.0}, {"sweepWidths", List{4, 16}}, {"span", 90.0}};
    const Named drawn{{"layers", 3.0}, {"sweepDraws", 0.0}, {"trajectory", std::string("drawn")}, {"path", List{1, 0, 0, 1, -1, 0}}};
    const Named circle{{"path", std::string("circle")}}, turned{{"inputs", 5.0}}, unit{{"chosen", List{2, 1}}};
    const Named line{{"path", std::string("drawn")}, {"drawn", List{-0.5, 0, 0.5, 0.25, 0.5, -0.5}}};
    checkMoves({
        {"dichotomies", {}, "angle", 90, scrubbed(90)},
        {"dichotomies", {}, "depth", 2, {{"shown", 2.0}}},
        {"transitions", transitions, "layer", 4, scrubbed(4)},
        {"transitions", transitions, "turn", 7, {{"turn", 7.0}}},
        {"trajectory-length", arc, "weightVariance", 9, {{"weightVariance", 9.0}}},
        {"trajectory-length", arc, "width", 30, {{"width", 30.0}}},
        {"trajectory-length", arc, "layer", 3, scrubbed(3)},
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
    });
}

TEST_CASE("linear models: every handle asks for the params it stands for") {
    const Named sweep{{"iterations", 60.0}}, draws{{"draws", 6.0}, {"channels", 2.0}}, four{{"layers", 4.0}}, wavenet{{"steps", 20.0}},
        layers{{"layers", 4.0}, {"channels", 2.0}}, inputs{{"layers", 4.0}, {"steps", 2.0}}, echoes{{"length", 16.0}};
    checkMoves({
        {"capacity-sweep", sweep, "most", 8, {{"channelsList", List{1, 2, 4, 8, 16, 32, 64, 128, 256}}}},
        {"capacity-sweep", sweep, "most", 2, {{"channelsList", List{1, 2, 4}}}},
        {"capacity-sweep", sweep, "most", 0, {{"channelsList", List{1}}}},
        {"capacity-sweep", sweep, "channels", 3, {{"shown", 8.0}}},
        {"capacity-sweep", sweep, "iteration", 5, scrubbed(5)},
        {"errors-vs-capacity", draws, "direction", 3, {{"direction", 3.0}}},
        {"feature-map", {{"layers", 3.0}, {"steps", 2.0}}, "degree", 1, scrubbed(2)},
        {"multi-input", inputs, "channels", 1, scrubbed(2)},
        {"multi-input", inputs, "part 3", 1, {{"part", 3.0}}},
        {"multi-input", {{"layers", 4.0}, {"steps", 2.0}, {"part", 3.0}}, "part 3", 0, {{"part", 0.0}}},
        {"wavenet", wavenet, "lag", 7, {{"lag", 7.0}}},
        {"wavenet", wavenet, "repeats", 2, scrubbed(2)},
        {"wavenet", wavenet, "block", 6, {{"block", List{1, 2, 4, 8, 16, 32}}}},
        {"hierarchical", four, "place", 3, scrubbed(4)},
        {"hierarchical", four, "weight 2 1", 1.5, {{"pull", List{1, 1, 1, 1.5}}}},
        // A factor of 1 at the end of the list is left out.
        {"hierarchical", {{"layers", 4.0}, {"pull", List{1, 1, 1, 1.5}}}, "weight 2 1", 1.01, {{"pull", List{}}}},
        {"recurrent", echoes, "memory 1", 1.4, {{"pull", List{1, 1.4}}}},
        {"recurrent", echoes, "input 1", 0.5, {{"pullIn", List{1, 0.5}}}},
        {"layer-contributions", layers, "freeze 3", 1, {{"freeze", List{3}}}},
        {"layer-contributions", {{"layers", 4.0}, {"channels", 2.0}, {"freeze", List{1}}}, "freeze 1", 0, {{"freeze", List{}}}},
    });
}

TEST_CASE("moments and one network: every handle asks for the params it stands for") {
    const Named few{{"width", 16.0}, {"layers", 8.0}, {"samples", 16.0}, {"draws", 4.0}}, trained{{"samples", 60.0}, {"steps", 40.0}};
    const auto with = [&](const char* key, const char* value) {
        Named more = few;
        more.emplace_back(key, std::string(value));
        return more;
    };
    const auto walks = [](const char* show) {
        return Named{{"width", 12.0}, {"layers", 20.0}, {"draws", 100.0}, {"show", std::string(show)}};
    };
    const Named deep{{"net", std::string("batch-norm")}, {"activation", std::string("relu")}, {"layers", 6.0}, {"width", 16.0}};
    checkMoves(
        {
            {"moments", few, "layer", 7, scrubbed(7)},
            {"moments", with("compare", "all"), "layer", 7, scrubbed(7)},
            {"moment-diffusion", walks("spread"), "mean-layer", 7, scrubbed(7)},
            {"moment-diffusion", walks("spread"), "variance-layer", 7, scrubbed(7)},
            {"moment-diffusion", walks("terms"), "diffusion-layer", 7, scrubbed(7)},
            {"moment-diffusion", walks("collapse"), "collapse-layer", 7, scrubbed(7)},
            {"moment-diffusion", walks("tails"), "kurtosis-layer", 7, scrubbed(7)},
            {"sensitivity-theorems", with("net", "resnet"), "increments-layer", 5, scrubbed(5)},
            {"sensitivity-theorems", with("net", "resnet"), "branches-layer", 5, scrubbed(5)},
            {"signal-and-noise", {}, "gain", 3, {{"gain", 3.0}}},
            {"signal-and-noise", {}, "gain-line", 0.7, {{"gain", 0.7}}},
            {"signal-and-noise", {}, "separation", 1.2, {{"separation", 1.2}}},
            {"signal-and-noise", {}, "spread", 0.5, {{"spread", 0.5}}},
            {"signal-and-noise", {}, "noise", 0.25, {{"noise", 0.25}}},
            {"signal-and-noise", {}, "probe", -1.1, {{"probe", -1.1}}},
            {"signal-and-noise", deep, "layer", 3, scrubbed(3)},
            {"measured-capacity", trained, "step", 2, scrubbed(16)},
            {"measured-capacity", trained, "layer", 1, {{"layer", 1.0}}},
        },
        true);
}

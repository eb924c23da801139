// What the handles of the family's pictures ask for when the keyboard, or their HTML element, moves them, and where their texts stand.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

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

bool near(const Value& a, const Value& b) {
    if (const double* number = std::get_if<double>(&a)) return *number == doctest::Approx(std::get<double>(b));
    const auto *list = std::get_if<List>(&a), *other = std::get_if<List>(&b);
    if (!list || !other) return a == b;
    return std::equal(list->begin(), list->end(), other->begin(), other->end(), [](double x, double y) { return x == doctest::Approx(y); });
}

const Named kDifferential{{"layer", std::string("differential")}, {"depths", List{2, 4, 8, 16}}};

}  // namespace

TEST_CASE("capacity flow: every handle asks for the params it stands for") {
    const Named small{{"architecture", List{3, 4, 1}}}, few{{"draws", 1000.0}};
    const Named relu{{"draws", 1000.0}, {"activation", std::string("relu")}}, tanh{{"draws", 1000.0}, {"activation", std::string("tanh")}};
    const Named large{{"architecture", List{8, 8, 8, 8, 1}}, {"activation", std::string("identity")}, {"inputsTried", 1.0}};
    const Named grid{{"space", std::string("grid")}, {"extent", 9.0}, {"layers", 8.0}, {"sectionAt", 2.0}};
    const Move moves[] = {
        {"capacity-diffusion", {}, "top", 12, {{"topIndex", 12.0}}},
        {"capacity-diffusion", {}, "layer", 7, {{"play", false}, {"at", 7.0}}},
        {"capacity-diffusion", grid, "layer", 7, {{"play", false}, {"at", 7.0}}},
        {"capacity-diffusion", grid, "top", 12, {{"topIndex", 12.0}}},
        {"capacity-diffusion", grid, "topRow", 3, {{"topIndex", 3.0 * 9 + 4}}},
        {"capacity-diffusion", grid, "section", 4, {{"sectionAt", 4.0}}},
        {"capacity-diffusion", grid, "orbit", 90, {{"orbit", 90.0}}},
        {"capacity-diffusion", grid, "tilt", 60, {{"tilt", 60.0}}},
        {"deep-limit", {}, "up", 12.5, {{"up", 12.5}}},
        {"deep-limit", {}, "exponent", 0.8, {{"exponent", 0.8}}},
        {"deep-limit", {}, "depth", 2, {{"play", false}, {"at", 80.0}}},
        {"deep-limit", kDifferential, "weight1", 1.8, {{"weights", List{-1, 0, 1.8}}}},
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
    };
    for (const Move& move : moves) {
        INFO(move.scene << ", " << move.handle << " to " << move.to);
        Shown shown(move.scene, move.values);
        const auto changes = shown.afterMove(move.handle, move.to);
        REQUIRE(changes.size() == move.asked.size());
        for (std::size_t i = 0; i < changes.size(); ++i) {
            CHECK(changes[i].key == move.asked[i].first);
            CHECK(near(changes[i].value, move.asked[i].second));
        }
    }
}

TEST_CASE("deep limit: the chain's way begins at the start and ends with the profile below it, in colours that stay") {
    std::vector<double> colours;
    for (const double at : {20.0, 40.0, 640.0}) {
        Shown shown("deep-limit", {{"at", at}});
        CAPTURE(at);
        shown.draw();
        const auto ways = shown.recorder.find("way/chain");
        REQUIRE(ways.size() == 1);
        const auto& way = ways[0]->numbers;  // rows, columns, ends of the colours, cells
        const auto rows = static_cast<std::size_t>(way[0]), columns = static_cast<std::size_t>(way[1]);
        REQUIRE(way.size() == 4 + rows * columns);
        const std::vector<double> first(way.begin() + 4, way.begin() + 4 + static_cast<std::ptrdiff_t>(columns)),
            last(way.end() - static_cast<std::ptrdiff_t>(columns), way.end());
        CHECK(std::accumulate(last.begin(), last.end(), 0.0) == doctest::Approx(1).epsilon(1e-3));
        const auto& chain = *shown.report.array("chain");
        const std::size_t depth = at == 20 ? 0 : at == 40 ? 1 : 5;
        // Of many layers the last row is the mean of a few.
        CHECK(*std::max_element(last.begin(), last.end()) ==
              doctest::Approx(*std::max_element(chain.row(depth), chain.row(depth + 1))).epsilon(at < 100 ? 1e-9 : 0.01));
        if (at < 100) CHECK(*std::max_element(first.begin(), first.end()) == 1);
        colours.insert(colours.end(), {way[2], way[3]});
    }
    CHECK(std::equal(colours.begin() + 2, colours.end(), colours.begin()));
}

TEST_CASE("capacity flow: texts keep apart and inside at every size, whatever is drawn") {
    std::vector<std::pair<std::string, Named>> shown{{"deep-limit", {}},
                                                     {"deep-limit", kDifferential},
                                                     {"augmented-space", {{"at", 2.0}, {"inputs", 8.0}, {"features", 8.0}}},
                                                     {"shattering", {{"layers", 1000.0}, {"strands", 1000.0}, {"at", 3.0}}}};
    for (const double at : {0.0, 1.0, 2.0, 3.0})
        for (const char* activation : {"identity", "sigmoid"})
            shown.push_back({"augmented-space", {{"at", at}, {"activation", std::string(activation)}}});
    for (const char* activation : {"identity", "leaky-relu", "relu", "abs", "tanh", "hard-tanh", "sigmoid", "pseudo-random"})
        shown.push_back({"decoupling", {{"draws", 1000.0}, {"activation", std::string(activation)}}});
    const auto presets = [&](const char* scene, const char* key, const List& values) {
        for (const auto& preset : findDeclaration(scene)->presets)
            for (const double value : values) {
                Named named(preset.values.begin(), preset.values.end());
                named.emplace_back(key, value);
                shown.push_back({scene, std::move(named)});
            }
    };
    presets("lower-layers", "at", {0.8});
    presets("nu-continuum", "nu", {0.0, 0.03, 0.3, 1.0});
    for (const auto& [scene, values] : shown) {
        Shown picture(scene, values);
        CAPTURE(formatLink(picture.state));
        checkLabels(picture);
    }
}

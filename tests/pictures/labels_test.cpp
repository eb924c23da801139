// No text covers another or leaves the picture, from a desktop to a small figure.
#include "support/picture_checks.h"

using namespace kappaflow;

namespace {

using List = std::vector<double>;

/// A scene with what all its settings have in common, its settings, and places of a param, as a rule of the timeline.
struct Row {
    const char* scene;
    Named common;
    std::vector<Named> settings;
    const char* param = "";
    List places{};
};

void checkRows(const std::vector<Row>& rows) {
    for (const Row& row : rows)
        for (Named settings : row.settings) {
            settings.insert(settings.begin(), row.common.begin(), row.common.end());
            Shown shown(row.scene, settings);
            CAPTURE(formatLink(shown.state));
            if (row.places.empty()) checkLabels(shown);
            for (const double place : row.places) {
                CAPTURE(place);
                shown.state.params.set(row.param, place);
                checkLabels(shown);
            }
        }
}

/// The presets of a scene.
std::vector<Named> presetsOf(const char* scene) {
    std::vector<Named> all;
    for (const auto& preset : findDeclaration(scene)->presets) all.emplace_back(preset.values.begin(), preset.values.end());
    return all;
}

/// One setting for each option.
std::vector<Named> each(const char* key, const std::vector<const char*>& options, const Named& more = {}) {
    std::vector<Named> all;
    for (const char* option : options) {
        all.push_back(more);
        all.back().emplace_back(key, std::string(option));
    }
    return all;
}

}  // namespace

TEST_CASE("capacity flow: texts keep apart and inside at every size, whatever is drawn") {
    checkRows({{"deep-limit", {}, {{}, {{"layer", std::string("differential")}, {"depths", List{2, 4, 8, 16}}}}},
               {"augmented-space", {}, {{{"at", 2.0}, {"inputs", 8.0}, {"features", 8.0}}}},
               {"augmented-space", {}, each("activation", {"identity", "sigmoid"}), "at", {0, 1, 2, 3}},
               {"shattering", {}, {{{"layers", 1000.0}, {"strands", 1000.0}, {"at", 3.0}}}},
               {"decoupling",
                {{"draws", 1000.0}},
                each("activation", {"identity", "leaky-relu", "relu", "abs", "tanh", "hard-tanh", "sigmoid", "pseudo-random"})},
               {"decoupling", {{"draws", 1000.0}}, {{{"compare", std::string("four")}}}},
               {"lower-layers", {}, presetsOf("lower-layers"), "at", {0.8}},
               {"nu-continuum", {}, presetsOf("nu-continuum"), "nu", {0.0, 0.03, 0.3, 1.0}}});
}

TEST_CASE("expressivity: texts keep apart and inside at every size, whatever is drawn") {
    const Named trained{{"widths", List{6, 6}}, {"samples", 40.0}, {"noise", 0.0}, {"half", 1.25}, {"steps", 60.0}};
    const std::string drawn = "drawn", line = "line", relu = "relu", tanh = "tanh", circle = "circle";
    checkRows({{"dichotomies", {}, each("swept", {"first", "every"}, {{"at", 250.0}})},
               {"transitions", {}, each("axes", {"logarithmic", "linear"}, {{"at", 7.0}})},
               {"trajectory-length",
                {{"width", 24.0}, {"layers", 6.0}, {"sweepDraws", 4.0}, {"sweepWidths", List{4, 16}}},
                {{},
                 {{"activation", relu}, {"weightVariance", 2.0}},
                 {{"activation", tanh}},
                 {{"trajectory", drawn}},
                 {{"trajectory", line}, {"sweepDraws", 0.0}},
                 {{"weightVariance", 100.0}, {"at", 3.5}}}},
               {"activation-regions",
                {},
                {{},
                 {{"depth", 0.0}},
                 {{"widths", List{16, 16, 16}}, {"path", circle}},
                 {{"widths", List(12, 3.0)}, {"depth", 6.0}},
                 {{"inputs", 10.0}, {"widths", List{24, 24}}, {"pin", List{0.1, 0.1}}},
                 {{"widths", List{64}}, {"budget", 0.0}},
                 {{"half", 1e-5}, {"centre", List{0.123456, -9876.54}}}}},
               {"activation-regions",
                trained,
                {{{"data", std::string("spirals")}, {"step", 0.0}}, {{"data", std::string("checkerboard")}, {"step", 60.0}}}}});
}

TEST_CASE("linear models: no text covers another or leaves the picture, from desktop to a small figure" * doctest::test_suite("long")) {
    const std::string best = "best", random = "random", recurrent = "recurrent", fit = "fit";
    checkRows(
        {{"capacity-sweep", {{"iterations", 60.0}}, {{}, {{"model", recurrent}, {"channelsList", List{1, 2, 4, 8}}}, {{"start", best}}}},
         {"errors-vs-capacity",
          {{"draws", 6.0}, {"channels", 2.0}, {"iterations", 100.0}},
          {{}, {{"targets", std::string("fixed")}}, {{"along", std::string("lags")}}},
          "at",
          {1, 4.3, 200}},
         {"feature-map",
          {{"layers", 3.0}, {"steps", 2.0}},
          {{}, {{"degree", 1.0}}, {{"degree", 8.0}, {"channels", 4.0}}, {{"functions", std::string("fourier")}, {"degree", 4.0}}},
          "at",
          {1, 1.5, 8}},
         {"multi-input",
          {{"steps", 2.0}},
          {{{"layers", 4.0}},
           {{"components", 1.0}, {"channels", 1.0}, {"layers", 2.0}},
           {{"components", 16.0}, {"channels", 3.0}, {"layers", 3.0}},
           {{"components", 4.0}, {"channels", 16.0}, {"layers", 4.0}}},
          "at",
          {1, 1.6, 16}},
         {"wavenet",
          {{"steps", 20.0}},
          {{},
           {{"arrangement", std::string("tiled")}},
           {{"arrangement", std::string("repeated")}, {"lag", 45.0}},
           {{"block", List{1}}, {"lag", 0.0}},
           {{"block", List{1, 2, 4, 8, 16}}, {"channels", 3.0}}},
          "at",
          {1, 2.3, 3}},
         {"hierarchical",
          {},
          {{},
           {{"panels", fit}, {"channels", 4.0}},
           {{"compare", recurrent}, {"channels", 1.0}, {"otherChannels", 2.0}},
           {{"watch", std::string("optimisation")}, {"start", random}},
           {{"channels", 1.0}, {"pull", List{1, 1.7}}, {"basis", std::string("fourier")}}}},
         {"recurrent",
          {},
          {{{"length", 16.0}},
           {{"panels", fit}, {"channels", 3.0}, {"length", 16.0}},
           {{"compare", std::string("hierarchical")}, {"channels", 4.0}, {"length", 20.0}}}},
         {"layer-contributions", {}, {{}, {{"channels", 2.0}, {"freeze", List{1, 6}}, {"at", 3.5}}, {{"channels", 1.0}, {"layers", 8.0}}}},
         {"subspace", {}, presetsOf("subspace"), "at", {0.0, 4.5, 12.0}}});
}

TEST_CASE("moments: texts keep apart and inside at every size, whatever is drawn") {
    const Named deep{{"net", std::string("batch-norm")}, {"activation", std::string("relu")}, {"layers", 6.0}, {"width", 16.0}};
    std::vector<Named> maps = {{},
                               {{"net", std::string("linear")}},
                               {{"activation", std::string("relu")}, {"gain", 1.0}},
                               {{"activation", std::string("abs")}, {"gain", 0.3}},
                               deep,
                               deep};
    maps.back().emplace_back("at", 2.0);
    const Named small{{"width", 24.0}, {"layers", 24.0}, {"samples", 24.0}, {"draws", 3.0}, {"at", 12.0}};
    checkRows({{"moments", small, each("net", {"vanilla", "batch-norm", "resnet"})},
               {"moments", small, each("net", {"vanilla", "batch-norm", "resnet"}, {{"compare", std::string("all")}})},
               {"moment-diffusion",
                {{"width", 12.0}, {"layers", 20.0}, {"draws", 100.0}, {"at", 13.0}},
                each("show", {"spread", "terms", "collapse", "tails"})},
               {"sensitivity-theorems",
                {{"width", 16.0}, {"layers", 8.0}, {"samples", 16.0}, {"draws", 4.0}, {"at", 4.0}},
                each("net", {"vanilla", "batch-norm", "resnet", "resnet-plain"}),
                "kink",
                {0.0, -1.2}},
               {"signal-and-noise", {}, maps}});
}

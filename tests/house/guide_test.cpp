// The scene of docs/adding-a-scene.md, taken from there by tools/cmake/guide_example.cmake.
#include <doctest/doctest.h>

#include <cmath>

#include "guide_example.h"
#include "scene/progress.h"

using namespace kappaflow;

TEST_CASE("the guide's scene runs and is drawn") {
    const Declaration scene = guide_scene_declaration();
    State state{.scene = scene.id, .params = scene.defaults()};
    const auto run = [&] {
        Request request;
        request.scene = state.scene;
        request.params = state.params;
        Progress progress;
        return guide_scene_model().open(request)->run(progress).report;
    };
    // What the guide's test claims, with its settings.
    state.params.set("layers", 5.0);
    state.params.set("variance", 1.5);
    const Report small = run();
    const Array &drawn = *small.array("growth"), &theory = *small.array("growthPredicted");
    for (std::size_t l = 0; l < drawn.values.size(); ++l) CHECK(std::abs(drawn.values[l] - theory.values[l]) <= 4 * drawn.standardError[l]);

    state.params = scene.defaults();
    state.params.set("draws", 20.0);
    const Report report = run();
    CHECK(report.array("growth")->values.size() == 11);
    CHECK(report.array("growthPredicted")->values.back() == 1);
    CHECK(report.summary.find("After 10 layers") == 0);

    Recorder recorder;
    Handles handles;
    handles.beginFrame({});
    PictureFrame frame{.painter = recorder,
                       .theme = Theme::light(),
                       .handles = handles,
                       .report = report,
                       .reportVersion = 1,
                       .state = state,
                       .area = {{0, 0}, {800, 500}}};
    guide_scene_picture().make()->draw(frame);
    CHECK(recorder.marks.size() > 20);
}

#pragma once
// Every scene's figures, as the program writes them.
#include <doctest/doctest.h>
#include <imgui.h>

#include <algorithm>

#include "draw/imgui_painter.h"
#include "draw/imgui_shapes.h"
#include "draw/own_fonts.h"
#include "scenes/picture.h"
#include "scenes/picture_svg.h"
#include "support/report_cache.h"
#include "support/svg.h"

namespace kappaflow {

/// ImGui with the program's fonts, no window, no GL.
struct Screen {
    FontSet fonts;
    Screen() {
        ImGui::CreateContext();
        fonts.setFiles(ownFonts());
        fonts.bake(1);
        ImGui::GetIO().DisplaySize = {1280, 800};
        ImGui::NewFrame();
    }
    ~Screen() {
        ImGui::EndFrame();
        ImGui::DestroyContext();
    }
};

struct Look {
    double width, height;
    bool compact, dark;
};
const Look kLooks[] = {{1200, 800, false, false}, {800, 600, false, true}, {390, 430, true, false}, {720, 300, true, true}};

/// Every preset as it opens and, where there is a timeline, on its way.
inline std::vector<std::vector<State>> statesOf(const Declaration& scene) {
    std::vector<std::vector<State>> presets;
    for (const auto& preset : scene.presets) {
        std::vector<std::string> warnings;
        const State opened = apply(initialState(scene.id), Change::preset(preset.name), warnings);
        presets.push_back({opened});
        const Param* timeline = scene.param(scene.timeline.param);
        if (!timeline) continue;
        presets.back().push_back(opened);
        presets.back().back().params.set(timeline->key, std::clamp(3.4, timeline->min, timeline->max));
    }
    return presets;
}

inline std::string svgOf(const Screen& screen, const Report& report, const State& state, const Look& look) {
    return pictureSvg(
        {.report = report, .state = state, .width = look.width, .height = look.height, .dark = look.dark, .compact = look.compact},
        textMeasure(screen.fonts));
}

/// The lines of text in an element as boxes from ascent to descent; a tilde over a letter lies within the letter's.
inline Bounds boundsOfText(const XmlElement& text) {
    Bounds bounds;
    const auto runs = text.named("tspan");
    const double size = text.number("font-size");
    const std::string turn = text.attribute("transform");
    Vec2 origin;
    if (!turn.empty()) REQUIRE(std::sscanf(turn.c_str(), "translate(%lf %lf) rotate(-90)", &origin.x, &origin.y) == 2);
    const auto add = [&](const XmlElement& run, double em) {
        const double left = run.number("x"), right = left + (run.attribute("textLength").empty() ? 0 : run.number("textLength"));
        const double top = run.number("y") - FontSet::kAscent * em, bottom = run.number("y") + FontSet::kDescent * em;
        for (const Vec2 p : {Vec2{left, top}, Vec2{right, bottom}}) bounds.add(turn.empty() ? p : origin + Vec2{p.y, -p.x});
    };
    if (runs.empty()) add(text, size);
    for (const auto* run : runs)
        if (run->allText() != "~") add(*run, run->attribute("font-size").empty() ? size : run->number("font-size"));
    return bounds;
}

}  // namespace kappaflow

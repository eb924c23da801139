#include <algorithm>
#include <cmath>

#include "app/imgui_support.h"
#include "app/panels.h"
#include "app/rich_text.h"
#include "app/widgets.h"

namespace kappaflow {
namespace {

// Where the bar stands in time: 0 is where playing starts, whatever the direction of the axis.
double shareOf(const App& app) {
    const Playhead& playhead = app.playhead();
    return playhead.timeOf(app.at()) / std::max<double>(1, static_cast<double>(playhead.lastStep()));
}

double drawButtons(Desk& desk, Rect rect) {
    const double side = desk.touch() ? 40 : 34, big = desk.touch() ? 44 : 40, y = rect.centre().y;
    double x = rect.lo.x + (desk.layout.compact ? 8 : 18);
    const auto place = [&](double size) {
        const Rect box{{x, y - size / 2}, {x + size, y + size / 2}};
        x += size + 2;
        return box;
    };
    if (iconButton(desk, "back", place(side), Icon::StepBack, "one step back")) desk.app.step(-1);
    const bool playing = desk.app.playing();
    if (iconButton(desk, "play", place(big), playing ? Icon::Pause : Icon::Play, playing ? "pause" : "play", true, true))
        desk.app.togglePlay();
    if (iconButton(desk, "forward", place(side), Icon::StepForward, "one step on")) desk.app.step(1);
    return x;
}

void drawTicks(Desk& desk, Rect bar) {
    const auto last = static_cast<double>(desk.app.playhead().lastStep());
    const double from = bar.lo.x + 8, length = bar.width() - 16, y = bar.centre().y + 10;
    double every = 1;
    for (int i = 0; length * every / last < 7; ++i) every *= i % 3 == 1 ? 2.5 : 2;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (double tick = 0; tick <= last; tick += every) {
        const double x = from + length * tick / last;
        list.AddLine(toIm(Vec2{x, y}), toIm(Vec2{x, y + 4}), toIm(desk.theme.muted.withAlpha(0.6f)));
    }
}

// "layer 12 of 24"; steps that are no whole numbers stand alone, "ν 0.187". As wide as the widest, so that nothing moves meanwhile.
double drawLabel(Desk& desk, Rect rect) {
    const Playhead& playhead = desk.app.playhead();
    const auto& steps = playhead.track().steps;
    const bool counted = std::all_of(steps.begin(), steps.end(), [](double step) { return step == std::round(step); });
    const auto words = [&](double step) {
        const std::string label = desk.session.timeline().label + " ";
        return plainText(counted ? label + formatNumber(step) + " of " + formatNumber(steps.back()) : label + inWords(step, 3));
    };
    TextStyle style = bodyStyle(desk, desk.layout.compact ? desk.theme.smallSize : desk.theme.textSize);
    const double width = measure(desk, counted ? words(steps.back()) : words(0.00888), style).x;
    const double right = rect.hi.x - (desk.layout.compact ? 10 : 22);
    style.v = AlignV::Middle;
    const double shown = playhead.track().whole ? desk.app.at() : steps[playhead.nearestStep(desk.app.at())];
    write(desk, {right - width, rect.centre().y}, words(shown), style);
    return right - width;
}

}  // namespace

void drawTimeline(Desk& desk) {
    const Rect rect = desk.layout.timeline;
    if (rect.height() < 20 || !desk.app.hasTimeline()) return;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    if (beginPanel(desk, "timeline", rect, desk.theme.ground)) {
        const double left = drawButtons(desk, rect), right = drawLabel(desk, rect);
        const Rect bar{{left + 8, rect.centre().y - 16}, {right - 12, rect.centre().y + 16}};
        double share = shareOf(desk.app);
        if (bar.width() > 60) {
            drawTicks(desk, bar);
            if (track(desk, "scrub", bar, share))
                desk.app.scrub(desk.app.playhead().valueAt(share * static_cast<double>(desk.app.playhead().lastStep())));
        }
    }
    endPanel(desk, rect);
    ImGui::PopStyleVar();
}

}  // namespace kappaflow

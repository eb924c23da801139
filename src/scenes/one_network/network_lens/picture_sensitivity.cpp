// Normalised sensitivity and effective ranks over the layers.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/one_network/network_lens/picture_view.h"

namespace kappaflow::lens {
namespace {

struct Line {
    const char* id;
    const Array* values;
    std::size_t color;
    const char* label;
};

struct Extent {
    double lo = 1e300, hi = -1e300;
    void include(const Array* array) {
        for (const double v : array ? array->values : std::vector<double>{})
            if (std::isfinite(v) && v > 0) lo = std::min(lo, v), hi = std::max(hi, v);
    }
    AxisSpec axis(std::string label) const {
        if (!(hi > 0)) return {.label = std::move(label), .lo = 0, .hi = 1};
        if (hi > 15 * lo) return {.label = std::move(label), .lo = lo / 1.4, .hi = hi * 1.8, .scale = Scale::Log};
        const double room = std::max(hi - std::min(lo, 1.0), 0.05 * hi);
        return {.label = std::move(label), .lo = std::max(0.0, std::min(lo, 1.0) - 0.1 * room), .hi = hi + 0.16 * room};
    }
};

void drawLines(Scene& s, const std::string& id, Rect rect, std::string label, std::initializer_list<Line> lines) {
    Extent extent;
    for (const Line& line : lines) extent.include(line.values);
    Plot plot(s.painter(), s.theme(), id, rect, layerAxis(s.view), extent.axis(std::move(label)), zoomOf(s.f, id));
    for (const Line& line : lines) {
        if (!line.values) continue;
        const auto layers = countUp(line.values->values.size());
        const Color color = s.theme().series[line.color];
        plot.line(std::string(line.id) + "/measured", layers, line.values->values, {color, Dash::Solid, 2.2, line.label});
        plot.markers(std::string(line.id) + "/measured", layers, line.values->values, {color, Dash::Solid, 1, ""}, MarkerShape::Circle, 3);
    }
    drawLayerMark(s, plot, id);
    finishPlot(s.f, plot, id, "");
}

}  // namespace

void drawSensitivity(Scene& s, Rect rect) {
    const Array *chi = s.view.array("chi"), *signal = s.view.array("rankSignal"), *noise = s.view.array("rankNoise");
    const double last = chi && !chi->values.empty() ? chi->values.back() : std::nan("");
    const std::string value = std::isfinite(last) ? " *χ* = " + numberText(last, 3) + " at the output" : "";
    rect = drawHeading(s, Lens::Sensitivity, rect,
                       {"Sensitivity" + value + ", and effective ranks", "Sensitivity" + value, "Sensitivity and ranks", "Sensitivity"});
    if (!chi || !signal) return drawReason(s, Lens::Sensitivity, rect, "There is no sensitivity to show.");
    rect.hi.y -= drawRemark(s, Lens::Sensitivity, rect);
    rect = withoutTitle(rect);
    const Line ranks[] = {{"signal", signal, 2, "signal"}, {"noise", noise, 1, "noise"}};
    const bool upright = rect.height() > 1.15 * rect.width();
    if (!upright && rect.width() < 260) return drawLines(s, "chi", rect, "sensitivity *χ*", {{"chi", chi, 0, "*χ*"}});
    const double middle = upright ? rect.lo.y + rect.height() / 2 : rect.lo.x + rect.width() / 2;
    const Rect first = upright ? Rect{rect.lo, {rect.hi.x, middle - 3}} : Rect{rect.lo, {middle - 3, rect.hi.y}};
    const Rect second = upright ? Rect{{rect.lo.x, middle + 3}, rect.hi} : Rect{{middle + 3, rect.lo.y}, rect.hi};
    drawLines(s, "chi", first, "sensitivity *χ*", {{"chi", chi, 0, "*χ*"}});
    drawLines(s, "ranks", second, "effective rank *r*", {ranks[0], ranks[1]});
}

}  // namespace kappaflow::lens

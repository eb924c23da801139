#include "scenes/picture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kappaflow {

Between between(double at, std::size_t last) {
    const double clamped = std::clamp(std::isfinite(at) ? at : 0.0, 0.0, static_cast<double>(last));
    const auto below = static_cast<std::size_t>(clamped);
    return {below, std::min(below + 1, last), clamped - static_cast<double>(below)};
}

std::vector<double> rowAt(const Array& array, double index) {
    const std::size_t rows = array.axes.front().size(), length = array.rowLength();
    const Between b = between(index, rows - 1);
    const double *low = array.row(b.below), *high = array.row(b.above);
    std::vector<double> mixed(length);
    for (std::size_t i = 0; i < length; ++i) mixed[i] = b.fraction == 0 ? low[i] : low[i] + (high[i] - low[i]) * b.fraction;
    return mixed;
}

double largest(const std::vector<double>& values, double atLeast) {
    for (double value : values)
        if (value > atLeast) atLeast = value;
    return atLeast;
}

double indexAlong(const std::vector<double>& values, double value) {
    const bool falling = !values.empty() && values.back() < values.front();
    const auto next = std::upper_bound(values.begin(), values.end(), value, [&](double a, double b) { return falling ? a > b : a < b; });
    if (next == values.begin()) return 0;
    if (next == values.end()) return static_cast<double>(values.size() - 1);
    return static_cast<double>(next - values.begin()) - (*next - value) / (*next - *(next - 1));
}

Color capacityColor(const Theme& theme) { return sample(ColorMap::Capacity, theme.dark ? 0.75 : 0.7, theme.dark); }

Rect knobRect(Vec2 at) { return around(at, 13); }

namespace {

void follow(AxisSpec& axis, AxisSpec& known, bool held) {
    const bool same = known.scale == axis.scale && known.label == axis.label && known.reversed == axis.reversed;
    if (same && held) axis.lo = known.lo, axis.hi = known.hi;
    known = axis;
}

}  // namespace

Plot plotIn(PictureFrame& f, const std::string& id, Rect rect, AxisSpec x, AxisSpec y) {
    if (f.axes) {
        auto& [knownX, knownY] = f.axes->axes.try_emplace(id, std::array{x, y}).first->second;
        follow(x, knownX, f.axes->held);
        follow(y, knownY, f.axes->held);
    }
    const auto zoom = f.state.zooms.find(id);
    return {
        f.painter, f.theme, id, rect, std::move(x), std::move(y), zoom == f.state.zooms.end() ? Plot::Zoom{} : Plot::Zoom{zoom->second}};
}

void finishPlot(PictureFrame& f, Plot& plot, const std::string& id, std::string_view title) {
    if (const auto zoom = plot.finish(f.handles.freePointer(), title))
        f.changes.push_back(*zoom ? Change::zoomTo(id, **zoom) : Change::unzoom(id));
}

void tooltip(PictureFrame& f, Vec2 at, const std::vector<std::string>& lines) {
    const TextStyle style{.color = f.theme.text, .size = f.theme.smallSize};
    double width = 0;
    for (const auto& line : lines) width = std::max(width, f.painter.measure(line, style).x);
    const double lineHeight = style.size * 1.35;
    const Vec2 size{width + 16, lineHeight * static_cast<double>(lines.size()) + 10};
    Vec2 corner = at + Vec2{14, 14};
    if (corner.x + size.x > f.area.hi.x) corner.x = at.x - 14 - size.x;
    if (corner.y + size.y > f.area.hi.y) corner.y = at.y - 14 - size.y;
    const Rect box{corner, corner + size};
    f.painter.rect("tooltip", box, f.theme.raised, 5);
    f.painter.frame("tooltip", box, {f.theme.line, 1}, 5);
    for (std::size_t i = 0; i < lines.size(); ++i)
        f.painter.text("tooltip", corner + Vec2{8, 5 + lineHeight * static_cast<double>(i)}, lines[i], style);
}

void drawKnob(PictureFrame& f, std::string_view id, Vec2 at, const Handles::Grip& grip, MarkerShape shape) {
    if (!f.kept) f.painter.marker(id, at, grip.lively() ? 7.5 : 5.5, shape, f.theme.accent, Stroke{f.theme.ground, 1.5});
}

void emptyPicture(PictureFrame& f, std::string_view sentence) {
    f.painter.text("empty", f.area.centre(), sentence,
                   {.color = f.theme.muted, .size = f.theme.textSize, .h = AlignH::Centre, .v = AlignV::Middle});
}

}  // namespace kappaflow

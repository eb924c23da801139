// Heat maps and their colour bar.
#include <algorithm>
#include <cmath>

#include "draw/axis.h"
#include "draw/markup.h"
#include "draw/plot.h"

namespace kappaflow {
namespace {

/// Evenly spaced cells along one axis: where the first begins on the screen and how far apart they are (negative: right to left).
struct Cells {
    double begin, pitch;
    std::size_t count;
    /// Those that touch [lo, hi].
    std::pair<std::size_t, std::size_t> touching(double lo, double hi) const {
        const double a = (lo - begin) / pitch, b = (hi - begin) / pitch, n = static_cast<double>(count);
        return {static_cast<std::size_t>(std::clamp(std::floor(std::min(a, b)), 0.0, n)),
                static_cast<std::size_t>(std::clamp(std::ceil(std::max(a, b)), 0.0, n))};
    }
    double edge(std::size_t i) const { return begin + pitch * static_cast<double>(i); }
};

template <class ToScreen>
Cells cellsAlong(std::span<const double> centres, ToScreen toScreen) {
    const double first = toScreen(centres.front()), last = toScreen(centres.back());
    const double pitch =
        centres.size() > 1 ? (last - first) / static_cast<double>(centres.size() - 1) : 2 * (toScreen(centres.front() + 0.5) - first);
    return {first - 0.5 * pitch, pitch, centres.size()};
}

}  // namespace

void Plot::heat(std::string_view id, std::span<const double> xs, std::span<const double> ys, const Field2D& field) {
    if (xs.size() != field.cols || ys.size() != field.rows || xs.empty() || ys.empty() || field.values.size() / xs.size() < ys.size())
        return;
    const Cells columns = cellsAlong(xs, [&](double x) { return toScreen(x, y_.lo).x; });
    const Cells rows = cellsAlong(ys, [&](double y) { return toScreen(x_.lo, y).y; });
    if (!std::isfinite(columns.pitch) || !std::isfinite(rows.pitch) || columns.pitch == 0 || rows.pitch == 0) return;
    heat_ = Heat{{xs.begin(), xs.end()}, {ys.begin(), ys.end()}, field};
    // Only what is in sight, its first row at the top and its first column at the left.
    const auto [c0, c1] = columns.touching(inner_.lo.x, inner_.hi.x);
    const auto [r0, r1] = rows.touching(inner_.lo.y, inner_.hi.y);
    if (c0 >= c1 || r0 >= r1) return;
    Field2D seen = field;
    seen.rows = r1 - r0, seen.cols = c1 - c0;
    std::vector<double> values(seen.rows * seen.cols);
    for (std::size_t r = 0; r < seen.rows; ++r)
        for (std::size_t c = 0; c < seen.cols; ++c) {
            const std::size_t row = rows.pitch > 0 ? r0 + r : r1 - 1 - r, col = columns.pitch > 0 ? c0 + c : c1 - 1 - c;
            values[r * seen.cols + c] = field.values[row * field.cols + col];
        }
    seen.values = values;
    const auto [left, right] = std::minmax({columns.edge(c0), columns.edge(c1)});
    const auto [top, bottom] = std::minmax({rows.edge(r0), rows.edge(r1)});
    painter_.pushClip(inner_);
    painter_.field(id, {{left, top}, {right, bottom}}, seen);
    painter_.popClip();
}

void colorBar(Painter& painter, const Theme& theme, std::string_view id, Rect rect, ColorMap map, AxisSpec wish) {
    constexpr std::size_t kSteps = 128;
    const AxisSpec axis = usableAxis(std::move(wish));
    const std::string name(id);
    std::vector<double> values(kSteps);
    for (std::size_t i = 0; i < kSteps; ++i) values[i] = axisValue(axis, 1 - (static_cast<double>(i) + 0.5) / kSteps);
    const double barWidth = std::min(12.0, 0.4 * rect.width());
    const Rect bar{rect.lo, {rect.lo.x + barWidth, rect.hi.y}};
    painter.field(name, bar, {kSteps, 1, values, axis.lo, axis.hi, axis.scale == Scale::Log, map});
    painter.frame(name + "/frame", bar, {theme.line, 1});

    TextStyle text{.color = theme.muted, .size = theme.tinySize, .v = AlignV::Middle};
    double widest = 0;
    for (const Tick& tick : ticksFor(axis, bar.height(), 34)) {
        const double y = bar.hi.y - axisPlace(axis, tick.value) * bar.height();
        const double shown = painter.crisp(y), half = 0.4 * text.size;
        painter.line(name + "/tick", {bar.hi.x, shown}, {bar.hi.x + (tick.label.empty() ? 2 : 4), shown}, {theme.line, 1});
        if (tick.label.empty()) continue;
        const std::string label = elide(painter, tick.label, text, std::max(0.0, rect.hi.x - bar.hi.x - 6));
        widest = std::max(widest, painter.measure(label, text).x);
        painter.text(name + "/tick-label", {bar.hi.x + 6, std::clamp(y, rect.lo.y + half, std::max(rect.lo.y + half, rect.hi.y - half))},
                     label, text);
    }
    if (axis.label.empty()) return;
    TextStyle label{.color = theme.text, .size = theme.tinySize};
    const double row = painter.measure("0", label).y, length = painter.measure(axis.label, label).x;
    if (length <= bar.height() && bar.hi.x + 6 + widest + 4 + row <= rect.hi.x + 0.5) {
        label.upright = false, label.h = AlignH::Centre, label.v = AlignV::Top;
        painter.text(name + "/name", {bar.hi.x + 6 + widest + 4, bar.centre().y}, axis.label, label);
    } else {
        label.v = AlignV::Bottom;
        painter.text(name + "/name", {rect.lo.x, rect.lo.y - 3}, elide(painter, axis.label, label, rect.width()), label);
    }
}

}  // namespace kappaflow

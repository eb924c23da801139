#include "draw/plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "draw/axis.h"
#include "draw/markup.h"
#include "draw/plot_zoom.h"

namespace kappaflow {
namespace {

AxisSpec zoomedAxis(AxisSpec axis, double lo, double hi) {
    axis.lo = lo, axis.hi = hi;
    return usableAxis(std::move(axis));
}

}  // namespace

Plot::Plot(Painter& painter, const Theme& theme, std::string_view id, Rect outer, AxisSpec x, AxisSpec y, const Zoom& zoom)
    : painter_(painter), theme_(theme), id_(id), outer_(outer), fullX_(usableAxis(std::move(x))), fullY_(usableAxis(std::move(y))) {
    x_ = zoom ? zoomedAxis(fullX_, (*zoom)[0], (*zoom)[1]) : fullX_;
    y_ = zoom ? zoomedAxis(fullY_, (*zoom)[2], (*zoom)[3]) : fullY_;
    layOut();
    drawGrid();
}

TextStyle Plot::style(Color color, double size) const { return {.color = color, .size = size}; }

void Plot::layOut() {
    const TextStyle tickStyle = style(theme_.muted, theme_.tinySize);
    const double row = painter_.measure("0", tickStyle).y;
    const bool low = outer_.height() < 110;  // a spark line: no room for a title row
    const double top = low ? 6 : row + 9;
    double bottom = x_.ticks ? row + 6 : 4;
    if (!x_.label.empty()) bottom += row + 3;
    inner_ = outer_.inset(0, top, 0, bottom);  // the y ticks depend on the height alone, the x ticks on the width they leave
    yTicks_ = fittingTicks(y_, false);
    double widest = 0;
    for (const Tick& tick : yTicks_) widest = std::max(widest, painter_.measure(tick.label, tickStyle).x);
    // In steps: the frame must not tremble while a scrubbed or panned range changes its labels.
    widest = std::max(30.0, std::ceil(widest / 12) * 12);
    double left = y_.ticks ? std::min(widest, 0.4 * outer_.width()) + 8 : 4;
    if (!y_.label.empty()) left += row + 2;
    inner_ = outer_.inset(std::min(left, 0.6 * outer_.width()), top, std::min(12.0, 0.1 * outer_.width()), bottom);
    // On whole device pixels, so that frame, grid and heat maps are sharp.
    const auto whole = [&](double v) { return std::round(v * painter_.pixelRatio()) / painter_.pixelRatio(); };
    inner_ = {{whole(inner_.lo.x), whole(inner_.lo.y)}, {whole(inner_.hi.x), whole(inner_.hi.y)}};
    inner_.hi = {std::max(inner_.hi.x, inner_.lo.x + 1), std::max(inner_.hi.y, inner_.lo.y + 1)};
    xTicks_ = fittingTicks(x_, true);
}

std::vector<Tick> Plot::fittingTicks(const AxisSpec& axis, bool alongX) const {
    if (!axis.ticks) return {};
    const TextStyle tickStyle = style(theme_.muted, theme_.tinySize);
    const double pixels = alongX ? inner_.width() : inner_.height(), gap = alongX ? 10 : 2;
    const auto place = [&](const Tick& tick) { return axisPlace(axis, tick.value) * pixels; };
    const auto extent = [&](const Tick& tick) {
        const Vec2 size = painter_.measure(tick.label, tickStyle);
        return alongX ? size.x : 0.8 * size.y;
    };
    // Labels decide how dense ticks may be, ticks decide how long labels are: ask again until they agree.
    std::vector<Tick> ticks;
    double spacing = alongX ? 48 : 30;
    for (int attempt = 0; attempt < 6; ++attempt, spacing *= 1.35) {
        ticks = ticksFor(axis, pixels, spacing);
        double last = -1e9, lastHalf = 0;
        bool fits = true;
        std::vector<Tick> order = ticks;
        if (axis.reversed) std::reverse(order.begin(), order.end());
        for (const Tick& tick : order) {
            if (tick.label.empty()) continue;
            const double half = 0.5 * extent(tick);
            fits = fits && place(tick) - half >= last + lastHalf + gap;
            last = place(tick), lastHalf = half;
        }
        if (fits) return ticks;
    }
    // Too narrow for any two: the first and whatever is far enough from it.
    double from = 0, to = 0;
    bool any = false;
    for (Tick& tick : ticks) {
        if (tick.label.empty()) continue;
        const double begin = place(tick) - 0.5 * extent(tick), end = place(tick) + 0.5 * extent(tick);
        if (any && begin < to + gap && end > from - gap)
            tick.label.clear();
        else
            from = any ? std::min(from, begin) : begin, to = any ? std::max(to, end) : end, any = true;
    }
    return ticks;
}

Vec2 Plot::toScreen(double x, double y) const {
    return {inner_.lo.x + axisPlace(x_, x) * inner_.width(), inner_.hi.y - axisPlace(y_, y) * inner_.height()};
}

Vec2 Plot::toData(Vec2 screen) const {
    return {axisValue(x_, (screen.x - inner_.lo.x) / inner_.width()), axisValue(y_, (inner_.hi.y - screen.y) / inner_.height())};
}

std::optional<Plot::Zoom> Plot::finish(const Pointer& pointer, std::string_view title) {
    drawAxes();
    drawTitle(title);
    drawNotes();
    drawEndLabels();
    drawCrosshair(pointer);
    return zoomAfter(pointer, inner_, x_, y_, fullX_, fullY_);
}

}  // namespace kappaflow

#include "draw/plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "draw/markup.h"

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

// The plot's furniture: grid below the marks, axes, ticks, names and title above them.

void Plot::upright(const char* part, double x, double top, double bottom, const Stroke& stroke) {
    const double at = painter_.crisp(toScreen(x, y_.lo).x);
    painter_.line(id_ + part, {at, top}, {at, bottom}, stroke);
}

void Plot::level(const char* part, double y, double left, double right, const Stroke& stroke) {
    const double at = painter_.crisp(toScreen(x_.lo, y).y);
    painter_.line(id_ + part, {left, at}, {right, at}, stroke);
}

void Plot::drawGrid() {
    for (const Tick& tick : xTicks_)
        if (!tick.label.empty()) upright("/grid-x", tick.value, inner_.lo.y, inner_.hi.y, {theme_.grid, 1});
    for (const Tick& tick : yTicks_)
        if (!tick.label.empty()) level("/grid-y", tick.value, inner_.lo.x, inner_.hi.x, {theme_.grid, 1});
}

void Plot::drawAxes() {
    const Stroke stroke{mix(theme_.line, theme_.muted, 0.35), 1};
    const double left = painter_.crisp(inner_.lo.x), bottom = painter_.crisp(inner_.hi.y);
    if (heat_) {
        painter_.frame(id_ + "/frame", {inner_.lo - Vec2{1, 1}, inner_.hi + Vec2{1, 1}}, stroke);
    } else {
        painter_.line(id_ + "/axis-x", {left, bottom}, {inner_.hi.x, bottom}, stroke);
        painter_.line(id_ + "/axis-y", {left, inner_.lo.y}, {left, bottom}, stroke);
    }
    const auto length = [](const Tick& tick) { return tick.label.empty() ? 2.5 : 4.5; };
    for (const Tick& tick : xTicks_) upright("/tick-x", tick.value, inner_.hi.y, inner_.hi.y + length(tick), stroke);
    for (const Tick& tick : yTicks_) level("/tick-y", tick.value, inner_.lo.x - length(tick), inner_.lo.x, stroke);
    drawTickLabels();
    drawAxisNames();
}

void Plot::drawTitle(std::string_view title) {
    if (title.empty()) return;
    TextStyle heading = style(theme_.text, theme_.smallSize);
    heading.bold = true;
    heading.v = AlignV::Bottom;
    const bool inside = inner_.lo.y - outer_.lo.y < 16;  // no title row: into the plot, with a rim
    if (inside) heading.v = AlignV::Top, heading.halo = theme_.ground;
    // From the axis on, or from further left where it would not fit.
    const double left =
        inside ? inner_.lo.x + 6 : std::max(outer_.lo.x, std::min(inner_.lo.x, outer_.hi.x - painter_.measure(title, heading).x));
    const Vec2 at{left, inside ? inner_.lo.y + 2 : inner_.lo.y - 5.5};
    const std::string text = elide(painter_, title, heading, outer_.hi.x - at.x);
    painter_.text(id_ + "/title", at, text, heading);
    if (inside) occupied_.push_back({at, at + painter_.measure(text, heading)});
}

void Plot::drawTickLabels() {
    TextStyle below = style(theme_.muted, theme_.tinySize), beside = below;
    below.h = AlignH::Centre;
    for (const Tick& tick : xTicks_) {
        if (tick.label.empty()) continue;
        // The outermost labels may not leave the plot.
        const double half = 0.5 * painter_.measure(tick.label, below).x;
        const double x = std::clamp(toScreen(tick.value, y_.lo).x, outer_.lo.x + half, std::max(outer_.lo.x + half, outer_.hi.x - half));
        painter_.text(id_ + "/tick-label-x", {x, inner_.hi.y + 5}, tick.label, below);
    }
    beside.h = AlignH::Right, beside.v = AlignV::Middle;
    for (const Tick& tick : yTicks_) {
        if (tick.label.empty()) continue;
        const std::string label = elide(painter_, tick.label, beside, 0.4 * outer_.width());
        painter_.text(id_ + "/tick-label-y", {inner_.lo.x - 7, toScreen(x_.lo, tick.value).y}, label, beside);
    }
}

void Plot::drawAxisNames() {
    TextStyle name = style(theme_.text, theme_.tinySize);
    name.h = AlignH::Centre;
    if (!x_.label.empty()) {
        name.v = AlignV::Bottom;
        const double width = outer_.width();
        const std::string label = elide(painter_, x_.label, name, width);
        const double half = 0.5 * painter_.measure(label, name).x;
        const double x = std::clamp(inner_.centre().x, outer_.lo.x + half, std::max(outer_.lo.x + half, outer_.hi.x - half));
        painter_.text(id_ + "/name-x", {x, outer_.hi.y}, label, name);
    }
    if (!y_.label.empty()) {
        name.v = AlignV::Top;
        name.upright = false;
        TextStyle level = name;
        level.upright = true;
        // Between the title's row and the x name's.
        const double top = inner_.lo.y - outer_.lo.y < 16 ? outer_.lo.y : inner_.lo.y - 4;
        const double bottom = outer_.hi.y - (x_.label.empty() ? 0 : painter_.measure("0", level).y);
        const std::string label = elide(painter_, y_.label, level, bottom - top);
        const double half = 0.5 * painter_.measure(label, level).x;
        const double y = std::clamp(inner_.centre().y, top + half, std::max(top + half, bottom - half));
        painter_.text(id_ + "/name-y", {outer_.lo.x, y}, label, name);
    }
}

namespace {

constexpr double kLeast = 1e-4;

/// Places on the whole axis, in its own transform.
struct Span {
    double from, to;
    double extent() const { return to - from; }
};

AxisSpec forward(AxisSpec axis) {
    axis.reversed = false;
    return axis;
}

Span spanOf(const AxisSpec& visible, const AxisSpec& full) {
    return {axisPlace(forward(full), visible.lo), axisPlace(forward(full), visible.hi)};
}

// Into 0 … 1 without changing the extent.
Span inside(Span span) {
    const double extent = std::min(span.extent(), 1.0);
    const double from = std::clamp(span.from, 0.0, 1 - extent);
    return {from, from + extent};
}

Span panned(Span span, double byPart) { return inside({span.from - byPart * span.extent(), span.to - byPart * span.extent()}); }

Span zoomed(Span span, double factor, double about) {
    const double extent = std::clamp(span.extent() * factor, kLeast, 1.0);
    const double middle = span.from + about * span.extent();
    return inside({middle - about * extent, middle + (1 - about) * extent});
}

bool whole(Span span) { return span.from < 1e-9 && span.to > 1 - 1e-9; }
bool same(Span a, Span b) { return std::abs(a.from - b.from) < 1e-12 && std::abs(a.to - b.to) < 1e-12; }

}  // namespace

std::optional<Plot::Zoom> zoomAfter(const Pointer& pointer, const Rect& inner, const AxisSpec& x, const AxisSpec& y, const AxisSpec& fullX,
                                    const AxisSpec& fullY) {
    const Span xBefore = spanOf(x, fullX), yBefore = spanOf(y, fullY);
    Span xNow = xBefore, yNow = yBefore;
    const bool over = pointer.inside && inner.contains(pointer.at);
    const bool dragging = pointer.down && !pointer.pressed && inner.contains(pointer.pressedAt) && inner.width() > 0 && inner.height() > 0;
    if (over && pointer.doubleClicked) {
        xNow = yNow = {0, 1};
    } else if (over && pointer.wheel != 0) {
        const double factor = std::pow(0.8, pointer.wheel);
        const double right = (pointer.at.x - inner.lo.x) / inner.width(), up = (inner.hi.y - pointer.at.y) / inner.height();
        xNow = zoomed(xBefore, factor, x.reversed ? 1 - right : right);
        yNow = zoomed(yBefore, factor, y.reversed ? 1 - up : up);
    } else if (dragging) {
        const double right = pointer.moved.x / inner.width(), up = -pointer.moved.y / inner.height();
        xNow = panned(xBefore, x.reversed ? -right : right);
        yNow = panned(yBefore, y.reversed ? -up : up);
    }
    if (same(xNow, xBefore) && same(yNow, yBefore)) return std::nullopt;
    if (whole(xNow) && whole(yNow)) return Plot::Zoom{};
    const AxisSpec fx = forward(fullX), fy = forward(fullY);
    return Plot::Zoom{{axisValue(fx, xNow.from), axisValue(fx, xNow.to), axisValue(fy, yNow.from), axisValue(fy, yNow.to)}};
}

}  // namespace kappaflow

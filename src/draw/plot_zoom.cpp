#include "draw/plot_zoom.h"

#include <algorithm>
#include <cmath>

#include "draw/axis.h"

namespace kappaflow {
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

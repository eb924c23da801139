// Marks of a plot. Everything is cut at the axes' rectangle before it is drawn: after a deep zoom points lie millions of pixels away,
// where floats no longer resolve a pixel.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/plot.h"
#include "draw/stroke.h"

namespace kappaflow {
namespace {

Vec2 between(Vec2 a, Vec2 b, double x) { return b.x == a.x ? a : Vec2{x, a.y + (b.y - a.y) * ((x - a.x) / (b.x - a.x))}; }

}  // namespace

std::vector<Vec2> Plot::screenPoints(std::span<const double> x, std::span<const double> y) const {
    std::vector<Vec2> points(std::min(x.size(), y.size()));
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = toScreen(x[i], y[i]);
    return points;
}

void Plot::remember(std::span<const double> x, std::span<const double> y, const Series& series, bool joined,
                    std::vector<std::vector<Vec2>> visible) {
    const std::size_t n = std::min(x.size(), y.size());
    Curve curve{series.label, series.color, joined, {}, {}, std::move(visible)};
    if (!series.label.empty()) curve.x.assign(x.begin(), x.begin() + n), curve.y.assign(y.begin(), y.begin() + n);
    curves_.push_back(std::move(curve));
}

void Plot::line(std::string_view id, std::span<const double> x, std::span<const double> y, const Series& series) {
    auto visible = clipPolyline(screenPoints(x, y), inner_);
    for (const auto& part : visible) painter_.line(id, part, {series.color, series.width, series.dash}, false);
    remember(x, y, series, true, std::move(visible));
}

// One strip for every run of finite pairs, cut upright at the sides; above and below the clip rectangle does it.
void Plot::fillBetween(std::string_view id, std::span<const Vec2> a, std::span<const Vec2> b, Color fill) {
    const double far = 4000;
    const auto near = [&](Vec2 p) { return Vec2{p.x, std::clamp(p.y, inner_.lo.y - far, inner_.hi.y + far)}; };
    std::vector<Vec2> upper, lower;
    const auto flush = [&] {
        if (upper.size() > 1) painter_.strip(id, upper, lower, fill);
        upper.clear(), lower.clear();
    };
    painter_.pushClip(inner_);
    for (std::size_t i = 1; i < a.size(); ++i) {
        const double left = std::max(std::min(a[i - 1].x, a[i].x), inner_.lo.x),
                     right = std::min(std::max(a[i - 1].x, a[i].x), inner_.hi.x);
        if (!finite(a[i - 1]) || !finite(a[i]) || !finite(b[i - 1]) || !finite(b[i]) || !(left < right)) {
            flush();
            continue;
        }
        const bool forward = a[i - 1].x < a[i].x;
        const double from = forward ? left : right, to = forward ? right : left;
        if (upper.empty()) upper.push_back(near(between(a[i - 1], a[i], from))), lower.push_back(near(between(b[i - 1], b[i], from)));
        upper.push_back(near(between(a[i - 1], a[i], to))), lower.push_back(near(between(b[i - 1], b[i], to)));
    }
    flush();
    painter_.popClip();
}

void Plot::band(std::string_view id, std::span<const double> x, std::span<const double> low, std::span<const double> high, Color fill) {
    const std::size_t n = std::min({x.size(), low.size(), high.size()});
    fillBetween(id, screenPoints(x.first(n), high.first(n)), screenPoints(x.first(n), low.first(n)), fill);
}

void Plot::area(std::string_view id, std::span<const double> x, std::span<const double> y, Color fill) {
    const std::vector<Vec2> line = screenPoints(x, y);
    const double base = y_.scale == Scale::Log ? y_.lo : std::clamp(0.0, y_.lo, y_.hi);
    std::vector<Vec2> ground = line;
    for (Vec2& p : ground) p.y = toScreen(x_.lo, base).y;
    fillBetween(id, line, ground, fill);
}

void Plot::bars(std::string_view id, std::span<const double> x, std::span<const double> y, double width, Color fill) {
    const double base = toScreen(x_.lo, y_.scale == Scale::Log ? y_.lo : std::clamp(0.0, y_.lo, y_.hi)).y;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        const Vec2 a = toScreen(x[i] - 0.5 * width, y[i]), b = toScreen(x[i] + 0.5 * width, y[i]);
        if (!finite(a) || !finite(b)) continue;
        // A bar thinner than a pixel is still a bar.
        const double middle = 0.5 * (a.x + b.x), half = std::max(0.5 * std::abs(b.x - a.x), 0.5 / painter_.pixelRatio());
        const Rect bar{{std::max(middle - half, inner_.lo.x), std::max(std::min(a.y, base), inner_.lo.y)},
                       {std::min(middle + half, inner_.hi.x), std::min(std::max(a.y, base), inner_.hi.y)}};
        if (!(bar.width() > 0 && bar.height() > 0)) continue;
        painter_.rect(id, bar, fill);
        keepClear({middle, bar.lo.y}, {middle, bar.hi.y});
    }
}

void Plot::markers(std::string_view id, std::span<const double> x, std::span<const double> y, const Series& series, MarkerShape shape,
                   double radius) {
    std::vector<std::vector<Vec2>> visible;
    const Rect reach = inner_.inset(-0.5, -0.5, -0.5, -0.5);
    for (const Vec2 p : screenPoints(x, y)) {
        if (!finite(p) || !reach.contains(p)) continue;
        painter_.marker(id, p, radius, shape, series.color, Stroke{theme_.ground, 1});
        visible.push_back({p});
    }
    if (series.label.empty()) return;
    // For its label the row of markers counts as one line.
    std::vector<Vec2> row;
    for (const auto& part : visible) row.push_back(part[0]);
    remember(x, y, series, false, {row});
}

void Plot::vertical(std::string_view id, double x, const Series& series) {
    const double at = toScreen(x, y_.lo).x;
    if (!(at >= inner_.lo.x - 0.5 && at <= inner_.hi.x + 0.5)) return;
    const double shown = series.width <= 1 ? painter_.crisp(at, series.width) : at;
    painter_.line(id, {shown, inner_.lo.y}, {shown, inner_.hi.y}, {series.color, series.width, series.dash});
    if (!series.label.empty()) notes_.push_back({std::string(id), series.label, at, series.color});
}

void Plot::horizontal(std::string_view id, double y, const Series& series) {
    const double at = toScreen(x_.lo, y).y;
    if (!(at >= inner_.lo.y - 0.5 && at <= inner_.hi.y + 0.5)) return;
    const double shown = series.width <= 1 ? painter_.crisp(at, series.width) : at;
    const std::vector<Vec2> line{{inner_.lo.x, shown}, {inner_.hi.x, shown}};
    painter_.line(id, line, {series.color, series.width, series.dash}, false);
    if (!series.label.empty()) curves_.push_back({series.label, series.color, true, {}, {}, {line}});
}

namespace {

// Heat maps and their colour bar.

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

void colorBar(Painter& painter, const Theme& theme, std::string_view id, Rect rect, ColorMap map, AxisSpec wish, bool more) {
    constexpr std::size_t kSteps = 128;
    const AxisSpec axis = usableAxis(std::move(wish));
    const std::string name(id);
    std::vector<double> values(kSteps);
    for (std::size_t i = 0; i < kSteps; ++i) values[i] = axisValue(axis, 1 - (static_cast<double>(i) + 0.5) / kSteps);
    const double barWidth = std::min(12.0, 0.4 * rect.width());
    const double tipHeight = more ? 0.8 * barWidth : 0;
    const Rect bar{rect.lo + Vec2{0, tipHeight}, {rect.lo.x + barWidth, rect.hi.y}};
    painter.field(name, bar, {kSteps, 1, values, axis.lo, axis.hi, axis.scale == Scale::Log, map});
    painter.frame(name + "/frame", bar, {theme.line, 1});
    if (more) {
        const Vec2 tip[] = {bar.lo, {bar.centre().x, rect.lo.y}, {bar.hi.x, bar.lo.y}};
        painter.polygon(name + "/more", tip, sample(map, 1, theme.dark));
    }

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

// Direct labels and the crosshair's readout.
#include <algorithm>
#include <cmath>
#include <limits>

#include "draw/axis.h"
#include "draw/label_layout.h"
#include "draw/markup.h"
#include "draw/number_text.h"
#include "draw/plot.h"

namespace kappaflow {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Index of the nearest finite abscissa.
std::optional<std::size_t> nearestIndex(const std::vector<double>& xs, double x) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < xs.size(); ++i)
        if (std::isfinite(xs[i]) && (!best || std::abs(xs[i] - x) < std::abs(xs[*best] - x))) best = i;
    return best;
}

/// Value at x: a sample's own, or on the straight line between the two around it.
double readOff(const std::vector<double>& xs, const std::vector<double>& ys, double x, bool joined) {
    const auto near = nearestIndex(xs, x);
    if (!near) return kNone;
    if (xs[*near] == x) return ys[*near];
    if (!joined) return kNone;
    for (std::size_t i = 1; i < xs.size(); ++i)
        if ((xs[i - 1] < x && x < xs[i]) || (xs[i] < x && x < xs[i - 1]))
            return ys[i - 1] + (ys[i] - ys[i - 1]) * ((x - xs[i - 1]) / (xs[i] - xs[i - 1]));
    return kNone;
}

struct Row {
    std::string text;
    std::optional<Color> color;
};

/// A small panel of rows beside the pointer, inside the plot's rectangle.
void drawReadout(Painter& painter, const Theme& theme, const std::string& id, const Rect& outer, Vec2 at, const std::vector<Row>& rows) {
    const TextStyle style{.color = theme.text, .size = theme.tinySize, .v = AlignV::Middle};
    const double height = painter.measure("0", style).y + 2, swatch = 14, most = 0.6 * outer.width();
    double width = 0;
    for (const Row& row : rows) width = std::max(width, std::min(most, painter.measure(row.text, style).x) + (row.color ? swatch : 0));
    const Vec2 size{width + 16, height * static_cast<double>(rows.size()) + 10};
    double left = at.x + 12;
    if (left + size.x > outer.hi.x) left = at.x - 12 - size.x;
    left = std::clamp(left, outer.lo.x, std::max(outer.lo.x, outer.hi.x - size.x));
    const double top = std::clamp(at.y - 0.5 * size.y, outer.lo.y, std::max(outer.lo.y, outer.hi.y - size.y));
    const Rect panel{{std::round(left), std::round(top)}, {std::round(left) + size.x, std::round(top) + size.y}};
    painter.rect(id, panel, theme.raised.withAlpha(0.95f), 5);
    painter.frame(id, panel, {theme.line, 1}, 5);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double y = panel.lo.y + 5 + height * (static_cast<double>(i) + 0.5);
        if (rows[i].color) painter.marker(id, {panel.lo.x + 12, y}, 3.5, MarkerShape::Circle, *rows[i].color);
        painter.text(id + "/value", {panel.lo.x + 8 + (rows[i].color ? swatch : 0), y}, elide(painter, rows[i].text, style, most), style);
    }
}

}  // namespace

void Plot::drawEndLabels() {
    std::vector<LabelWish> wishes;
    std::vector<std::vector<Vec2>> lines;
    std::vector<const Curve*> labelled;
    TextStyle text = style(theme_.text, theme_.tinySize);
    const double most = 0.7 * inner_.width();
    for (const Curve& curve : curves_) {
        lines.insert(lines.end(), curve.visible.begin(), curve.visible.end());
        if (curve.label.empty() || curve.visible.empty()) continue;
        // The longest visible part is the one that is recognised.
        const auto longest = std::max_element(curve.visible.begin(), curve.visible.end(), [](const auto& a, const auto& b) {
            return std::abs(a.back().x - a.front().x) < std::abs(b.back().x - b.front().x);
        });
        if (longest->empty()) continue;
        const Vec2 size = painter_.measure(elide(painter_, curve.label, text, most), text);
        wishes.push_back({{size.x + 4, 0.85 * size.y}, *longest});
        labelled.push_back(&curve);
    }
    const auto places = placeLabels(inner_.inset(2, 1, 0, 1), wishes, lines, occupied_);
    text.h = AlignH::Centre, text.v = AlignV::Middle;
    text.halo = theme_.ground;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!places[i]) continue;
        text.color = labelled[i]->color.withAlpha(1);
        painter_.text(id_ + "/label", places[i]->centre(), elide(painter_, labelled[i]->label, text, most), text);
    }
}

std::optional<double> Plot::snappedX(double pointerX) const {
    const double x = toData({pointerX, inner_.lo.y}).x;
    std::optional<double> best;
    // To the nearest sample of any series, so that what is read off is a number that was computed.
    for (const Curve& curve : curves_) {
        const auto near = nearestIndex(curve.x, x);
        if (near && (!best || std::abs(curve.x[*near] - x) < std::abs(*best - x))) best = curve.x[*near];
    }
    if (heat_) best = heat_->xs[*nearestIndex(heat_->xs, x)];
    if (!best) return std::nullopt;
    const double at = toScreen(*best, y_.lo).x;
    return at >= inner_.lo.x - 0.5 && at <= inner_.hi.x + 0.5 ? best : std::nullopt;
}

void Plot::drawCrosshair(const Pointer& pointer) {
    if (!pointer.inside || !inner_.contains(pointer.at)) return;
    const auto x = snappedX(pointer.at.x);
    if (!x) return;
    const auto named = [](const AxisSpec& axis, double value) {
        return (axis.label.empty() ? "" : axis.label + ":  ") + numberText(value);
    };
    std::vector<Row> rows{{named(x_, *x), {}}};
    if (heat_) {
        const std::size_t column = *nearestIndex(heat_->xs, *x), row = *nearestIndex(heat_->ys, toData(pointer.at).y);
        rows.push_back({named(y_, heat_->ys[row]), {}});
        rows.push_back({"value:  " + numberText(heat_->field.values[row * heat_->field.cols + column]), {}});
    } else {
        const double at = painter_.crisp(toScreen(*x, y_.lo).x);
        painter_.line(id_ + "/crosshair", {at, inner_.lo.y}, {at, inner_.hi.y}, {theme_.muted.withAlpha(0.6f), 1});
    }
    for (const Curve& curve : curves_) {
        const double y = readOff(curve.x, curve.y, *x, curve.joined);
        if (std::isnan(y)) continue;
        const Vec2 at = toScreen(*x, y);
        if (std::isfinite(at.y) && at.y >= inner_.lo.y - 0.5 && at.y <= inner_.hi.y + 0.5)
            painter_.marker(id_ + "/crosshair", at, 4, MarkerShape::Circle, curve.color, Stroke{theme_.ground, 1.5});
        rows.push_back({curve.label + ":  " + numberText(y), curve.color});
    }
    const Vec2 at{heat_ ? pointer.at.x : toScreen(*x, y_.lo).x, pointer.at.y};
    drawReadout(painter_, theme_, id_ + "/readout", outer_, at, rows);
}

}  // namespace kappaflow

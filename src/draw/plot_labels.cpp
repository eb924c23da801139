// Direct labels and the crosshair's readout.
#include <algorithm>
#include <cmath>
#include <limits>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "draw/plot.h"
#include "draw/stroke.h"

namespace kappaflow {
namespace {

constexpr double kGap = 3;            // between a line and its label
constexpr std::size_t kPoints = 160;  // of a line that are looked at: labels are tens of pixels wide

bool within(const Rect& a, const Rect& area) {
    return a.lo.x >= area.lo.x && a.hi.x <= area.hi.x && a.lo.y >= area.lo.y && a.hi.y <= area.hi.y;
}

std::vector<Vec2> thinned(const std::vector<Vec2>& line) {
    if (line.size() <= kPoints) return line;
    std::vector<Vec2> kept;
    for (std::size_t i = 0; i < kPoints; ++i) kept.push_back(line[i * (line.size() - 1) / (kPoints - 1)]);
    return kept;
}

bool crosses(const std::vector<Vec2>& line, const Rect& rect) {
    for (std::size_t i = 1; i < line.size(); ++i) {
        Vec2 a = line[i - 1], b = line[i];
        if (std::max(a.x, b.x) < rect.lo.x || std::min(a.x, b.x) > rect.hi.x) continue;
        if (clipSegment(a, b, rect)) return true;
    }
    return false;
}

/// Extent of the line over [left, right], so that a label there clears it.
std::optional<std::pair<double, double>> heights(const std::vector<Vec2>& line, double left, double right) {
    double top = std::numeric_limits<double>::infinity(), bottom = -top;
    constexpr double kFar = 1e7;
    for (std::size_t i = 1; i < line.size(); ++i) {
        Vec2 a = line[i - 1], b = line[i];
        if (!clipSegment(a, b, {{left, -kFar}, {right, kFar}})) continue;
        top = std::min({top, a.y, b.y}), bottom = std::max({bottom, a.y, b.y});
    }
    if (line.size() == 1 && line[0].x >= left && line[0].x <= right) top = bottom = line[0].y;
    if (top > bottom) return std::nullopt;
    return std::pair{top, bottom};
}

struct Scene {
    const Rect& area;
    const std::vector<std::vector<Vec2>>& lines;
    std::vector<Rect> taken;

    bool isFree(const Rect& rect) const {
        return within(rect, area) && std::none_of(taken.begin(), taken.end(), [&](const Rect& other) { return overlap(rect, other); });
    }
    double crossings(const Rect& rect) const {
        return static_cast<double>(std::count_if(lines.begin(), lines.end(), [&](const auto& line) { return crosses(line, rect); }));
    }
};

std::optional<Rect> besideLine(const Scene& scene, const LabelWish& wish, const std::vector<Vec2>& line, bool mayCross) {
    if (line.empty() || wish.size.x > scene.area.width()) return std::nullopt;
    const auto [first, last] = std::minmax_element(line.begin(), line.end(), [](Vec2 a, Vec2 b) { return a.x < b.x; });
    const double begin = first->x, end = last->x;
    std::optional<Rect> best;
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](Vec2 corner, double distance) {
        const Rect rect{corner, corner + wish.size};
        if (distance >= least || !scene.isFree(rect)) return;
        const double crossings = scene.crossings(rect), cost = 3 * crossings + distance;
        if (cost < least && (mayCross || crossings == 0)) best = rect, least = cost;
    };
    constexpr int kPlaces = 12;
    for (int i = 0; i < kPlaces; ++i) {
        const double right = std::max(scene.area.lo.x + wish.size.x, std::min(end - (end - begin) * i / kPlaces, scene.area.hi.x));
        const auto extent = heights(line, right - wish.size.x, right);
        if (!extent) continue;
        // Off a steep stretch a label stands far from most of its line: that costs as well.
        const double distance = 0.15 * i + 0.02 * (extent->second - extent->first);
        consider({right - wish.size.x, extent->first - kGap - wish.size.y}, distance);
        consider({right - wish.size.x, extent->second + kGap}, distance + 0.1);
    }
    // A line that ends inside the plot has room behind its end.
    const double lowest = std::max(scene.area.lo.y, scene.area.hi.y - wish.size.y);
    consider({end + kGap, std::clamp(last->y - 0.5 * wish.size.y, scene.area.lo.y, lowest)}, 0.3);
    return best;
}

std::optional<Rect> anywhereAtTheRight(const Scene& scene, Vec2 size) {
    std::optional<Rect> best;
    double least = std::numeric_limits<double>::infinity();
    for (double top = scene.area.lo.y; top + size.y <= scene.area.hi.y; top += 2) {
        const Rect rect{{scene.area.hi.x - size.x, top}, {scene.area.hi.x, top + size.y}};
        if (!scene.isFree(rect) || scene.crossings(rect) >= least) continue;
        best = rect, least = scene.crossings(rect);
    }
    return best;
}

}  // namespace

std::vector<std::optional<Rect>> placeLabels(const Rect& area, std::span<const LabelWish> wishes, std::span<const std::vector<Vec2>> lines,
                                             std::span<const Rect> occupied) {
    std::vector<std::vector<Vec2>> thin;
    for (const auto& line : lines) thin.push_back(thinned(line));
    Scene scene{area, thin, {occupied.begin(), occupied.end()}};
    std::vector<std::optional<Rect>> places(wishes.size());
    // Labels that can stand clear of all lines choose first.
    for (const bool mayCross : {false, true})
        for (std::size_t i = 0; i < wishes.size(); ++i) {
            if (places[i]) continue;
            places[i] = besideLine(scene, wishes[i], thinned(wishes[i].line), mayCross);
            if (!places[i] && mayCross) places[i] = anywhereAtTheRight(scene, wishes[i].size);
            if (places[i]) scene.taken.push_back(*places[i]);
        }
    return places;
}

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

std::vector<std::vector<Vec2>> Plot::linesInSight() const {
    std::vector<std::vector<Vec2>> lines(filled_);
    for (const Curve& curve : curves_) lines.insert(lines.end(), curve.visible.begin(), curve.visible.end());
    for (const Note& note : notes_) lines.push_back({{note.x, inner_.lo.y}, {note.x, inner_.hi.y}});
    return lines;
}

// Beside their lines: where they hide the fewest other lines, and there as high up as they can.
void Plot::drawNotes() {
    std::vector<std::vector<Vec2>> lines = linesInSight();
    for (auto& line : lines) line = thinned(line);
    const Rect area{{outer_.lo.x, inner_.lo.y}, {outer_.hi.x, inner_.hi.y}};
    for (const Note& note : notes_) {
        TextStyle text = style(note.color.withAlpha(1), theme_.tinySize);
        text.halo = theme_.ground;
        const Vec2 size = painter_.measure(note.text, text);
        const Scene scene{area, lines, occupied_};
        std::optional<Rect> best;
        double least = std::numeric_limits<double>::infinity();
        for (const double left : {note.x + 4, note.x - 4 - size.x})
            for (double top = area.lo.y; top + size.y <= area.hi.y; top += 2) {
                const Rect rect{{left, top}, {left + size.x, top + size.y}};
                const double height = (top - area.lo.y) / area.height();
                if (height >= least) break;
                if (!scene.isFree(rect)) continue;
                if (const double cost = scene.crossings(rect) + height; cost < least) best = rect, least = cost;
            }
        if (!best) continue;
        painter_.text(note.id, best->lo, note.text, text);
        occupied_.push_back(*best);
    }
}

void Plot::drawEndLabels() {
    std::vector<LabelWish> wishes;
    std::vector<const Curve*> labelled;
    TextStyle text = style(theme_.text, theme_.tinySize);
    const double most = 0.7 * inner_.width();
    for (const Curve& curve : curves_) {
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
    const auto places = placeLabels(inner_.inset(2, 1, 0, 1), wishes, linesInSight(), occupied_);
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

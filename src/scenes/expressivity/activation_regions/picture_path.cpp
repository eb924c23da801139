// The trajectory laid over the regions, and its knobs.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions/picture_view.h"
#include "scenes/expressivity/picture_line.h"

namespace kappaflow::regions {
namespace {

constexpr double kMost = 1e4, kLeastRadius = 1e-5, kMostRadius = 1000;
constexpr std::size_t kMostKnobs = 64;

/// Point at a share of a line's length.
Vec2 pointAt(const std::vector<Vec2>& line, double share) {
    double length = 0;
    for (std::size_t i = 1; i < line.size(); ++i) length += std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
    double left = share * length;
    for (std::size_t i = 1; i < line.size(); ++i) {
        const double step = std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
        if (left <= step && step > 0) return line[i - 1] + (line[i] - line[i - 1]) * (left / step);
        left -= step;
    }
    return line.empty() ? Vec2{} : line.back();
}

/// A point of the plane as a knob; the keyboard moves it along each axis. Where it was moved to, if it was.
std::optional<Vec2> offerPoint(PictureFrame& f, const Stage& stage, const std::string& id, const std::string& label, Vec2 point,
                               MarkerShape shape) {
    const Vec2 at = stage.toScreen(point);
    const Rect knob{at - Vec2{13, 13}, at + Vec2{13, 13}};
    std::optional<Vec2> moved;
    bool lively = false;
    for (const bool upright : {false, true}) {
        const double value = upright ? point.y : point.x;
        const auto grip = f.handles.offer({id + (upright ? "Y" : "X"), label + (upright ? ", upwards" : ", to the right"), inWords(value),
                                           value, -kMost, kMost, stage.half / 50, knob},
                                          [&](Vec2 p) { return upright ? stage.toPlane(p).y : stage.toPlane(p).x; });
        lively = lively || grip.hovered || grip.held || grip.focused;
        if (grip.held)
            moved = stage.dragged(point, f.handles.pointer().moved);
        else if (grip.moved)
            moved = upright ? Vec2{point.x, grip.value} : Vec2{grip.value, point.y};
        if (grip.held) break;
    }
    if (!f.kept) f.painter.marker("path/knob", at, lively ? 7.5 : 5.5, shape, f.theme.accent, Stroke{f.theme.ground, 1.5});
    if (moved && std::hypot(moved->x - point.x, moved->y - point.y) < 1e-6 * stage.half) return std::nullopt;
    return moved;
}

/// Coordinates are kept to a share of this of a unit.
double perUnit(const Stage& stage) { return std::pow(10, 4 - std::floor(std::log10(stage.half))); }

double rounded(double value, const Stage& stage) {
    const double scale = perUnit(stage);
    return std::clamp(std::round(value * scale) / scale, -kMost, kMost);
}

void offerCircle(PictureFrame& f, const Stage& stage, Vec2 centre, double radius) {
    if (const auto to = offerPoint(f, stage, "pathCentre", "centre of the circle", centre, MarkerShape::Circle))
        f.changes.push_back(Change::param("pathCentre", std::vector<double>{rounded(to->x, stage), rounded(to->y, stage)}));
    const Vec2 at = stage.toScreen(centre + Vec2{radius, 0});
    const auto grip = f.handles.offer({"pathRadius",
                                       "radius of the circle",
                                       inWords(radius),
                                       radius,
                                       kLeastRadius,
                                       kMostRadius,
                                       std::max(0.01 * stage.half, kLeastRadius),
                                       {at - Vec2{13, 13}, at + Vec2{13, 13}}},
                                      [&](Vec2 p) { return std::hypot(stage.toPlane(p).x - centre.x, stage.toPlane(p).y - centre.y); });
    if (grip.moved) f.changes.push_back(Change::param("pathRadius", std::clamp(rounded(grip.value, stage), kLeastRadius, kMostRadius)));
    if (!f.kept)
        f.painter.marker("path/radius", at, grip.hovered || grip.held ? 7.5 : 5.5, MarkerShape::Diamond, f.theme.accent,
                         Stroke{f.theme.ground, 1.5});
}

/// True when a click was meant for the line.
bool offerCorners(PictureFrame& f, const Stage& stage, const std::vector<Vec2>& corners) {
    auto changed = corners;
    std::vector<Vec2> screen;
    for (const Vec2& p : corners) screen.push_back(stage.toScreen(p));
    for (std::size_t i = 0; i < std::min(corners.size(), kMostKnobs); ++i)
        if (const auto to = offerPoint(f, stage, "corner" + std::to_string(i), "corner " + std::to_string(i + 1) + " of the line",
                                       corners[i], MarkerShape::Circle))
            changed[i] = *to;
    if (offerCornerChanges(f, "drawn", screen, perUnit(stage))) return true;
    if (changed == corners) return false;
    std::vector<double> list;
    for (const Vec2& p : changed) list.insert(list.end(), {rounded(p.x, stage), rounded(p.y, stage)});
    f.changes.push_back(Change::param("drawn", list));
    return false;
}

void drawBreaks(PictureFrame& f, const View& view, const Stage& stage, const std::vector<Vec2>& line) {
    std::vector<PointMark> marks;
    const auto radius = view.breaks->values.size() > 150 ? 2.0 : 3.2;
    for (const double share : view.breaks->values)
        if (share > 0) marks.push_back({stage.toScreen(pointAt(line, share)), radius, f.theme.text});
    f.painter.points("path/breaks", marks);
}

}  // namespace

bool drawPath(PictureFrame& f, const View& view, const Stage& stage) {
    const Values& v = f.state.params;
    if (v.is("path", "none")) return false;
    const auto& list = v.list(v.is("path", "circle") ? "pathCentre" : "drawn");
    std::vector<Vec2> corners;
    for (std::size_t i = 0; i + 1 < list.size(); i += 2) corners.push_back({list[i], list[i + 1]});
    if (view.path && view.breaks) {
        std::vector<Vec2> line, seen;
        for (std::size_t i = 0; i < view.path->axes[0].size(); ++i) {
            line.push_back({view.path->row(i)[0], view.path->row(i)[1]});
            seen.push_back(stage.toScreen(line.back()));
        }
        f.painter.line("path/rim", seen, {f.theme.ground.withAlpha(0.7f), 5}, false);
        f.painter.line("path/line", seen, {f.theme.accent, 2.5}, false);
        drawBreaks(f, view, stage, line);
    }
    if (!v.is("path", "circle")) return offerCorners(f, stage, corners);
    offerCircle(f, stage, corners.empty() ? Vec2{} : corners[0], v.number("pathRadius"));
    return false;
}

}  // namespace kappaflow::regions

// How the plane lies in its three dimensions: turned and shifted by its knobs.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions/picture_view.h"
#include "scenes/expressivity/picture_curves.h"

namespace kappaflow::regions {
namespace {

struct Point3 {
    double a, b, c;
};

/// Seen from above at an angle.
Vec2 project(Point3 p, Vec2 middle, double scale) {
    return middle + Vec2{0.9 * p.a - 0.5 * p.b, 0.22 * p.a + 0.42 * p.b - 0.85 * p.c} * scale;
}

struct Knob {
    const char *key, *label;
    Vec2 at;
    double least, most, step;
    Vec2 perPixel;  ///< change of the value for a pixel right, and for one down
};

void offer(PictureFrame& f, const Knob& k, MarkerShape shape) {
    const double value = f.state.params.number(k.key);
    const bool angle = k.most == 180;
    const Vec2 moved = f.handles.pointer().moved;
    const double far = value + moved.x * k.perPixel.x + moved.y * k.perPixel.y, dragged = angle ? far - 360 * std::round(far / 360) : far;
    const auto grip = f.handles.offer({k.key,
                                       k.label,
                                       inWords(value, 4) + (angle ? "°" : ""),
                                       value,
                                       k.least,
                                       k.most,
                                       k.step,
                                       {k.at - Vec2{13, 13}, k.at + Vec2{13, 13}}},
                                      [&](Vec2) { return value; });
    // The keyboard goes by steps, a drag also between them.
    const double to = grip.held ? dragged : grip.moved ? grip.value : value;
    if (to != value) f.changes.push_back(Change::param(k.key, std::round(std::clamp(to, k.least, k.most) * 1000) / 1000));
    if (f.kept) return;
    const bool lively = grip.hovered || grip.held || grip.focused;
    f.painter.marker("plane/knob", k.at, lively ? 7.5 : 5.5, shape, f.theme.accent, Stroke{f.theme.ground, 1.5});
}

}  // namespace

bool hasPlane(const PictureFrame& f) {
    const Values& v = f.state.params;
    return v.is("plane", "turned") && (!v.is("network", "") || v.number("inputs") > 2);
}

void drawPlane(PictureFrame& f, Rect panel) {
    const Values& v = f.state.params;
    const double degree = 3.14159265358979 / 180, a = v.number("azimuth") * degree, t = v.number("tilt") * degree;
    const Vec2 middle = panel.centre() + Vec2{0, 6};
    const double scale = 0.36 * std::min(panel.width(), panel.height());
    const double half = v.number("half"), lift = std::clamp(v.number("shift") / half, -0.7, 0.7);
    const Point3 u{std::cos(a), std::sin(a), 0}, w{-std::sin(a) * std::cos(t), std::cos(a) * std::cos(t), std::sin(t)};
    const Point3 n{std::sin(a) * std::sin(t), -std::cos(a) * std::sin(t), std::cos(t)};
    const auto at = [&](double s, double r) {
        return project({s * u.a + r * w.a + lift * n.a, s * u.b + r * w.b + lift * n.b, s * u.c + r * w.c + lift * n.c}, middle, scale);
    };
    const TextStyle style{
        .color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle, .halo = f.theme.ground};
    for (const auto& [axis, name] : {std::pair<Point3, const char*>{{1.15, 0, 0}, "1"}, {{0, 1.15, 0}, "2"}, {{0, 0, 1.15}, "3"}}) {
        const Vec2 tip = project(axis, middle, scale);
        f.painter.line("plane/axis", middle, tip, {f.theme.muted, 1});
        f.painter.text("plane/axis/name", tip + (tip - middle) * (9 / std::max(1.0, std::hypot(tip.x - middle.x, tip.y - middle.y))), name,
                       style);
    }
    const Vec2 quad[] = {at(-0.8, -0.8), at(0.8, -0.8), at(0.8, 0.8), at(-0.8, 0.8)};
    f.painter.polygon("plane/quad", quad, f.theme.accent.withAlpha(0.22f));
    f.painter.line("plane/quad", quad, {f.theme.accent, 1.4}, true);
    offer(f, {"azimuth", "direction of the plane", at(0.8, 0), -180, 180, 5, {-0.7, 0.7}}, MarkerShape::Circle);
    offer(f, {"tilt", "tilt of the plane", at(0, 0.8), -180, 180, 5, {0.3, -0.7}}, MarkerShape::Square);
    offer(f, {"shift", "shift of the plane", at(0, 0), -100, 100, 0.05 * half, {0, -0.02 * half}}, MarkerShape::Diamond);
}

namespace {

// The trajectory laid over the regions, and its knobs.

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

namespace {

// The partition in its window: fills, edges, the decision boundary, and what the reader does to the window.

/// The lines that the chosen unit drew.
void drawChosenUnit(PictureFrame& f, const View& view, const PlanePlace& place, const MeshCache& cache) {
    // Where there is no diagram beside the window nobody could tell what it is.
    const bool narrow = f.compact || f.area.width() < 600;
    if (!hasNetwork(view) || f.kept || (narrow && !f.state.params.flag("below")) || f.state.params.list("chosen").size() < 2) return;
    const Chosen chosen = chosenOf(f, view);
    if (chosen.layer > view.layers || static_cast<double>(chosen.layer) > view.depth + 0.5) return;
    std::vector<Vec2> lines;
    std::size_t index = 0;
    for (std::size_t e = 0; e < view.edgeLayer->values.size(); ++e) {
        if (view.edgeLayer->values[e] != static_cast<double>(chosen.layer)) continue;
        const auto& of = cache.mesh.edges[chosen.layer];
        if (view.edgeUnit->values[e] == static_cast<double>(chosen.unit) && index + 1 < of.size())
            lines.insert(lines.end(), {of[index], of[index + 1]});
        index += 2;
    }
    f.painter.segments("regions/chosen/rim", {lines, f.theme.ground, 5.5, 1, place, 0});
    f.painter.segments("regions/chosen", {lines, f.theme.accent, 3.2, 1, place, 0});
}

std::optional<Vec2> pinOf(const PictureFrame& f) {
    const auto& pin = f.state.params.list("pin");
    return pin.size() == 2 ? std::optional<Vec2>({pin[0], pin[1]}) : std::nullopt;
}

/// A click pins the region, another one in it lets it go.
void pinClicked(PictureFrame& f, const View& view, const MeshCache& cache, const Stage& stage) {
    const Pointer p = f.handles.freePointer();
    const Vec2 away = p.at - p.pressedAt;
    if (!p.released || p.doubleClicked || !stage.square.contains(p.at) || std::hypot(away.x, away.y) > 4) return;
    const auto clicked = regionAt(cache, view, stage.toPlane(p.at));
    if (!clicked) return;
    const auto pin = pinOf(f);
    const auto before = pin ? regionAt(cache, view, *pin) : std::nullopt;
    const Vec2 at = stage.toPlane(p.at);
    f.changes.push_back(
        Change::param("pin", before == clicked ? std::vector<double>{} : std::vector<double>{stage.rounded(at.x), stage.rounded(at.y)}));
}

/// At the right, away from the point and clear of the axes' numbers; lines for which there is no room are left out.
void drawFacts(PictureFrame& f, const Stage& stage, Vec2 point, const std::vector<std::string>& lines) {
    const TextStyle style{.color = f.theme.text, .size = f.theme.smallSize};
    const double lineHeight = style.size * 1.35;
    const Rect room = stage.square.inset(50, 8, 8, 34);
    std::vector<std::string> fitting;
    double width = 0;
    for (const auto& line : lines) {
        const double wide = f.painter.measure(line, style).x;
        if (wide + 16 > room.width() || lineHeight * static_cast<double>(fitting.size() + 1) + 10 > room.height()) continue;
        fitting.push_back(line);
        width = std::max(width, wide);
    }
    if (fitting.empty()) return;
    const Vec2 size{width + 16, lineHeight * static_cast<double>(fitting.size()) + 10};
    const bool above = point.y > room.centre().y;
    const Rect box = above ? Rect{{room.hi.x - size.x, room.lo.y}, {room.hi.x, room.lo.y + size.y}} : Rect{room.hi - size, room.hi};
    f.painter.rect("regions/facts", box, f.theme.raised.withAlpha(0.93f), 5);
    f.painter.frame("regions/facts", box, {f.theme.line, 1}, 5);
    for (std::size_t i = 0; i < fitting.size(); ++i)
        f.painter.text("regions/facts", box.lo + Vec2{8, 5 + lineHeight * static_cast<double>(i)}, fitting[i], style);
}

void drawPin(PictureFrame& f, const View& view, const Stage& stage, Vec2 pin, std::size_t region) {
    const Vec2 at = stage.toScreen(pin);
    const Rect knob{at - Vec2{12, 12}, at + Vec2{12, 12}};
    for (const bool upright : {false, true}) {
        const double value = upright ? pin.y : pin.x, middle = upright ? stage.centre.y : stage.centre.x;
        const auto grip =
            f.handles.offer({upright ? "pinY" : "pinX", upright ? "pinned point, upwards" : "pinned point, to the right", inWords(value),
                             value, std::min(value, middle - stage.half), std::max(value, middle + stage.half), stage.half / 50, knob},
                            [&](Vec2 p) { return upright ? stage.toPlane(p).y : stage.toPlane(p).x; });
        const Vec2 moved = f.handles.pointer().moved;
        if (grip.held ? moved == Vec2{} : !grip.moved) continue;
        const Vec2 to = grip.held ? stage.dragged(pin, moved) : upright ? Vec2{pin.x, grip.value} : Vec2{grip.value, pin.y};
        f.changes.push_back(Change::param("pin", std::vector<double>{stage.rounded(to.x), stage.rounded(to.y)}));
        if (grip.held) break;
    }
    f.painter.marker("regions/pin", at, 5, MarkerShape::Diamond, f.theme.accent, Stroke{f.theme.ground, 1.5});
    const Pointer& p = f.handles.pointer();
    const Vec2 away = p.at - p.pressedAt;
    if (p.released && knob.contains(p.at) && std::hypot(away.x, away.y) < 3)
        f.changes.push_back(Change::param("pin", std::vector<double>{}));
    drawFacts(f, stage, at, factsOf(view, region));
}

}  // namespace

std::optional<std::size_t> drawWindow(PictureFrame& f, const View& view, MeshCache& cache, const Stage& stage) {
    const PlanePlace place = stage.placeOf(view.source().centre(), view.source().half());
    f.painter.rect("window/ground", stage.square, f.theme.panel);
    f.painter.pushClip(stage.square);
    const region_mesh::Seen seen{cache.mesh, place, view.depth, f.reportVersion};
    region_mesh::drawFills(f, seen, fillColors(cache, f, view), isShaded(f, view));
    const auto pin = pinOf(f);
    const Pointer p = f.handles.freePointer();
    const bool hovers = p.inside && !p.down && stage.square.contains(p.at);
    const auto pinned = pin ? regionAt(cache, view, *pin) : std::nullopt;
    const auto region = pinned ? pinned : hovers ? regionAt(cache, view, stage.toPlane(p.at)) : std::nullopt;
    if (region) region_mesh::drawMarked(f, seen, *view.pattern, view.layer(), *region);
    region_mesh::drawEdges(f, seen, *view.regionsByDepth);
    drawChosenUnit(f, view, place, cache);
    region_mesh::drawDecision(f, seen);
    const bool taken = drawPath(f, view, stage);
    f.painter.popClip();
    region_mesh::drawFrame(f, stage);
    region_mesh::offerWindow(f, stage);
    if (!taken) region_mesh::moveFreely(f, stage);
    pinClicked(f, view, cache, stage);
    if (pinned)
        drawPin(f, view, stage, *pin, *pinned);
    else if (region)
        tooltip(f, p.at, factsOf(view, *region));
    return region;
}

}  // namespace kappaflow::regions

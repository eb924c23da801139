// The partition in its window: fills, edges, the decision boundary, and what the reader does to the window.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "scenes/activation_regions/picture_view.h"

namespace kappaflow::regions {
namespace {

constexpr double kLeastHalf = 1e-5, kMostHalf = 1000, kMostCentre = 1e4;

double eased(double t) { return t * t * (3 - 2 * t); }

/// Six digits of the window's own size: a link need not carry more.
double rounded(double value, double half) {
    const double scale = std::pow(10, 5 - std::floor(std::log10(half)));
    return std::round(value * scale) / scale;
}

void moveWindow(PictureFrame& f, const Stage& stage, Vec2 centre, double half) {
    half = std::clamp(half, kLeastHalf, kMostHalf);
    if (half != stage.half) f.changes.push_back(Change::param("half", std::strtod(inWords(half, 6).c_str(), nullptr)));
    const std::vector<double> list{std::clamp(rounded(centre.x, half), -kMostCentre, kMostCentre),
                                   std::clamp(rounded(centre.y, half), -kMostCentre, kMostCentre)};
    if (list != std::vector<double>{stage.centre.x, stage.centre.y}) f.changes.push_back(Change::param("centre", list));
}

void resetWindow(PictureFrame& f) {
    const Values standard = requireDeclaration(f.state.scene).defaults();
    for (const char* key : {"half", "centre"}) f.changes.push_back(Change::param(key, standard.at(key)));
}

/// The pointer where no handle is: dragging moves the window, the wheel and two fingers zoom about it, a double click puts it back.
void moveFreely(PictureFrame& f, const Stage& stage) {
    const Pointer p = f.handles.freePointer();
    if (!p.inside || !stage.square.contains(p.down ? p.pressedAt : p.at)) return;
    if (p.doubleClicked) {
        resetWindow(f);
    } else if (p.wheel != 0) {
        const double half = std::clamp(stage.half * std::pow(1.2, -p.wheel), kLeastHalf, kMostHalf);
        const Vec2 under = stage.toPlane(p.at);
        moveWindow(f, stage, under + (stage.centre - under) * (half / stage.half), half);
    } else if (p.down && !p.pressed && !p.touch && !(p.moved == Vec2{})) {
        const double scale = 2 * stage.half / stage.square.width();
        moveWindow(f, stage, stage.centre + Vec2{-p.moved.x, p.moved.y} * scale, stage.half);
    }
}

/// For keyboard and touch: a knob in the corner that zooms, and two that move.
void offerWindow(PictureFrame& f, const Stage& stage) {
    const Vec2 at = stage.square.hi - Vec2{15, 15};
    const Rect knob{at - Vec2{13, 13}, at + Vec2{13, 13}};
    const double zoom = std::log10(stage.half);
    const auto grip = f.handles.offer(
        {"zoom", "half side of the window", inWords(stage.half), zoom, std::log10(kLeastHalf), std::log10(kMostHalf), 0.1, knob},
        [&](Vec2) { return zoom; });
    // The keyboard goes by steps, a drag also between them.
    const double dragged = zoom + f.handles.pointer().moved.y / 100, to = grip.held ? dragged : grip.moved ? grip.value : zoom;
    if (to != zoom) moveWindow(f, stage, stage.centre, std::pow(10, to));
    const double reach = kMostCentre, step = 0.1 * stage.half;
    for (const bool upright : {false, true}) {
        const double value = upright ? stage.centre.y : stage.centre.x;
        const auto moved =
            f.handles.offer({upright ? "centreY" : "centreX", upright ? "window's middle, upwards" : "window's middle, to the right",
                             inWords(value), value, -reach, reach, step, knob},
                            [&](Vec2) { return value; });
        if (moved.moved && !moved.held)
            moveWindow(f, stage, upright ? Vec2{stage.centre.x, moved.value} : Vec2{moved.value, stage.centre.y}, stage.half);
    }
    if (f.kept) return;
    const bool lively = grip.hovered || grip.held || grip.focused;
    f.painter.rect("window/zoom", {at - Vec2{10, 10}, at + Vec2{10, 10}}, f.theme.raised.withAlpha(lively ? 1.0f : 0.8f), 5);
    const Stroke stroke{lively ? f.theme.accent : f.theme.muted, 1.6};
    for (const double side : {-1.0, 1.0}) {
        const Vec2 arrow[] = {at + Vec2{-4, side * 2}, at + Vec2{0, side * 6}, at + Vec2{4, side * 2}};
        f.painter.line("window/zoom", arrow, stroke, false);
    }
}

PlanePlace placeOf(const View& view, const Stage& stage) {
    const double scale = stage.square.width() / 2 * view.reportHalf() / stage.half;
    return {stage.toScreen(view.reportCentre()), {scale, -scale}};
}

void drawFills(PictureFrame& f, const View& view, MeshCache& cache, const PlanePlace& place) {
    CellMesh mesh;
    mesh.points = cache.points;
    mesh.corners = cache.corners;
    mesh.ends = cache.ends;
    mesh.colors = fillColors(cache, f, view);
    mesh.shaded = isShaded(f, view);
    mesh.place = place;
    mesh.version = f.reportVersion;
    f.painter.cells("regions/cells", mesh);
}

/// Lines are finer and paler where cells are smaller than they.
void drawEdges(PictureFrame& f, const View& view, const MeshCache& cache, const PlanePlace& place) {
    const Between b = between(view.depth, view.layers);
    const double shown = view.regionsByDepth->values[b.below] * (1 - b.fraction) + view.regionsByDepth->values[b.above] * b.fraction;
    const double cell = 2 * place.scale.x / std::sqrt(std::max(shown, 1.0));
    const double width = std::clamp(cell / 14, 0.6, 2.0);
    const auto alpha = static_cast<float>(std::clamp(cell / 7, 0.3, 1.0));
    for (std::size_t layer = b.fraction > 0 ? b.above : b.below; layer >= 1; --layer) {
        const double grown = layer > b.below ? eased(b.fraction) : 1;
        const double older = layer == 1 ? 1.25 : 1;
        f.painter.segments("regions/edges/" + std::to_string(layer),
                           {cache.edges[layer], layerColor(f.theme, layer).withAlpha(alpha), width * older, grown, place, f.reportVersion});
    }
}

void drawDecision(PictureFrame& f, const View& view, const MeshCache& cache, const PlanePlace& place) {
    const double seen = view.depth - (static_cast<double>(view.layers) - 1);
    if (cache.decisions.empty() || seen <= 0) return;
    const auto alpha = static_cast<float>(eased(std::min(seen, 1.0)));
    f.painter.segments("regions/decision/rim", {cache.decisions, f.theme.ground.withAlpha(0.8f * alpha), 6, 1, place, f.reportVersion});
    f.painter.segments("regions/decision", {cache.decisions, f.theme.text.withAlpha(alpha), 3, 1, place, f.reportVersion});
}

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
        const auto& of = cache.edges[chosen.layer];
        if (view.edgeUnit->values[e] == static_cast<double>(chosen.unit) && index + 1 < of.size())
            lines.insert(lines.end(), {of[index], of[index + 1]});
        index += 2;
    }
    f.painter.segments("regions/chosen/rim", {lines, f.theme.ground, 5.5, 1, place, 0});
    f.painter.segments("regions/chosen", {lines, f.theme.accent, 3.2, 1, place, 0});
}

/// All final regions that lie in the same region of the layer shown.
void drawMarked(PictureFrame& f, const View& view, const MeshCache& cache, const PlanePlace& place, std::size_t region) {
    const double* patterns = view.pattern->row(view.layer());
    std::vector<std::uint32_t> corners, ends;
    for (std::size_t r = 0; r < view.regions(); ++r) {
        if (patterns[r] != patterns[region]) continue;
        for (std::size_t i = r == 0 ? 0 : cache.ends[r - 1]; i < cache.ends[r]; ++i) corners.push_back(cache.corners[i]);
        ends.push_back(static_cast<std::uint32_t>(corners.size()));
    }
    const std::vector<Color> colors(ends.size(), f.theme.accent.withAlpha(0.35f));
    CellMesh mesh;
    mesh.points = cache.points, mesh.corners = corners, mesh.ends = ends, mesh.colors = colors, mesh.place = place;
    f.painter.cells("regions/marked", mesh);
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
    f.changes.push_back(Change::param(
        "pin", before == clicked ? std::vector<double>{} : std::vector<double>{rounded(at.x, stage.half), rounded(at.y, stage.half)}));
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
        f.changes.push_back(Change::param("pin", std::vector<double>{rounded(to.x, stage.half), rounded(to.y, stage.half)}));
        if (grip.held) break;
    }
    f.painter.marker("regions/pin", at, 5, MarkerShape::Diamond, f.theme.accent, Stroke{f.theme.ground, 1.5});
    const Pointer& p = f.handles.pointer();
    const Vec2 away = p.at - p.pressedAt;
    if (p.released && knob.contains(p.at) && std::hypot(away.x, away.y) < 3)
        f.changes.push_back(Change::param("pin", std::vector<double>{}));
    drawFacts(f, stage, at, factsOf(view, region));
}

/// Round coordinates along the left and the lower side, where they are clear of the corners and of each other.
void drawTicks(PictureFrame& f, const Stage& stage) {
    const Stroke stroke{f.theme.text.withAlpha(0.7f), 1};
    const Vec2 corner{stage.square.lo.x, stage.square.hi.y};
    TextStyle style{.color = f.theme.text, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Bottom, .halo = f.theme.ground};
    const auto ticks = [&](double middle) {
        return ticksFor({.label = "", .lo = middle - stage.half, .hi = middle + stage.half}, stage.square.width(), 56);
    };
    double taken = corner.x + 40;
    for (const Tick& tick : ticks(stage.centre.x)) {
        const double x = f.painter.crisp(stage.toScreen({tick.value, 0}).x), half = f.painter.measure(tick.label, style).x / 2 + 4;
        f.painter.line("window/tick", Vec2{x, corner.y}, Vec2{x, corner.y - 5}, stroke);
        if (tick.label.empty() || x - half < taken || x + half > stage.square.hi.x - 30) continue;
        f.painter.text("window/tick-label", {x, corner.y - 7}, tick.label, style);
        taken = x + half;
    }
    style.h = AlignH::Left, style.v = AlignV::Middle;
    for (const Tick& tick : ticks(stage.centre.y)) {
        const double y = f.painter.crisp(stage.toScreen({0, tick.value}).y);
        f.painter.line("window/tick", Vec2{corner.x, y}, Vec2{corner.x + 5, y}, stroke);
        if (tick.label.empty() || y > corner.y - 36 || y < stage.square.lo.y + 12) continue;
        f.painter.text("window/tick-label", {corner.x + 8, y}, tick.label, style);
    }
}

void drawFrame(PictureFrame& f, const Stage& stage) {
    drawTicks(f, stage);
    f.painter.frame("window/frame", stage.square, {f.theme.muted, 1});
}

}  // namespace

std::optional<std::size_t> drawWindow(PictureFrame& f, const View& view, MeshCache& cache, const Stage& stage) {
    const PlanePlace place = placeOf(view, stage);
    f.painter.rect("window/ground", stage.square, f.theme.panel);
    f.painter.pushClip(stage.square);
    drawFills(f, view, cache, place);
    const auto pin = pinOf(f);
    const Pointer p = f.handles.freePointer();
    const bool hovers = p.inside && !p.down && stage.square.contains(p.at);
    const auto pinned = pin ? regionAt(cache, view, *pin) : std::nullopt;
    const auto region = pinned ? pinned : hovers ? regionAt(cache, view, stage.toPlane(p.at)) : std::nullopt;
    if (region) drawMarked(f, view, cache, place, *region);
    drawEdges(f, view, cache, place);
    drawChosenUnit(f, view, place, cache);
    drawDecision(f, view, cache, place);
    const bool taken = drawPath(f, view, stage);
    f.painter.popClip();
    drawFrame(f, stage);
    offerWindow(f, stage);
    if (!taken) moveFreely(f, stage);
    pinClicked(f, view, cache, stage);
    if (pinned)
        drawPin(f, view, stage, *pin, *pinned);
    else if (region)
        tooltip(f, p.at, factsOf(view, *region));
    return region;
}

}  // namespace kappaflow::regions

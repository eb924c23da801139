// The partition in its window: fills, edges, the decision boundary, and what the reader does to the window.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions/picture_view.h"

namespace kappaflow::regions {
namespace {

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

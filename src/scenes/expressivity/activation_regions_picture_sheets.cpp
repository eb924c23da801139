// The layers unfolded: the partition after each of them as a sheet in space, the first on top, and the pieces of a cell joined.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/camera.h"
#include "scenes/expressivity/activation_regions_picture.h"

namespace kappaflow::activation_regions {
namespace {

using region_mesh::Stage;

constexpr double kUsualLean = 28;  // the sheets are as far apart as fills the room at this one

/// The sheets on the screen: with `open` from 0, all of them flat where the window is, to 1.
struct Sheets {
    Sheets(const Seen& s, const Stage& stage, Rect panel, double open)
        : layers(layersOf(s)), place(stage.placeOf(windowCentre(s), windowHalf(s))) {
        const double turned = region_mesh::eased(open);
        camera.azimuth = turned * s.params.orbit, camera.elevation = 90 + turned * (s.params.lean - 90), camera.distance = 14;
        OrbitCamera opened = camera;
        opened.elevation = s.params.lean;
        const Rect room = panel.inset(90, 26, 20, 26);
        const double radius = std::sqrt(2.0), steps = std::max(1.0, static_cast<double>(layers) - 1),
                     angle = kUsualLean * std::numbers::pi / 180;
        const double high = radius * (room.height() / std::max(room.width(), 1.0) - std::sin(angle)) / std::cos(angle);
        const double apart = std::clamp(2 * high / steps, 0.7, 1.7);  // of squares of side 2
        gap = turned * apart;
        fitCylinder(opened, radius, apart * steps / 2, room);
        camera.scale = stage.square.width() / 2 * (1 - turned) + opened.scale * turned;
        camera.centre = stage.square.centre() * (1 - turned) + opened.centre * turned;
        middle = stage.square.centre(), unit = stage.square.width() / 2;
        const PlanePlace flat{{(place.origin.x - middle.x) / unit, (middle.y - place.origin.y) / unit},
                              {place.scale.x / unit, -place.scale.y / unit}};
        for (Size layer = 0; layer <= layers; ++layer) places.push_back(camera.level(height(layer), flat));
    }
    double height(Size layer) const { return gap * ((static_cast<double>(layers) + 1) / 2 - static_cast<double>(layer)); }
    /// From coordinates of the mesh.
    Vec2 at(Vec2 point, Size layer) const { return places[layer].at(point); }
    /// Back to coordinates of the mesh.
    std::optional<Vec2> under(Vec2 screen, Size layer) const {
        const auto hit = camera.onLevel(screen, height(layer));
        if (!hit) return std::nullopt;
        const Vec2 flat = Vec2{hit->x, -hit->y} * unit + middle;
        return Vec2{(flat.x - place.origin.x) / place.scale.x, (flat.y - place.origin.y) / place.scale.y};
    }

    Size layers;
    PlanePlace place;
    std::vector<PlanePlace> places;  ///< [layer] of the mesh
    OrbitCamera camera;
    double gap = 0, unit = 1;
    Vec2 middle;
};

/// The cell of the last layer under the pointer: of the highest sheet that is hit.
std::optional<Size> cellUnder(const MeshCache& cache, const Sheets& sheets, Size shown, Vec2 pointer) {
    for (Size layer = 1; layer <= shown; ++layer)
        if (const auto point = sheets.under(pointer, layer))
            if (const auto region = region_mesh::regionAt(cache.mesh, *point)) return region;
    return std::nullopt;
}

void drawSheet(const Seen& s, MeshCache& cache, const Sheets& sheets, Size layer, const DrawnLines* coming, std::optional<Size> marked) {
    const region_mesh::Mesh& mesh = cache.mesh;
    const auto& colors = cache.sheetColors[coming ? layer - 1 : layer];  // cells part when its lines are whole
    CellMesh cells;
    cells.points = mesh.points, cells.corners = mesh.corners, cells.ends = mesh.ends, cells.colors = colors;
    cells.place = sheets.places[layer], cells.version = s.f.reportVersion;
    s.f.painter.cells("sheets/cells", cells);
    const double cell = 2 * sheets.camera.scale / std::sqrt(std::max(s.result.regionsByDepth[layer], 1.0));
    const double width = std::clamp(cell / 18, 0.5, 1.5);
    const auto alpha = static_cast<float>(std::clamp(cell / 9, 0.3, 1.0));
    for (Size l = layer;; --l) {
        const bool comes = coming && l == layer;
        const Color color = l == 0 ? s.f.theme.muted : region_mesh::layerColor(s.f.theme, l).withAlpha(alpha);
        s.f.painter.segments((comes ? "sheets/coming/" : "sheets/edges/") + std::to_string(l),
                             {comes ? coming->ends : mesh.edges[l], color, l == layer ? 1.4 * width : width, 1, sheets.places[layer],
                              comes ? 0 : s.f.reportVersion});
        if (l == 0) break;
    }
    if (!marked) return;
    // The whole cell of this layer that the marked one is cut from.
    const double* patterns = &s.result.pattern[layer * mesh.ends.size()];
    std::vector<std::uint32_t> corners, ends;
    for (Size r = 0; r < mesh.ends.size(); ++r) {
        if (patterns[r] != patterns[*marked]) continue;
        for (Size i = r == 0 ? 0 : mesh.ends[r - 1]; i < mesh.ends[r]; ++i) corners.push_back(mesh.corners[i]);
        ends.push_back(static_cast<std::uint32_t>(corners.size()));
    }
    const std::vector<Color> wash(ends.size(), s.f.theme.accent.withAlpha(0.55f));
    cells.corners = corners, cells.ends = ends, cells.colors = wash, cells.version = 0;
    s.f.painter.cells("sheets/marked", cells);
}

}  // namespace

std::optional<Size> drawSheets(const Seen& s, const Stage& stage, Rect panel, MeshCache& cache, double open, const ColorsOf& colorsOf) {
    const Sheets sheets(s, stage, panel, open);
    const Between shown = between(depthShown(s), layersOf(s));
    const Size last = std::max<Size>(shown.fraction > 0 ? shown.above : shown.below, 1);
    const std::string look = std::to_string(static_cast<int>(fillOf(s))) + (s.f.theme.dark ? "d" : "l");
    if (cache.sheetLook != look) cache.sheetColors.clear(), cache.sheetLook = look;
    cache.sheetColors.resize(layersOf(s) + 1);
    for (Size layer = 0; layer <= last; ++layer)
        if (cache.sheetColors[layer].empty()) cache.sheetColors[layer] = colorsOf(layer);
    DrawnLines coming;
    if (shown.fraction > 0) coming = linesAt(s.result, cache.mesh, coursesOf(s, cache), shown.above, shown.fraction);
    const Pointer p = s.f.handles.freePointer();
    const auto& pin = s.params.pin;
    const auto inMesh = [&](Vec2 plane) { return (plane - windowCentre(s)) * (1 / windowHalf(s)); };
    const auto marked = pin.size() == 2                    ? region_mesh::regionAt(cache.mesh, inMesh({pin[0], pin[1]}))
                        : p.inside && !p.down && open == 1 ? cellUnder(cache, sheets, last, p.at)
                                                           : std::nullopt;
    for (Size layer = last; layer >= 1; --layer) {
        const bool comes = shown.fraction > 0 && layer == shown.above;
        drawSheet(s, cache, sheets, layer, comes ? &coming : nullptr, marked);
        // Between this sheet and the one above it: the corners of the marked cell, where they are in both.
        if (marked && layer > 1)
            for (Size i = *marked == 0 ? 0 : cache.mesh.ends[*marked - 1]; i < cache.mesh.ends[*marked]; ++i) {
                const Vec2 corner = cache.mesh.points[cache.mesh.corners[i]];
                s.f.painter.line("sheets/join", sheets.at(corner, layer), sheets.at(corner, layer - 1), {s.f.theme.accent, 1.2});
            }
    }
    const auto alpha = static_cast<float>(std::clamp(2 * open - 1, 0.0, 1.0));
    for (Size layer = 1; layer <= last && alpha > 0; ++layer) {
        const bool stands = static_cast<double>(layer) <= depthShown(s) + 0.01;
        double left = panel.hi.x, height = 0;
        for (const Vec2 corner : {Vec2{-1, -1}, Vec2{-1, 1}, Vec2{1, -1}, Vec2{1, 1}})
            if (const Vec2 at = sheets.at(corner, layer); at.x < left) left = at.x, height = at.y;
        TextStyle style{.color = region_mesh::layerColor(s.f.theme, layer).withAlpha(alpha),
                        .size = s.f.theme.smallSize,
                        .h = AlignH::Right,
                        .v = AlignV::Bottom,
                        .bold = true};
        const Vec2 at{std::max(left - 8, panel.lo.x + 84), height};
        s.f.painter.text("sheets/name", at, "layer " + std::to_string(layer), style);
        if (!stands) continue;
        style.v = AlignV::Top, style.bold = false, style.color = s.f.theme.muted.withAlpha(alpha);
        s.f.painter.text("sheets/count", at, inWords(s.result.regionsByDepth[layer], 9) + " cells", style);
    }
    return marked;
}

void turnSheets(const Seen& s, Rect panel) {
    const double orbit = s.params.orbit, lean = s.params.lean;
    const Rect knob = around(panel.lo + Vec2{18, 18}, 12);
    const auto degrees = [](double value) { return inWords(std::round(value), 4) + "°"; };
    const auto turned = s.f.handles.offer({"orbit", "direction the sheets are seen from", degrees(orbit), orbit, -180, 180, 5, knob});
    const auto leaned = s.f.handles.offer({"lean", "height they are seen from", degrees(lean), lean, 5, 85, 5, knob});
    if (turned.moved) s.f.changes.push_back(Change::param("orbit", turned.value));
    if (leaned.moved) s.f.changes.push_back(Change::param("lean", leaned.value));
    const Pointer free = s.f.handles.freePointer();
    const bool drags = turned.held || (free.inside && free.down && !free.pressed && !free.touch && panel.contains(free.pressedAt));
    if (const Vec2 moved = s.f.handles.pointer().moved; drags && !(moved == Vec2{})) {
        const double to = orbit - 0.4 * moved.x;
        s.f.changes.push_back(Change::param("orbit", std::round(10 * (to - 360 * std::round(to / 360))) / 10));
        s.f.changes.push_back(Change::param("lean", std::round(10 * std::clamp(lean + 0.4 * moved.y, 5.0, 85.0)) / 10));
    }
    if (s.f.kept) return;
    const bool lively = turned.lively() || leaned.lively();
    s.f.painter.text(
        "sheets/turn", knob.centre(), "⟲",
        {.color = lively ? s.f.theme.accent : s.f.theme.muted, .size = s.f.theme.titleSize, .h = AlignH::Centre, .v = AlignV::Middle});
}

}  // namespace kappaflow::activation_regions

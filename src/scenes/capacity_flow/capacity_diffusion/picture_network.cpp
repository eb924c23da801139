#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "scenes/capacity_flow/capacity_diffusion/picture_view.h"

namespace kappaflow::diffusion {
namespace {

constexpr double kDistance = 14;   // of the camera: some perspective, no distortion
constexpr double kUsualTilt = 25;  // the stack is as high as fills the room at this one, and keeps its height when it is tilted
constexpr double kLongestRow = 1, kShortestRow = 0.3, kThinnestRow = 0.03;  // half extents of rows of units

}  // namespace

StackSpace::StackSpace(const PictureFrame& f, const GridReport& grid, Rect room) {
    layers_ = static_cast<double>(std::max<std::size_t>(grid.layers(), 1));
    unit_ = 1 / static_cast<double>(std::max({grid.mostRows(), grid.mostCols(), std::size_t{1}}));
    most_ = {static_cast<double>(grid.mostCols()) * unit_, static_cast<double>(grid.mostRows()) * unit_};
    const double radius = std::hypot(most_.x, most_.y), sine = std::sin(kUsualTilt * std::numbers::pi / 180);
    const double wish = radius * (room.height() / std::max(room.width(), 1.0) - sine) / std::sqrt(1 - sine * sine);
    halfHeight_ = std::clamp(wish, 0.55, 3.2);
    camera_.azimuth = f.state.params.number("orbit");
    camera_.elevation = f.state.params.number("tilt");
    camera_.distance = kDistance;
    fitCylinder(camera_, radius, halfHeight_, room);
    const double zoom = f.state.params.number("zoom");
    camera_.centre = room.centre() + (camera_.centre - room.centre()) * zoom;
    camera_.scale *= zoom;
}

double StackSpace::height(double layer) const { return halfHeight_ * (2 * layer / layers_ - 1); }

Vec2 StackSpace::half(std::size_t rows, std::size_t cols) const {
    const Vec2 cells{static_cast<double>(cols) * unit_, static_cast<double>(rows) * unit_};
    if (rows > 1) return cells;
    return {std::clamp(cells.x, kShortestRow, kLongestRow), std::max(cells.y, kThinnestRow)};
}

Vec3 StackSpace::place(std::size_t rows, std::size_t cols, Vec2 colRow, double height) const {
    const Vec2 size = half(rows, cols);
    return {size.x * (2 * (colRow.x + 0.5) / static_cast<double>(cols) - 1),
            size.y * (1 - 2 * (colRow.y + 0.5) / static_cast<double>(rows)), height};
}

PlaneCorners StackSpace::corners(std::size_t rows, std::size_t cols, double height) const {
    const double right = static_cast<double>(cols) - 0.5, front = static_cast<double>(rows) - 0.5;
    return {seen(rows, cols, {-0.5, -0.5}, height), seen(rows, cols, {right, -0.5}, height), seen(rows, cols, {right, front}, height),
            seen(rows, cols, {-0.5, front}, height)};
}

std::optional<Vec2> StackSpace::cellUnder(Vec2 screen, std::size_t rows, std::size_t cols, double height) const {
    const auto point = camera_.onLevel(screen, height);
    if (!point) return std::nullopt;
    const Vec2 size = half(rows, cols);
    return Vec2{(point->x / size.x + 1) / 2 * static_cast<double>(cols) - 0.5,
                (1 - point->y / size.y) / 2 * static_cast<double>(rows) - 0.5};
}

Vec2 StackSpace::leftOf(double layer) const {
    // The corner of the largest plane that is seen farthest to the left.
    Vec2 best;
    double farthest = -1e9;
    for (const double sx : {-1.0, 1.0})
        for (const double sy : {-1.0, 1.0}) {
            const double out = -dot(camera_.right(), {sx * most_.x, sy * most_.y, 0});
            if (out > farthest) farthest = out, best = camera_.project({sx * most_.x, sy * most_.y, height(layer)}).at;
        }
    return best;
}

double StackSpace::layerBeside(Vec2 screen) const {
    double low = 0, high = layers_;
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        (leftOf(middle).y > screen.y ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

namespace {

// Where the capacity starts: a strip above the output layer. A Dirac or block is dragged along it, a profile is painted on it.

// Painted profiles hold at most this many numbers (a link must stay short); they are stretched over the units.
constexpr std::size_t kPaintedLength = 65;

std::vector<double> paintedOn(const std::vector<double>& profile, std::size_t length) {
    std::vector<double> values(length, 0.0);
    for (std::size_t i = 0; i < length && !profile.empty(); ++i)
        values[i] = profile[std::min(i * profile.size() / length, profile.size() - 1)];
    return values;
}

void paint(PictureFrame& f, const Grid& grid, Rect strip, std::size_t width) {
    const Pointer p = f.handles.freePointer();
    if (!p.down || !p.inside || !strip.contains(p.at)) return;
    auto profile = paintedOn(f.state.params.list("profile"), std::min(width, kPaintedLength));
    const double n = static_cast<double>(profile.size());
    const auto at = static_cast<std::size_t>(std::clamp((p.at.x - grid.left) / (grid.right - grid.left) * n, 0.0, n - 1));
    const double height = std::clamp((strip.hi.y - p.at.y) / strip.height(), 0.0, 1.0);
    const double rounded = std::round(height * 100) / 100;
    if (profile[at] == rounded) return;
    profile[at] = rounded;
    f.changes.push_back(Change::param("profile", profile));
}

void drag(PictureFrame& f, const Grid& grid, Rect strip, std::size_t width) {
    const double last = static_cast<double>(width) - 1;
    const double index = f.state.params.number("topIndex");
    const double unit = index < 0 ? std::floor(static_cast<double>(width) / 2) : std::min(index, last);
    const Vec2 foot{grid.x(unit, width), strip.hi.y};
    const auto unitAt = [&](Vec2 p) { return std::clamp(std::floor((p.x - grid.left) / grid.cell(width)), 0.0, last); };
    const Handle handle{"top", "unit where the capacity starts",           "unit " + inWords(unit, 6), unit, 0, last,
                        1,     {foot + Vec2{-13, -26}, foot + Vec2{13, 2}}};
    const auto grip = f.handles.offer(handle, unitAt);
    double wanted = grip.moved ? std::round(grip.value) : unit;
    const Pointer p = f.handles.freePointer();
    if (p.pressed && p.inside && strip.contains(p.at)) wanted = unitAt(p.at);
    if (wanted != unit) f.changes.push_back(Change::param("topIndex", wanted));
    const bool lively = grip.hovered || grip.held || grip.focused;
    const double size = lively ? 8.5 : 7;
    const Vec2 arrow[] = {foot + Vec2{-size, -size * 1.5 - 2}, foot + Vec2{size, -size * 1.5 - 2}, foot + Vec2{0, -2}};
    f.painter.polygon("start/handle", arrow, f.theme.accent);
}

}  // namespace

void drawStart(PictureFrame& f, const View& view, const Grid& grid, Rect strip) {
    const std::size_t width = view.widths.back();
    const std::string& top = f.state.params.text("top");
    f.painter.rect("start/ground", strip, f.theme.grid.withAlpha(0.35f), 4);
    const auto start = definedRow(*view.capacity, view.layers);
    const double peak = largest(start, 1e-300);
    for (std::size_t i = 0; i < start.size(); ++i) {
        if (!(start[i] > 0)) continue;
        const double half = std::max(grid.cell(width) * 0.4, 0.5), x = grid.x(static_cast<double>(i), width);
        f.painter.rect("start/bar", {{x - half, strip.hi.y - (strip.height() - 3) * start[i] / peak}, {x + half, strip.hi.y}},
                       sample(ColorMap::Capacity, top == "dirac" ? 0.3 : 0.6, f.theme.dark));
    }
    const bool painted = top == "painted";
    const char* shortHint = top == "uniform" ? "all units" : f.kept ? "the start" : painted ? "paint the start" : "drag the start";
    const char* hint = top == "uniform" ? "capacity starts equally on all units"
                       : f.kept         ? "where the capacity starts"
                       : painted        ? "paint here where the capacity starts"
                                        : "drag where the capacity starts";
    // The hint keeps to the side where nothing is marked.
    const auto heaviest = static_cast<double>(std::max_element(start.begin(), start.end()) - start.begin());
    const bool right = top != "uniform" && heaviest < static_cast<double>(width) / 2;
    const TextStyle style{.color = f.theme.muted,
                          .size = f.theme.tinySize,
                          .h = right ? AlignH::Right : AlignH::Left,
                          .v = AlignV::Middle,
                          .halo = f.theme.ground};
    f.painter.text("start/hint", {right ? strip.hi.x - 6 : strip.lo.x + 6, strip.lo.y + 9}, strip.width() < 420 ? shortHint : hint, style);
    if (painted) paint(f, grid, strip, width);
    if (top == "dirac" || top == "block") drag(f, grid, strip, width);
}

namespace {

double ink(const View& view, double capacity) { return capacity_flow::ink(capacity, view.largestCapacity); }

bool asGraph(const PictureFrame& f, const View& view, const Grid& grid) {
    const std::string& show = f.state.params.text("show");
    if (show != "automatic") return show == "graph";
    // Dense layers are told by their connections, positions by their field once units would be dots of a few pixels.
    return view.ordered ? std::min(grid.cell(view.widest()), grid.rowHeight()) >= 5.5 : grid.cell(view.widest()) >= 3;
}

void drawUnits(PictureFrame& f, const View& view, const Grid& grid) {
    const double radius = std::clamp(0.34 * std::min(grid.cell(view.widest()), grid.rowHeight()), 1.2, 9.0);
    std::vector<PointMark> marks;
    for (std::size_t l = 0; l <= view.layers; ++l) {
        // Layers the flow has not reached yet wait in pale.
        const double reached = std::clamp(static_cast<double>(l) + 1 - view.at, 0.0, 1.0);
        for (std::size_t i = 0; i < view.widths[l]; ++i) {
            const double t = ink(view, view.capacity->row(l)[i]) * (0.12 + 0.88 * reached);
            const Color color = t > 0.02 ? sample(ColorMap::Capacity, 0.1 + 0.9 * t, f.theme.dark) : f.theme.line;
            marks.push_back({{grid.x(static_cast<double>(i), view.widths[l]), grid.y(static_cast<double>(l))},
                             t > 0.02 ? radius * (0.75 + 0.4 * t) : radius * 0.55,
                             color});
        }
    }
    f.painter.points("network/units", marks);
}

// The picture of a field has one row a layer, the output on top, and cells the flow has not reached fade out at the front.
void drawField(PictureFrame& f, const View& view, const Grid& grid) {
    const double half = grid.rowHeight() / 2;
    for (std::size_t l = 0; l <= view.layers;) {
        std::size_t end = l;  // layers of equal width make one field
        while (end + 1 <= view.layers && view.widths[end + 1] == view.widths[l]) ++end;
        const std::size_t rows = end - l + 1, cols = view.widths[l];
        std::vector<double> cells(rows * cols);
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t layer = end - r;
            const double reached = std::clamp(static_cast<double>(layer) + 1 - view.at, 0.0, 1.0);
            for (std::size_t i = 0; i < cols; ++i) cells[r * cols + i] = ink(view, view.capacity->row(layer)[i]) * (0.12 + 0.88 * reached);
        }
        const Rect dest{{grid.left, grid.y(static_cast<double>(end)) - half}, {grid.right, grid.y(static_cast<double>(l)) + half}};
        f.painter.field("network/field", dest, {rows, cols, cells, 0, 1, false, ColorMap::Capacity});
        l = end + 1;
    }
}

void drawRibbons(PictureFrame& f, const View& view, const Grid& grid, const std::vector<std::vector<Edge>>& flow, bool graph) {
    // One unit of capacity is a few columns wide: the stream narrows to units where it has spread, and keeps its width in all.
    const double top = std::max(largest(definedRow(*view.total, view.layers), 1e-12), 1e-12);
    const double scale = std::clamp(2.2 * grid.cell(view.widest()), 12.0, 60.0) / top;
    const Color base = capacity_flow::flowColor(f.theme);
    std::vector<Ribbon> ribbons;
    for (std::size_t l = 0; l < view.layers; ++l) {
        if (static_cast<double>(l) + 1 < view.at) continue;
        const bool moving = view.at > static_cast<double>(l) && view.at < static_cast<double>(l) + 1;
        for (const Edge& edge : flow[l]) {
            const Vec2 from{grid.x(edge.from, view.widths[l + 1]) + edge.fromAt * scale, grid.y(static_cast<double>(l) + 1)};
            const Vec2 to{grid.x(edge.to, view.widths[l]) + edge.toAt * scale, grid.y(static_cast<double>(l))};
            const double phase = moving ? 1 - (view.at - static_cast<double>(l)) : -1;
            if (const auto ribbon = capacity_flow::ribbonOf(from, to, edge.amount * scale, base, graph ? 0.5 : 0.38, phase))
                ribbons.push_back(*ribbon);
        }
    }
    // The clip edge is the front of the flow: it moves continuously with the timeline.
    f.painter.pushClip({{grid.left - 60, grid.rows.lo.y - 20}, {grid.right + 60, grid.y(view.at) + 0.5}});
    f.painter.ribbons("network/flow", ribbons, {0, 1});
    f.painter.popClip();
}

void drawLayerNames(PictureFrame& f, const View& view, const Grid& grid, Rect panel) {
    const TextStyle style{.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle};
    const double x = grid.left - 10;
    const AxisSpec axis{.label = "", .lo = 0, .hi = static_cast<double>(view.layers), .whole = true};
    const double nowY = grid.y(view.at);
    for (const Tick& tick : ticksFor(axis, grid.rows.height(), 34)) {
        const double y = grid.y(tick.value);
        if (tick.label.empty() || std::abs(y - nowY) < 13) continue;
        f.painter.text("network/layer", {x, y}, tick.label, style);
    }
    if (f.compact) return;
    TextStyle name = style;
    name.upright = false;
    name.h = AlignH::Centre;
    name.v = AlignV::Top;
    f.painter.text("network/axis", {panel.lo.x, grid.rows.centre().y}, "layer *l*  (input 0, output on top)", name);
}

// The line of the current layer, which is also the handle that scrubs.
void drawFront(PictureFrame& f, const View& view, const Grid& grid, Rect panel) {
    const double y = grid.y(view.at);
    char text[32];
    std::snprintf(text, sizeof text, "layer %.0f", std::round(view.at));
    Handle handle{
        "layer", "layer shown", text, view.at, 0, static_cast<double>(view.layers), 1, {{grid.left - 46, y - 9}, {grid.right + 6, y + 9}}};
    const auto layerAt = [&](Vec2 p) {
        const double layers = static_cast<double>(view.layers);
        return std::clamp(layers * (grid.rows.hi.y - p.y) / std::max(grid.rows.height(), 1.0), 0.0, layers);
    };
    const auto grip = f.handles.offer(handle, layerAt);
    // The keyboard goes by whole layers, a drag also between them.
    const double wanted = grip.held ? layerAt(f.handles.pointer().at) : grip.moved ? grip.value : view.at;
    if (std::abs(wanted - view.at) > 1e-3) {
        f.changes.push_back(Change::param("play", false));
        f.changes.push_back(Change::param("at", wanted));
    }
    const bool lively = grip.hovered || grip.held || grip.focused;
    f.painter.line("network/front", Vec2{grid.left - 6, y}, Vec2{grid.right + 6, y},
                   {f.theme.accent.withAlpha(lively ? 1.0f : 0.55f), lively ? 2.0 : 1.2});
    std::snprintf(text, sizeof text, "%.0f", std::round(view.at));
    const Rect tag{{std::max(panel.lo.x, grid.left - 42), y - 10}, {grid.left - 6, y + 10}};
    f.painter.rect("network/front/tag", tag, f.theme.accent, 4);
    f.painter.text("network/front/label", tag.centre(), text,
                   {.color = f.theme.onAccent, .size = f.theme.smallSize, .h = AlignH::Centre, .v = AlignV::Middle, .bold = true});
}

void drawHover(PictureFrame& f, const View& view, const Grid& grid) {
    const Pointer p = f.handles.freePointer();
    if (!p.inside || p.down || p.at.y < grid.rows.lo.y - 8 || p.at.y > grid.rows.hi.y + 8 || p.at.x < grid.left || p.at.x >= grid.right)
        return;
    const auto layer = static_cast<std::size_t>(
        std::clamp(std::round(static_cast<double>(view.layers) * (grid.rows.hi.y - p.at.y) / std::max(grid.rows.height(), 1.0)), 0.0,
                   static_cast<double>(view.layers)));
    const std::size_t width = view.widths[layer];
    const auto unit = std::min(static_cast<std::size_t>((p.at.x - grid.left) / grid.cell(width)), width - 1);
    const double capacity = view.capacity->row(layer)[unit];
    f.painter.frame("network/hover",
                    {{grid.x(static_cast<double>(unit), width) - 5, grid.y(static_cast<double>(layer)) - 5},
                     {grid.x(static_cast<double>(unit), width) + 5, grid.y(static_cast<double>(layer)) + 5}},
                    {f.theme.text, 1.5}, 5);
    tooltip(f, p.at, {"layer " + std::to_string(layer) + ", unit " + std::to_string(unit), "*κ* = " + inWords(capacity, 4)});
}

}  // namespace

void drawNetwork(PictureFrame& f, const View& view, const Grid& grid, Rect panel, const std::vector<std::vector<Edge>>& flow) {
    const bool graph = asGraph(f, view, grid);
    f.painter.pushClip(panel);
    if (!graph) drawField(f, view, grid);
    if (view.centres) drawCentres(f, view, grid);
    drawRibbons(f, view, grid, flow, graph);
    if (graph) drawUnits(f, view, grid);
    drawLayerNames(f, view, grid, panel);
    drawFront(f, view, grid, panel);
    f.painter.popClip();
    const double barRight = panel.hi.x - 4;
    if (panel.hi.x - grid.right > 48)
        colorBar(f.painter, f.theme, "network/colors", {{grid.right + 16, grid.rows.lo.y}, {barRight, grid.rows.hi.y}}, ColorMap::Capacity,
                 {.label = "*κ*^{*l*}",
                  .lo = view.largestCapacity * std::pow(10, -capacity_flow::kDecades),
                  .hi = view.largestCapacity,
                  .scale = Scale::Log});
    drawHover(f, view, grid);
}

}  // namespace kappaflow::diffusion

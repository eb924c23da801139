#include <algorithm>
#include <cmath>
#include <cstdio>

#include "scenes/capacity_flow/capacity_diffusion/picture_view.h"

namespace kappaflow::diffusion {
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

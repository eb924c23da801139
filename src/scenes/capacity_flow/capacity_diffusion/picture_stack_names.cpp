// What is written beside the stack, and what the pointer reads off it.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/capacity_flow/capacity_diffusion/picture_stack.h"

namespace kappaflow::diffusion {
namespace {

TextStyle quiet(const PictureFrame& f, AlignH h) {
    return {.color = f.theme.muted, .size = f.theme.tinySize, .h = h, .v = AlignV::Middle, .halo = f.theme.ground};
}

// What the current layer's numbers say; nothing that they do not.
std::string heading(const StackFrame& s) {
    const std::size_t layer = s.g.nearest(), passed = s.g.grid.layers() - layer;
    const std::string here = "layer " + layerNumber(s.g.at);
    if (s.g.grid.oneChannel()) return "channel " + inWords(s.g.f.report.params.number("channel"), 5) + " of " + here;
    const double x = std::sqrt(s.g.grid.moment("variance", layer, 1)), y = std::sqrt(s.g.grid.moment("variance", layer, 0));
    if (passed == 0) return "the output layer, where the capacity starts";
    if (s.g.current.isVector() || std::isnan(x) || std::isnan(y)) return here;
    const std::string depth = passed == 1 ? "1 layer down" : std::to_string(passed) + " layers down";
    const std::string sx = fixedText(x, 2), sy = fixedText(y, 2);
    if (sx == sy) return depth + ": *σ* = " + sx + (s.panel.width() < 420 ? " positions" : " positions along both axes");
    return depth + ": *σ_{x}* = " + sx + ", *σ_{y}* = " + sy + " positions";
}

void drawHeading(StackFrame& s) {
    const Theme& theme = s.g.f.theme;
    const TextStyle style{.color = theme.text, .size = theme.smallSize, .bold = true};
    const double left = s.panel.lo.x + 4;
    s.g.f.painter.text("stack/title", {left, s.panel.lo.y + 4}, elide(s.g.f.painter, heading(s), style, s.panel.hi.x - left - 4), style);
}

void drawLayerNumbers(StackFrame& s) {
    const TextStyle style = quiet(s.g.f, AlignH::Right);
    const double at = s.space.leftOf(s.g.at).y;
    std::vector<double> taken{at};
    const auto place = [&](const Sheet& sheet) {
        const Vec2 beside = s.space.leftOf(sheet.layer) + Vec2{-10, 0};
        const auto near = [&](double y) { return std::abs(y - beside.y) < (y == at ? 18 : 14.5); };
        if (sheet.current || std::any_of(taken.begin(), taken.end(), near)) return;
        taken.push_back(beside.y);
        s.g.f.painter.text("stack/layer", beside, layerNumber(sheet.layer), style);
    };
    place(s.sheets.front());
    place(s.sheets.back());
    for (const Sheet& sheet : s.sheets) place(sheet);
}

Vec2 rightEnd(const StackFrame& s, const Sheet& sheet) {
    const PlaneCorners corners = s.space.corners(sheet.field->rows, sheet.field->cols, s.height(sheet));
    return std::max_element(corners.begin(), corners.end(), [](const auto& a, const auto& b) { return a.at.x < b.at.x; })->at;
}

// Output and input at the right end, and between them what the line on the current plane means.
void drawWords(StackFrame& s) {
    PictureFrame& f = s.g.f;
    const bool narrow = s.panel.width() < 420;
    TextStyle style = quiet(f, AlignH::Left);
    const Vec2 top = rightEnd(s, s.sheets.back()) + Vec2{8, 0}, bottom = rightEnd(s, s.sheets.front()) + Vec2{8, 0};
    f.painter.text("stack/output", top, "output", style);
    f.painter.text("stack/input", bottom, "input", style);
    const auto* outline = s.g.current.outline();
    if (!outline) return;
    const auto seen = s.seen(s.current(), *outline);
    const Vec2 from = *std::max_element(seen.begin(), seen.end(), [](Vec2 a, Vec2 b) { return a.x < b.x; });
    Vec2 at{rightEnd(s, s.current()).x + 8, from.y};
    const double room = 33;
    if (at.y < top.y + room) at.y = top.y + room;
    if (at.y > bottom.y - room) at.y = bottom.y - room;
    style.color = f.theme.accent;
    f.painter.line("stack/held/leader", from, at + Vec2{-4, 0}, {f.theme.accent.withAlpha(0.6f), 1});
    f.painter.text("stack/held", at + Vec2{0, -8}, narrow ? "68 % of" : "68 % of the", style);
    f.painter.text("stack/held", at + Vec2{0, 8}, "capacity", style);
}

struct Found {
    const Sheet* sheet;
    std::size_t row, col;
};

// The nearest plane with visible capacity under the pointer; the current one counts where it is empty, too.
std::optional<Found> sheetUnder(const StackFrame& s, Vec2 at) {
    std::vector<double> heights;
    for (const Sheet& sheet : s.sheets) heights.push_back(s.height(sheet));
    auto order = backToFront(s.space.camera(), heights);
    std::reverse(order.begin(), order.end());
    std::optional<Found> empty;
    for (const std::size_t i : order) {
        const GridLayer& field = *s.sheets[i].field;
        const auto cell = s.space.cellUnder(at, field.rows, field.cols, heights[i]);
        if (!cell || cell->x < -0.5 || cell->y < -0.5) continue;
        const auto row = static_cast<std::size_t>(cell->y + 0.5), col = static_cast<std::size_t>(cell->x + 0.5);
        if (row >= field.rows || col >= field.cols) continue;
        const double value = field.capacity[row * field.cols + col];
        const double place = mapPosition(ColorMap::Capacity, value, s.g.grid.low(), s.g.grid.high(), true);
        if (s.sheets[i].reached > 0 && place > 0.15) return Found{&s.sheets[i], row, col};
        if (s.sheets[i].current) empty = Found{&s.sheets[i], row, col};
    }
    return empty;
}

}  // namespace

void drawStackNames(StackFrame& s) {
    drawHeading(s);
    drawLayerNumbers(s);
    drawWords(s);
}

void drawStackTooltip(StackFrame& s) {
    const Pointer p = s.g.f.handles.freePointer();
    if (!p.inside || p.down || !s.panel.contains(p.at)) return;
    const auto found = sheetUnder(s, p.at);
    if (!found) return;
    const GridLayer& field = *found->sheet->field;
    std::vector<Vec2> cell;
    const auto x = static_cast<double>(found->col), y = static_cast<double>(found->row);
    for (const Vec2 corner : {Vec2{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}})
        cell.push_back(s.seen(*found->sheet, Vec2{x, y} + corner));
    s.g.f.painter.line("stack/hover", cell, {s.g.f.theme.text, 1.5}, true);
    const std::string unit = field.isVector() ? "unit " + std::to_string(found->col)
                                              : "(*x*, *y*) = (" + std::to_string(found->col) + ", " + std::to_string(found->row) + ")";
    tooltip(s.g.f, p.at,
            {"layer " + layerNumber(found->sheet->layer) + ", " + unit,
             "*κ* = " + numberText(field.capacity[found->row * field.cols + found->col])});
}

}  // namespace kappaflow::diffusion

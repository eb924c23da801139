// How many regions, edges and vertices there are after each layer, and their growth.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions_picture.h"

namespace kappaflow::activation_regions {
namespace {

using region_mesh::layerColor;

/// N²/2 speaks of random ReLU networks whose lines cross in the window: those of the first layer, at least, make half of the cells they
/// can.
bool isTypical(const Seen& s) {
    const double lines = s.result.unitsByDepth[1];
    return s.params.network.empty() && s.params.activation == Bend::Relu &&
           s.result.regionsByDepth[1] >= 0.5 * (1 + lines + lines * (lines - 1) / 2);
}

struct Column {
    const char* name;
    const std::vector<double>& values;
    double right;
    Color color;
};

std::string checkOf(const Seen& s) {
    return isCertain(s) ? "Euler: *V* − *E* + *F* = " + inWords(s.result.euler) : "This partition fails its own check.";
}

std::string piecesOf(const Seen& s) {
    const double pieces = s.result.affinePieces, path = s.result.pathPieces.value_or(0);
    std::string text = inWords(pieces, 9) + (pieces == 1 ? " affine piece" : " affine pieces");
    if (s.result.pathPieces) text += "; path: " + inWords(path, 9) + (path == 1 ? " piece" : " pieces");
    return text;
}

/// What blue and orange say, from a point on the middle of a line.
constexpr const char* kFillKey[] = {"output below 0", "above 0"};
double fillKeyWidth(const Seen& s) {
    double width = 20;
    for (const char* name : kFillKey) width += s.f.painter.measure(name, {.color = {}, .size = s.f.theme.tinySize}).x + 27;
    return fillOf(s) == Fill::Output ? width : 0;
}

void drawFillKey(const Seen& s, Vec2 at) {
    const TextStyle style{.color = s.f.theme.muted, .size = s.f.theme.tinySize, .h = AlignH::Left, .v = AlignV::Middle};
    for (const double sign : {-1.0, 1.0}) {
        const char* name = kFillKey[sign < 0 ? 0 : 1];
        s.f.painter.rect("fill/key", {at - Vec2{0, 5}, at + Vec2{10, 5}}, region_mesh::outputColor(s.f.theme, sign, 1), 2);
        s.f.painter.text("fill/key", at + Vec2{15, 0}, name, style);
        at.x += s.f.painter.measure(name, style).x + 27;
    }
}

}  // namespace

void drawCounts(const Seen& s, Rect panel) {
    const double line = 18, width = panel.width();
    std::vector<Column> columns{{"*F* regions", s.result.regionsByDepth, 0.46, s.f.theme.text},
                                {"*E* edges", s.result.edgesByDepth, 0.73, s.f.theme.text},
                                {"*V* vertices", s.result.verticesByDepth, 1, s.f.theme.text}};
    const TextStyle style{.color = s.f.theme.muted, .size = s.f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle};
    double y = panel.lo.y + 9;
    for (const Column& c : columns) s.f.painter.text("counts/name", {panel.lo.x + width * c.right, y}, c.name, style);
    const auto room = static_cast<Size>(std::max(1.0, (panel.height() - (fillOf(s) == Fill::Output ? 4 : 3) * line) / line));
    const Size now = layerShown(s), rows = std::min(room, layersOf(s) + 1);
    const Size first = std::min(now > rows / 2 ? now - rows / 2 : 0, layersOf(s) + 1 - rows);
    for (Size l = first; l < first + rows; ++l) {
        y += line;
        if (l == now) s.f.painter.rect("counts/now", {{panel.lo.x, y - 9}, {panel.hi.x, y + 9}}, s.f.theme.accent.withAlpha(0.14f), 4);
        if (l > 0) s.f.painter.line("counts/layer", Vec2{panel.lo.x + 4, y}, Vec2{panel.lo.x + 18, y}, {layerColor(s.f.theme, l), 3});
        TextStyle name = style;
        name.h = AlignH::Left, name.color = l <= now ? s.f.theme.text : s.f.theme.muted;
        s.f.painter.text("counts/layer", {panel.lo.x + 24, y}, l == 0 ? "window" : "layer " + std::to_string(l), name);
        TextStyle number = style;
        number.size = s.f.theme.smallSize, number.color = name.color, number.bold = l == now;
        for (const Column& c : columns)
            s.f.painter.text("counts/number", {panel.lo.x + width * c.right, y}, inWords(c.values[l], 9), number);
    }
    TextStyle note = style;
    note.h = AlignH::Left;
    s.f.painter.text("counts/pieces", {panel.lo.x + 4, y + line}, piecesOf(s), note);
    note.color = isCertain(s) ? s.f.theme.muted : s.f.theme.warning;
    s.f.painter.text("counts/check", {panel.lo.x + 4, y + 2 * line}, checkOf(s), note);
    if (fillOf(s) == Fill::Output) drawFillKey(s, {panel.lo.x + 4, y + 3 * line});
}

void drawGrowth(const Seen& s, Rect panel) {
    if (layersOf(s) < 1) return;
    // From layer 1 on: a logarithm has no place for the N = 0 of the window.
    const auto from1 = [](const std::vector<double>& all) { return std::vector<double>(all.begin() + 1, all.end()); };
    const auto x = from1(s.result.depths), regions = from1(s.result.regionsByDepth), typical = from1(s.result.typicalByDepth),
               bound = from1(s.result.boundByDepth);
    double most = largest(regions, 2);
    if (isTypical(s)) most = largest(typical, most);
    most = std::min(largest(bound, most), most * 30);
    const bool one = layersOf(s) == 1;
    Curves curves{.id = "growth",
                  .title = "regions after each layer",
                  .x = {.label = "layers", .lo = one ? 0.5 : 1, .hi = one ? 1.5 : x.back(), .whole = true},
                  .y = {.label = "regions",
                        .lo = std::max(1.0, std::min(regions.front(), typical.front()) * 0.7),
                        .hi = most * 1.3,
                        .scale = Scale::Log},
                  .fit = Fit::Given,
                  .curves = {{"bound", x, bound, Role::Bound, "bound", s.f.theme.muted, 1.6}}};
    if (isTypical(s)) curves.curves.push_back({"theory", x, typical, Role::Theory, "*N*²/2"});
    curves.curves.push_back({"measured", x, regions, Role::Measurement, "*F*", s.f.theme.series[0], 2.2, false, true});
    drawCurves(s.f, std::move(curves), panel);
}

void drawCountLine(const Seen& s, Rect panel) {
    const Size l = layerShown(s);
    const TextStyle style{
        .color = isCertain(s) ? s.f.theme.text : s.f.theme.warning, .size = s.f.theme.smallSize, .h = AlignH::Left, .v = AlignV::Middle};
    const std::string layer = l == 0 ? "window" : "layer " + std::to_string(l), regions = "*F* = " + inWords(s.result.regionsByDepth[l], 9);
    const std::string text =
        layer + ":  " + regions + "  *E* = " + inWords(s.result.edgesByDepth[l], 9) + "  *V* = " + inWords(s.result.verticesByDepth[l], 9);
    const double key = fillKeyWidth(s);
    for (const double room : {panel.width() - key, panel.width()})
        for (const std::string& choice : {text, layer + ":  " + regions, regions}) {
            const double width = s.f.painter.measure(choice, style).x;
            if (width > room - 8) continue;
            s.f.painter.text("counts/line", {panel.lo.x + 4, panel.centre().y}, choice, style);
            if (key > 0 && room < panel.width()) drawFillKey(s, {panel.lo.x + 20 + width, panel.centre().y});
            return;
        }
}

}  // namespace kappaflow::activation_regions

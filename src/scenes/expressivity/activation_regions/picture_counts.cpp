// How many regions, edges and vertices there are after each layer.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions/picture_view.h"

namespace kappaflow::regions {
namespace {

/// N²/2 speaks of random ReLU networks.
bool isTypical(const PictureFrame& f) { return f.state.params.is("network", "") && f.state.params.is("activation", "relu"); }

std::string count(const Array* array, std::size_t layer) { return inWords(array->values[layer], 9); }

struct Column {
    const char* name;
    const Array* values;
    double right;
    Color color;
};

std::string checkOf(const PictureFrame& f, const View& view) {
    return view.certain ? "*V* − *E* + *F* = " + inWords(f.report.scalar("eulerCharacteristic")->value) + ", one region a pattern: checked"
                        : "This partition fails its own check.";
}

std::string piecesOf(const PictureFrame& f) {
    const Scalar *pieces = f.report.scalar("affinePieces"), *path = f.report.scalar("pathPieces");
    std::string text = pieces ? inWords(pieces->value, 9) + " different affine pieces" : "";
    if (path) text += "; path: " + inWords(path->value, 9) + (path->value == 1 ? " piece" : " pieces");
    return text;
}

}  // namespace

void drawCounts(PictureFrame& f, const View& view, Rect panel) {
    const double line = 18, width = panel.width();
    std::vector<Column> columns{{"*F* regions", view.regionsByDepth, 0.46, f.theme.text},
                                {"*E* edges", view.edgesByDepth, 0.73, f.theme.text},
                                {"*V* vertices", view.verticesByDepth, 1, f.theme.text}};
    const TextStyle style{.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle};
    double y = panel.lo.y + 9;
    for (const Column& c : columns) f.painter.text("counts/name", {panel.lo.x + width * c.right, y}, c.name, style);
    const auto room = static_cast<std::size_t>(std::max(1.0, (panel.height() - 3 * line) / line));
    const std::size_t now = view.layer(), rows = std::min(room, view.layers + 1);
    const std::size_t first = std::min(now > rows / 2 ? now - rows / 2 : 0, view.layers + 1 - rows);
    for (std::size_t l = first; l < first + rows; ++l) {
        y += line;
        if (l == now) f.painter.rect("counts/now", {{panel.lo.x, y - 9}, {panel.hi.x, y + 9}}, f.theme.accent.withAlpha(0.14f), 4);
        if (l > 0) f.painter.line("counts/layer", Vec2{panel.lo.x + 4, y}, Vec2{panel.lo.x + 18, y}, {layerColor(f.theme, l), 3});
        TextStyle name = style;
        name.h = AlignH::Left, name.color = l <= now ? f.theme.text : f.theme.muted;
        f.painter.text("counts/layer", {panel.lo.x + 24, y}, l == 0 ? "window" : "layer " + std::to_string(l), name);
        TextStyle number = style;
        number.size = f.theme.smallSize, number.color = name.color, number.bold = l == now;
        for (const Column& c : columns) f.painter.text("counts/number", {panel.lo.x + width * c.right, y}, count(c.values, l), number);
    }
    TextStyle note = style;
    note.h = AlignH::Left;
    f.painter.text("counts/pieces", {panel.lo.x + 4, y + line}, piecesOf(f), note);
    note.color = view.certain ? f.theme.muted : f.theme.warning;
    f.painter.text("counts/check", {panel.lo.x + 4, y + 2 * line}, checkOf(f, view), note);
}

void drawGrowth(PictureFrame& f, const View& view, Rect panel) {
    const auto layers = countUp(view.layers + 1);
    // From layer 1 on: a logarithm has no place for the N = 0 of the window.
    const auto from1 = [](const std::vector<double>& all) { return std::vector<double>(all.begin() + 1, all.end()); };
    if (view.layers < 1) return;
    const auto x = from1(layers), regions = from1(view.regionsByDepth->values), typical = from1(view.typical->values),
               bound = from1(view.bound->values);
    double most = largest(regions, 2);
    if (isTypical(f)) most = largest(typical, most);
    most = std::min(largest(bound, most), most * 30);
    const double last = static_cast<double>(view.layers);
    Plot plot(
        f.painter, f.theme, "growth", panel,
        {.label = "layers", .lo = view.layers == 1 ? 0.5 : 1, .hi = view.layers == 1 ? 1.5 : last, .whole = true},
        {.label = "regions", .lo = std::max(1.0, std::min(regions.front(), typical.front()) * 0.7), .hi = most * 1.3, .scale = Scale::Log},
        zoomOf(f, "growth"));
    plot.line("growth/bound", x, bound, {f.theme.muted, Dash::Dotted, 1.6, "bound"});
    if (isTypical(f)) plot.line("growth/theory", x, typical, {f.theme.theory, Dash::Dashed, 2, "*N*²/2"});
    plot.line("growth/measured", x, regions, {f.theme.series[0], Dash::Solid, 2.2, "*F*"});
    plot.markers("growth/measured/points", x, regions, {f.theme.series[0], Dash::Solid, 2, ""});
    finishPlot(f, plot, "growth", isTypical(f) ? "*N*²/2: random ReLU, all vertices in sight" : "regions after each layer");
}

void drawCountLine(PictureFrame& f, const View& view, Rect panel) {
    const std::size_t l = view.layer();
    const TextStyle style{
        .color = view.certain ? f.theme.text : f.theme.warning, .size = f.theme.smallSize, .h = AlignH::Left, .v = AlignV::Middle};
    const std::string layer = l == 0 ? "window" : "layer " + std::to_string(l), regions = "*F* = " + count(view.regionsByDepth, l);
    const std::string text =
        layer + ":  " + regions + "  *E* = " + count(view.edgesByDepth, l) + "  *V* = " + count(view.verticesByDepth, l);
    for (const std::string& choice : {text, layer + ":  " + regions, regions}) {
        if (f.painter.measure(choice, style).x > panel.width() - 8) continue;
        f.painter.text("counts/line", {panel.lo.x + 4, panel.centre().y}, choice, style);
        return;
    }
}

}  // namespace kappaflow::regions

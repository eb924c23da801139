// The network: units that can be chosen, and the weights of the chosen one as bars that can be pulled.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions/picture_view.h"

namespace kappaflow::regions {
namespace {

constexpr std::size_t kMostDrawnLines = 900;
constexpr std::size_t kMostEdits = 128;

struct Diagram {
    Rect rect;
    const std::vector<double>& widths;
    double radius;
    double x(std::size_t column) const {
        return rect.lo.x + radius + (rect.width() - 2 * radius) * static_cast<double>(column) / static_cast<double>(widths.size() - 1);
    }
    Vec2 at(std::size_t column, std::size_t unit) const {
        const double spacing = std::min(rect.height() / widths[column], 34.0);
        return {x(column), rect.centre().y + spacing * (static_cast<double>(unit) - 0.5 * (widths[column] - 1))};
    }
};

struct Weight {
    std::size_t layer, to;
    int from;
    double value;
};

Weight weightAt(const View& view, std::size_t i) {
    return {static_cast<std::size_t>(view.weightLayer->values[i]), static_cast<std::size_t>(view.weightTo->values[i]),
            static_cast<int>(view.weightFrom->values[i]), view.weights->values[i]};
}

void drawLines(PictureFrame& f, const View& view, const Diagram& d, const Chosen& chosen) {
    double heaviest = 1e-9;
    for (const double w : view.weights->values) heaviest = std::max(heaviest, std::abs(w));
    const bool all = view.weights->values.size() <= kMostDrawnLines;
    for (std::size_t i = 0; i < view.weights->values.size(); ++i) {
        const Weight w = weightAt(view, i);
        const bool own = w.layer == chosen.layer && w.to == chosen.unit;
        if (w.from < 0 || (!all && !own)) continue;
        f.painter.line("network/weight", d.at(w.layer - 1, static_cast<std::size_t>(w.from)), d.at(w.layer, w.to),
                       {f.theme.series[w.value < 0 ? 1 : 0].withAlpha(own ? 0.95f : 0.25f), 0.5 + 3 * std::abs(w.value) / heaviest});
    }
}

void drawUnits(PictureFrame& f, const View& view, const Diagram& d, const Chosen& chosen, std::optional<std::size_t> region) {
    for (std::size_t column = 0; column < d.widths.size(); ++column)
        for (std::size_t unit = 0; unit < static_cast<std::size_t>(d.widths[column]); ++unit) {
            const int state = region ? stateOf(view, column, unit, *region) : -1;
            const bool own = column == chosen.layer && unit == chosen.unit, hidden = column > 0 && column <= view.layers;
            const Color rim = hidden ? layerColor(f.theme, column) : f.theme.muted;
            const Color fill = own ? f.theme.accent : state > 0 ? rim : f.theme.raised;
            f.painter.marker("network/unit", d.at(column, unit), d.radius, MarkerShape::Circle, fill,
                             Stroke{own ? f.theme.accent : rim, 1.4});
        }
}

void choose(PictureFrame& f, std::size_t layer, std::size_t unit) {
    f.changes.push_back(Change::param("chosen", std::vector<double>{static_cast<double>(layer), static_cast<double>(unit)}));
}

/// A press on a unit chooses it; the keyboard goes through layers and units.
void offerChoice(PictureFrame& f, const Diagram& d, const Chosen& chosen) {
    const Vec2 at = d.at(chosen.layer, chosen.unit);
    const Rect knob{at - Vec2{12, 12}, at + Vec2{12, 12}};
    const auto layer = static_cast<double>(chosen.layer), unit = static_cast<double>(chosen.unit);
    const auto byUnit = f.handles.offer(
        {"chosenUnit", "unit whose weights are shown", std::to_string(chosen.unit), unit, 0, d.widths[chosen.layer] - 1, 1, knob},
        [&](Vec2) { return unit; });
    const auto byLayer = f.handles.offer(
        {"chosenLayer", "layer of that unit", std::to_string(chosen.layer), layer, 1, static_cast<double>(d.widths.size()) - 1, 1, knob},
        [&](Vec2) { return layer; });
    if (byUnit.moved && !byUnit.held) choose(f, chosen.layer, static_cast<std::size_t>(std::round(byUnit.value)));
    if (byLayer.moved && !byLayer.held) {
        const auto to = static_cast<std::size_t>(std::round(byLayer.value));
        choose(f, to, std::min(chosen.unit, static_cast<std::size_t>(d.widths[to]) - 1));
    }
    const Pointer p = f.handles.freePointer();
    if (!p.pressed || !p.inside) return;
    for (std::size_t column = 1; column < d.widths.size(); ++column)
        for (std::size_t u = 0; u < static_cast<std::size_t>(d.widths[column]); ++u) {
            const Vec2 away = p.at - d.at(column, u);
            if (std::hypot(away.x, away.y) > d.radius + 2) continue;
            return choose(f, column, u);
        }
}

/// The list of changed weights with one more, or with the new value of one that was in it; the oldest makes room.
void setWeight(PictureFrame& f, const Weight& w, double value) {
    auto edits = f.state.params.list("edits");
    edits.resize(edits.size() / 4 * 4);
    const double entry[] = {static_cast<double>(w.layer), static_cast<double>(w.to), static_cast<double>(w.from),
                            std::round(value * 1e4) / 1e4};
    std::size_t at = 0;
    while (at < edits.size() && !std::equal(entry, entry + 3, edits.begin() + static_cast<std::ptrdiff_t>(at))) at += 4;
    if (at < edits.size())
        edits[at + 3] = entry[3];
    else
        edits.insert(edits.end(), entry, entry + 4);
    if (edits.size() > 4 * kMostEdits) edits.erase(edits.begin(), edits.begin() + 4);
    f.changes.push_back(Change::param("edits", edits));
}

void offerBar(PictureFrame& f, const Weight& w, Rect row, double most) {
    const double middle = row.centre().x, half = 0.5 * row.width() - 6, y = row.centre().y;
    const double shown = std::clamp(w.value, -most, most);
    const Vec2 tip{middle + half * shown / most, y};
    const std::string name = w.from < 0 ? "bias" : "weight from unit " + std::to_string(w.from);
    const std::string id = "weight " + std::to_string(w.layer) + "." + std::to_string(w.to) + "." + std::to_string(w.from);
    const auto grip = f.handles.offer({id,
                                       name + " of unit " + std::to_string(w.to) + " in layer " + std::to_string(w.layer),
                                       inWords(w.value),
                                       shown,
                                       -most,
                                       most,
                                       most / 100,
                                       {tip - Vec2{12, 0.5 * row.height()}, tip + Vec2{12, 0.5 * row.height()}}},
                                      [&](Vec2 p) { return (p.x - middle) / half * most; });
    if (grip.moved) setWeight(f, w, grip.value);
    const bool lively = grip.hovered || grip.held || grip.focused;
    const Color color = f.theme.series[w.value < 0 ? 1 : 0];
    f.painter.line("network/bar", Vec2{row.lo.x + 6, y}, Vec2{row.hi.x - 6, y}, {f.theme.grid, 1});
    if (std::abs(tip.x - middle) > 0.5) f.painter.line("network/bar/value", Vec2{middle, y}, tip, {color, 4});
    f.painter.marker("network/bar/knob", tip, lively ? 7 : 4.5, MarkerShape::Circle, lively ? f.theme.accent : color,
                     Stroke{f.theme.ground, 1.2});
}

/// As the reader has it: the report may be of a moment before.
double currentValue(const PictureFrame& f, const Weight& w) {
    const auto& edits = f.state.params.list("edits");
    double value = w.value;
    for (std::size_t i = 0; i + 3 < edits.size(); i += 4)
        if (edits[i] == static_cast<double>(w.layer) && edits[i + 1] == static_cast<double>(w.to) && edits[i + 2] == w.from)
            value = edits[i + 3];
    return value;
}

void drawBars(PictureFrame& f, const View& view, Rect panel, const Chosen& chosen) {
    std::vector<Weight> own;
    double most = 1;
    for (std::size_t i = 0; i < view.weights->values.size(); ++i) {
        const Weight w = weightAt(view, i);
        if (w.layer != chosen.layer || w.to != chosen.unit) continue;
        own.push_back(w);
        own.back().value = currentValue(f, w);
        while (std::abs(own.back().value) > most) most *= 2;
    }
    // The bias first: it is always in sight.
    std::rotate(own.begin(), own.end() - (own.empty() ? 0 : 1), own.end());
    const TextStyle style{.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Left, .v = AlignV::Middle};
    const bool output = chosen.layer + 1 == view.widths->values.size();
    f.painter.text("network/chosen", {panel.lo.x, panel.lo.y + 8},
                   (output ? "output " + std::to_string(chosen.unit)
                           : "unit " + std::to_string(chosen.unit) + " of layer " + std::to_string(chosen.layer)),
                   {.color = f.theme.accent, .size = f.theme.tinySize, .h = AlignH::Left, .v = AlignV::Middle});
    const auto room = static_cast<std::size_t>(std::max(0.0, (panel.height() - 18) / 16));
    const double row =
        std::clamp((panel.height() - 18) / static_cast<double>(std::max<std::size_t>(std::min(own.size(), room), 1)), 16.0, 24.0);
    for (std::size_t i = 0; i < std::min(own.size(), room); ++i) {
        const double y = panel.lo.y + 18 + row * (static_cast<double>(i) + 0.5);
        const std::string name = own[i].from < 0 ? "*b*" : "*w*_{" + std::to_string(own[i].from) + "}";
        f.painter.text("network/bar/name", {panel.lo.x, y}, name, style);
        offerBar(f, own[i], {{panel.lo.x + 24, y - row / 2}, {panel.hi.x, y + row / 2}}, most);
    }
}

}  // namespace

void drawNetwork(PictureFrame& f, const View& view, Rect panel, std::optional<std::size_t> region) {
    if (!hasNetwork(view)) return;
    const Chosen chosen = chosenOf(f, view);
    const bool bars = panel.width() > 240;
    const double split = bars ? panel.lo.x + panel.width() * 0.6 : panel.hi.x;
    const auto& widths = view.widths->values;
    const Rect rect{{panel.lo.x + 4, panel.lo.y + 4}, {split - 12, panel.hi.y - 4}};
    const double crowd = std::min(rect.height() / largest(widths, 1), rect.width() / (1.6 * static_cast<double>(widths.size())));
    const Diagram d{rect, widths, std::clamp(0.36 * crowd, 1.5, 8.0)};
    drawLines(f, view, d, chosen);
    drawUnits(f, view, d, chosen, region);
    offerChoice(f, d, chosen);
    if (bars) drawBars(f, view, {{split, panel.lo.y}, panel.hi}, chosen);
}

namespace {

// How many regions, edges and vertices there are after each layer.

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
    std::string text = pieces ? inWords(pieces->value, 9) + (pieces->value == 1 ? " affine piece" : " affine pieces") : "";
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

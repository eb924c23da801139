// The network: units that can be chosen, the weights of the chosen one as bars that can be pulled; counts of regions and their growth.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions_picture.h"

namespace kappaflow::activation_regions {
namespace {

using region_mesh::layerColor;

constexpr Size kMostDrawnLines = 900;
constexpr Size kMostEdits = 128;

struct Diagram {
    Rect rect;
    const std::vector<double>& widths;
    double radius;
    double x(Size column) const {
        return rect.lo.x + radius + (rect.width() - 2 * radius) * static_cast<double>(column) / static_cast<double>(widths.size() - 1);
    }
    Vec2 at(Size column, Size unit) const {
        const double spacing = std::min(rect.height() / widths[column], 34.0);
        return {x(column), rect.centre().y + spacing * (static_cast<double>(unit) - 0.5 * (widths[column] - 1))};
    }
};

struct Weight {
    Size layer, to;
    int from;
    double value;
};

Weight weightAt(const Seen& s, Size i) {
    return {static_cast<Size>(s.result.weightLayer[i]), static_cast<Size>(s.result.weightTo[i]), static_cast<int>(s.result.weightFrom[i]),
            s.result.weights[i]};
}

/// As the output's: blue below 0, orange above.
Color signColor(const Seen& s, double value) { return s.f.theme.series[value < 0 ? 0 : 1]; }

/// Whether a unit passes its input on in a region: the state of the bends says so for all layers that have cut.
bool isOn(const Seen& s, Size layer, Size unit, Size region) {
    if (layer == 0 || layer > layersOf(s)) return true;
    const int state = layer <= layerShown(s) ? stateOf(s, layer, unit, region) : -1;
    const bool flattens = s.params.network.empty() && (s.params.activation == Bend::HardTanh || s.params.activation == Bend::Relu6);
    return flattens ? state == 1 : state > 0;
}

/// With a region: the paths that are active in it.
void drawLines(const Seen& s, const Diagram& d, const Chosen& chosen, std::optional<Size> region) {
    double heaviest = 1e-9;
    for (const double w : s.result.weights) heaviest = std::max(heaviest, std::abs(w));
    const bool all = s.result.weights.size() <= kMostDrawnLines;
    for (Size i = 0; i < s.result.weights.size(); ++i) {
        const Weight w = weightAt(s, i);
        const bool own = w.layer == chosen.layer && w.to == chosen.unit;
        if (w.from < 0 || (!all && !own)) continue;
        const auto from = static_cast<Size>(w.from);
        const bool active = region && isOn(s, w.layer - 1, from, *region) && isOn(s, w.layer, w.to, *region);
        const float alpha = region ? (active ? 0.8f : 0.08f) : own ? 0.95f : 0.25f;
        s.f.painter.line(active ? "network/weight/active" : "network/weight", d.at(w.layer - 1, from), d.at(w.layer, w.to),
                         {signColor(s, w.value).withAlpha(alpha), 0.5 + 3 * std::abs(w.value) / heaviest});
    }
}

/// Filled: units that are on in the region, or else those whose lines are being drawn.
void drawUnits(const Seen& s, const Diagram& d, const Chosen& lit, const MeshCache& cache) {
    const Size coming = between(depthShown(s), layersOf(s)).above;
    for (Size column = 0; column < d.widths.size(); ++column)
        for (Size unit = 0; unit < static_cast<Size>(d.widths[column]); ++unit) {
            const bool own = column == lit.layer && unit == lit.unit, hidden = column > 0 && column <= layersOf(s);
            const bool draws = column == coming && std::find(cache.drawing.begin(), cache.drawing.end(), unit) != cache.drawing.end();
            const bool on = hidden && (cache.region ? isOn(s, column, unit, *cache.region) : draws);
            const Color rim = hidden ? layerColor(s.f.theme, column) : s.f.theme.muted;
            const Color fill = own ? s.f.theme.accent : on ? rim : s.f.theme.raised;
            s.f.painter.marker("network/unit", d.at(column, unit), d.radius, MarkerShape::Circle, fill,
                               Stroke{own ? s.f.theme.accent : rim, 1.4});
        }
}

void choose(const Seen& s, Size layer, Size unit) {
    s.f.changes.push_back(Change::param("chosen", std::vector<double>{static_cast<double>(layer), static_cast<double>(unit)}));
}

std::optional<Chosen> unitAt(const Diagram& d, Vec2 at) {
    for (Size column = 1; column < d.widths.size(); ++column)
        for (Size u = 0; u < static_cast<Size>(d.widths[column]); ++u) {
            const Vec2 away = at - d.at(column, u);
            if (std::hypot(away.x, away.y) <= d.radius + 2) return Chosen{column, u};
        }
    return std::nullopt;
}

/// A press on a unit chooses it; the keyboard goes through layers and units.
void offerChoice(const Seen& s, const Diagram& d, const Chosen& chosen) {
    const Vec2 at = d.at(chosen.layer, chosen.unit);
    const Rect knob = around(at, 12);
    const auto layer = static_cast<double>(chosen.layer), unit = static_cast<double>(chosen.unit);
    const auto byUnit = s.f.handles.offer(
        {"chosenUnit", "unit whose weights are shown", std::to_string(chosen.unit), unit, 0, d.widths[chosen.layer] - 1, 1, knob});
    const auto byLayer = s.f.handles.offer(
        {"chosenLayer", "layer of that unit", std::to_string(chosen.layer), layer, 1, static_cast<double>(d.widths.size()) - 1, 1, knob});
    if (byUnit.moved) choose(s, chosen.layer, static_cast<Size>(std::round(byUnit.value)));
    if (byLayer.moved) {
        const auto to = static_cast<Size>(std::round(byLayer.value));
        choose(s, to, std::min(chosen.unit, static_cast<Size>(d.widths[to]) - 1));
    }
    const Pointer p = s.f.handles.freePointer();
    if (const auto under = p.pressed && p.inside ? unitAt(d, p.at) : std::nullopt) choose(s, under->layer, under->unit);
}

/// The list of changed weights with one more, or with the new value of one that was in it; the oldest makes room.
void setWeight(const Seen& s, const Weight& w, double value) {
    auto edits = s.params.edits;
    edits.resize(edits.size() / 4 * 4);
    const double entry[] = {static_cast<double>(w.layer), static_cast<double>(w.to), static_cast<double>(w.from),
                            std::round(value * 1e4) / 1e4};
    Size at = 0;
    while (at < edits.size() && !std::equal(entry, entry + 3, edits.begin() + static_cast<std::ptrdiff_t>(at))) at += 4;
    if (at < edits.size())
        edits[at + 3] = entry[3];
    else
        edits.insert(edits.end(), entry, entry + 4);
    if (edits.size() > 4 * kMostEdits) edits.erase(edits.begin(), edits.begin() + 4);
    s.f.changes.push_back(Change::param("edits", edits));
}

void offerBar(const Seen& s, const Weight& w, Rect row, double most) {
    const double middle = row.centre().x, half = 0.5 * row.width() - 6, y = row.centre().y;
    const double shown = std::clamp(w.value, -most, most);
    const Vec2 tip{middle + half * shown / most, y};
    const std::string name = w.from < 0 ? "bias" : "weight from unit " + std::to_string(w.from);
    const std::string id = "weight " + std::to_string(w.layer) + "." + std::to_string(w.to) + "." + std::to_string(w.from);
    const auto grip = s.f.handles.offer({id, name + " of unit " + std::to_string(w.to) + " in layer " + std::to_string(w.layer),
                                         inWords(w.value), shown, -most, most, most / 100, around(tip, Vec2{12, 0.5 * row.height()})},
                                        [&](Vec2 p) { return (p.x - middle) / half * most; });
    if (grip.moved) setWeight(s, w, grip.value);
    const bool lively = grip.lively();
    const Color color = signColor(s, w.value);
    s.f.painter.line("network/bar", Vec2{row.lo.x + 6, y}, Vec2{row.hi.x - 6, y}, {s.f.theme.grid, 1});
    if (std::abs(tip.x - middle) > 0.5) s.f.painter.line("network/bar/value", Vec2{middle, y}, tip, {color, 4});
    s.f.painter.marker("network/bar/knob", tip, lively ? 7 : 4.5, MarkerShape::Circle, lively ? s.f.theme.accent : color,
                       Stroke{s.f.theme.ground, 1.2});
}

/// As the reader has it: the report may be of a moment before.
double currentValue(const Seen& s, const Weight& w) {
    const auto& edits = s.params.edits;
    double value = w.value;
    for (Size i = 0; i + 3 < edits.size(); i += 4)
        if (edits[i] == static_cast<double>(w.layer) && edits[i + 1] == static_cast<double>(w.to) && edits[i + 2] == w.from)
            value = edits[i + 3];
    return value;
}

void drawBars(const Seen& s, Rect panel, const Chosen& chosen) {
    std::vector<Weight> own;
    double most = 1;
    for (Size i = 0; i < s.result.weights.size(); ++i) {
        const Weight w = weightAt(s, i);
        if (w.layer != chosen.layer || w.to != chosen.unit) continue;
        own.push_back(w);
        own.back().value = currentValue(s, w);
        while (std::abs(own.back().value) > most) most *= 2;
    }
    // The bias first: it is always in sight.
    std::rotate(own.begin(), own.end() - (own.empty() ? 0 : 1), own.end());
    const TextStyle style{.color = s.f.theme.muted, .size = s.f.theme.tinySize, .h = AlignH::Left, .v = AlignV::Middle};
    const bool output = chosen.layer + 1 == s.result.widths.size();
    s.f.painter.text("network/chosen", {panel.lo.x, panel.lo.y + 8},
                     (output ? "output " + std::to_string(chosen.unit)
                             : "unit " + std::to_string(chosen.unit) + " of layer " + std::to_string(chosen.layer)),
                     {.color = s.f.theme.accent, .size = s.f.theme.tinySize, .h = AlignH::Left, .v = AlignV::Middle});
    const auto room = static_cast<Size>(std::max(0.0, (panel.height() - 18) / 16));
    const double row = std::clamp((panel.height() - 18) / static_cast<double>(std::max<Size>(std::min(own.size(), room), 1)), 16.0, 24.0);
    for (Size i = 0; i < std::min(own.size(), room); ++i) {
        const double y = panel.lo.y + 18 + row * (static_cast<double>(i) + 0.5);
        const std::string name = own[i].from < 0 ? "*b*" : "*w*_{" + std::to_string(own[i].from) + "}";
        s.f.painter.text("network/bar/name", {panel.lo.x, y}, name, style);
        offerBar(s, own[i], {{panel.lo.x + 24, y - row / 2}, {panel.hi.x, y + row / 2}}, most);
    }
}

}  // namespace

void drawNetwork(const Seen& s, Rect panel, MeshCache& cache) {
    if (!hasNetwork(s)) return;
    const Chosen chosen = chosenOf(s);
    const bool bars = panel.width() > 240;
    // Bars keep a little room, and give the diagram 240 as soon as they can.
    const double split = bars ? panel.lo.x + std::max(panel.width() * 0.6, std::min(256.0, panel.width() - 110)) : panel.hi.x;
    const auto& widths = s.result.widths;
    const Rect rect{{panel.lo.x + 4, panel.lo.y + 4}, {split - 12, panel.hi.y - 4}};
    const double crowd = std::min(rect.height() / largest(widths, 1), rect.width() / (1.6 * static_cast<double>(widths.size())));
    const Diagram d{rect, widths, std::clamp(0.36 * crowd, 1.5, 8.0)};
    // Over the knob of the chosen unit the pointer is not free.
    const Pointer& p = s.f.handles.pointer();
    const auto under = p.inside && !p.down ? unitAt(d, p.at) : std::nullopt;
    // The regions are drawn before the network: they see the unit in the next frame.
    if (under != cache.under) s.f.animating = true;
    cache.under = under;
    const Chosen lit = under.value_or(chosen);
    drawLines(s, d, lit, cache.region);
    drawUnits(s, d, lit, cache);
    offerChoice(s, d, chosen);
    if (bars) drawBars(s, {{split, panel.lo.y}, panel.hi}, chosen);
}

namespace {

// How many regions, edges and vertices there are after each layer.

/// N²/2 speaks of random ReLU networks.
bool isTypical(const Seen& s) { return s.params.network.empty() && s.params.activation == Bend::Relu; }

struct Column {
    const char* name;
    const std::vector<double>& values;
    double right;
    Color color;
};

std::string checkOf(const Seen& s) {
    return isCertain(s) ? "*V* − *E* + *F* = " + inWords(s.result.euler) + ", one region a pattern: checked"
                        : "This partition fails its own check.";
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
                  .title = !isTypical(s)         ? "regions after each layer"
                           : panel.width() < 290 ? "*N*²/2: random ReLU"
                                                 : "*N*²/2: random ReLU, all vertices in sight",
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

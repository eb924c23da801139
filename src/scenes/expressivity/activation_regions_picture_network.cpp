// The network: units that can be chosen, and the weights of the chosen one as bars that can be pulled.
#include <algorithm>
#include <cmath>

#include "scenes/expressivity/activation_regions_picture.h"

namespace kappaflow::activation_regions {
namespace {

using region_mesh::layerColor;

constexpr Size kMostDrawnLines = 900;

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

WeightEdit weightAt(const Seen& s, Size i) {
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
        const WeightEdit w = weightAt(s, i);
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
    if (byUnit.moved) chooseUnit(s, {chosen.layer, static_cast<Size>(std::round(byUnit.value))});
    if (byLayer.moved) {
        const auto to = static_cast<Size>(std::round(byLayer.value));
        chooseUnit(s, {to, std::min(chosen.unit, static_cast<Size>(d.widths[to]) - 1)});
    }
    const Pointer p = s.f.handles.freePointer();
    if (const auto under = p.pressed && p.inside ? unitAt(d, p.at) : std::nullopt) chooseUnit(s, *under);
}

void offerBar(const Seen& s, const WeightEdit& w, Rect row, double most) {
    const double middle = row.centre().x, half = 0.5 * row.width() - 6, y = row.centre().y;
    const double shown = std::clamp(w.value, -most, most);
    const Vec2 tip{middle + half * shown / most, y};
    const std::string name = w.from < 0 ? "bias" : "weight from unit " + std::to_string(w.from);
    const std::string id = "weight " + std::to_string(w.layer) + "." + std::to_string(w.to) + "." + std::to_string(w.from);
    const auto grip = s.f.handles.offer({id, name + " of unit " + std::to_string(w.to) + " in layer " + std::to_string(w.layer),
                                         inWords(w.value), shown, -most, most, most / 100, around(tip, Vec2{12, 0.5 * row.height()})},
                                        [&](Vec2 p) { return (p.x - middle) / half * most; });
    if (grip.moved) setWeights(s, {{w.layer, w.to, w.from, grip.value}}, 1e4);
    const bool lively = grip.lively();
    const Color color = signColor(s, w.value);
    s.f.painter.line("network/bar", Vec2{row.lo.x + 6, y}, Vec2{row.hi.x - 6, y}, {s.f.theme.grid, 1});
    if (std::abs(tip.x - middle) > 0.5) s.f.painter.line("network/bar/value", Vec2{middle, y}, tip, {color, 4});
    s.f.painter.marker("network/bar/knob", tip, lively ? 7 : 4.5, MarkerShape::Circle, lively ? s.f.theme.accent : color,
                       Stroke{s.f.theme.ground, 1.2});
}

void drawBars(const Seen& s, Rect panel, const Chosen& chosen) {
    std::vector<WeightEdit> own;
    double most = 1;
    const auto now = weightsNow(s);
    for (Size i = 0; i < s.result.weights.size(); ++i) {
        const WeightEdit w = weightAt(s, i);
        if (w.layer != chosen.layer || w.to != chosen.unit) continue;
        own.push_back(w);
        own.back().value = now[i];
        while (std::abs(own.back().value) > most) most *= 2;
    }
    // The bias first: it is always in sight.
    std::rotate(own.begin(), own.end() - (own.empty() ? 0 : 1), own.end());
    const TextStyle style{.color = s.f.theme.muted, .size = s.f.theme.tinySize, .h = AlignH::Left, .v = AlignV::Middle};
    s.f.painter.text("network/chosen", {panel.lo.x, panel.lo.y + 8}, nameOf(s, chosen),
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
    const auto& widths = s.result.widths;
    // The diagram has 240 pixels: where bars beside it would leave less, they stand below it, at most kRows of them and their name.
    constexpr double kLeast = 240, kBars = 110, kRows = 4, kRow = 18;
    const bool bars = panel.width() > kLeast, beside = bars && panel.width() >= kLeast + 16 + kBars;
    const double own = kRow * (1 + std::min(kRows, widths[chosen.layer - 1] + 1)), high = panel.height() - own;
    const bool below = bars && !beside && high > 80;
    const double split = beside ? std::max(panel.width() * 0.6, kLeast + 16) : bars && !below ? panel.width() - kBars : panel.width();
    const Rect rect{panel.lo + Vec2{4, 4}, {panel.lo.x + split - (below || !bars ? 4 : 12), panel.hi.y - 4 - (below ? own : 0)}};
    const double crowd = std::min(rect.height() / largest(widths, 1), rect.width() / (1.6 * static_cast<double>(widths.size())));
    const Diagram d{rect, widths, std::clamp(0.36 * crowd, 1.5, 8.0)};
    // Over the knob of the chosen unit the pointer is not free.
    const Pointer& p = s.f.handles.pointer();
    const auto under = p.inside && !p.down ? unitAt(d, p.at) : std::nullopt;
    // The regions are drawn before the network: they see the unit in the next frame.
    if (under != cache.under) s.f.animating = true;
    cache.under = under;
    const Chosen lit = under ? *under : cache.near.value_or(chosen);
    drawLines(s, d, lit, cache.region);
    drawUnits(s, d, lit, cache);
    offerChoice(s, d, chosen);
    if (bars)
        drawBars(s, below ? Rect{{panel.lo.x + 4, panel.hi.y - own}, panel.hi} : Rect{{panel.lo.x + split, panel.lo.y}, panel.hi}, chosen);
}

}  // namespace kappaflow::activation_regions

// The network: weights by sign and size, the chosen hidden unit sliding along its scale, tags that add and take away units.
#include <algorithm>
#include <cmath>

#include "scenes/capacity_flow/lower_layers/picture_view.h"

namespace kappaflow::lower {
namespace {

// A column keeps its room while units are added, so that the tag under it stays under the pointer.
constexpr double kRoom = 6, kMostPaths = 20000, kMostHiddenLayers = 4;

Vec2 placeOf(const View& view, const Stage& stage, std::size_t layer, std::size_t unit) {
    Vec2 at = stage.at(layer, unit, view.widths[layer]);
    if (layer == view.layer && unit == view.place && layer > 0) at.x += stage.slide() * view.exponent;
    return at;
}

double heaviestWeight(const View& view) {
    double heaviest = 1e-9;
    for (const double w : view.weights->values) heaviest = std::max(heaviest, std::abs(w));
    return heaviest;
}

void drawWeights(PictureFrame& f, const View& view, const Stage& stage) {
    const double scale = 0.3 * stage.radius / heaviestWeight(view), s = std::exp2(view.exponent);
    const double taps = 0.5 * largest(view.weightTap->values, 0);
    for (const bool ofChosen : {false, true})
        for (std::size_t w = 0; w < view.weights->values.size(); ++w) {
            const auto layer = static_cast<std::size_t>(view.weightLayer->values[w]);
            const auto from = static_cast<std::size_t>(view.weightFrom->values[w]), to = static_cast<std::size_t>(view.weightTo->values[w]);
            const bool in = layer == view.layer && to == view.place, out = layer == view.layer + 1 && from == view.place && view.layer > 0;
            if ((in || out) != ofChosen) continue;
            const double weight = view.weights->values[w], width = 0.7 + std::abs(weight) * scale * (in ? s : out ? 1 / s : 1);
            const Vec2 apart{0, (view.weightTap->values[w] - taps) * 0.55 * stage.radius};
            const Color color = f.theme.series[weight < 0 ? 1 : 0];
            f.painter.line("network/weight", placeOf(view, stage, layer - 1, from) + apart, placeOf(view, stage, layer, to) + apart,
                           {color.withAlpha(ofChosen ? 0.85f : 0.28f), std::min(width, 1.3 * stage.radius)});
        }
}

/// A hidden unit pulled sideways is scaled; pressed, it becomes the chosen one.
void offerUnit(PictureFrame& f, const View& view, const Stage& stage, std::size_t layer, std::size_t place, std::size_t unit) {
    const Vec2 at = placeOf(view, stage, layer, place), rest = stage.at(layer, place, view.widths[layer]);
    const double exponent = unit == view.unit ? view.exponent : 0, half = std::max(stage.radius + 2, 11.0);
    const Handle handle{"unit " + std::to_string(unit),
                        "scale of hidden unit " + std::to_string(unit),
                        unit == view.unit ? "times " + inWords(std::exp2(exponent), 3) : "times 1",
                        exponent,
                        -2,
                        2,
                        0.125,
                        {at + Vec2{-half, -half}, at + Vec2{half, half}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return (p.x - rest.x) / stage.slide(); });
    const bool chosen = unit == view.unit;
    const bool taken = !chosen && (grip.held || grip.moved);
    if (taken) f.changes.push_back(Change::param("unit", static_cast<double>(unit)));
    if (grip.moved || taken) {
        f.changes.push_back(Change::param("play", false));
        // Between the timeline's steps 1 and 3 the scale falls from 4 to 1/4.
        f.changes.push_back(Change::param("at", 2 - 0.5 * std::clamp(grip.value, -2.0, 2.0)));
    }
    const bool lively = grip.hovered || grip.held || grip.focused;
    f.painter.marker("network/hidden", at, stage.radius + (lively ? 1.5 : 0), MarkerShape::Circle, chosen ? f.theme.accent : f.theme.raised,
                     Stroke{f.theme.accent, chosen ? 2.0 : 1.5});
}

// The redundant direction of a unit: a ring about it, and the weight it takes away.
void drawRing(PictureFrame& f, const Stage& stage, Vec2 at, Color color) {
    std::vector<Vec2> ring;
    for (int i = 0; i <= 28; ++i) {
        const double angle = (i * 0.9 / 28 - 0.05) * 6.283185307;
        ring.push_back(at + Vec2{std::cos(angle), -std::sin(angle)} * (stage.radius + 4));
    }
    f.painter.line("network/redundant", ring, {color, 1.6}, false);
    if (stage.spacing < 26) return;
    f.painter.text("network/redundant/count", at + Vec2{stage.radius * 0.8 + 4, -stage.radius - 2}, "−1",
                   {.color = color, .size = f.theme.tinySize, .v = AlignV::Bottom, .halo = f.theme.ground});
}

void drawUnits(PictureFrame& f, const View& view, const Stage& stage) {
    std::size_t hidden = 0;
    for (std::size_t l = 0; l < view.widths.size(); ++l)
        for (std::size_t i = 0; i < view.widths[l]; ++i) {
            const Vec2 at = placeOf(view, stage, l, i);
            if (l == 0 || l == view.layers()) {
                f.painter.marker("network/end", at, stage.radius * 0.8, MarkerShape::Circle, f.theme.line, Stroke{f.theme.muted, 1});
                continue;
            }
            if (view.redundant(hidden)) drawRing(f, stage, at, f.theme.theory);
            offerUnit(f, view, stage, l, i, hidden++);
        }
}

double product(const std::vector<double>& widths, double taps) {
    double paths = 1;
    for (std::size_t l = 0; l < widths.size(); ++l) paths *= widths[l] * (l > 0 ? taps : 1);
    return paths;
}

/// A tag under a column with its number of units: pulled down it adds some, pulled up it takes some away.
void offerWidth(PictureFrame& f, const Stage& stage, std::size_t layer, const std::vector<double>& widths, double taps) {
    const double width = widths[layer], most = std::clamp(std::floor(kMostPaths / (product(widths, taps) / width)), width, stage.room);
    const double offset = 0.5 * stage.spacing + 4;
    const Vec2 at{stage.x(layer), stage.rect.centre().y + 0.5 * stage.spacing * (width - 1) + offset + 9};
    const bool end = layer == 0 || layer + 1 == widths.size();
    const Handle handle{"width " + std::to_string(layer),
                        layer == 0 ? "inputs"
                        : end      ? "outputs"
                                   : "units of hidden layer " + std::to_string(layer),
                        inWords(width, 2),
                        width,
                        1,
                        most,
                        1,
                        {at + Vec2{-18, -11}, at + Vec2{18, 11}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return 1 + 2 * (p.y - stage.rect.centre().y - offset - 9) / stage.spacing; });
    if (grip.moved && grip.value != width) {
        auto changed = widths;
        changed[layer] = std::round(grip.value);
        f.changes.push_back(Change::param("architecture", std::move(changed)));
    }
    const bool lively = grip.hovered || grip.held || grip.focused;
    for (int ghost = static_cast<int>(width); lively && ghost < static_cast<int>(stage.room); ++ghost)
        f.painter.marker("network/room", {at.x, stage.rect.centre().y + stage.spacing * (ghost - 0.5 * (width - 1))}, 2,
                         MarkerShape::Circle, f.theme.line);
    const Rect tag{at + Vec2{-11, -9}, at + Vec2{11, 9}};
    for (const double side : {-1.0, 1.0}) {
        const Vec2 tip = at + Vec2{16, 7 * side};
        const Vec2 arrow[] = {tip, tip + Vec2{-4, -5 * side}, tip + Vec2{4, -5 * side}};
        if (!f.kept) f.painter.polygon("network/width/arrow", arrow, f.theme.accent.withAlpha(lively ? 1.0f : 0.5f));
    }
    f.painter.rect("network/width", tag, lively ? f.theme.accent : f.theme.raised, 4);
    f.painter.frame("network/width", tag, {f.theme.accent.withAlpha(0.6f), 1}, 4);
    f.painter.text("network/width/number", tag.centre(), inWords(width, 2),
                   {.color = lively ? f.theme.onAccent : f.theme.text, .size = f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle});
}

/// Dots for the hidden layers there may be, a knob on how many there are.
void offerDepth(PictureFrame& f, Rect panel, const std::vector<double>& widths, double taps) {
    const double count = static_cast<double>(widths.size()) - 2, step = 17;
    const Vec2 first{panel.hi.x - 12 - step * kMostHiddenLayers, panel.lo.y + 10};
    const Vec2 at = first + Vec2{step * count, 0};
    const Handle handle{
        "depth", "hidden layers", inWords(count, 2), count, 0, kMostHiddenLayers, 1, {at + Vec2{-11, -11}, at + Vec2{11, 11}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return (p.x - first.x) / step; });
    auto changed = widths;
    while (grip.moved && static_cast<double>(changed.size()) - 2 < grip.value)
        changed.insert(changed.end() - 1, changed.size() > 2 ? *(changed.end() - 2) : 3.0);
    while (grip.moved && static_cast<double>(changed.size()) - 2 > grip.value) changed.erase(changed.end() - 2);
    if (changed != widths && product(changed, taps) <= kMostPaths) f.changes.push_back(Change::param("architecture", changed));
    const bool lively = grip.hovered || grip.held || grip.focused;
    for (int k = 0; k <= static_cast<int>(kMostHiddenLayers); ++k)
        f.painter.marker("network/depth", first + Vec2{step * k, 0}, k == count ? (lively ? 7 : 5.5) : 2.5, MarkerShape::Circle,
                         k == count ? f.theme.accent : f.theme.line);
    f.painter.text("network/depth/name", first + Vec2{-12, 0}, "hidden layers",
                   {.color = f.theme.muted, .size = f.theme.tinySize, .h = AlignH::Right, .v = AlignV::Middle});
}

// How much the chosen unit's weights are scaled, beside the weights.
void drawScale(PictureFrame& f, const View& view, const Stage& stage) {
    if (view.layer == 0 || stage.spacing < 13) return;
    const Vec2 at = placeOf(view, stage, view.layer, view.place);
    const Vec2 beside{stage.radius + 10, 0};
    TextStyle style{.color = f.theme.accent, .size = f.theme.smallSize, .v = AlignV::Middle, .bold = true, .halo = f.theme.ground};
    f.painter.text("network/scale/out", at + beside, "÷ " + scaleText(view.exponent), style);
    style.h = AlignH::Right;
    // Above its weights, which come from the left and would strike it out.
    f.painter.text("network/scale/in", at - Vec2{stage.radius, stage.radius + 8}, "× " + scaleText(view.exponent), style);
}

}  // namespace

void drawNetwork(PictureFrame& f, const View& view, Rect panel) {
    const double margin = std::clamp(panel.width() * 0.09, 24.0, 60.0);
    const Rect rect{{panel.lo.x + margin, panel.lo.y + 22}, {panel.hi.x - margin, panel.hi.y - 6}};
    const auto& widths = f.state.params.list("architecture");
    double room = largest(widths, kRoom);
    for (const std::size_t width : view.widths) room = std::max(room, static_cast<double>(width));
    const double spacing = (rect.height() - 20) / room;
    const Stage stage{rect, room, spacing, std::clamp(spacing * 0.34, 4.0, 17.0), rect.width() / static_cast<double>(view.layers())};
    drawWeights(f, view, stage);
    drawUnits(f, view, stage);
    drawScale(f, view, stage);
    const bool tree = f.state.params.is("layer", "convolution");
    const double taps = tree ? f.state.params.number("taps") : 1;
    if (widths.size() == view.widths.size())
        for (std::size_t l = tree ? 1 : 0; l + (tree ? 1 : 0) < widths.size(); ++l) offerWidth(f, stage, l, widths, taps);
    offerDepth(f, panel, widths, taps);
    const TextStyle name{.color = f.theme.muted, .size = f.theme.tinySize, .v = AlignV::Middle};
    f.painter.text("network/name", {panel.lo.x + 4, panel.lo.y + 10}, activationName(view.keys[view.shown]), name);
}

}  // namespace kappaflow::lower

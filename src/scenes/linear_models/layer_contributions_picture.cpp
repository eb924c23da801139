// What each layer contributes (P2 Figs 7, 8, App. D): two chains of layers stacked by lag, and every layer by itself and given
// the rest, beside the squares that freeze layers.
#include "scenes/linear_models/layer_contributions.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace layer_contributions {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

Size layersOf(const Seen& s) { return s.result.layerNumbers.size(); }
bool isRedundant(const Seen& s, Size layer) { return s.result.redundant[layer] > 0; }

Color layerColor(const Seen& s, Size layer) {
    return orderColor(s.f.theme, layersOf(s) > 1 ? static_cast<double>(layer) / static_cast<double>(layersOf(s) - 1) : 0);
}

double addedOf(const Seen& s) { return std::clamp(s.params.at, 0.0, static_cast<double>(layersOf(s))); }
/// Layers that were added before it in the chosen order.
double placeOf(const Seen& s, Size layer) {
    return static_cast<double>(s.asked.order == Order::Backward ? layersOf(s) - 1 - layer : layer);
}
/// How much of a layer has been added, from pale on: what stands beside the chains follows them.
float inkOf(const Seen& s, Size layer) { return static_cast<float>(0.15 + 0.85 * std::clamp(addedOf(s) - placeOf(s, layer), 0.0, 1.0)); }
bool isNewest(const Seen& s, Size layer) {
    const double added = addedOf(s);
    return added < static_cast<double>(layersOf(s)) && placeOf(s, layer) < added && added <= placeOf(s, layer) + 1;
}

AxisSpec lagAxis(const Seen& s) {
    return {.label = "lag *τ*", .lo = -0.5, .hi = s.result.lags.back() + 0.5, .whole = true, .reversed = true};
}

/// One layer's share on top of those before it in the order; the newest one as far as the timeline has brought it.
void drawChain(const Seen& s, bool backward, Rect rect) {
    const std::string id = backward ? "backward" : "forward";
    const Shares& chain = backward == (s.asked.order == Order::Backward) ? s.result.chain : s.result.reverse;
    const Vector& lags = s.result.lags;
    Plot plot = plotIn(s.f, id, rect, lagAxis(s), {.label = "capacity *κ_{τ}*", .lo = 0, .hi = 1.1});
    const double added = addedOf(s);
    const Size told = static_cast<Size>(added + 0.5);  // the sum in the title is that of whole layers
    Vector low(lags.size());
    double total = 0;
    std::string terms = told > 0 ? "" : "0";
    for (Size i = 0; static_cast<double>(i) < added; ++i) {
        const double share = std::min(added - static_cast<double>(i), 1.0);
        const Size layer = backward ? layersOf(s) - 1 - i : i;
        Vector high = low;
        double sum = 0;
        for (Size lag = 0; lag < lags.size(); ++lag) {
            high[lag] += share * chain.byLag[layer * lags.size() + lag];
            sum += chain.byLag[layer * lags.size() + lag];
        }
        if (i < told) {
            total += sum;
            terms += (i > 0 ? " + " : "") + numberText(std::round(sum * 10) / 10, 3);
        }
        plot.band(id + "/layer", lags, low, high, layerColor(s, layer).withAlpha(0.85f));
        low = std::move(high);
    }
    plot.line(id + "/capacity", lags, low, {s.f.theme.text.withAlpha(0.7f), Dash::Solid, 1.2, ""});
    plot.horizontal(id + "/bound", 1, {s.f.theme.muted, Dash::Dotted, 1.2, ""});
    const std::string order = backward ? "from the highest layer" : "from the lowest layer";
    const std::string sum = terms + (told > 1 ? " = " + numberText(total, 3) : "");
    finishPlot(s.f, plot, id, rect.width() > 330 ? order + ": " + sum : rect.width() > 240 ? sum : order);
}

/// A square with the layer's number: pressed, it freezes the layer or lets it learn again.
void offerFreeze(const Seen& s, Size l, Vec2 at) {
    const double number = static_cast<double>(l + 1);
    const auto& frozen = s.params.freeze;
    const bool isFrozen = std::find(frozen.begin(), frozen.end(), number) != frozen.end();
    const auto grip = s.f.handles.toggle("freeze " + inWords(number), "layer " + inWords(number), isFrozen ? "frozen" : "learned", isFrozen,
                                         around(at, 12));
    const Color color = layerColor(s, l), ground = s.f.theme.ground;
    s.f.painter.marker("layers/square", at, grip.lively() ? 10.5 : 9.5, MarkerShape::Square, isFrozen ? ground : color, Stroke{color, 2});
    s.f.painter.text(
        "layers/number", at, inWords(number),
        {.color = isFrozen ? color : ground, .size = s.f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle, .bold = true});
    if (!grip.moved) return;
    auto changed = frozen;
    if (!isFrozen)
        changed.push_back(number);
    else
        changed.erase(std::remove(changed.begin(), changed.end(), number), changed.end());
    std::sort(changed.begin(), changed.end());
    s.f.changes.push_back(Change::param("freeze", changed));
}

/// The layers one above the other, each by itself and, darker, given all others: lag by lag, and in all as a bar at its right. At its left
/// the square that freezes it.
void drawLayers(const Seen& s, Rect rect) {
    constexpr double kSquares = 30, kRow = 0.86;
    const Result& r = s.result;
    const double layers = static_cast<double>(layersOf(s)), bars = std::clamp(0.3 * rect.width(), 90.0, 300.0);
    Plot plot = plotIn(s.f, "layers", {{rect.lo.x + kSquares, rect.lo.y}, {rect.hi.x - bars, rect.hi.y}}, lagAxis(s),
                       {.label = "", .lo = 0, .hi = layers, .ticks = false});
    const Rect inner = plot.inner();
    const double most = largest(r.alone.total, 1), left = inner.hi.x + 12;
    const TextStyle small{.color = s.f.theme.text, .size = s.f.theme.tinySize, .v = AlignV::Middle};
    const double width = std::max(rect.hi.x - left - s.f.painter.measure("00.0, 00.0", small).x - 8, 10.0);
    // From the highest, so that a lower one's ridge lies over the foot of the one above it.
    for (Size l = layersOf(s); l-- > 0;) {
        const Color color = layerColor(s, l);
        const double foot = static_cast<double>(l);
        const auto ridge = [&](const Shares& shares) {
            Vector values = rowAt(shares.byLag, r.lags.size(), static_cast<double>(l));
            for (double& value : values) value = foot + kRow * value;
            return values;
        };
        const Vector low(r.lags.size(), foot), alone = ridge(r.alone), marginal = ridge(r.marginal);
        plot.horizontal("layers/foot", foot, {s.f.theme.line, Dash::Solid, 1, ""});
        plot.band("layers/alone", r.lags, low, alone, color.withAlpha(0.3f * inkOf(s, l)));
        plot.line("layers/outline", r.lags, alone, {color.withAlpha(inkOf(s, l)), Dash::Solid, isNewest(s, l) ? 2.4 : 1.3, ""});
        plot.band("layers/marginal", r.lags, low, marginal, color.withAlpha(inkOf(s, l)));
        const double middle = plot.toScreen(0, foot + 0.5 * kRow).y, half = std::min(0.24 * inner.height() / layers, 9.0);
        const auto bar = [&](const char* id, double total, Color fill) {
            s.f.painter.rect(id, {{left, middle - half}, {left + width * total / most, middle + half}}, fill);
        };
        bar("layers/total", r.alone.total[l], color.withAlpha(0.3f * inkOf(s, l)));
        bar("layers/total-marginal", r.marginal.total[l], color.withAlpha(inkOf(s, l)));
        s.f.painter.text(
            "layers/numbers", {left + width * r.alone.total[l] / most + 6, middle},
            numberText(std::round(r.alone.total[l] * 10) / 10, 3) + ", " + numberText(std::round(r.marginal.total[l] * 10) / 10, 3), small);
    }
    finishPlot(s.f, plot, "layers",
               inner.width() > 330 ? "every layer: pale, by itself; full, given all others" : "pale: alone; full: given all others");
    for (Size l = 0; l < layersOf(s); ++l)
        offerFreeze(s, l, {rect.lo.x + 0.5 * kSquares, plot.toScreen(0, static_cast<double>(l) + 0.5 * kRow).y});
    const Pointer p = s.f.handles.freePointer();
    if (!p.inside || p.down || !inner.contains(p.at)) return;
    const Vec2 at = plot.toData(p.at);
    const Size layer = std::min(static_cast<Size>(std::max(at.y, 0.0)), layersOf(s) - 1),
               lag = std::min(static_cast<Size>(std::max(std::round(at.x), 0.0)), r.lags.size() - 1);
    const auto read = [&](const Shares& shares) { return numberText(shares.byLag[layer * r.lags.size() + lag], 3); };
    tooltip(s.f, p.at,
            {"layer " + inWords(r.layerNumbers[layer]) + ", lag " + inWords(r.lags[lag]), "by itself " + read(r.alone),
             "given all others " + read(r.marginal)});
}

std::string listText(const Vector& numbers) {
    std::string text;
    for (const double number : numbers) text += (text.empty() ? "" : ", ") + inWords(number);
    return text;
}

/// What freezing did, or which layers could be frozen.
void drawVerdict(const Seen& s, Rect rect) {
    const Result& r = s.result;
    std::vector<std::string> lines;
    if (r.freeCapacity) {
        lines.push_back((s.asked.freeze.size() == 1 ? "layer " : "layers ") + listText(s.asked.freeze) + " frozen at random: capacity " +
                        numberText(*r.freeCapacity) + " of " + numberText(r.totalCapacity));
        if (r.frozenLoss && r.freeLoss) {
            const double ratio = *r.freeLoss > 1e-25 ? *r.frozenLoss / *r.freeLoss : 1;
            lines.push_back("loss " + numberText(*r.frozenLoss, 4) +
                            (ratio < 1.001 ? ", as when all layers learn" : ", all layers reach " + numberText(*r.freeLoss, 4)));
        } else {
            lines.push_back("the others are learning …");
        }
    } else {
        Vector redundant;
        for (Size l = 0; l < layersOf(s); ++l)
            if (isRedundant(s, l)) redundant.push_back(r.layerNumbers[l]);
        lines.push_back(redundant.empty() ? "no layer is redundant" : "redundant one by one: " + listText(redundant));
        if (!s.f.kept) lines.push_back("press squares to freeze layers at random");
    }
    constexpr double kRow = 18;
    for (Size i = 0; i < lines.size(); ++i) {
        const TextStyle style{.color = i == 0 ? s.f.theme.text : s.f.theme.muted,
                              .size = i == 0 ? s.f.theme.smallSize : s.f.theme.tinySize,
                              .v = AlignV::Middle};
        if (s.f.painter.measure(lines[i], style).x > rect.width() - 8) continue;
        s.f.painter.text("verdict", {rect.lo.x + 8, rect.lo.y + kRow * (static_cast<double>(i) + 0.5)}, lines[i], style);
    }
}

Layout layout(const Seen& s) {
    const bool backward = s.asked.order == Order::Backward;
    const auto chain = [&](bool back) {
        return s.panel(back == backward ? 0 : 3, {240, 150}, [s, back](Rect rect) { drawChain(s, back, rect); });
    };
    return Layout::rows({Layout::columns({chain(false), chain(true)}),
                         s.panel(1, {240, 190}, [s](Rect rect) { drawLayers(s, rect); }).share(1.1),
                         s.panel(2, {200, 36}, [s](Rect rect) { drawVerdict(s, rect); }).share(0.01)});
}

}  // namespace
}  // namespace layer_contributions

PictureEntry layer_contributions_picture() { return tablePicture<layer_contributions::kScene, layer_contributions::layout>(); }

}  // namespace kappaflow

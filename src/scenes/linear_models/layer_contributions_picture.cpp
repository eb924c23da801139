// What each layer contributes (P2 Figs 7, 8, App. D): two chains of layers stacked by lag, each layer alone and given the rest, and
// squares that freeze layers.
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

Color layerColor(const Theme& theme, Size layer) {
    static constexpr Size kOrder[] = {0, 1, 2, 3, 5, 6, 4, 7};
    return theme.series[kOrder[layer % 8]];
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
        plot.band(id + "/layer", lags, low, high, layerColor(s.f.theme, layer).withAlpha(0.8f));
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
    const Color color = layerColor(s.f.theme, l), ground = s.f.theme.ground;
    s.f.painter.marker("totals/square", at, grip.lively() ? 10.5 : 9.5, MarkerShape::Square, isFrozen ? ground : color, Stroke{color, 2});
    s.f.painter.text(
        "totals/number", at, inWords(number),
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

/// Totals of every layer: alone, and given all others; under each the square that freezes it.
void drawTotals(const Seen& s, Rect rect) {
    constexpr double kSquares = 30;
    const Result& r = s.result;
    Plot plot(s.f.painter, s.f.theme, "totals", {rect.lo, {rect.hi.x, rect.hi.y - kSquares}},
              {.label = "", .lo = 0.4, .hi = r.layerNumbers.back() + 0.6, .ticks = false},
              {.label = "capacity", .lo = 0, .hi = largest(r.alone.total, 1) * 1.2, .whole = true});
    for (Size l = 0; l < layersOf(s); ++l) {
        const Color color = layerColor(s.f.theme, l);
        const Vector x{r.layerNumbers[l]}, alone{r.alone.total[l]}, marginal{r.marginal.total[l]};
        plot.bars("totals/alone", x, alone, 0.7, color.withAlpha(0.28f * inkOf(s, l)));
        plot.bars("totals/marginal", x, marginal, 0.7, color.withAlpha(inkOf(s, l)));
    }
    finishPlot(s.f, plot, "totals", rect.width() > 330 ? "pale: the layer alone; full: given all others" : "alone, and given all others");
    for (Size l = 0; l < layersOf(s); ++l) offerFreeze(s, l, {plot.toScreen(r.layerNumbers[l], 0).x, rect.hi.y - 0.5 * kSquares + 4});
}

Curves profiles(const Seen& s, bool marginal) {
    const Result& r = s.result;
    const Vector& rows = marginal ? r.marginal.byLag : r.alone.byLag;
    Curves curves{.id = marginal ? "marginal" : "alone",
                  .title = marginal ? "each given all others" : "each layer alone",
                  .x = lagAxis(s),
                  .y = {.label = "capacity", .lo = 0, .hi = std::min(largest(rows, 1e-3) * 1.25, 1.1)},
                  .fit = Fit::Given};
    const bool all = addedOf(s) >= static_cast<double>(layersOf(s));
    for (Size l = 0; l < layersOf(s); ++l)
        if (!marginal || !isRedundant(s, l))
            curves.curves.push_back({"capacity", r.lags, rowAt(rows, r.lags.size(), static_cast<double>(l)), Role::Measurement,
                                     all || isNewest(s, l) ? "layer " + std::to_string(l + 1) : "",
                                     layerColor(s.f.theme, l).withAlpha(inkOf(s, l)), isNewest(s, l) ? 2.8 : 1.6});
    if (curves.curves.empty()) curves.title = "given all others: nothing";
    return curves;
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
        lines.push_back("layers " + listText(s.asked.freeze) + " frozen at random: capacity " + numberText(*r.freeCapacity) + " of " +
                        numberText(r.totalCapacity));
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
    return Layout::rows({Layout::columns({chain(false), chain(true)}).share(1.2),
                         Layout::columns({s.panel(1, {240, 160}, [s](Rect rect) { drawTotals(s, rect); }).share(1.15),
                                          s.panel(4, {200, 150}, profiles(s, false)), s.panel(5, {200, 150}, profiles(s, true))}),
                         s.panel(2, {200, 36}, [s](Rect rect) { drawVerdict(s, rect); }).share(0.01)});
}

}  // namespace
}  // namespace layer_contributions

PictureEntry layer_contributions_picture() { return tablePicture<layer_contributions::kScene, layer_contributions::layout>(); }

}  // namespace kappaflow

// Remaining depth (survey Fig 6): one curve a trained layer, of samples learnt from and of new ones, and their order at one epoch.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/remaining_depth.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace remaining_depth {
namespace {

using Size = std::size_t;
using Seen = Sight<Params, Result>;

/// Last epoch that all layers have, and the one that stands out.
Size lastKnown(const Seen& s) {
    const Size epochs = s.result.epochs.size();
    const double* highest = &s.result.train.values[(s.result.trainedLayers.size() - 1) * epochs];
    Size known = 0;
    while (known + 1 < epochs && !std::isnan(highest[known + 1])) ++known;
    return known;
}
Size shown(const Seen& s) { return static_cast<Size>(std::clamp(std::round(s.params.at), 0.0, static_cast<double>(lastKnown(s)))); }
std::string epochName(const Seen& s) { return "epoch " + numberText(static_cast<double>(shown(s)), 4); }

/// From a little below chance to a little above the best.
AxisSpec accuracyAxis(const Seen& s) {
    double lo = 1, hi = 0;
    for (const auto* accuracies : {&s.result.train.values, &s.result.test.values})
        for (const double value : *accuracies)
            if (!std::isnan(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    return {.label = "named rightly", .lo = std::max(0.0, lo - 0.04), .hi = std::min(1.04, hi * 1.06 + 0.02)};
}

/// From the lowest trained layer to the highest: blue, through purple and red, to orange; hue and lightness both say how far up.
Color layerColor(const Seen& s, Size layer) {
    const Size layers = s.result.trainedLayers.size();
    const double share = layers > 1 ? static_cast<double>(layer) / static_cast<double>(layers - 1) : 0, hue = 265 + 160 * share;
    return s.f.theme.dark ? fromLch(64 + 14 * share, 58, hue) : fromLch(38 + 22 * share, 62, hue);
}

/// One curve a trained layer, over the epochs.
Curves overEpochs(const Seen& s, const char* id, const char* title, const Estimates& accuracies) {
    const Size epochs = s.result.epochs.size();
    const double last = s.result.epochs.back();
    Curves curves{.id = id,
                  .title = title,
                  .x = {.label = "epoch", .lo = 0, .hi = last + std::max(0.3, 0.13 * last), .whole = true},
                  .y = accuracyAxis(s),
                  .fit = Fit::Given};
    for (Size l = s.result.trainedLayers.size(); l-- > 0;) {
        const double row = static_cast<double>(l);
        curves.curves.push_back({"layer", s.result.epochs, rowAt(accuracies.values, epochs, row), Role::Measurement,
                                 "*W*^{" + numberText(s.result.trainedLayers[l]) + "}", layerColor(s, l), 2.2, false, false,
                                 rowAt(accuracies.standardErrors, epochs, row), 0.13f});
    }
    return curves;
}

Curves learntFrom(const Seen& s) {
    Curves curves = overEpochs(s, "train", "samples learnt from", s.result.train);
    curves.more = [&s](PictureFrame& f, Plot& plot) {
        const auto known = countUp(lastKnown(s) + 1);
        scrub(f, plot, "train", {"epoch", "epoch", epochName(s), known, known, std::round(s.params.at)});
    };
    return curves;
}

Curves heldOut(const Seen& s) {
    Curves curves = overEpochs(s, "test", "samples held out", s.result.test);
    curves.now = static_cast<double>(shown(s));
    return curves;
}

void drawAtEpoch(const Seen& s, Plot& plot, const std::string& id, const Estimates& accuracies, const char* label, bool solid) {
    const Size epochs = s.result.epochs.size(), layers = s.result.trainedLayers.size();
    std::vector<double> values, low, high;
    for (Size at = shown(s); at < layers * epochs; at += epochs) {
        values.push_back(accuracies.values[at]);
        low.push_back(accuracies.values[at] - accuracies.standardErrors[at]);
        high.push_back(accuracies.values[at] + accuracies.standardErrors[at]);
    }
    const Color color = solid ? s.f.theme.text : s.f.theme.muted;
    plot.band(id + "/error", s.result.trainedLayers, low, high, color.withAlpha(0.16f));
    plot.line(id, s.result.trainedLayers, values, {color, Dash::Solid, 1.8, label});
    for (Size l = 0; l < layers; ++l)
        plot.markers(id + "/layer", {&s.result.trainedLayers[l], 1}, {&values[l], 1}, {layerColor(s, l), Dash::Solid, 1, ""},
                     solid ? MarkerShape::Circle : MarkerShape::Square, 4.6);
}

/// Both accuracies against the trained layer, at the epoch that stands out.
void drawOrder(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const double last = r.trainedLayers.back();
    Plot plot =
        plotIn(s.f, "order", rect,
               {.label = "*l* of the weights *W*^{(*l*)} trained", .lo = 0.7, .hi = last + std::max(0.4, 0.14 * last), .whole = true},
               accuracyAxis(s));
    drawAtEpoch(s, plot, "order/test", r.test, "held out", false);
    drawAtEpoch(s, plot, "order/train", r.train, "learnt from", true);
    std::string title = epochName(s);
    if (rect.width() > 420 && shown(s) == lastKnown(s) && last > 1)
        title += ": " + numberText(r.inversionsTrain, 3) + " and " + numberText(r.inversionsTest, 3) + " of " + numberText(last - 1, 3) +
                 " neighbours out of order";
    finishPlot(s.f, plot, "order", title);
}

Layout layout(const Seen& s) {
    return Layout::rows({Layout::columns({s.panel(0, {220, 150}, learntFrom(s)), s.panel(2, {220, 150}, heldOut(s))}).share(1.5),
                         s.panel(1, {220, 150}, [&s](Rect rect) { drawOrder(s, rect); })});
}

}  // namespace
}  // namespace remaining_depth

PictureEntry remaining_depth_picture() { return tablePicture<remaining_depth::kScene, remaining_depth::layout>(); }

}  // namespace kappaflow

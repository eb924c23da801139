// Accuracy over the epochs, and against the trained layer.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/remaining_depth/picture_view.h"

namespace kappaflow::remaining_depth {
namespace {

double errorOf(const Array& array, std::size_t layer, std::size_t epoch) {
    return array.standardError.empty() ? 0 : array.standardError[layer * array.rowLength() + epoch];
}

/// From a little below chance to a little above the best.
AxisSpec accuracyAxis(const View& view) {
    double lo = 1, hi = 0;
    for (const Array* array : {view.train, view.test})
        for (const double value : array->values)
            if (!std::isnan(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    return {.label = "named rightly", .lo = std::max(0.0, lo - 0.04), .hi = std::min(1.04, hi * 1.06 + 0.02)};
}

void offerEpoch(PictureFrame& f, const View& view, Plot& plot, const std::string& id) {
    const double now = static_cast<double>(view.now);
    plot.vertical(id + "/now", now, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.3, ""});
    if (id != "train" || view.known == 0) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(now, 0).x;
    const Handle handle{"epoch",
                        "epoch",
                        "epoch " + numberText(now, 4),
                        now,
                        0,
                        static_cast<double>(view.known),
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return std::round(plot.toData(p).x); });
    drawKnob(f, "train/knob", {x, inner.hi.y - 7}, grip);
    if (!grip.moved) return;
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", std::round(grip.value)));
}

void drawBoth(PictureFrame& f, const View& view, Plot& plot, const Array& array, const std::string& id, const char* label, bool solid) {
    std::vector<double> layers, values, low, high;
    for (std::size_t l = 0; l < view.layers; ++l) {
        const double value = array.row(l)[view.now], error = errorOf(array, l, view.now);
        layers.push_back(view.weightLayer(l));
        values.push_back(value);
        low.push_back(value - error);
        high.push_back(value + error);
    }
    const Color color = solid ? f.theme.text : f.theme.muted;
    plot.band(id + "/error", layers, low, high, color.withAlpha(0.16f));
    plot.line(id, layers, values, {color, Dash::Solid, 1.8, label});
    for (std::size_t l = 0; l < view.layers; ++l) {
        const double x[] = {layers[l]}, y[] = {values[l]};
        plot.markers(id + "/layer", x, y, {layerColor(f.theme, l, view.layers), Dash::Solid, 1, ""},
                     solid ? MarkerShape::Circle : MarkerShape::Square, 4.6);
    }
}

std::string orderTitle(const PictureFrame& f, const View& view, bool wide) {
    const Scalar *train = f.report.scalar("inversionsTrain"), *test = f.report.scalar("inversionsTest");
    const std::string epoch = "epoch " + numberText(static_cast<double>(view.now), 4);
    if (!wide || !train || !test || view.now != view.known || view.layers < 2) return epoch;
    return epoch + ": " + numberText(train->value, 3) + " and " + numberText(test->value, 3) + " of " +
           numberText(static_cast<double>(view.layers - 1), 3) + " neighbours out of order";
}

}  // namespace

void drawEpochs(PictureFrame& f, const View& view, const Array& array, const char* id, const char* title, Rect rect) {
    const std::string name = id;
    const double last = static_cast<double>(view.epochs);
    Plot plot(f.painter, f.theme, id, rect, {.label = "epoch", .lo = 0, .hi = last + std::max(0.3, 0.13 * last), .whole = true},
              accuracyAxis(view), zoomOf(f, name));
    const std::vector<double> epochs = countUp(view.epochs + 1);
    for (std::size_t l = view.layers; l-- > 0;) {
        const std::span row(array.row(l), view.epochs + 1);
        const Color color = layerColor(f.theme, l, view.layers);
        std::vector<double> low, high;
        for (std::size_t e = 0; e <= view.epochs; ++e) {
            low.push_back(row[e] - errorOf(array, l, e));
            high.push_back(row[e] + errorOf(array, l, e));
        }
        plot.band(name + "/error", epochs, low, high, color.withAlpha(0.13f));
        plot.line(name + "/layer", epochs, row, {color, Dash::Solid, 2.2, "*W*^{" + numberText(view.weightLayer(l)) + "}"});
    }
    offerEpoch(f, view, plot, name);
    finishPlot(f, plot, name, title);
}

void drawOrder(PictureFrame& f, const View& view, Rect rect) {
    const double last = static_cast<double>(view.layers);
    Plot plot(f.painter, f.theme, "order", rect,
              {.label = "*l* of the weights *W*^{(*l*)} trained", .lo = 0.7, .hi = last + std::max(0.4, 0.14 * last), .whole = true},
              accuracyAxis(view), zoomOf(f, "order"));
    drawBoth(f, view, plot, *view.test, "order/test", "held out", false);
    drawBoth(f, view, plot, *view.train, "order/train", "learnt from", true);
    finishPlot(f, plot, "order", orderTitle(f, view, rect.width() > 420));
}

}  // namespace kappaflow::remaining_depth

// The panels: layers across and steps in colour; accuracy over the steps.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/training_tradeoff/picture_view.h"

namespace kappaflow::training_tradeoff {
namespace {

/// Of both panels together, so that they compare at a glance.
AxisSpec valueAxis(const View& view) {
    double lo = 1e300, hi = 0;
    for (const Array* array : {view.samples, view.random})
        for (const double value : array->values)
            if (value > 1e-9) lo = std::min(lo, value), hi = std::max(hi, value);
    if (!(hi > 0)) lo = hi = 1;
    return {.label = view.transitions ? "transitions in the layer" : "length *l*_{*d*} of the arc's image",
            .lo = lo / 1.25,
            .hi = hi * 1.5,
            .scale = Scale::Log};
}

/// Layers from the first with a value on a logarithmic axis.
std::size_t firstLayer(const View& view) { return view.transitions ? 1 : 0; }

void drawLook(Plot& plot, const View& view, const Array& array, const std::string& id, std::size_t look, const Series& series) {
    std::vector<double> layers, values;
    for (std::size_t l = firstLayer(view); l <= view.layers; ++l) {
        layers.push_back(static_cast<double>(l));
        values.push_back(array.row(look)[l]);
    }
    plot.line(id, layers, values, series);
}

/// Mean ± its standard error over arcs, and the line of the step that stands out.
void drawNow(PictureFrame& f, Plot& plot, const View& view, const Array& array, const std::string& id) {
    const Color color = stepColor(f.theme, view.stepNow(), view.last);
    std::vector<double> layers, low, high, values;
    for (std::size_t l = firstLayer(view); l <= view.layers; ++l) {
        const std::size_t i = view.now * array.rowLength() + l;
        const double error = array.standardError.empty() ? 0 : array.standardError[i];
        layers.push_back(static_cast<double>(l));
        values.push_back(array.values[i]);
        low.push_back(std::max(array.values[i] - error, 0.5 * array.values[i]));
        high.push_back(array.values[i] + error);
    }
    plot.band(id + "/error", layers, low, high, color.withAlpha(0.22f));
    plot.line(id + "/rim", layers, values, {f.theme.ground, Dash::Solid, 6, ""});
    const std::string name = view.now == 0 ? "before" : "step " + numberText(view.stepNow(), 6);
    plot.line(id + "/now", layers, values, {color, Dash::Solid, 3.2, name});
    plot.markers(id + "/now", layers, values, {color, Dash::Solid, 1, ""}, MarkerShape::Circle, 4);
}

std::size_t nearestLook(const View& view, double step) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < view.looks; ++i)
        if (std::abs(view.step(i) - step) < std::abs(view.step(best) - step)) best = i;
    return best;
}

/// Arrow keys go from look to look, which do not lie evenly.
void offerStep(PictureFrame& f, const View& view, Plot& plot) {
    const double x = plot.toScreen(view.stepNow(), 0.5).x, last = static_cast<double>(view.looks - 1);
    plot.vertical("accuracy/now", view.stepNow(), {f.theme.accent.withAlpha(0.6f), Dash::Solid, 1.4, ""});
    if (view.looks < 2) return;
    const Rect inner = plot.inner();
    const Handle handle{"step",
                        "training step",
                        "step " + numberText(view.stepNow(), 6),
                        static_cast<double>(view.now),
                        0,
                        last,
                        1,
                        {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return static_cast<double>(nearestLook(view, plot.toData(p).x)); });
    drawKnob(f, "accuracy/knob", {x, inner.hi.y - 7}, grip);
    if (!grip.moved) return;
    const auto look = static_cast<std::size_t>(std::clamp(std::round(grip.value), 0.0, last));
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(Change::param("at", view.step(look)));
}

std::string accuracyTitle(const View& view) {
    const auto percent = [&](const Array* array) { return numberText(100 * array->values[view.now], 3) + " %"; };
    return (view.now == 0 ? std::string("before training") : "step " + numberText(view.stepNow(), 6)) + ": " + percent(view.learnt) +
           " learnt, " + percent(view.held) + " of new ones";
}

}  // namespace

void drawLayerCurves(PictureFrame& f, const View& view, const Array& array, const char* id, const char* title, Rect rect) {
    const std::string name = id;
    const double n = static_cast<double>(view.layers), first = static_cast<double>(firstLayer(view));
    Plot plot(f.painter, f.theme, id, rect,
              {.label = "hidden layer *d*", .lo = first - 0.15, .hi = n + std::max(0.3, 0.17 * (n - first)), .whole = true},
              valueAxis(view), zoomOf(f, name));
    for (std::size_t i = view.looks; i-- > 0;) {
        const bool first = i == 0;
        if (i != view.now)
            drawLook(plot, view, array, name + "/step", i,
                     {stepColor(f.theme, view.step(i), view.last), Dash::Solid, first ? 2.6 : 1.4, first ? "before" : ""});
    }
    drawNow(f, plot, view, array, name);
    finishPlot(f, plot, name, title);
}

void drawAccuracy(PictureFrame& f, const View& view, Rect rect) {
    const auto& steps = view.samples->axes[0].values;
    Plot plot(f.painter, f.theme, "accuracy", rect, {.label = "training step *t*", .lo = 0, .hi = view.last * 1.02, .whole = true},
              {.label = "named rightly", .lo = 0, .hi = 1.04}, zoomOf(f, "accuracy"));
    plot.line("accuracy/held", steps, view.held->values, {f.theme.muted, Dash::Solid, 1.6, "held out"});
    plot.line("accuracy/learnt", steps, view.learnt->values, {f.theme.text, Dash::Solid, 1.8, "learnt from"});
    for (std::size_t i = 0; i < view.looks; ++i) {
        const double x[] = {steps[i]}, y[] = {view.learnt->values[i]};
        plot.markers("accuracy/look", x, y, {stepColor(f.theme, steps[i], view.last), Dash::Solid, 1, ""}, MarkerShape::Circle,
                     i == view.now ? 6 : 3.6);
    }
    offerStep(f, view, plot);
    finishPlot(f, plot, "accuracy", accuracyTitle(view));
}

}  // namespace kappaflow::training_tradeoff

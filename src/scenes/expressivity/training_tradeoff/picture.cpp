// Effect of training (survey Figs 4–5): lengths or transitions layer by layer, one line a training step, between samples and between random
// points; accuracy beside them.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/picture.h"

namespace kappaflow {
namespace training_tradeoff {
namespace {

/// What the panels read.
struct View {
    const Array *samples, *random;  ///< lengths, or transitions
    const Array *learnt, *held;     ///< curves over the steps
    bool transitions = false;
    std::size_t looks = 0, now = 0, layers = 0;  ///< steps looked at, the one that stands out, hidden layers
    double last = 1;                             ///< step that the run goes to

    double step(std::size_t look) const { return samples->axes[0].values[look]; }
    double stepNow() const { return step(now); }
};

// The panels: layers across and steps in colour; accuracy over the steps.

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

/// From red before training to purple at its end, evenly in the logarithm of the step; legible on either ground.
Color stepColor(const Theme& theme, double step, double last) {
    const double share = std::log1p(step / 10) / std::log1p(std::max(last, 1.0) / 10);
    // Hues from red through orange to purple the short way round would pass nothing between: through green and blue they are told apart.
    const double hue = 30 + 280 * share;
    return theme.dark ? fromLch(68, 62, hue) : fromLch(54 - 8 * share, 66, hue);
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

/// Every step's lengths or transitions layer by layer.
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

/// Accuracy over the steps, whose points are the key to the colours; the step that stands out can be dragged.
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

bool readView(const PictureFrame& f, View& view) {
    view.transitions = f.state.params.is("show", "transitions");
    const std::pair<const Array**, const char*> needed[] = {{&view.samples, view.transitions ? "transitions" : "length"},
                                                            {&view.random, view.transitions ? "transitionsRandom" : "lengthRandom"},
                                                            {&view.learnt, "accuracy"},
                                                            {&view.held, "testAccuracy"}};
    for (const auto& [array, name] : needed)
        if (!(*array = f.report.array(name))) return false;
    view.looks = view.samples->axes[0].size();
    view.layers = view.samples->axes[1].size() - 1;
    view.last = std::max(f.report.params.number("steps"), view.step(view.looks - 1));
    const double at = f.state.params.number("at");
    for (std::size_t i = 0; i < view.looks; ++i)
        if (std::abs(view.step(i) - at) <= std::abs(view.stepNow() - at)) view.now = i;
    return true;
}

void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawLayerCurves(f, view, *view.samples, "samples", "between samples", a);
    const double split = a.lo.y + a.height() * 0.58;
    drawLayerCurves(f, view, *view.samples, "samples", "between samples", {a.lo, {a.hi.x, split - 4}});
    drawAccuracy(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const bool tall = a.height() > 420;
    const double middle = a.lo.x + a.width() / 2, split = tall ? a.lo.y + a.height() * 0.62 : a.hi.y;
    drawLayerCurves(f, view, *view.samples, "samples", "between two samples", {{a.lo.x, a.lo.y + 4}, {middle - 6, split - 4}});
    drawLayerCurves(f, view, *view.random, "random", "between two random points", {{middle + 6, a.lo.y + 4}, {a.hi.x, split - 4}});
    if (tall) drawAccuracy(f, view, {{a.lo.x, split + 4}, a.hi});
}

class TradeoffPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The network is about to be trained.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace training_tradeoff

PictureEntry training_tradeoff_picture() {
    return {"training-tradeoff", [] { return std::unique_ptr<Picture>(std::make_unique<training_tradeoff::TradeoffPicture>()); }};
}

}  // namespace kappaflow

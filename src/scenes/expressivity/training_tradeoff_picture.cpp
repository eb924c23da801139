// Effect of training (survey Figs 4–5): lengths or transitions layer by layer, one line a training step, between samples and between random
// points; accuracy beside them.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/expressivity/training_tradeoff.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace training_tradeoff {
namespace {

using Size = std::size_t;
using Seen = Sight<Params, Result>;

bool transitions(const Seen& s) { return s.params.show == Show::Transitions; }
const Estimates& betweenSamples(const Seen& s) { return transitions(s) ? s.result.transitions : s.result.length; }
const Estimates& betweenRandom(const Seen& s) { return transitions(s) ? s.result.transitionsRandom : s.result.lengthRandom; }

/// The look nearest to the step that stands out.
Size shown(const Seen& s) {
    const auto& looks = s.result.looks;
    Size nearest = 0;
    for (Size i = 0; i < looks.size(); ++i)
        if (std::abs(looks[i] - s.params.at) <= std::abs(looks[nearest] - s.params.at)) nearest = i;
    return nearest;
}
std::string stepName(const Seen& s) { return "step " + numberText(s.result.looks[shown(s)], 6); }
/// Step that the run goes to.
double lastStep(const Seen& s) { return std::max(1.0 * s.asked.steps, s.result.looks.back()); }

/// From red before training to purple at its end, evenly in the logarithm of the step; legible on either ground.
Color stepColor(const Seen& s, Size look) {
    const double share = std::log1p(s.result.looks[look] / 10) / std::log1p(std::max(lastStep(s), 1.0) / 10);
    // Hues from red through orange to purple the short way round would pass nothing between: through green and blue they are told apart.
    const double hue = 30 + 280 * share;
    return s.f.theme.dark ? fromLch(68, 62, hue) : fromLch(54 - 8 * share, 66, hue);
}

/// Of both panels together, so that they compare at a glance.
AxisSpec valueAxis(const Seen& s) {
    double lo = 1e300, hi = 0;
    for (const auto* panel : {&betweenSamples(s), &betweenRandom(s)})
        for (const double value : panel->values)
            if (value > 1e-9) lo = std::min(lo, value), hi = std::max(hi, value);
    if (!(hi > 0)) lo = hi = 1;
    return {.label = transitions(s) ? "transitions in the layer" : "length *l*_{*d*} of the arc's image",
            .lo = lo / 1.25,
            .hi = hi * 1.5,
            .scale = Scale::Log};
}

/// Every step's lengths or transitions layer by layer; on top the step that stands out, ± its standard error over arcs.
Curves byLayer(const Seen& s, const std::string& id, const char* title, const Estimates& means) {
    const auto &looks = s.result.looks, &layers = s.result.layers;
    // Transitions begin behind the first layer.
    const auto first = transitions(s) ? 1 : 0;
    const double n = layers.back();
    const std::vector<double> x(layers.begin() + first, layers.end());
    const auto row = [&](const std::vector<double>& rows, Size look) {
        auto all = rowAt(rows, layers.size(), static_cast<double>(look));
        all.erase(all.begin(), all.begin() + first);
        return all;
    };
    Curves curves{.id = id,
                  .title = title,
                  .x = {.label = "hidden layer *d*", .lo = first - 0.15, .hi = n + std::max(0.3, 0.17 * (n - first)), .whole = true},
                  .y = valueAxis(s),
                  .fit = Fit::Given};
    const Size now = shown(s);
    for (Size i = looks.size(); i-- > 0;)
        if (i != now)
            curves.curves.push_back(
                {"step", x, row(means.values, i), Role::Measurement, i == 0 ? "before" : "", stepColor(s, i), i == 0 ? 2.6 : 1.4});
    const std::vector<double> values = row(means.values, now), error = row(means.standardErrors, now);
    curves.more = [&s, id, x, values, error, now](PictureFrame& f, Plot& plot) {
        const Color color = stepColor(s, now);
        std::vector<double> low, high;
        for (Size i = 0; i < x.size(); ++i) {
            low.push_back(std::max(values[i] - error[i], 0.5 * values[i]));
            high.push_back(values[i] + error[i]);
        }
        plot.band(id + "/error", x, low, high, color.withAlpha(0.22f));
        plot.line(id + "/rim", x, values, {f.theme.ground, Dash::Solid, 6, ""});
        plot.line(id + "/now", x, values, {color, Dash::Solid, 3.2, now == 0 ? "before" : stepName(s)});
        plot.markers(id + "/now", x, values, {color, Dash::Solid, 1, ""}, MarkerShape::Circle, 4);
    };
    return curves;
}

/// Accuracy over the steps, whose points are the key to the colours; the step that stands out can be dragged.
Curves accuracy(const Seen& s) {
    const Result& r = s.result;
    const Size now = shown(s);
    const auto percent = [&](const std::vector<double>& shares) { return numberText(100 * shares[now], 3) + " %"; };
    Curves curves{.id = "accuracy",
                  .title = (now == 0 ? "before training" : stepName(s)) + ": " + percent(r.accuracy) + " learnt, " +
                           percent(r.testAccuracy) + " of new ones",
                  .x = {.label = "training step *t*", .lo = 0, .hi = lastStep(s) * 1.02, .whole = true},
                  .y = {.label = "named rightly", .lo = 0, .hi = 1.04},
                  .fit = Fit::Given};
    curves.curves = {{"held", r.looks, r.testAccuracy, Role::Measurement, "held out", s.f.theme.muted, 1.6},
                     {"learnt", r.looks, r.accuracy, Role::Measurement, "learnt from", s.f.theme.text, 1.8}};
    curves.more = [&s, &r, now](PictureFrame& f, Plot& plot) {
        for (Size i = 0; i < r.looks.size(); ++i)
            plot.markers("accuracy/look", {&r.looks[i], 1}, {&r.accuracy[i], 1}, {stepColor(s, i), Dash::Solid, 1, ""}, MarkerShape::Circle,
                         i == now ? 6 : 3.6);
        scrub(f, plot, "accuracy", {"step", "training step", stepName(s), r.looks, r.looks, r.looks[now]});
    };
    return curves;
}

Layout layout(const Seen& s) {
    return Layout::rows({Layout::columns({s.panel(0, {220, 150}, byLayer(s, "samples", "between two samples", betweenSamples(s))),
                                          s.panel(2, {220, 150}, byLayer(s, "random", "between two random points", betweenRandom(s)))})
                             .share(1.6),
                         s.panel(1, {220, 150}, accuracy(s))});
}

}  // namespace
}  // namespace training_tradeoff

PictureEntry training_tradeoff_picture() { return tablePicture<training_tradeoff::kScene, training_tradeoff::layout>(); }

}  // namespace kappaflow

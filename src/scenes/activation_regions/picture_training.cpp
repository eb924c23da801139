// What training adds: the points over the partition, and loss and accuracy with the handle that scrubs through the steps.
#include "scenes/activation_regions/picture_training.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::regions {
namespace {

/// Colours of the classes, far apart. Where regions are filled by the output, positive values are orange: so is the class that they speak
/// for, the second of two, the first of more.
Color classColor(const Theme& theme, std::size_t c, bool two) {
    constexpr std::size_t kOrder[] = {1, 0, 2, 3, 5, 6, 4, 7};
    return theme.series[kOrder[two ? 1 - c : c % 8]];
}

double lastStep(const Array& loss) { return loss.axes[0].values.back(); }

double stepNow(const PictureFrame& f, const Array& loss) { return std::clamp(f.state.params.number("step"), 0.0, lastStep(loss)); }

/// The step by hand: along the curve, or by arrow keys from one point of the curve to the next.
void offerStep(PictureFrame& f, Plot& plot, const Array& loss) {
    const double now = stepNow(f, loss), last = lastStep(loss), x = plot.toScreen(now, 1).x;
    const double half = std::min(12.0, Handles::kKnob / 2);
    const auto& steps = loss.axes[0].values;
    const auto grip = f.handles.offer({"step",
                                       "training step",
                                       inWords(now, 6),
                                       now,
                                       0,
                                       last,
                                       steps.size() > 1 ? steps[1] : 1,
                                       {{x - half, plot.inner().lo.y}, {x + half, plot.inner().hi.y}}},
                                      [&](Vec2) {
                                          return std::round(plot.toData({f.handles.pointer().at.x, 0}).x);
                                      });
    if (grip.moved) f.changes.push_back(Change::param("step", std::round(grip.value)));
    const bool lively = grip.hovered || grip.held || grip.focused;
    plot.vertical("training/now", now, {f.theme.accent.withAlpha(lively ? 1.0f : 0.7f), Dash::Solid, lively ? 2.4 : 1.6, ""});
    if (!f.kept) f.painter.marker("training/grip", {x, plot.inner().hi.y}, lively ? 6 : 4.5, MarkerShape::Circle, f.theme.accent);
}

/// Losses beyond this, as a badly drawn network's first ones, are cut off: accuracy would be squeezed.
constexpr double kMostLoss = 2.5;

double highestLoss(const std::vector<double>& losses) {
    double most = 1.04;
    for (const double loss : losses)
        if (std::isfinite(loss)) most = std::max(most, loss);
    return std::min(most, kMostLoss);
}

}  // namespace

void drawSamples(PictureFrame& f, const Stage& stage) {
    const Array *points = f.report.array("samplePoints"), *classes = f.report.array("sampleClass");
    if (!points || !classes) return;
    const std::size_t samples = classes->values.size();
    const double radius = std::clamp(stage.square.width() / (samples > 300 ? 190 : 150), 1.6, 4.0);
    const bool two = largest(classes->values, 0) < 2;
    std::vector<PointMark> rims, marks;
    for (std::size_t s = 0; s < samples; ++s) {
        const Vec2 at = stage.toScreen({points->row(s)[0], points->row(s)[1]});
        if (!stage.square.contains(at)) continue;
        rims.push_back({at, radius + 1.2, f.theme.ground});
        marks.push_back({at, radius, classColor(f.theme, static_cast<std::size_t>(classes->values[s]), two)});
    }
    f.painter.points("samples/rim", rims);
    f.painter.points("samples", marks);
}

bool drawTraining(PictureFrame& f, Rect panel) {
    const Array *loss = f.report.array("loss"), *accuracy = f.report.array("accuracy");
    if (!loss || !accuracy) return false;
    const auto& steps = loss->axes[0].values;
    Plot plot(f.painter, f.theme, "training", panel, {.label = "training step *t*", .lo = 0, .hi = lastStep(*loss), .whole = true},
              {.label = "loss, accuracy", .lo = 0, .hi = highestLoss(loss->values)}, zoomOf(f, "training"));
    plot.line("training/accuracy", steps, accuracy->values, {f.theme.series[2], Dash::Solid, 2, "accuracy"});
    plot.line("training/loss", steps, loss->values, {f.theme.series[0], Dash::Solid, 2.2, "loss"});
    offerStep(f, plot, *loss);
    const Scalar *now = f.report.scalar("trainingLoss"), *right = f.report.scalar("trainingAccuracy"),
                 *made = f.report.scalar("trainedSteps");
    const double x[] = {made->value, made->value}, y[] = {right->value, now ? now->value : right->value};
    plot.markers("training/here", x, y, {f.theme.accent, Dash::Solid, 2, ""}, MarkerShape::Circle, 4);
    finishPlot(f, plot, "training",
               "step " + inWords(made->value, 6) + ": " + inWords(100 * right->value) + " % right" +
                   (now ? ", loss " + inWords(now->value, 2) : std::string()));
    return true;
}

}  // namespace kappaflow::regions

// Loss and accuracy with the handle that scrubs through the steps.
#include "scenes/expressivity/picture_learning.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::learning_curve {
namespace {

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

/// Room for every loss, unless single ones, as a badly drawn network's first, lie far beyond the rest: nineteen in twenty are then below
/// half of the axis, and the others leave it.
double highestLoss(std::vector<double> losses) {
    losses.erase(std::remove_if(losses.begin(), losses.end(), [](double loss) { return !std::isfinite(loss); }), losses.end());
    if (losses.empty()) return 1.04;
    std::sort(losses.begin(), losses.end());
    const double most = losses.back(), common = losses[(losses.size() - 1) * 19 / 20];
    return std::max(1.04, 1.04 * std::min(most, 2 * common));
}

}  // namespace

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

}  // namespace kappaflow::learning_curve

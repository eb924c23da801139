// A model beside its task (P2 Fig 14): coefficients and autocovariance, and their errors, absolute and relative.
#include <algorithm>
#include <cmath>

#include "scenes/linear_models/picture_view.h"

namespace kappaflow::linear {
namespace {

/// A quantity of every lag, of the model and of the task.
struct Pair {
    const char *id, *name, *error, *relative;
    Scale scale;
    std::vector<double> model, task;
};

std::vector<double> lagsFromOne(std::size_t n) {
    std::vector<double> lags = countUp(n);
    for (double& lag : lags) ++lag;
    return lags;
}

/// Newest at the right; the recent past is where things happen, hence in decades.
AxisSpec lagAxis(const std::vector<double>& x) {
    return {.label = "lag *τ* + 1", .lo = 0.85, .hi = std::max(x.back() * 1.15, 2.0), .scale = Scale::Log, .reversed = true};
}

AxisSpec range(const Pair& pair) {
    double lo = 0, hi = 1e-3;
    for (const auto* values : {&pair.model, &pair.task})
        for (const double value : *values)
            if (std::isfinite(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    return {.label = pair.name, .lo = lo - 0.06 * (hi - lo), .hi = hi + 0.1 * (hi - lo), .scale = pair.scale};
}

void drawTogether(PictureFrame& f, const Pair& pair, Rect rect, const std::string& title) {
    const std::string id = std::string(pair.id);
    const auto x = lagsFromOne(pair.task.size());
    Plot plot(f.painter, f.theme, id, rect, lagAxis(x), range(pair), zoomOf(f, id));
    plot.line(id + "/measured", x, pair.model, {capacityColor(f.theme), Dash::Solid, 2.4, "model"});
    plot.line(id + "/theory", x, pair.task, {f.theme.theory, Dash::Dashed, 1.8, "target"});
    finishPlot(f, plot, id, title);
}

void drawError(PictureFrame& f, const Pair& pair, Rect rect, bool relative, const std::string& title) {
    const std::string id = std::string(pair.id) + (relative ? "-relative" : "-error");
    const auto x = lagsFromOne(pair.task.size());
    std::vector<double> error(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        error[i] = std::abs(pair.model[i] - pair.task[i]);
        if (relative) error[i] = pair.task[i] == 0 ? std::nan("") : error[i] / std::abs(pair.task[i]);
    }
    Plot plot(f.painter, f.theme, id, rect, lagAxis(x), decades(relative ? pair.relative : pair.error, error, 1e-17), zoomOf(f, id));
    plot.line(id + "/measured", x, error, {f.theme.series[1], Dash::Solid, 1.8, ""});
    plot.markers(id + "/measured", x, error, {f.theme.series[1], Dash::Solid, 1, ""}, MarkerShape::Circle, 2);
    finishPlot(f, plot, id, title);
}

/// Share `at` of `count` places beside each other.
Rect cell(Rect a, int column, int columns, int row, int rows) {
    const double w = a.width() / columns, h = a.height() / rows;
    return Rect{{a.lo.x + w * column, a.lo.y + h * row}, {a.lo.x + w * (column + 1), a.lo.y + h * (row + 1)}}.inset(2, 2, 8, 6);
}

}  // namespace

void drawFit(PictureFrame& f, const View& view, Rect rect) {
    const Pair coefficients{"coefficients",         "*a_{τ}*",    "|Δ*a_{τ}*|",
                            "|Δ*a_{τ}*|/|*a_{τ}*|", Scale::Asinh, rowAt(*view.coefficients, view.index),
                            view.target->values};
    const Pair covariance{"covariance",
                          "*c_{τ}*",
                          "|Δ*c_{τ}*|",
                          "|Δ*c_{τ}*|/|*c_{τ}*|",
                          Scale::Linear,
                          rowAt(*view.generated, view.index),
                          view.autocovariance->values};
    drawFacts(f, view, {rect.lo + Vec2{10, 2}, {rect.hi.x, rect.lo.y + 24}});
    const Rect a{{rect.lo.x, rect.lo.y + 26}, rect.hi};
    const bool unstable = std::isnan(covariance.model.front());
    const std::string model = unstable ? "autocovariance: the model is unstable" : "autocovariance";
    const int columns = a.width() >= 700 ? 3 : a.width() >= 460 ? 2 : 1, rows = a.height() >= 260 ? 2 : 1;
    drawTogether(f, coefficients, cell(a, 0, columns, 0, rows), "coefficients, " + view.placeName());
    if (columns > 1) drawError(f, coefficients, cell(a, 1, columns, 0, rows), false, "absolute error");
    if (columns > 2) drawError(f, coefficients, cell(a, 2, columns, 0, rows), true, "relative error");
    if (rows == 1) return;
    if (columns == 1) return drawError(f, coefficients, cell(a, 0, 1, 1, 2), false, "absolute error");
    drawTogether(f, covariance, cell(a, 0, columns, 1, rows), model);
    drawError(f, covariance, cell(a, 1, columns, 1, rows), false, "absolute error");
    if (columns > 2) drawError(f, covariance, cell(a, 2, columns, 1, rows), true, "relative error");
}

}  // namespace kappaflow::linear

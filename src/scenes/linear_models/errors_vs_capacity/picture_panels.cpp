#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/errors_vs_capacity/picture_view.h"

namespace kappaflow::errors_vs_capacity {
namespace {

using Size = std::size_t;

void drawBand(Plot& plot, std::string_view id, const Side& side, const std::vector<double>& mean, const std::vector<double>& deviation,
              Color color) {
    std::vector<double> low, high;
    for (Size i = 0; i < mean.size(); ++i) {
        low.push_back(std::max(0.0, mean[i] - deviation[i]));
        high.push_back(mean[i] + deviation[i]);
    }
    plot.band(id, side.x, low, high, color.withAlpha(0.18f));
}

}  // namespace

void drawProfiles(PictureFrame& f, const View& v, const Side& side, bool lags, Rect rect) {
    const std::string id = lags ? "lags" : "components";
    const double n = static_cast<double>(side.x.size()), first = side.x.front();
    AxisSpec x{.label = lags ? "lag *τ*, the newest at the right" : "eigenvector of Σ, largest variance first",
               .lo = first - 0.5,
               .hi = first + n - 0.5,
               .whole = true,
               .reversed = lags};
    Plot plot(f.painter, f.theme, id, rect, x, {.label = "share", .lo = 0, .hi = side.most}, zoomOf(f, id));
    drawBand(plot, id + "/error-band", side, side.error, side.errorStd, errorColor(f));
    drawBand(plot, id + "/bound-band", side, side.bound, side.boundStd, boundColor(f));
    if (v.counted > 1.001) {
        const double* newest = side.errors->row(v.newest());
        const std::vector<double> one(newest, newest + side.x.size());
        plot.line(id + "/newest", side.x, one, {errorColor(f).withAlpha(0.35f), Dash::Solid, 1, ""});
    }
    plot.line(id + "/error", side.x, side.error, {errorColor(f), Dash::Solid, 2, "squared error"});
    plot.line(id + "/bound", side.x, side.bound, {boundColor(f), Dash::Dotted, 2.4, "1 − *κ*"});
    finishPlot(f, plot, id, (lags ? "along lags: " : "along eigenvectors: ") + correlationText(v.correlation(side)));
}

void drawScatter(PictureFrame& f, const View& v, Rect rect) {
    const double right = std::max(largest(v.lags.bound, 1e-9), largest(v.components.bound, 1e-9)) * 1.12,
                 top = std::max(largest(v.lags.error, 1e-9), largest(v.components.error, 1e-9)) * 1.12;
    Plot plot(f.painter, f.theme, "scatter", rect, {.label = "bound 1 − *κ*, its share", .lo = 0, .hi = right},
              {.label = "squared error, its share", .lo = 0, .hi = top}, zoomOf(f, "scatter"));
    const double end = std::min(right, top), diagonal[] = {0, end};
    plot.line("scatter/theory", diagonal, diagonal, {f.theme.theory, Dash::Dashed, 1.6, "Eq 6"});
    plot.markers("scatter/lags", v.lags.bound, v.lags.error, {f.theme.muted, Dash::Solid, 1.4, ""}, MarkerShape::Cross, 3.2);
    plot.markers("scatter/components", v.components.bound, v.components.error, {errorColor(f), Dash::Solid, 1, ""}, MarkerShape::Circle,
                 3.4);
    finishPlot(f, plot, "scatter", rect.width() < 340 ? "● eigenvectors, × lags" : "mean error against bound: ● eigenvectors, × lags");
}

void drawCorrelations(PictureFrame& f, const View& v, Rect rect) {
    const auto& draws = v.optimality->axes[0].values;
    const double last = std::max(draws.back(), 2.0);
    Plot plot(f.painter, f.theme, "correlations", rect, {.label = "draws", .lo = 1, .hi = last, .whole = true},
              {.label = "correlation *r*", .lo = -1, .hi = 1});
    const double ends[] = {1, last}, zero[] = {0, 0};
    plot.line("correlations/zero", ends, zero, {f.theme.line, Dash::Solid, 1, ""});
    plot.line("correlations/lags", draws, v.lags.running->values, {f.theme.muted, Dash::Solid, 2, "lags"});
    plot.line("correlations/components", draws, v.components.running->values, {errorColor(f), Dash::Solid, 2, "eigenvectors"});
    plot.vertical("correlations/now", v.counted, {f.theme.accent, Dash::Solid, 1.2, ""});
    finishPlot(f, plot, "correlations", "as the draws arrive");
    const Rect inner = plot.inner();
    const double counted = std::round(v.counted);
    const auto grip =
        f.handles.offer({"counted", "draws counted", numberText(counted, 4), counted, 1, static_cast<double>(v.draws), 1, inner},
                        [&](Vec2 p) { return plot.toData(p).x; });
    if (grip.moved) {
        f.changes.push_back(Change::param("play", false));
        f.changes.push_back(Change::param("at", std::round(grip.value)));
    }
    if (f.kept) return;
    f.painter.marker("correlations/knob", {plot.toScreen(v.counted, 0).x, inner.hi.y - 8},
                     grip.hovered || grip.held || grip.focused ? 7.5 : 5.5, MarkerShape::Circle, f.theme.accent,
                     Stroke{f.theme.ground, 1.5});
}

}  // namespace kappaflow::errors_vs_capacity

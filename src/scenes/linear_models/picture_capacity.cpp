// Where the capacity goes: along lags, along a basis, as eigenvalues; and what it buys, the loss (P2 Fig 5).
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/linear_models/picture_view.h"

namespace kappaflow::linear {
namespace {

std::string basisName(const PictureFrame& f, bool wide) {
    const Values& v = f.report.params;
    if (v.is("basis", "fourier")) return wide ? "frequency (cosine and sine)" : "frequency";
    if (v.is("basis", "position")) return "lag *τ*";
    return wide ? "eigenvector of *Σ*, largest first" : "eigenvector of *Σ*";
}

/// A line for each frame of the timeline that is not the one shown; with steps only the first and the last.
template <class Draw>
void forOthers(const PictureFrame& f, const View& view, Draw&& draw) {
    for (std::size_t i = 0; i < view.places.size(); ++i) {
        if (i == view.nearest() || (view.steps && i > 0 && i + 1 < view.places.size())) continue;
        const double place = view.places[i];
        if (!view.steps && place != 1 && place != 2 && place != 4 && place < 8) continue;
        draw(i, Series{frameColor(f.theme, view, i).withAlpha(0.75f), Dash::Solid, 1.3,
                       view.steps ? (i == 0 ? "start" : "end") : numberText(place, 4)});
    }
}

std::span<const double> rowOf(const Array& array, std::size_t index) { return {array.row(index), array.rowLength()}; }

}  // namespace

LagScale drawCapacity(PictureFrame& f, const View& view, Rect rect, const std::string& otherName) {
    const double n = static_cast<double>(view.lags);
    Plot plot(f.painter, f.theme, "lags", rect, {.label = "lag *τ*", .lo = -0.6, .hi = n - 0.4, .whole = true, .reversed = true},
              {.label = "capacity *κ_{τ}*", .lo = 0, .hi = 1.12}, zoomOf(f, "lags"));
    const auto lags = countUp(view.lags);
    const auto now = rowAt(*view.capacity, view.index);
    const Color blue = capacityColor(f.theme);
    const double spacing = plot.toScreen(0, 0).x - plot.toScreen(1, 0).x;
    if (spacing > 3)
        plot.bars("lags/capacity", lags, now, 0.84, blue.withAlpha(0.6f));
    else
        plot.area("lags/capacity", lags, now, blue.withAlpha(0.45f));
    plot.horizontal("lags/bound", 1, {f.theme.muted, Dash::Dotted, 1.2, ""});
    forOthers(f, view, [&](std::size_t i, const Series& series) { plot.line("lags/others", lags, rowOf(*view.capacity, i), series); });
    if (view.other) plot.line("lags/compared", lags, view.other->values, {f.theme.series[1], Dash::Solid, 2.2, otherName});
    finishPlot(f, plot, "lags", rect.width() > 330 ? "capacity of every lag, " + view.placeName() : "capacity, " + view.placeName());
    return {plot.inner(), plot.toScreen(0, 0).x, spacing};
}

void drawBasis(PictureFrame& f, const View& view, Rect rect) {
    const auto now = rowAt(*view.inBasis, view.index);
    const auto x = countUp(now.size());
    const bool fourier = f.report.params.is("basis", "fourier"), lag = f.report.params.is("basis", "position");
    const double n = static_cast<double>(now.size()), top = fourier ? 2 : 1;
    Plot plot(f.painter, f.theme, "basis", rect,
              {.label = basisName(f, rect.width() > 260), .lo = -0.6, .hi = n - 0.4, .whole = true, .reversed = lag},
              {.label = "capacity", .lo = 0, .hi = 1.12 * top}, zoomOf(f, "basis"));
    const Color blue = capacityColor(f.theme);
    plot.area("basis/now", x, now, blue.withAlpha(0.25f));
    forOthers(f, view, [&](std::size_t i, const Series& series) { plot.line("basis/others", x, rowOf(*view.inBasis, i), series); });
    plot.line("basis/capacity", x, now, {blue, Dash::Solid, 2.2, ""});
    plot.horizontal("basis/bound", top, {f.theme.muted, Dash::Dotted, 1.2, ""});
    finishPlot(f, plot, "basis", fourier ? "capacity of every frequency" : lag ? "capacity of every lag" : "capacity along *Σ*");
}

void drawEigenvalues(PictureFrame& f, const View& view, Rect rect) {
    constexpr double kFloor = 1e-36;
    std::vector<double> x = countUp(view.lags);
    for (double& i : x) ++i;
    std::vector<double> all = view.eigenvalues->values;
    Plot plot(f.painter, f.theme, "eigenvalues", rect,
              {.label = "index *i*", .lo = 0, .hi = static_cast<double>(view.lags) + 1, .whole = true},
              decades("*λ_{i}*/*λ*_{1}", all, kFloor), zoomOf(f, "eigenvalues"));
    forOthers(f, view,
              [&](std::size_t i, const Series& series) { plot.line("eigenvalues/others", x, rowOf(*view.eigenvalues, i), series); });
    const Scalar* threshold = f.report.scalar("threshold");
    const bool asked =
        view.steps ? view.nearest() + 1 == view.places.size() : view.places[view.nearest()] == f.report.params.number("channels");
    if (asked && view.raw)
        plot.markers("eigenvalues/raw", x, view.raw->values, {f.theme.series[1].withAlpha(0.7f), Dash::Solid, 1, ""}, MarkerShape::Cross,
                     2.5);
    plot.markers("eigenvalues/now", x, rowOf(*view.eigenvalues, view.nearest()), {capacityColor(f.theme), Dash::Solid, 1, ""},
                 MarkerShape::Circle, 2.6);
    if (asked && threshold) plot.horizontal("eigenvalues/theory/threshold", threshold->value, {f.theme.theory, Dash::Dashed, 1.4, ""});
    finishPlot(f, plot, "eigenvalues",
               rect.width() > 260 ? "eigenvalues of *ΣJJ*^{T}*Σ*: " + numberText(view.of(view.rank), 4) + " not zero"
                                  : "eigenvalues of *ΣJJ*^{T}*Σ*");
}

namespace {

/// The upright line of the place shown, which is also the handle that scrubs.
void offerPlace(PictureFrame& f, const View& view, Plot& plot, double shift) {
    const double last = static_cast<double>(view.places.size() - 1);
    const Between b = between(view.index, view.places.size() - 1);
    const double place = view.places[b.below] + (view.places[b.above] - view.places[b.below]) * b.fraction;
    plot.vertical("loss/now", place + shift, {f.theme.accent.withAlpha(0.55f), Dash::Solid, 1.2, ""});
    if (last == 0) return;
    const Rect inner = plot.inner();
    const double x = plot.toScreen(place + shift, 1).x;
    const Handle handle{"place", view.steps ? "step shown" : "channels shown", view.placeName(), view.index, 0, last,
                        1,       {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) {
        const double at = plot.toData(p).x - shift;
        std::size_t below = 0;
        while (below + 2 < view.places.size() && view.places[below + 1] <= at) ++below;
        const double part = (at - view.places[below]) / (view.places[below + 1] - view.places[below]);
        return std::clamp(static_cast<double>(below) + part, 0.0, last);
    });
    drawKnob(f, "loss/knob", {x, inner.lo.y + 7}, grip);
    if (!grip.moved) return;
    const Between to = between(grip.value, view.places.size() - 1);
    f.changes.push_back(Change::param("play", false));
    f.changes.push_back(
        Change::param(view.steps ? "step" : "at", view.places[to.below] + (view.places[to.above] - view.places[to.below]) * to.fraction));
}

}  // namespace

void drawLoss(PictureFrame& f, const View& view, Rect rect) {
    // Steps count from 0, which has no logarithm.
    const double shift = view.steps ? 1 : 0;
    std::vector<double> x = view.places;
    for (double& place : x) place += shift;
    constexpr double kFloor = 1e-18;
    Plot plot(f.painter, f.theme, "loss", rect,
              {.label = view.steps ? "step + 1" : "channels *c*",
               .lo = x.front() / 1.2,
               .hi = std::max(x.back() * 1.2, x.front() * 2),
               .scale = Scale::Log},
              decades("loss", view.loss->values, kFloor), zoomOf(f, "loss"));
    plot.line("loss/measured", x, view.loss->values, {f.theme.series[2], Dash::Solid, 2, "loss"});
    std::vector<double> optimal = view.loss->values, other = view.loss->values;
    for (std::size_t i = 0; i < x.size(); ++i) (view.optimality->values[i] <= kOptimal ? other : optimal)[i] = std::nan("");
    plot.markers("loss/optimal", x, optimal, {f.theme.series[2], Dash::Solid, 1, ""}, MarkerShape::Circle, 4);
    plot.markers("loss/not-optimal", x, other, {f.theme.warning, Dash::Solid, 1, ""}, MarkerShape::Cross, 4);
    offerPlace(f, view, plot, shift);
    finishPlot(f, plot, "loss", view.optimal() ? "an optimum: *K*^{T}*X* = 0" : "no optimum: *K*^{T}*X* ≠ 0");
}

}  // namespace kappaflow::linear

// Errors and capacity (P2 Fig 6): mean squared error and the bound 1 − κ along lags and along eigenvectors, as draws are counted.
#include "scenes/linear_models/errors_vs_capacity.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace errors_vs_capacity {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

/// Mean and standard deviation over the draws counted.
struct Mean {
    Vector values, deviation;
};

/// Lags or components, averaged over the draws counted.
struct Averaged {
    const Side& side;
    const Vector& x;
    Mean bound, error;
    // Largest values that the plots have to hold, whatever is counted.
    double most = 0, mostBound = 1e-9, mostError = 0;
};

/// Draws counted, with the share of one that is gliding in.
double counted(const Seen& s) { return std::clamp(s.params.at, 1.0, static_cast<double>(s.result.draws.size())); }

Color errorColor(const Seen& s) { return s.f.theme.series[1]; }

/// "r = 0.88".
std::string correlationText(double r) { return std::isfinite(r) ? "*r* = " + fixedText(r, 2) : "*r* not defined"; }
double correlationOf(const Seen& s, const Side& side) { return side.correlationByDraws[static_cast<Size>(counted(s) + 0.5) - 1]; }

/// Of the first `counted` rows of so many numbers, the last one in part.
Mean averageOf(const Vector& rows, Size n, double counted) {
    Mean mean{Vector(n), Vector(n)};
    const Size last = static_cast<Size>(std::ceil(counted));
    const auto share = [&](Size draw) { return std::min(1.0, counted - static_cast<double>(draw)); };
    for (Size draw = 0; draw < last; ++draw)
        for (Size i = 0; i < n; ++i) mean.values[i] += share(draw) * rows[draw * n + i] / counted;
    for (Size draw = 0; draw < last; ++draw)
        for (Size i = 0; i < n; ++i) mean.deviation[i] += share(draw) * std::pow(rows[draw * n + i] - mean.values[i], 2);
    for (double& value : mean.deviation) value = std::sqrt(value / std::max(1.0, counted - 1));
    return mean;
}

Averaged average(const Seen& s, const Side& side, const Vector& x) {
    const Size n = x.size();
    Averaged a{side, x, {}, {}};
    // One axis from the first draws to the last: what moves is the mean, not its scale.
    const double draws = static_cast<double>(s.result.draws.size());
    for (const double few : {std::min(3.0, draws), draws}) {
        a.bound = averageOf(side.boundByDraw, n, few);
        a.error = averageOf(side.errorByDraw, n, few);
        a.mostBound = largest(a.bound.values, a.mostBound);
        a.mostError = largest(a.error.values, a.mostError);
    }
    a.most = std::max(a.mostBound, a.mostError);
    for (Size i = 0; i < n; ++i) a.most = std::max(a.most, a.error.values[i] + a.error.deviation[i]);
    a.most = std::min(1.0, a.most) * 1.12;
    a.bound = averageOf(side.boundByDraw, n, counted(s));
    a.error = averageOf(side.errorByDraw, n, counted(s));
    return a;
}

void drawBand(Plot& plot, std::string_view id, const Vector& x, const Mean& mean, Color color) {
    Vector low = mean.values, high = mean.values;
    for (Size i = 0; i < x.size(); ++i) low[i] = std::max(0.0, low[i] - mean.deviation[i]), high[i] += mean.deviation[i];
    plot.band(id, x, low, high, color.withAlpha(0.18f));
}

void drawProfiles(const Seen& s, const Averaged& a, bool lags, Rect rect) {
    const std::string id = lags ? "lags" : "components";
    const Vector& x = a.x;
    Plot plot = plotIn(s.f, id, rect,
                       {.label = lags ? "lag *τ*, the newest at the right" : "eigenvector of Σ, largest variance first",
                        .lo = x.front() - 0.5,
                        .hi = x.back() + 0.5,
                        .whole = true,
                        .reversed = lags},
                       {.label = "share", .lo = 0, .hi = a.most});
    const Color bound = capacityColor(s.f.theme);
    drawBand(plot, id + "/error-band", x, a.error, errorColor(s));
    drawBand(plot, id + "/bound-band", x, a.bound, bound);
    if (counted(s) > 1.001) {
        const auto draw = static_cast<Size>(counted(s) + 0.999) - 1;
        plot.line(id + "/newest", x, rowAt(a.side.errorByDraw, x.size(), static_cast<double>(draw)),
                  {errorColor(s).withAlpha(0.35f), Dash::Solid, 1, ""});
    }
    plot.line(id + "/error", x, a.error.values, {errorColor(s), Dash::Solid, 2, "squared error"});
    plot.line(id + "/bound", x, a.bound.values, {bound, Dash::Dotted, 2.4, "1 − *κ*"});
    finishPlot(s.f, plot, id, (lags ? "along lags: " : "along eigenvectors: ") + correlationText(correlationOf(s, a.side)));
}

/// A point for every lag and every component: error against bound.
Curves scatter(const Seen& s, const Averaged& lags, const Averaged& components) {
    const double right = 1.12 * std::max(lags.mostBound, components.mostBound), top = 1.12 * std::max(lags.mostError, components.mostError);
    const double end = std::min(right, top);
    Curves curves{.id = "scatter",
                  .title = "mean error against bound: ● eigenvectors, × lags",
                  .x = {.label = "bound 1 − *κ*, its share", .lo = 0, .hi = right},
                  .y = {.label = "squared error, its share", .lo = 0, .hi = top},
                  .fit = Fit::Given,
                  .curves = {{"theory", {0, end}, {0, end}, Role::Theory, "Eq 6", std::nullopt, 1.6}}};
    curves.more = [s, lags, components](PictureFrame& f, Plot& plot) {
        plot.markers("scatter/lags", lags.bound.values, lags.error.values, {f.theme.muted, Dash::Solid, 1.4, ""}, MarkerShape::Cross, 3.2);
        plot.markers("scatter/components", components.bound.values, components.error.values, {errorColor(s), Dash::Solid, 1, ""},
                     MarkerShape::Circle, 3.4);
    };
    return curves;
}

/// Correlations against the number of draws, with the knob that counts them.
Curves correlations(const Seen& s) {
    const Vector& draws = s.result.draws;
    const double last = std::max(draws.back(), 2.0);
    Curves curves{
        .id = "correlations",
        .title = "as the draws arrive",
        .x = {.label = "draws", .lo = 1, .hi = last, .whole = true},
        .y = {.label = "correlation *r*", .lo = -1, .hi = 1},
        .fit = Fit::Given,
        .curves = {{"zero", {1, last}, {0, 0}, Role::Measurement, "", s.f.theme.line, 1},
                   {"lags", draws, s.result.alongLags.correlationByDraws, Role::Measurement, "lags", s.f.theme.muted},
                   {"components", draws, s.result.alongComponents.correlationByDraws, Role::Measurement, "eigenvectors", errorColor(s)}},
        .now = counted(s)};
    curves.more = [s](PictureFrame& f, Plot& plot) {
        const double now = std::round(counted(s)), draws = static_cast<double>(s.result.draws.size());
        const auto moved = dragAlong(f, plot, {"counted", "draws counted", numberText(now, 4), now, 1, draws, 1, counted(s), -0.9});
        if (!moved) return;
        f.changes.push_back(Change::param("play", false));
        f.changes.push_back(Change::param("at", std::round(*moved)));
    };
    return curves;
}

void drawHeadline(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const Size draws = static_cast<Size>(counted(s) + 0.5);
    const auto optimal = std::count_if(r.optimality.begin(), r.optimality.begin() + static_cast<std::ptrdiff_t>(draws),
                                       [](double check) { return check <= linear::kOptimal; });
    const std::string count = std::to_string(draws);
    const std::string drawn = count + (s.asked.targets == Targets::Random ? " random target" : " random start") + (draws == 1 ? "" : "s") +
                              (s.asked.targets == Targets::Random || draws == 1 ? "" : " on one target");
    const std::string ends = drawn + ", " + (static_cast<Size>(optimal) == draws ? "all" : std::to_string(optimal)) + " at an optimum";
    const std::string full = ends + ": " + correlationText(correlationOf(s, r.alongComponents)) + " along eigenvectors, " +
                             numberText(correlationOf(s, r.alongLags), 2) + " along lags";
    const TextStyle style{.color = s.f.theme.text, .size = s.f.theme.textSize, .v = AlignV::Middle};
    drawFitting(s.f, "headline", {rect.lo.x + 3, rect.centre().y}, {full, ends, drawn, count + " draws"}, style, rect.width() - 6);
}

Layout layout(const Seen& s) {
    const Averaged lags = average(s, s.result.alongLags, s.result.lags),
                   components = average(s, s.result.alongComponents, s.result.components);
    const auto profiles = [&s](int rank, const Averaged& a, bool alongLags) {
        return s.panel(rank, {230, 150}, [s, a, alongLags](Rect rect) { drawProfiles(s, a, alongLags, rect); });
    };
    return Layout::rows({s.panel(0, {150, 26}, [s](Rect rect) { drawHeadline(s, rect); }).share(0.01),
                         Layout::columns({profiles(1, lags, true), profiles(0, components, false)}).share(1.3),
                         Layout::columns({s.panel(3, {230, 150}, scatter(s, lags, components)), s.panel(2, {230, 150}, correlations(s))})});
}

}  // namespace
}  // namespace errors_vs_capacity

PictureEntry errors_vs_capacity_picture() { return tablePicture<errors_vs_capacity::kScene, errors_vs_capacity::layout>(); }

}  // namespace kappaflow

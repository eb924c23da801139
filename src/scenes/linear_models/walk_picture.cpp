// Where the capacity of a model goes: along lags, along a basis, as eigenvalues; and what it buys, the loss (P2 Fig 5). Or the model
// beside its task: coefficients and autocovariance, and their errors (P2 Fig 14).
#include "scenes/linear_models/walk_picture.h"

#include <algorithm>
#include <cmath>

#include "draw/number_text.h"

namespace kappaflow::linear {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// A logarithmic axis around the values above `floor`.
AxisSpec decades(std::string label, const Vector& values, double floor) {
    double lo = 1e300, hi = 0;
    for (const double value : values)
        if (value > floor) lo = std::min(lo, value), hi = std::max(hi, value);
    if (!(hi > 0)) lo = floor, hi = 100 * floor;
    return {.label = std::move(label), .lo = lo / 2.5, .hi = hi * 3, .scale = Scale::Log};
}

/// One line: capacity, weights, optimal or not, loss; as much as there is room for.
void drawFacts(const WalkView& v, Rect rect) {
    const Theme& theme = v.f.theme;
    const Size i = v.nearest();
    const double total = v.r.totalCapacityAlong[i], rank = v.r.numericalRankAlong[i];
    std::string capacity = "*κ* = " + numberText(total, 6) + " of " + std::to_string(v.r.lags.size());
    if (rank != total) capacity += " (" + numberText(rank, 6) + " found)";
    std::vector<std::pair<std::string, Color>> texts{{v.placeName(), theme.text},
                                                     {capacity, capacityColor(theme)},
                                                     {v.optimal() ? "optimal" : "not optimal", v.optimal() ? theme.text : theme.warning},
                                                     {"loss " + numberText(v.r.lossAlong[i], 3), theme.text},
                                                     {numberText(v.r.parametersAlong[i], 6) + " weights", theme.muted}};
    if (!v.optimal()) texts.emplace_back("constraints see " + numberText(100 * v.r.optimalityAlong[i], 2) + " % of the error", theme.muted);
    double x = rect.lo.x + 6;
    for (const auto& [text, color] : texts) {
        const TextStyle style{.color = color, .size = theme.smallSize, .v = AlignV::Middle};
        const double width = v.f.painter.measure(text, style).x;
        if (x + width > rect.hi.x) return;
        v.f.painter.text("facts", {x, rect.centre().y}, text, style);
        x += width + 18;
    }
}

/// A curve for each frame of the timeline that is not the one shown, the darker the more channels; with steps only the first and the last.
std::vector<Curve> otherFrames(const WalkView& v, const Vector& x, const Vector& rows) {
    std::vector<Curve> curves;
    const Vector& places = v.r.places();
    for (Size i = 0; i < places.size(); ++i) {
        if (i == v.nearest() || (v.steps() && i > 0 && i + 1 < places.size())) continue;
        if (!v.steps() && places[i] != 1 && places[i] != 2 && places[i] != 4 && places[i] < 8) continue;
        const double share = places.size() < 2 ? 1 : static_cast<double>(i) / static_cast<double>(places.size() - 1);
        const std::string label = !v.steps() ? v.nameOf(i) : i == 0 ? "start" : "end";
        const Color color = sample(ColorMap::Capacity, 0.55 + 0.4 * share, v.f.theme.dark).withAlpha(0.75f);
        curves.push_back({"others", x, rowAt(rows, x.size(), static_cast<double>(i)), Role::Measurement, label, color, 1.3});
    }
    return curves;
}

/// Capacity of every lag, the newest at the right.
LagScale drawCapacity(const WalkView& v, const std::string& otherName, Rect rect) {
    const double n = static_cast<double>(v.r.lags.size());
    Plot plot = plotIn(v.f, "lags", rect, {.label = "lag *τ*", .lo = -0.6, .hi = n - 0.4, .whole = true, .reversed = true},
                       {.label = "capacity *κ_{τ}*", .lo = 0, .hi = 1.12});
    const Vector now = rowAt(v.r.capacityAlong, v.r.lags.size(), v.index);
    const Color blue = capacityColor(v.f.theme);
    const double spacing = plot.toScreen(0, 0).x - plot.toScreen(1, 0).x;
    if (spacing > 3)
        plot.bars("lags/capacity", v.r.lags, now, 0.84, blue.withAlpha(0.6f));
    else
        plot.area("lags/capacity", v.r.lags, now, blue.withAlpha(0.45f));
    plot.horizontal("lags/bound", 1, {v.f.theme.muted, Dash::Dotted, 1.2, "full: 1"});
    // Beside other models the other frames would be too many curves.
    for (const Curve& curve : v.r.capacityOther.empty() ? otherFrames(v, v.r.lags, v.r.capacityAlong) : std::vector<Curve>{})
        plot.line("lags/others", curve.x, curve.y, {*curve.color, Dash::Solid, curve.width, curve.label});
    std::vector<std::pair<std::string, Color>> names{{v.placeName() + ", *κ* = " + numberText(v.r.totalCapacityAlong[v.nearest()]), blue}};
    const auto compare = [&](const Vector& capacity, std::optional<double> total, const std::string& name, Color color) {
        if (capacity.empty()) return;
        plot.area("lags/area", v.r.lags, capacity, color.withAlpha(0.18f));
        plot.line("lags/compared", v.r.lags, capacity, {color, Dash::Solid, 2.2, ""});
        names.emplace_back(name + ", *κ* = " + numberText(total.value_or(kNone)), color);
    };
    compare(v.r.capacityOther, v.r.totalCapacityOther, otherName, v.f.theme.series[1]);
    compare(v.r.capacityWindow, v.r.totalCapacityWindow, "window of the newest lags", v.f.theme.series[2]);
    const Rect inner = plot.inner();
    const Vec2 first{inner.lo.x + 10, plot.toScreen(0, 1).y + 14};
    for (Size i = 0; i < names.size() && names.size() > 1; ++i) {
        const Vec2 at = first + Vec2{0, 17 * static_cast<double>(i)};
        if (rect.height() >= 110 && at.y + 10 < inner.hi.y)
            v.f.painter.text("lags/name", at, names[i].first,
                             {.color = names[i].second, .size = v.f.theme.smallSize, .v = AlignV::Middle, .halo = v.f.theme.ground});
    }
    finishPlot(v.f, plot, "lags", (rect.width() > 330 ? "capacity of every lag, " : "capacity, ") + v.placeName());
    return {plot.inner(), plot.toScreen(0, 0).x, spacing};
}

Curves basis(const WalkView& v) {
    const bool fourier = v.asked.basis == Basis::Fourier, lag = v.asked.basis == Basis::Position;
    const Vector& x = v.r.components;
    const double n = static_cast<double>(x.size()), top = fourier ? 2 : 1;
    Curves curves{.id = "basis",
                  .title = fourier ? "capacity of every frequency"
                           : lag   ? "capacity of every lag"
                                   : "capacity along *Σ*",
                  .x = {.label = fourier ? "frequency (cosine and sine)"
                                 : lag   ? "lag *τ*"
                                         : "eigenvector of *Σ*, largest first",
                        .lo = -0.6,
                        .hi = n - 0.4,
                        .whole = true,
                        .reversed = lag},
                  .y = {.label = "capacity", .lo = 0, .hi = 1.12 * top},
                  .fit = Fit::Given,
                  .curves = otherFrames(v, x, v.r.inBasisAlong)};
    curves.curves.push_back(
        {"capacity", x, rowAt(v.r.inBasisAlong, x.size(), v.index), Role::Measurement, "", capacityColor(v.f.theme), 2.2, true});
    curves.more = [top](PictureFrame& f, Plot& plot) {
        plot.horizontal("basis/bound", top, {f.theme.muted, Dash::Dotted, 1.2, "full: " + numberText(top)});
    };
    return curves;
}

Curves eigenvalues(const WalkView& v) {
    constexpr double kFloor = 1e-36;
    const Size n = v.r.indices.size();
    const Vector x = countUp(n, 1);
    Curves curves{.id = "eigenvalues",
                  .title = "eigenvalues of *ΣJJ*^{T}*Σ*: " + numberText(v.r.numericalRankAlong[v.nearest()], 4) + " not zero",
                  .x = {.label = "index *i*", .lo = 0, .hi = static_cast<double>(n) + 1, .whole = true},
                  .y = decades("*λ_{i}*/*λ*_{1}", v.r.eigenvaluesAlong, kFloor),
                  .fit = Fit::Given,
                  .curves = otherFrames(v, x, v.r.eigenvaluesAlong)};
    curves.more = [v, x](PictureFrame& f, Plot& plot) {
        const Vector& places = v.r.places();
        const bool asked = v.steps() ? v.nearest() + 1 == places.size() : places[v.nearest()] == v.asked.channels;
        if (asked && !v.r.eigenvaluesRaw.empty())
            plot.markers("eigenvalues/raw", x, v.r.eigenvaluesRaw, {f.theme.series[1].withAlpha(0.7f), Dash::Solid, 1, ""},
                         MarkerShape::Cross, 2.5);
        plot.markers("eigenvalues/now", x, rowAt(v.r.eigenvaluesAlong, x.size(), static_cast<double>(v.nearest())),
                     {capacityColor(f.theme), Dash::Solid, 1, ""}, MarkerShape::Circle, 2.6);
        if (asked && v.r.asked.threshold)
            plot.horizontal("eigenvalues/theory/threshold", *v.r.asked.threshold, {f.theme.theory, Dash::Dashed, 1.4, "zero below"});
    };
    return curves;
}

/// Smaller losses are rounding.
constexpr double kLeastLoss = 1e-18;

/// Loss along the timeline, with the knob that scrubs it.
Curves loss(const WalkView& v) {
    // Steps count from 0, which has no logarithm; losses that are rounding stand at the chart's foot.
    Vector x = v.r.places(), all = v.r.lossAlong;
    if (v.steps())
        for (double& place : x) ++place;
    for (double& value : all) value = std::max(value, kLeastLoss);
    Vector optimal = all, other = all;
    for (Size i = 0; i < x.size(); ++i) (v.r.optimalityAlong[i] <= kOptimal ? other : optimal)[i] = std::nan("");
    Curves curves{.id = "loss",
                  .title = v.optimal() ? "an optimum: *K*^{T}*X* = 0" : "no optimum: *K*^{T}*X* ≠ 0",
                  .x = {.label = v.steps() ? "step + 1" : std::string(v.counted) + "s *c*",
                        .lo = x.front() / 1.2,
                        .hi = std::max(x.back() * 1.2, x.front() * 2),
                        .scale = Scale::Log},
                  .y = decades("loss", all, kLeastLoss / 2),
                  .fit = Fit::Given,
                  .curves = {{"measured", x, all, Role::Measurement, "", v.f.theme.series[2]}}};
    curves.more = [v, x, optimal, other](PictureFrame& f, Plot& plot) {
        plot.horizontal("loss/floor", kLeastLoss, {f.theme.muted, Dash::Dotted, 1.2, powerOfTenText(-18) + " or less"});
        plot.markers("loss/optimal", x, optimal, {f.theme.series[2], Dash::Solid, 1, ""}, MarkerShape::Circle, 4);
        plot.markers("loss/not-optimal", x, other, {f.theme.warning, Dash::Solid, 1, ""}, MarkerShape::Cross, 4);
        const bool steps = v.steps();
        scrub(f, plot, "loss",
              {"place", steps ? "step shown" : v.counted + std::string("s shown"), v.placeName(), v.r.places(), x,
               steps ? v.params.step : v.params.at, steps ? "step" : "at"});
    };
    return curves;
}

/// A quantity of every lag, of the model and of the task.
struct Pair {
    const char *id, *name, *error, *relative;
    Scale scale;
    const Vector& along;  ///< the model's [place][lag]
    const Vector& task;
    double index;  ///< where the timeline stands

    Vector model() const { return rowAt(along, task.size(), index); }
};

/// Newest at the right; the recent past is where things happen, hence in decades.
AxisSpec lagAxis(const Vector& x) {
    return {.label = "lag *τ* + 1", .lo = 0.85, .hi = std::max(x.back() * 1.15, 2.0), .scale = Scale::Log, .reversed = true};
}

Curves together(const WalkView& v, const Pair& pair, std::string title) {
    const Vector x = countUp(pair.task.size(), 1);
    double lo = 0, hi = 1e-3;
    for (const auto* values : {&pair.along, &pair.task})
        for (const double value : *values)
            if (std::isfinite(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    return {.id = pair.id,
            .title = std::move(title),
            .x = lagAxis(x),
            .y = {.label = pair.name, .lo = lo - 0.06 * (hi - lo), .hi = hi + 0.1 * (hi - lo), .scale = pair.scale},
            .fit = Fit::Given,
            .curves = {{"measured", x, pair.model(), Role::Measurement, "model", capacityColor(v.f.theme), 2.4},
                       {"theory", x, pair.task, Role::Theory, "target", std::nullopt, 1.8}}};
}

Curves errors(const WalkView& v, const Pair& pair, bool relative) {
    const Vector x = countUp(pair.task.size(), 1);
    const auto errorsOf = [&](Vector model) {
        for (Size i = 0; i < model.size(); ++i) {
            const double task = pair.task[i % x.size()];
            model[i] = std::abs(model[i] - task);
            if (relative) model[i] = task == 0 ? std::nan("") : model[i] / std::abs(task);
        }
        return model;
    };
    return {.id = std::string(pair.id) + (relative ? "-relative" : "-error"),
            .title = relative ? "relative error" : "absolute error",
            .x = lagAxis(x),
            .y = decades(relative ? pair.relative : pair.error, errorsOf(pair.along), 1e-17),
            .fit = Fit::Given,
            .curves = {{"measured", x, errorsOf(pair.model()), Role::Measurement, "", v.f.theme.series[1], 1.8, false, true}}};
}

Layout panel(const WalkView& v, int rank, Vec2 least, Curves curves) {
    return {rank, least, [&f = v.f, curves = std::move(curves)](Rect rect) { drawCurves(f, curves, rect); }};
}

Layout fitLayout(const WalkView& v) {
    const Pair coefficients{"coefficients",        "*a_{τ}*",  "|Δ*a_{τ}*|", "|Δ*a_{τ}*|/|*a_{τ}*|", Scale::Asinh,
                            v.r.coefficientsAlong, v.r.target, v.index};
    const Pair covariance{"covariance",  "*c_{τ}*",          "|Δ*c_{τ}*|",       "|Δ*c_{τ}*|/|*c_{τ}*|",
                          Scale::Linear, v.r.generatedAlong, v.r.autocovariance, v.index};
    const auto fit = [&v](int rank, Curves curves) { return panel(v, rank, {200, 150}, std::move(curves)); };
    const bool unstable = std::isnan(covariance.model().front());
    return Layout::rows(
        {Layout(0, {200, 24}, [v](Rect rect) { drawFacts(v, rect); }).share(0.01),
         Layout::columns({fit(0, together(v, coefficients, "coefficients, " + v.placeName())), fit(1, errors(v, coefficients, false)),
                          fit(4, errors(v, coefficients, true))}),
         Layout::columns({fit(2, together(v, covariance, unstable ? "autocovariance: the model is unstable" : "autocovariance")),
                          fit(3, errors(v, covariance, false)), fit(5, errors(v, covariance, true))})});
}

}  // namespace

WalkView::WalkView(PictureFrame& frame, const WalkParams& now, const WalkParams& then, const WalkResult& result)
    : f(frame), params(now), asked(then), r(result), index(indexAlong(r.places(), steps() ? now.step : now.at)) {}

std::string WalkView::nameOf(std::size_t frame) const {
    const double place = r.places()[frame];
    if (steps()) return "step " + inWords(place, 6);
    return inWords(place, 6) + " " + counted + (place == 1 ? "" : "s");
}

void changePull(PictureFrame& f, std::vector<double> factors, std::size_t place, double factor, const char* param) {
    if (factors.size() <= place) factors.resize(place + 1, 1.0);
    factors[place] = factor;
    while (!factors.empty() && factors.back() == 1) factors.pop_back();
    f.changes.push_back(Change::param(param, std::move(factors)));
}

Layout walkLayout(const WalkView& v, const WalkParams& before, std::string otherName, double share, DrawModel drawModel) {
    // Who asks for another number of channels wants to see it, wherever the timeline stands.
    if (before.channels != v.params.channels) v.f.changes.push_back(Change::param("at", static_cast<double>(v.params.channels)));
    if (v.params.panels == Panels::Fit) return fitLayout(v);
    const auto model = [v, otherName, share, drawModel](Rect rect) {
        const double top = rect.lo.y + 24, split = top + share * (rect.hi.y - top);
        drawFacts(v, {rect.lo, {rect.hi.x, top}});
        const LagScale scale = drawCapacity(v, otherName, {{rect.lo.x, split}, rect.hi});
        drawModel(scale, {{rect.lo.x, top + 2}, {rect.hi.x, split}});
    };
    constexpr Vec2 kLeast{220, 150};
    std::vector<Layout> right{panel(v, 1, kLeast, basis(v))};
    if (!v.r.eigenvaluesAlong.empty()) right.push_back(panel(v, 3, kLeast, eigenvalues(v)));
    right.push_back(panel(v, 2, kLeast, loss(v)));
    return Layout::columns({Layout(0, {280, 270}, model).share(1.8), Layout::rows(std::move(right))});
}

}  // namespace kappaflow::linear

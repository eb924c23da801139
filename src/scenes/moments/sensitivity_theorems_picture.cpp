// Theorems 2–4 of P3 beside what is measured: increments, their product, the units behind them, and a badge with the verdict.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/moments/picture_step.h"
#include "scenes/moments/sensitivity_theorems.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace sensitivity_theorems {
namespace {

using random_nets::Net;
using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

double depth(const Seen& s) { return s.result.layers.back(); }
double shown(const Seen& s) { return std::clamp(s.params.at, 1.0, depth(s)); }
bool residual(const Seen& s) { return random_nets::isResidual(s.asked.net); }
/// "layer 3", or "unit 3" of a ResNet.
std::string stepName(const Seen& s) { return (residual(s) ? "unit " : "layer ") + numberText(std::round(shown(s))); }

// Increments of the sensitivity, their product, and the variance of a ResNet's branches, over layers.

struct Range {
    double lo = 1e300, hi = -1e300;
    void include(const Vector& values) {
        for (const double value : values)
            if (std::isfinite(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    }
};

/// Curves over layers 0 … L, as far as there are any, with the line of the layer shown, which is also the handle that scrubs.
Curves overLayers(const Seen& s, const char* id, std::string title, AxisSpec y, std::vector<Curve> curves) {
    std::erase_if(curves, [](const Curve& curve) { return curve.y.empty(); });
    for (auto& curve : curves) curve.x = s.result.layers;
    return {.id = id,
            .title = std::move(title),
            .x = {.label = residual(s) ? "unit *l*" : "layer *l*", .hi = depth(s) + std::max(0.4, 0.04 * depth(s)), .whole = true},
            .y = std::move(y),
            .fit = Fit::Given,
            .curves = std::move(curves),
            .more = [&s, id = std::string(id)](PictureFrame& f, Plot& plot) {
                random_nets::offerStep(f, plot, {id, id + "-layer", stepName(s), shown(s), 1, depth(s)});
            }};
}

Curves increments(const Seen& s) {
    const Result& r = s.result;
    const Theme& t = s.f.theme;
    const bool resnet = residual(s);
    const Vector first = r.firstStep ? Vector{*r.firstStep} : Vector{};
    Range range;
    for (const Vector* values : {&r.deltaChi.values, &r.deltaChiTheorem, &r.deltaBatchNorm.values, &r.deltaActivation.values, &r.undiluted})
        range.include(*values);
    range.include(first);
    // A ResNet's bounds are drawn where they come; they may lie far above.
    range.include({1, resnet ? 1 : std::sqrt(2.0)});
    const double room = std::max(0.02, range.hi - range.lo);
    const auto theory = [&](const Vector& values) { return Curve{"theory", {}, values, Role::Theory, "", std::nullopt, 1.6}; };
    Curve own{"measured", {}, r.deltaChi.values, Role::Measurement, "measured *δχ*", t.series[0]};
    own.low = r.deltaChiLow, own.high = r.deltaChiHigh;
    const char* theorem = s.asked.net == Net::Vanilla ? "Theorem 2" : s.asked.net == Net::BatchNorm ? "Theorem 3" : "dilution law";
    Curves curves =
        overLayers(s, "increments", std::string("solid: measured; dashed: ") + theorem,
                   {.label = "increment *δχ^{l}*", .lo = range.lo - 0.06 * room, .hi = range.hi + 0.1 * room},
                   {{"bound", {}, r.boundHigh, Role::Bound, resnet ? "Eq 14" : "√2", t.muted, 1.6},
                    {"bound", {}, r.boundLow, Role::Bound, "", t.muted, 1.6},
                    {"undiluted", {}, r.undiluted, Role::Theory, "without skip: *δ^{H}*", t.muted, 1.4},
                    {"measured", {}, r.deltaBatchNorm.values, Role::Measurement, "batch norm", t.series[2]},
                    theory(r.batchNormTheorem),
                    {"measured", {}, r.deltaActivation.values, Role::Measurement, resnet ? "ReLU, convolution" : "ReLU", t.series[3]},
                    theory(r.activationTheorem),
                    std::move(own),
                    theory(r.deltaChiTheorem)});
    curves.more = [step = curves.more, first](PictureFrame& f, Plot& plot) {
        const double x[] = {1};
        if (!first.empty())
            plot.markers("increments/first", x, first, {f.theme.theory, Dash::Solid, 1, "first step"}, MarkerShape::Diamond, 6);
        step(f, plot);
    };
    return curves;
}

Curves cumulative(const Seen& s) {
    const Result& r = s.result;
    Range range;
    range.include(r.chi);
    range.include(r.chiTheorem);
    AxisSpec y{.label = "sensitivity *χ^{l}*", .lo = range.lo, .hi = range.hi * 1.15};
    if (range.hi > 30 * range.lo && range.lo > 0) y.lo /= 1.3, y.hi = range.hi * 1.6, y.scale = Scale::Log;
    return overLayers(s, "cumulative", "cumulative, geometric mean", y,
                      {{"measured", {}, r.chi, Role::Measurement, "measured", s.f.theme.series[0], 2.2},
                       {"theory", {}, r.chiTheorem, Role::Theory, "product of the theorem", std::nullopt, 1.6}});
}

/// Variance of every unit's branch: what Theorem 4 supposes to be bounded.
Curves branches(const Seen& s) {
    const Vector& variance = s.result.branchVariance.values;
    Range range;
    range.include(variance);
    if (!(range.hi >= range.lo) || !(range.lo > 0)) range = {1, 2};
    return overLayers(s, "branches", random_nets::isNormalised(s.asked.net) ? "bounded, as Theorem 4 supposes" : "unbounded: no power law",
                      {.label = "variance of the branch", .lo = range.lo / 3, .hi = range.hi * 3, .scale = Scale::Log},
                      {{"measured", {}, variance, Role::Measurement, "", s.f.theme.series[0]}});
}

// The units behind a layer's increment, and the verdict in words.

/// How the units of the layer shown share in the theorem's mean; the last bin takes what lies beyond.
void drawSwitching(const Seen& s, Rect rect) {
    constexpr int kBins = 28;
    constexpr double kMost = 0.7, kSpacing = kMost / kBins;
    const Result& r = s.result;
    const auto layer = static_cast<Size>(std::lround(shown(s)));
    const std::string units = residual(s) ? "channel" : "unit";
    Vector middles, all(r.switching.size() / r.units.size() * kBins);  // [layer][bin]
    for (int i = 0; i < kBins; ++i) middles.push_back((i + 0.5) * kSpacing);
    for (Size i = 0; i < r.switching.size(); ++i)
        if (const double share = r.switching[i]; std::isfinite(share))
            all[i / r.units.size() * kBins + static_cast<Size>(std::clamp(share / kSpacing, 0.0, kBins - 1.0))] += 1;
    const Vector counts = rowAt(all, kBins, static_cast<double>(layer - 1));
    // The first network may not have come so far.
    const bool reached = largest(counts, 0) > 0;
    Plot plot = plotIn(s.f, "switching", rect, {.label = "a " + units + "'s share; 0: always on or off", .lo = 0, .hi = kMost},
                       {.label = units + "s", .lo = 0, .hi = std::max(1.0, topOverSteps(all, kBins)) * 1.3, .whole = true});
    if (reached) plot.bars("switching/measured", middles, counts, kSpacing * 0.9, s.f.theme.series[0].withAlpha(0.5f));
    plot.vertical("switching/gaussian", 1 / std::numbers::pi, {s.f.theme.muted, Dash::Dotted, 1.4, "1/π"});
    const double mean = r.switchingMean.empty() ? std::nan("") : r.switchingMean[layer];
    if (std::isfinite(mean)) plot.vertical("switching/theory", mean, {s.f.theme.theory, Dash::Dashed, 1.8, ""});
    const bool told = std::isfinite(mean) && rect.width() > 300;
    finishPlot(s.f, plot, "switching",
               stepName(s) + ": " +
                   (told ? "mean share " + numberText(mean, 3) + ", hence *δ* = " + numberText(1 / std::sqrt(1 - mean), 4)
                         : units + "s that switch"));
}

std::string plusMinus(const Estimate& e) {
    return fixedText(e.value, 4) + (e.standardError > 0 ? " ± " + fixedText(e.standardError, 4) : "");
}

/// In words: how well measurement and theorem agree, and where the theorem's weights come from.
void drawBadge(const Seen& s, Rect rect) {
    constexpr double kHeight = 21;
    const Params& p = s.asked;
    const Result& r = s.result;
    const bool relu = p.activation == random_nets::Phi::Relu;
    std::vector<std::string> lines;
    if (!r.meanRatio)
        lines.push_back(p.net == Net::Vanilla && !relu ? "Theorem 2 is about the ReLU" : "no value of the theorem here");
    else
        lines.push_back("measured over theorem: " + plusMinus(*r.meanRatio));
    if (r.meanRatio && r.deviation) {
        const std::string errors = numberText(*r.deviation, 2) + " standard errors";
        lines.push_back(*r.deviation < 3 ? "they agree within " + errors : "apart by " + errors + ": finite *N*");
    }
    if (p.net == Net::ResnetPlain) lines.push_back("Theorem 4's power law does not apply");
    if (r.varianceIdentity) lines.push_back("variance over expected: " + plusMinus(*r.varianceIdentity));
    const bool closed = p.net == Net::Vanilla && p.space == random_nets::Space::Dense && relu && p.biasVariance == 0;
    lines.push_back(p.expectation == Expectation::Channels          ? "expectation: the drawn channels"
                    : p.expectation == Expectation::Exact && closed ? "expectation: all weights, exactly"
                                                                    : "expectation: fresh weights");
    const auto room = static_cast<Size>(std::max(1.0, rect.height() / kHeight));
    for (Size i = 0; i < std::min(lines.size(), room); ++i) {
        const TextStyle style{.color = i == 0 ? s.f.theme.text : s.f.theme.muted,
                              .size = i == 0 ? s.f.theme.textSize : s.f.theme.smallSize,
                              .v = AlignV::Middle,
                              .bold = i == 0};
        s.f.painter.text("badge", {rect.lo.x + 8, rect.lo.y + kHeight * (static_cast<double>(i) + 0.5)},
                         elide(s.f.painter, lines[i], style, rect.width() - 8), style);
    }
}

Layout layout(const Seen& s) {
    if (s.result.deltaChi.values.empty()) return s.panel(0, {}, [&s](Rect) { emptyPicture(s.f, "Networks are being drawn."); });
    std::vector<Layout> right{s.panel(1, {280, 88}, [&s](Rect rect) { drawBadge(s, rect); }).share(0.15)};
    if (!s.result.switching.empty()) right.push_back(s.panel(2, {280, 145}, [&s](Rect rect) { drawSwitching(s, rect); }));
    if (!s.result.branchVariance.values.empty()) right.push_back(s.panel(4, {280, 165}, branches(s)));
    return Layout::columns(
        {Layout::rows({s.panel(0, {240, 150}, increments(s)).share(1.25), s.panel(3, {240, 150}, cumulative(s))}).share(1.4),
         Layout::rows(std::move(right))});
}

}  // namespace
}  // namespace sensitivity_theorems

PictureEntry sensitivity_theorems_picture() { return tablePicture<sensitivity_theorems::kScene, sensitivity_theorems::layout>(); }

}  // namespace kappaflow

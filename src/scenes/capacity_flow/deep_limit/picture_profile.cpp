// Chain, flow and Gaussian on one axis; the kernel they come from, and what is read off it.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/number_text.h"
#include "scenes/capacity_flow/deep_limit/picture_view.h"

namespace kappaflow::deep_limit {
namespace {

constexpr double kMaxRate = 30, kMaxWeight = 3;

/// What both chain and flow need, 4.2 standard deviations to either side.
AxisSpec positionsInSight(const View& view) {
    const double own = std::max(1.0, 4.2 * std::sqrt(std::max(view.now(*view.variance), 0.0)));
    const double flow = std::max(1.0, 4.2 * std::sqrt(2 * view.diffusion));
    const double mean = view.now(*view.mean);
    return {.label = "position at the input",
            .lo = std::min(mean - own, view.v - flow) - 0.6,
            .hi = std::max(mean + own, view.v + flow) + 0.6,
            .whole = true};
}

struct Curve {
    std::vector<double> x, y;
};

/// Each with half of its neighbours: a chain that stands on every other position would otherwise beat with the pixels.
std::vector<double> smoothed(const std::vector<double>& values) {
    std::vector<double> result(values);
    for (std::size_t i = 1; i + 1 < values.size(); ++i) result[i] = (values[i - 1] + 2 * values[i] + values[i + 1]) / 4;
    return result;
}

/// The normal density, as fine as the screen shows it.
Curve gaussianCurve(const View& view, double lo, double hi) {
    Curve curve;
    const double variance = 2 * view.diffusion;
    if (!(variance > 0)) return curve;
    constexpr int kSteps = 200;
    for (int i = 0; i <= kSteps; ++i) {
        const double x = lo + (hi - lo) * i / kSteps, d = x - view.v;
        curve.x.push_back(x);
        curve.y.push_back(std::exp(-0.5 * d * d / variance) / std::sqrt(2 * std::numbers::pi * variance));
    }
    return curve;
}

/// A rate or weight that can be dragged: param (or entry of the list of weights), range and step.
struct Tap {
    double offset, value, min, max, step;
    std::string id, label;
};

std::vector<Tap> tapsOf(const PictureFrame& f, bool differential) {
    const Values& v = f.state.params;
    if (!differential)
        return {{-1, v.number("down"), 0, kMaxRate, 0.5, "down", "rate downwards"},
                {1, v.number("up"), 0, kMaxRate, 0.5, "up", "rate upwards"}};
    std::vector<Tap> taps;
    const auto& weights = v.list("weights");
    const double reach = std::floor(static_cast<double>(weights.size()) / 2);
    for (std::size_t k = 0; k < weights.size(); ++k) {
        const double offset = static_cast<double>(k) - reach;
        const std::string name = inWords(offset);
        taps.push_back({offset, weights[k], -kMaxWeight, kMaxWeight, 0.1, "weight" + name, "weight at offset " + name});
    }
    return taps;
}

void offerTap(PictureFrame& f, const Plot& plot, const Tap& tap, std::size_t index, bool differential) {
    const Vec2 at = plot.toScreen(tap.offset, tap.value);
    const Handle handle{tap.id, tap.label, inWords(tap.value), tap.value, tap.min, tap.max, tap.step, knobRect(at)};
    const auto grip = f.handles.offer(handle, [&](Vec2 p) { return plot.toData({at.x, p.y}).y; });
    drawKnob(f, "kernel/knob", at, grip);
    const double wanted = std::round(grip.value * 20) / 20;
    if (!grip.moved || wanted == tap.value) return;
    if (!differential) return f.changes.push_back(Change::param(tap.id, wanted));
    auto weights = f.state.params.list("weights");
    weights[index] = wanted;
    f.changes.push_back(Change::param("weights", weights));
}

}  // namespace

void drawProfiles(PictureFrame& f, const View& view, Rect rect) {
    const auto& x = view.chain->axes[1].values;
    const auto chain = rowAt(*view.chain, view.index);
    const AxisSpec positions = positionsInSight(view);
    const Curve bell = gaussianCurve(view, positions.lo, positions.hi);
    const double top = largest(bell.y, largest(view.flow->values, largest(chain, 1e-9)));
    Plot plot(f.painter, f.theme, "profile", rect, positions, {.label = "capacity *κ*^{0}", .lo = 0, .hi = top * 1.15},
              zoomOf(f, "profile"));
    const Color blue = capacityColor(f.theme);
    const double spacing = plot.inner().width() / (positions.hi - positions.lo);
    if (spacing > 4)
        plot.bars("profile/chain", x, chain, 0.78, blue.withAlpha(0.55f));
    else
        plot.area("profile/chain", x, smoothed(chain), blue.withAlpha(0.35f));
    plot.line("profile/theory/gaussian", bell.x, bell.y, {f.theme.series[2], Dash::Dashed, 1.8, "Gaussian (Eq 32)"});
    plot.line("profile/theory/flow", x, view.flow->values, {f.theme.theory, Dash::Dashed, 1.8, "flow e^{Δ} (Eq 30)"});
    if (spacing > 7) plot.markers("profile/flow", x, view.flow->values, {f.theme.theory, Dash::Solid, 1, ""}, MarkerShape::Circle, 2.6);
    const std::string depth = "*L* = " + view.depthName();
    const bool wide = rect.width() > 330;
    finishPlot(f, plot, "profile",
               wide ? "the chain of " + depth + " layers is " + numberText(view.now(*view.toFlow), 2) + " from the flow"
                    : depth + ": " + numberText(view.now(*view.toFlow), 2) + " from the flow");
}

void drawKernel(PictureFrame& f, const View& view, Rect rect) {
    const auto taps = tapsOf(f, view.differential);
    const double reach = std::max(1.0, taps.empty() ? 0 : -taps.front().offset);
    Plot plot(f.painter, f.theme, "kernel", rect, {.label = "offset *k*", .lo = -reach - 0.7, .hi = reach + 0.7, .whole = true},
              {.label = view.differential ? "*p_{k}*" : "Δ_{*k*}",
               .lo = view.differential ? -kMaxWeight : 0,
               .hi = view.differential ? kMaxWeight : kMaxRate});
    std::vector<double> offsets, values;
    for (const auto& tap : taps) offsets.push_back(tap.offset), values.push_back(tap.value);
    plot.bars("kernel/taps", offsets, values, 0.6, capacityColor(f.theme).withAlpha(0.55f));
    finishPlot(f, plot, "kernel", view.differential ? "weights *p_{k}*" : "kernel Δ_{*k*}");
    for (std::size_t k = 0; k < taps.size(); ++k) offerTap(f, plot, taps[k], k, view.differential);
}

void drawReadings(PictureFrame& f, const View& view, Rect rect) {
    const std::string rates = view.differential ? "*p_{k}*²" : "Δ_{*k*}";
    std::vector<std::string> lines{"*v* = Σ *k* " + rates + " = " + numberText(view.v, 3),
                                   "𝒟 = ½ Σ *k*² " + rates + " = " + numberText(view.diffusion, 3),
                                   "one layer moves ε = " + numberText(view.now(*view.step), 3) + " of it"};
    if (const auto* coefficient = f.report.scalar("sdeCoefficient"))
        lines.push_back("forward: Σ *k* *p_{k}* = " + numberText(coefficient->value, 3));
    lines.push_back("flow to Gaussian: " + numberText(view.gaussianGap, 3) + ", at any depth");
    lines.push_back(f.kept ? "" : "drag the knobs");
    const double height = std::min(24.0, rect.height() / static_cast<double>(lines.size()));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const bool hint = i + 1 == lines.size();
        if (lines[i].empty()) continue;
        f.painter.text(
            "readings", {rect.lo.x, rect.lo.y + height * (static_cast<double>(i) + 0.5)}, lines[i],
            {.color = hint ? f.theme.muted : f.theme.text, .size = hint ? f.theme.tinySize : f.theme.smallSize, .v = AlignV::Middle});
    }
}

}  // namespace kappaflow::deep_limit

// The deep limit (P1 Eqs 29–33, later version 34–37): chain, Kolmogorov flow and Gaussian on one axis, and what depth and the scaling of
// the weights do.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/capacity_flow/deep_limit/picture_view.h"

namespace kappaflow {
namespace deep_limit {
namespace {

// Chain, flow and Gaussian on one axis; the kernel they come from, and what is read off it.

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

/// Normal density integrated over a cell around x, as fine as the screen shows it: through the masses at whole x.
Curve gaussianCurve(const View& view, double lo, double hi) {
    Curve curve;
    const double variance = 2 * view.diffusion;
    if (!(variance > 0)) return curve;
    constexpr int kSteps = 200;
    for (int i = 0; i <= kSteps; ++i) {
        const double x = lo + (hi - lo) * i / kSteps, d = x - view.v, scale = std::sqrt(2 * variance);
        curve.x.push_back(x);
        curve.y.push_back((std::erf((d + 0.5) / scale) - std::erf((d - 0.5) / scale)) / 2);
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

namespace {

double scalarOr0(const Report& report, const char* name) {
    const Scalar* found = report.scalar(name);
    return found ? found->value : 0;
}

}  // namespace

double View::depth() const {
    const Between b = between(index, last());
    return depths[b.below] + (depths[b.above] - depths[b.below]) * b.fraction;
}

std::string View::depthName() const { return inWords(depths[static_cast<std::size_t>(std::lround(index))], 4); }

double View::now(const Array& byDepth) const {
    const Between b = between(index, last());
    return byDepth.values[b.below] + (byDepth.values[b.above] - byDepth.values[b.below]) * b.fraction;
}

bool readView(const PictureFrame& f, View& view) {
    const Report& r = f.report;
    const std::pair<const Array**, const char*> needed[] = {{&view.chain, "chain"},
                                                            {&view.flow, "flow"},
                                                            {&view.gaussian, "gaussian"},
                                                            {&view.toFlow, "totalVariationToFlow"},
                                                            {&view.variance, "varianceChain"},
                                                            {&view.toGaussian, "totalVariation"},
                                                            {&view.mean, "meanChain"},
                                                            {&view.spreads, "spreadByExponent"},
                                                            {&view.kernel, "kernel"},
                                                            {&view.step, "step"}};
    for (const auto& [array, name] : needed)
        if (!(*array = r.array(name))) return false;
    const std::pair<const Array**, const char*> more[] = {{&view.toFlowPredicted, "totalVariationToFlowPredicted"},
                                                          {&view.forward, "forward"},
                                                          {&view.forwardSquares, "forwardMeanSquare"},
                                                          {&view.forwardPredicted, "forwardMeanSquarePredicted"},
                                                          {&view.forwardGrowth, "forwardGrowth"},
                                                          {&view.forwardGrowthPredicted, "forwardGrowthPredicted"},
                                                          {&view.forwardDraws, "forwardDraws"},
                                                          {&view.check, "checkCapacity"},
                                                          {&view.checkPredicted, "checkPredicted"},
                                                          {&view.checkVariance, "checkVariance"},
                                                          {&view.checkVariancePredicted, "checkVariancePredicted"}};
    for (const auto& [array, name] : more) *array = r.array(name);
    view.depths = view.chain->axes[0].values;
    view.index = indexAlong(view.depths, f.state.params.number("at"));
    view.v = scalarOr0(r, "v");
    view.diffusion = scalarOr0(r, "diffusion");
    view.gaussianGap = scalarOr0(r, "gaussianGap");
    view.slope = scalarOr0(r, "slope");
    view.critical = view.toFlowPredicted;
    view.differential = view.forward;
    return !view.depths.empty();
}

namespace {

/// Narrow pictures: the profiles, and the distances below them where there is room.
void drawCompact(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    if (a.height() < 300) return drawProfiles(f, view, a);
    const double split = a.lo.y + a.height() * 0.56;
    drawProfiles(f, view, {a.lo, {a.hi.x, split - 4}});
    drawDistances(f, view, {{a.lo.x, split + 4}, a.hi});
}

void drawWide(PictureFrame& f, const View& view) {
    const Rect a = f.area;
    const double right = a.hi.x - std::clamp(a.width() * 0.38, 230.0, 430.0), middle = a.lo.y + a.height() / 2;
    const bool tall = a.height() > 420, below = view.differential && a.height() > 500;
    const double top = tall ? a.lo.y + std::clamp(a.height() * 0.25, 120.0, 190.0) : a.lo.y;
    const double bottom = below ? a.hi.y - std::clamp(a.height() * 0.34, 170.0, 280.0) : a.hi.y;
    if (tall) {
        const double split = a.lo.x + std::min((right - a.lo.x) * 0.46, 330.0);
        drawKernel(f, view, {{a.lo.x, a.lo.y + 4}, {split, top - 6}});
        drawReadings(f, view, {{split + 12, a.lo.y + 4}, {right - 12, top - 6}});
    }
    drawProfiles(f, view, {{a.lo.x, top + 4}, {right - 12, bottom - 4}});
    if (below) {
        const double split = a.lo.x + (right - a.lo.x) * 0.58;
        drawForward(f, view, {{a.lo.x, bottom + 4}, {split - 6, a.hi.y}});
        drawCheck(f, view, {{split + 6, bottom + 4}, {right - 12, a.hi.y}});
    }
    drawDistances(f, view, {{right, a.lo.y + 4}, {a.hi.x, tall ? middle - 6 : a.hi.y}});
    if (tall) drawScaling(f, view, {{right, middle + 6}, a.hi});
}

class DeepLimitPicture final : public Picture {
public:
    void draw(PictureFrame& f) override {
        View view;
        if (!readView(f, view)) return emptyPicture(f, "The chains are being followed.");
        f.area.width() < 600 ? drawCompact(f, view) : drawWide(f, view);
    }
};

}  // namespace
}  // namespace deep_limit

PictureEntry deep_limit_picture() {
    return {"deep-limit", [] { return std::unique_ptr<Picture>(std::make_unique<deep_limit::DeepLimitPicture>()); }};
}

}  // namespace kappaflow

// The deep limit (P1 Eqs 29–33, later version 34–37): chain, Kolmogorov flow and Gaussian on one axis, and what depth and the scaling of
// the weights do.
#include <algorithm>
#include <cmath>

#include "draw/number_text.h"
#include "scenes/capacity_flow/deep_limit.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace deep_limit {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

/// Capacity on its way through the chain, by depth: kWay rows from the output to the input, over the positions in sight.
struct Ways {
    std::vector<Vector> rows;
};
constexpr Size kWay = 120;

/// Where the depth shown lies among the depths.
double indexOf(const Seen& s) { return indexAlong(s.result.depths, s.params.at); }
Size nearest(const Seen& s) { return static_cast<Size>(std::lround(indexOf(s))); }
double now(const Seen& s, const Vector& byDepth) { return byDepth[nearest(s)]; }
/// Width of the colour bar beside the way, which the profile below it leaves too.
double barBeside(Rect rect) { return rect.width() > 420 ? 62 : 0; }
/// "40", or the nearer one of two while the picture is between them.
std::string depthName(const Seen& s) { return inWords(s.result.depths[nearest(s)], 4); }
bool isDifferential(const Seen& s) { return !s.result.forwardDraws.empty(); }

/// What the flow and the chains of all depths need, 4.2 standard deviations to either side, and the start.
AxisSpec positionsInSight(const Seen& s) {
    const auto reach = [](double variance) { return std::max(1.0, 4.2 * std::sqrt(std::max(variance, 0.0))) + 0.6; };
    const double flow = reach(2 * s.result.diffusion);
    AxisSpec axis{.label = "position at the input", .lo = s.result.drift - flow, .hi = s.result.drift + flow, .whole = true};
    for (Size d = 0; d < s.result.mean.size(); ++d) {
        const double mean = s.result.mean[d], own = reach(s.result.variance[d]);
        axis.lo = std::min(axis.lo, mean - own), axis.hi = std::max(axis.hi, mean + own);
    }
    axis.lo = std::min(axis.lo, -1.6), axis.hi = std::max(axis.hi, 1.6);
    return axis;
}

/// Highest capacity of the flow, the Gaussian and the chains of all depths.
double highest(const Result& r) { return largest(r.gaussian, largest(r.flow, topOverSteps(r.chain, r.positions.size()))); }

/// The chain of depth d, layer by layer; layers that share a row are averaged.
Vector wayThrough(const Result& r, Size d, int first, Size columns) {
    constexpr double kVisible = 1e-9;
    const auto layers = static_cast<Size>(r.depths[d]);
    const int reach = static_cast<int>(r.kernel.size() / 2);
    Vector now(columns), next, sum(kWay * columns), count(kWay);
    int from = -first, to = from;  // where capacity is
    now[static_cast<Size>(from)] = 1;
    for (Size l = 0; l <= layers; ++l) {
        const Size row = l * kWay / (layers + 1), end = std::max((l + 1) * kWay / (layers + 1), row + 1);
        for (Size i = row; i < end; ++i) {
            for (int x = from; x <= to; ++x) sum[i * columns + static_cast<Size>(x)] += now[static_cast<Size>(x)];
            ++count[i];
        }
        next = now;
        for (int x = from; x <= to; ++x)
            for (int k = -reach; k <= reach; ++k)
                if (x + k >= 0 && x + k < static_cast<int>(columns))
                    next[static_cast<Size>(x + k)] += r.step[d] * r.kernel[static_cast<Size>(k + reach)] * now[static_cast<Size>(x)];
        std::swap(now, next);
        from = std::max(from - reach, 0), to = std::min(to + reach, static_cast<int>(columns) - 1);
        while (from < to && now[static_cast<Size>(from)] < kVisible) ++from;
        while (to > from && now[static_cast<Size>(to)] < kVisible) --to;
    }
    for (Size i = 0; i < sum.size(); ++i) sum[i] /= count[i / columns];
    return sum;
}

/// The chain as it is crossed, from the Dirac at the top to the profile below, and one standard deviation of the flow.
void drawWay(const Seen& s, Ways& ways, Rect rect) {
    const Result& r = s.result;
    const AxisSpec positions = positionsInSight(s);
    const int first = static_cast<int>(std::floor(positions.lo));
    const Size columns = static_cast<Size>(std::ceil(positions.hi) - first) + 1;
    const Between at = between(indexOf(s), r.depths.size() - 1);
    ways.rows.resize(r.depths.size());
    for (const Size d : {at.below, at.above})
        if (ways.rows[d].empty()) ways.rows[d] = wayThrough(r, d, first, columns);
    Vector mixed = ways.rows[at.below];
    for (Size i = 0; i < mixed.size(); ++i) mixed[i] += at.fraction * (ways.rows[at.above][i] - mixed[i]);
    Vector xs(columns), ys(kWay), low, high, times;
    for (Size i = 0; i < columns; ++i) xs[i] = first + static_cast<double>(i);
    for (Size i = 0; i < kWay; ++i) ys[i] = (static_cast<double>(i) + 0.5) / kWay;
    AxisSpec axis = positions;
    axis.label = "";
    const double bar = barBeside(rect);
    rect.hi.x -= bar;
    Plot plot = plotIn(s.f, "way", rect, axis, {.label = "layers crossed/*L*", .reversed = true});
    plot.heat("way/chain", xs, ys, {kWay, columns, mixed, 0, highest(r), false, ColorMap::Capacity});
    for (int i = 0; i <= 60; ++i) {
        const double t = i / 60.0, spread = std::sqrt(2 * r.diffusion * t);
        times.push_back(t), low.push_back(r.drift * t - spread), high.push_back(r.drift * t + spread);
    }
    plot.line("way/theory", low, times, {s.f.theme.theory, Dash::Dashed, 1.6, ""});
    plot.line("way/theory", high, times, {s.f.theme.theory, Dash::Dashed, 1.6, ""});
    const Rect inner = plot.inner();
    finishPlot(s.f, plot, "way",
               rect.width() > 330 ? "from the output down through " + depthName(s) + " layers" : depthName(s) + " layers");
    // In the upper corner that the flow leaves free.
    const bool right = r.drift >= 0;
    s.f.painter.text(
        "way/name", {right ? inner.hi.x - 6 : inner.lo.x + 6, inner.lo.y + 4}, "flow: *vt* ± √(2𝒟*t*)",
        {.color = s.f.theme.theory, .size = s.f.theme.tinySize, .h = right ? AlignH::Right : AlignH::Left, .halo = s.f.theme.ground});
    if (bar > 0)
        colorBar(s.f.painter, s.f.theme, "way/bar", {{rect.hi.x, inner.lo.y}, {rect.hi.x + bar, inner.hi.y}}, ColorMap::Capacity,
                 {.label = "*κ*", .lo = 0, .hi = highest(r)}, true);
}

/// Each with half of its neighbours: a chain that stands on every other position would otherwise beat with the pixels.
Vector smoothed(const Vector& values) {
    Vector result(values);
    for (Size i = 1; i + 1 < values.size(); ++i) result[i] = (values[i - 1] + 2 * values[i] + values[i + 1]) / 4;
    return result;
}

void drawProfiles(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const auto chain = rowAt(r.chain, r.positions.size(), indexOf(s));
    const AxisSpec positions = positionsInSight(s);
    // Normal density integrated over a cell around x: through the masses at whole x.
    Vector bellX, bellY;
    for (int i = 0; i <= 200 && r.diffusion > 0; ++i) {
        const double x = positions.lo + (positions.hi - positions.lo) * i / 200, d = x - r.drift, scale = std::sqrt(4 * r.diffusion);
        bellX.push_back(x);
        bellY.push_back((std::erf((d + 0.5) / scale) - std::erf((d - 0.5) / scale)) / 2);
    }
    const double top = std::max(largest(bellY, 0), highest(r));
    rect.hi.x -= barBeside(rect);
    Plot plot = plotIn(s.f, "profile", rect, positions, {.label = "capacity *κ*^{0}", .lo = 0, .hi = top * 1.15});
    const Color blue = capacityColor(s.f.theme);
    const double spacing = plot.inner().width() / (positions.hi - positions.lo);
    if (spacing > 4)
        plot.bars("profile/chain", r.positions, chain, 0.78, blue.withAlpha(0.55f));
    else
        plot.area("profile/chain", r.positions, smoothed(chain), blue.withAlpha(0.35f));
    plot.line("profile/theory/gaussian", bellX, bellY, {s.f.theme.series[2], Dash::Dashed, 1.8, "Gaussian (Eq 32)"});
    plot.line("profile/theory/flow", r.positions, r.flow, {s.f.theme.theory, Dash::Dashed, 1.8, "flow e^{Δ} (Eq 30)"});
    if (spacing > 7) plot.markers("profile/flow", r.positions, r.flow, {s.f.theme.theory, Dash::Solid, 1, ""}, MarkerShape::Circle, 2.6);
    const std::string distance = numberText(now(s, r.toFlow), 2) + " from the flow";
    finishPlot(
        s.f, plot, "profile",
        rect.width() > 330 ? "the chain of *L* = " + depthName(s) + " layers is " + distance : "*L* = " + depthName(s) + ": " + distance);
}

/// Rates or weights as bars, each with a knob.
void drawKernel(const Seen& s, Rect rect) {
    const bool differential = s.params.layer == LayerType::Differential;
    const double least = differential ? -3 : 0, most = differential ? 3 : 30;
    const Vector values = differential ? s.params.weights : Vector{s.params.down, s.params.up};
    Vector offsets;
    for (Size k = 0; k < values.size(); ++k)
        offsets.push_back(differential ? static_cast<double>(k) - std::floor(static_cast<double>(values.size()) / 2) : k == 0 ? -1 : 1);
    const double reach = std::max(1.0, -offsets.front());
    Plot plot(s.f.painter, s.f.theme, "kernel", rect, {.label = "offset *k*", .lo = -reach - 0.7, .hi = reach + 0.7, .whole = true},
              {.label = differential ? "*p_{k}*" : "Δ_{*k*}", .lo = least, .hi = most});
    plot.bars("kernel/taps", offsets, values, 0.6, capacityColor(s.f.theme).withAlpha(0.55f));
    finishPlot(s.f, plot, "kernel", differential ? "weights *p_{k}*" : "kernel Δ_{*k*}");
    for (Size k = 0; k < values.size(); ++k) {
        const std::string name = inWords(offsets[k]);
        const std::string id = differential ? "weight" + name : k == 0 ? "down" : "up";
        const auto moved = dragAlong(s.f, plot,
                                     {.id = id,
                                      .label = differential ? "weight at offset " + name
                                               : k == 0     ? "rate downwards"
                                                            : "rate upwards",
                                      .valueText = inWords(values[k]),
                                      .value = values[k],
                                      .min = least,
                                      .max = most,
                                      .step = differential ? 0.1 : 0.5,
                                      .x = offsets[k],
                                      .y = values[k],
                                      .upright = true});
        if (!moved) continue;
        const double wanted = std::round(*moved * 20) / 20;
        Vector weights = s.params.weights;
        if (differential) weights[k] = wanted;
        if (wanted != values[k]) s.f.changes.push_back(differential ? Change::param("weights", weights) : Change::param(id, wanted));
    }
}

void drawReadings(const Seen& s, Rect rect) {
    const std::string rates = isDifferential(s) ? "*p_{k}*²" : "Δ_{*k*}";
    std::vector<std::string> lines{"*v* = Σ *k* " + rates + " = " + numberText(s.result.drift, 3),
                                   "𝒟 = ½ Σ *k*² " + rates + " = " + numberText(s.result.diffusion, 3),
                                   "one layer moves ε = " + numberText(now(s, s.result.step), 3) + " of it"};
    if (s.result.sdeCoefficient) lines.push_back("forward: Σ *k* *p_{k}* = " + numberText(*s.result.sdeCoefficient, 3));
    lines.push_back("flow to Gaussian: " + numberText(s.result.gaussianGap, 3) + ", at any depth");
    if (!s.f.kept) lines.push_back("drag the knobs");
    const double height = std::min(24.0, rect.height() / static_cast<double>(lines.size()));
    for (Size i = 0; i < lines.size(); ++i) {
        const bool hint = !s.f.kept && i + 1 == lines.size();
        s.f.painter.text("readings", {rect.lo.x, rect.lo.y + height * (static_cast<double>(i) + 0.5)}, lines[i],
                         {.color = hint ? s.f.theme.muted : s.f.theme.text,
                          .size = hint ? s.f.theme.tinySize : s.f.theme.smallSize,
                          .v = AlignV::Middle});
    }
}

AxisSpec depthAxis(const Seen& s) {
    const double first = s.result.depths.front(), last = s.result.depths.back();
    return {.label = "layers *L*", .lo = first / 1.15, .hi = last > first ? last * 1.15 : first * 2, .scale = Scale::Log};
}

Curves distances(const Seen& s) {
    const Result& r = s.result;
    const Vector gap(r.depths.size(), r.gaussianGap);
    const std::string slope = r.slope ? "distance to the flow: " + numberText(*r.slope, 2) + "/*L*" : "the flow is not the limit";
    Curves curves{.id = "distance", .title = slope, .x = depthAxis(s), .y = {.label = "total variation"}, .fit = Fit::Decades};
    const Color gaussian = s.f.theme.series[2];
    curves.curves = {{"measured/gaussian", r.depths, r.toGaussian, Role::Measurement, "to the Gaussian", gaussian, 1.8},
                     {"theory/gaussian", r.depths, gap, Role::Theory, "", gaussian, 1.4},
                     {"measured/flow", r.depths, r.toFlow, Role::Measurement, "to the flow", capacityColor(s.f.theme), 2.2, false, true}};
    if (r.slope) curves.curves.push_back({"theory/flow", r.depths, r.toFlowPredicted, Role::Theory, "", std::nullopt, 1.6});
    curves.more = [&s](PictureFrame& f, Plot& plot) {
        scrub(f, plot, "distance", {"depth", "depth shown", depthName(s) + " layers", s.result.depths, s.result.depths, s.params.at});
    };
    return curves;
}

Curves scaling(const Seen& s) {
    const Result& r = s.result;
    Vector spread;
    for (const double variance : r.variance) spread.push_back(std::sqrt(std::max(variance, 0.0)));
    const double exponent = s.asked.exponent;
    const std::string weights = "weights ∝ " + (exponent == 0.5 ? "1/√*L*: " : exponent > 0 ? "*L*^{−" + inWords(exponent) + "}: " : "1: ");
    const std::string says = exponent == 0.5 ? "the width has a limit" : exponent < 0.5 ? "it scatters" : "nothing moves";
    Curves curves{.id = "scaling", .title = weights + says, .x = depthAxis(s), .y = {.label = "spread *σ*"}, .fit = Fit::Decades};
    const char* const names[] = {"weights ∝ 1", "∝ 1/√*L*", "∝ 1/*L*"};
    for (Size e = 0; e < r.exponents.size(); ++e)
        curves.curves.push_back(
            {"theory", r.depths, rowAt(r.spreads, r.depths.size(), static_cast<double>(e)), Role::Theory, names[e], std::nullopt, 1.4});
    curves.curves.push_back({"measured", r.depths, spread, Role::Measurement, "", capacityColor(s.f.theme), 2.6, false, true});
    const double deepest = r.depths.back(), width = spread.back();
    if (deepest < 2 || !(width > 0)) return curves;
    curves.more = [&s, deepest, width](PictureFrame& f, Plot& plot) {
        // The exponent whose width at the deepest end would be σ.
        const auto exponentFor = [&](double sigma) {
            const double rate = std::max(2 * s.result.diffusion, 1e-12);
            return std::round(-50 * std::log(sigma * sigma / (deepest * rate)) / std::log(deepest)) / 100;
        };
        const double exponent = s.params.exponent;
        const auto moved = dragAlong(
            f, plot, {"exponent", "exponent of the weights", inWords(exponent), exponent, 0, 1, 0.05, deepest, width, true, exponentFor});
        // One half is worth meeting exactly.
        const double wanted = moved && std::abs(*moved - 0.5) >= 0.025 ? *moved : 0.5;
        if (moved && wanted != exponent) f.changes.push_back(Change::param("exponent", wanted));
    };
    return curves;
}

/// A note in the middle of a panel.
void say(const Seen& s, std::string_view id, Rect rect, std::string_view text) {
    s.f.painter.text(id, rect.centre(), text,
                     {.color = s.f.theme.muted, .size = s.f.theme.tinySize, .h = AlignH::Centre, .v = AlignV::Middle});
}

/// Squares of the forward equation's outputs over the predicted growth, at the nearer depth: shares.
void drawForward(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const Size d = nearest(s), n = r.outputs.size(), kept = r.kept.size();
    const double growth = r.forwardGrowthPredicted[d];
    if (!(growth > 0)) return say(s, "forward/none", rect, "grows beyond e^{10}: not simulated");
    const auto share = [&](const Vector& rows) {
        Vector row = rowAt(rows, n, static_cast<double>(d));
        for (double& value : row) value /= growth;
        return row;
    };
    Vector shares = r.forwardSquaresPredicted;
    for (Size i = 0; i < shares.size(); ++i) shares[i] /= r.forwardGrowthPredicted[i / n];
    const double half = std::max(2.0, std::abs(r.drift) + 4.2 * std::sqrt(2 * r.diffusion));
    const std::string error =
        r.forwardDraws[d] > 1 ? " ± " + numberText(100 * r.forwardGrowth.standardErrors[d] / r.forwardGrowth.values[d], 2) + " %" : "";
    Curves curves{.id = "forward",
                  .title = "forward: " + numberText(r.forwardDraws[d]) + " draws" + error,
                  .x = {.label = "output position *x*", .lo = -half, .hi = half, .whole = true},
                  .y = {.label = "E *Y_{x}*² (share)", .lo = 0, .hi = std::max(topOverSteps(shares, n), 1e-9) * 1.5},
                  .fit = Fit::Given};
    for (Size k = 0; k < kept; ++k) {
        Vector squares;
        for (Size x = 0; x < n; ++x) squares.push_back(r.forward[(d * n + x) * kept + k] * r.forward[(d * n + x) * kept + k] / growth);
        curves.curves.push_back({"draw", r.outputs, squares, Role::Measurement, "", s.f.theme.muted.withAlpha(0.35f), 1});
    }
    curves.curves.push_back({"measured", r.outputs, share(r.forwardSquares.values), Role::Measurement, "forward", s.f.theme.series[2], 2,
                             false, false, share(r.forwardSquares.standardErrors)});
    curves.curves.push_back({"theory", r.outputs, share(r.forwardSquaresPredicted), Role::Theory, "backward capacity", std::nullopt, 1.6});
    drawCurves(s.f, std::move(curves), rect);
}

void drawCheck(const Seen& s, Rect rect) {
    const Result& r = s.result;
    if (r.checkPredicted.empty()) return say(s, "check/none", rect, "two layers are being run");
    const Vector units{1, 2, 3};
    const auto &measured = r.checkCapacity.values, &error = r.checkCapacity.standardErrors;
    const double top = largest(r.checkPredicted, largest(measured, 1e-9));
    Plot plot(s.f.painter, s.f.theme, "check", rect, {.label = "input", .lo = 0.4, .hi = 3.6, .whole = true},
              {.label = "capacity *κ*^{0}", .lo = 0, .hi = top * 1.75});
    plot.bars("check/capacity", units, measured, 0.6, capacityColor(s.f.theme).withAlpha(0.55f));
    for (Size i = 0; i < units.size(); ++i) {
        const Vector x{units[i], units[i]}, y{measured[i] - error[i], measured[i] + error[i]};
        plot.line("check/error", x, y, {s.f.theme.text, Dash::Solid, 1.5, ""});
    }
    plot.markers("check/theory", units, r.checkPredicted, {s.f.theme.theory, Dash::Solid, 1, ""}, MarkerShape::Diamond, 4.5);
    finishPlot(s.f, plot, "check", "two layers simulated");
    for (Size l = 0; l < 2; ++l)
        s.f.painter.text("check/variance", plot.inner().lo + Vec2{6, 3 + 16 * static_cast<double>(l)},
                         "E *Y*² " + numberText(r.checkVariance.values[l], 4) + " (" + numberText(r.checkVariancePredicted[l]) + ")",
                         {.color = s.f.theme.muted, .size = s.f.theme.tinySize, .halo = s.f.theme.ground});
}

Layout layout(const Seen& s, Ways& ways) {
    const auto of = [&s](void (*draw)(const Seen&, Rect)) { return [&s, draw](Rect rect) { draw(s, rect); }; };
    std::vector<Layout> left{Layout::columns({s.panel(4, {180, 110}, of(drawKernel)), s.panel(5, {250, 110}, of(drawReadings))}).share(0.5),
                             s.panel(1, {220, 118}, [&](Rect rect) { drawWay(s, ways, rect); }),
                             s.panel(0, {220, 140}, of(drawProfiles)).share(1.1)};
    if (isDifferential(s))
        left.push_back(Layout::columns({s.panel(2, {220, 150}, of(drawForward)).share(1.3), s.panel(6, {180, 150}, of(drawCheck))}));
    return Layout::columns({Layout::rows(std::move(left)).share(1.6),
                            Layout::rows({s.panel(2, {220, 120}, distances(s)), s.panel(3, {220, 150}, scaling(s))})});
}

}  // namespace
}  // namespace deep_limit

PictureEntry deep_limit_picture() { return tablePicture<deep_limit::kScene, deep_limit::layout>(); }

}  // namespace kappaflow

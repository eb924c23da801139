// Theorems 2–4 of P3: one unit's kink under the inputs it reads, the shares of the units beside it, and the increments that follow.
#include <algorithm>
#include <cmath>
#include <span>

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
/// "layer 3", or "residual unit 3".
std::string stepName(const Seen& s) { return (residual(s) ? "residual unit " : "layer ") + numberText(std::round(shown(s))); }

/// The first of these that fits; the last one where none does.
std::string fitting(const Seen& s, double width, const std::vector<std::string>& titles) {
    const TextStyle style{.color = s.f.theme.text, .size = s.f.theme.smallSize, .bold = true};
    for (const std::string& title : titles)
        if (s.f.painter.measure(title, style).x <= width) return title;
    return titles.back();
}

// The inputs of some units at the layer shown, and where they lie about the kink.

/// What the ReLUs of the first units read: [unit][input].
struct Units {
    Vector u;
    double variance = 0;
    Size inputs = 1;
    std::span<const double> of(Size unit) const { return std::span(u).subspan(unit * inputs, inputs); }
};
Units unitsAt(const Result& r, double layer) {
    const Size inputs = r.picturedInputs.size();
    return {rowAt(r.preactivations, r.pictured.size() * inputs, layer - 1), rowAt(r.preactivationVariance, 1, layer - 1)[0], inputs};
}

/// Inputs on either side of a kink, and the unit's share of the theorem's mean: 2·E[(u − k)⁺]·E[(u − k)⁻]/variance.
struct Split {
    Size on = 0, off = 0;
    double share = 0;
    Size rarer() const { return std::min(on, off); }
};
Split splitAt(std::span<const double> u, double kink, double variance) {
    Split split;
    double above = 0, below = 0;
    for (const double x : u)
        if (x > kink)
            ++split.on, above += x - kink;
        else
            ++split.off, below += kink - x;
    const double n = static_cast<double>(u.size());
    split.share = 2 * above * below / (n * n * variance);
    return split;
}

struct View {
    explicit View(const Seen&, double reachOfAll);
    double kinkOf(Size row) const { return row == unit ? s.params.kink : 0; }
    Color side(bool on) const { return on ? s.f.theme.series[0] : s.f.theme.muted; }

    const Seen& s;
    PictureFrame& f;
    double reach;  ///< of the axis of pre-activations
    Size unit;     ///< drawn large
    Units drawn;   ///< between two layers on their way
    Units told;    ///< of the layer that words and numbers speak of
    bool known;    ///< the first network came so far
};
View::View(const Seen& seen, double reachOfAll)
    : s(seen),
      f(seen.f),
      reach(reachOfAll),
      unit(std::min(static_cast<Size>(seen.params.unit), seen.result.pictured.size()) - 1),
      drawn(unitsAt(seen.result, shown(seen))),
      told(unitsAt(seen.result, std::round(shown(seen)))),
      known(std::isfinite(drawn.u[0] + told.u[0])) {}

/// Nearly all pre-activations of all layers lie within; those beyond are drawn at the ends.
double reachOf(const Vector& preactivations) {
    constexpr double kLeast = 3, kMost = 4, kWithin = 0.995;
    Vector sizes;
    for (const double u : preactivations)
        if (std::isfinite(u)) sizes.push_back(std::abs(u));
    if (sizes.empty()) return kLeast;
    const auto last = sizes.begin() + static_cast<std::ptrdiff_t>(kWithin * static_cast<double>(sizes.size() - 1));
    std::nth_element(sizes.begin(), last, sizes.end());
    return std::clamp(1.05 * *last, kLeast, kMost);
}

// One unit: its ReLU, the inputs piled up under it, and its share for every place of the kink.

/// From top to bottom, each over the same pre-activations.
struct Strips {
    double ramp, zero;    ///< the ReLU: how far it may rise, and where it is 0
    double floor;         ///< the piles stand on
    double least, whole;  ///< share 0 and the largest one; equal: not drawn
};
Strips stripsIn(Rect inner) {
    const auto at = [&](double share) { return inner.lo.y + share * inner.height(); };
    if (inner.height() < 190) return {at(0.04), at(0.42), at(0.97), 0, 0};
    return {at(0.03), at(0.27), at(0.75), at(1), at(0.82)};
}

/// Dots that stand on one another in columns to either side of 0; in full columns they overlap.
std::vector<Vec2> piled(const Plot& plot, std::span<const double> u, double floor, double height, double size) {
    const Rect inner = plot.inner();
    const double zero = plot.toScreen(0, 0).x, sides = std::floor(0.5 * inner.width() / size);
    std::vector<Vec2> dots;
    std::vector<Size> columns, counts(2 * static_cast<Size>(sides));
    for (const double value : u) {
        const double column = std::clamp(std::floor((plot.toScreen(value, 0).x - zero) / size), -sides, sides - 1);
        columns.push_back(static_cast<Size>(column + sides));
        dots.push_back({zero + (column + 0.5) * size, static_cast<double>(counts[columns.back()]++)});
    }
    for (Size i = 0; i < dots.size(); ++i) {
        const double pitch = std::min(size, (height - size) / std::max(1.0, static_cast<double>(counts[columns[i]]) - 1));
        dots[i].y = floor - size / 2 - dots[i].y * pitch;
    }
    return dots;
}

void drawPile(const View& v, const Plot& plot, const Strips& strips) {
    const double at = shown(v.s), height = strips.floor - strips.zero - 22, kink = v.kinkOf(v.unit);
    const double size = std::clamp(1.1 * plot.inner().width() / std::sqrt(12.0 * static_cast<double>(v.drawn.inputs)), 4.0, 18.0);
    const auto piles = [&](double layer) { return piled(plot, unitsAt(v.s.result, layer).of(v.unit), strips.floor, height, size); };
    const std::vector<Vec2> from = piles(std::floor(at)), to = piles(std::ceil(at));
    const double fraction = at - std::floor(at);
    v.f.painter.line("unit/floor", {plot.inner().lo.x, strips.floor}, {plot.inner().hi.x, strips.floor}, {v.f.theme.line, 1});
    for (Size i = 0; i < from.size(); ++i)
        v.f.painter.marker("unit/input", from[i] + (to[i] - from[i]) * fraction, 0.46 * size, MarkerShape::Circle,
                           v.side(v.drawn.of(v.unit)[i] > kink), Stroke{v.f.theme.ground, 0.8});
}

/// Slope 0, then slope 1 from the kink on, with every input's output on it.
void drawRelu(const View& v, const Plot& plot, const Strips& strips) {
    const Rect inner = plot.inner();
    const double kink = v.kinkOf(v.unit), rise = (strips.zero - strips.ramp) / v.reach;
    const Vec2 corner{plot.toScreen(kink, 0).x, strips.zero};
    const double end = std::min(v.reach, kink + v.reach);
    const Vec2 top{plot.toScreen(end, 0).x, strips.zero - rise * (end - kink)};
    v.f.painter.line("unit/off", {inner.lo.x, strips.zero}, corner, {v.side(false), 2});
    v.f.painter.line("unit/on", corner, top, {v.side(true), 2});
    for (const double u : v.drawn.of(v.unit)) {
        const double x = std::clamp(u, -v.reach, v.reach), y = std::min(std::max(0.0, x - kink), v.reach);
        v.f.painter.marker("unit/output", {plot.toScreen(x, 0).x, strips.zero - rise * y}, 3.4, MarkerShape::Circle, v.side(u > kink),
                           Stroke{v.f.theme.ground, 0.8});
    }
    const TextStyle off{.color = v.f.theme.muted, .size = v.f.theme.tinySize, .v = AlignV::Bottom};
    if (corner.x - inner.lo.x > 90) v.f.painter.text("unit/slope", {inner.lo.x + 6, strips.zero - 6}, "slope 0", off);
    // Under the end of the line, which falls to the left.
    TextStyle on = off;
    on.color = v.side(true), on.h = AlignH::Right, on.v = AlignV::Top;
    const double below = strips.zero - rise * (plot.toData({inner.hi.x - 60, 0}).x - kink) + 5;
    if (below < strips.zero - 18) v.f.painter.text("unit/slope", {inner.hi.x - 6, std::max(below, inner.lo.y)}, "slope 1", on);
}

/// The largest share that the unit could have in most layers, its kink in the middle of its inputs; at least 1/2.
double mostShare(const Result& r, Size unit) {
    Vector tops;
    const Size inputs = r.picturedInputs.size();
    for (Size l = 0; l < r.fromFirst.size(); ++l) {
        const double* first = r.preactivations.data() + (l * r.pictured.size() + unit) * inputs;
        Vector u(first, first + inputs);
        if (!std::isfinite(u[0])) break;
        std::nth_element(u.begin(), u.begin() + static_cast<std::ptrdiff_t>(inputs / 2), u.end());
        tops.push_back(splitAt(u, u[inputs / 2], r.preactivationVariance[l]).share);
    }
    return std::max(0.5, topOverSteps(tops, 1));
}

/// What the unit's share would be with its kink elsewhere.
void drawShares(const View& v, Plot& plot, const Strips& strips) {
    if (strips.least == strips.whole) return;
    constexpr int kSteps = 160;
    const double most = mostShare(v.s.result, v.unit);
    const auto y = [&](double share) { return strips.least + std::min(share / most, 2.0) * (strips.whole - strips.least); };
    const auto u = v.drawn.of(v.unit);
    std::vector<Vec2> line, ground;
    for (int i = 0; i <= kSteps; ++i) {
        const double kink = v.reach * (2.0 * i / kSteps - 1);
        line.push_back({plot.toScreen(kink, 0).x, y(splitAt(u, kink, v.drawn.variance).share)});
        ground.push_back({line.back().x, strips.least});
    }
    const Color color = v.f.theme.theory;
    v.f.painter.pushClip({{plot.inner().lo.x, strips.whole - 2}, {plot.inner().hi.x, strips.least}});
    v.f.painter.strip("unit/share-area", line, ground, color.withAlpha(0.12f));
    v.f.painter.line("unit/share-theory", line, {color, 1.6, Dash::Dashed});
    v.f.painter.popClip();
    const double kink = v.kinkOf(v.unit);
    const double here = std::max(y(splitAt(u, kink, v.drawn.variance).share), strips.whole);
    v.f.painter.marker("unit/share", {plot.toScreen(kink, 0).x, here}, 4.5, MarkerShape::Circle, color, Stroke{v.f.theme.ground, 1});
    v.f.painter.text("unit/share-name", {plot.inner().lo.x + 6, strips.whole - 9}, "its share for each place of the kink",
                     {.color = color, .size = v.f.theme.tinySize, .v = AlignV::Middle});
}

std::string unitTitle(const View& v, double width) {
    const double kink = v.kinkOf(v.unit);
    const auto told = v.told.of(v.unit);
    const Split split = splitAt(told, kink, v.told.variance);
    const std::string name = stepName(v.s) + (residual(v.s) ? ", channel " : ", unit ") + std::to_string(v.unit + 1);
    const std::string sides = std::to_string(split.rarer()) + " of " + std::to_string(v.told.inputs) + " inputs on the rarer side";
    const std::string share = "share " + fixedText(split.share, 3);
    const std::string own = ", not " + fixedText(splitAt(told, 0, v.told.variance).share, 3);
    const std::string moved = "kink at " + fixedText(kink, 2);
    if (kink == 0) return fitting(v.s, width, {name + ": " + sides + ", " + share, sides + ", " + share, share});
    return fitting(v.s, width,
                   {name + ", " + moved + ": " + sides + ", " + share + own, moved + ": " + sides + ", " + share + own,
                    moved + ": " + share + own, share + own});
}

void drawUnit(const View& v, Rect rect) {
    const bool normalised = random_nets::isNormalised(v.s.asked.net);
    Plot plot(
        v.f.painter, v.f.theme, "unit", rect,
        {.label = normalised ? "what its ReLU reads, *z*" : "what its ReLU reads, *y* over its layer's rms", .lo = -v.reach, .hi = v.reach},
        {.label = "", .ticks = false});
    const Rect inner = plot.inner();
    const Strips strips = stripsIn(inner);
    if (!v.known) {
        plot.finish({}, stepName(v.s) + ": the first network did not come so far");
        return;
    }
    const double kink = v.kinkOf(v.unit), x = plot.toScreen(kink, 0).x;
    if (kink != 0) plot.vertical("unit/own", 0, {v.f.theme.muted, Dash::Dotted, 1.2, ""});
    v.f.painter.line("unit/kink", {x, inner.lo.y}, {x, inner.hi.y}, {v.f.theme.accent.withAlpha(0.55f), 1.2});
    drawShares(v, plot, strips);
    drawPile(v, plot, strips);
    drawRelu(v, plot, strips);
    const auto grip = v.f.handles.offer(
        {"kink", "kink of the unit drawn", fixedText(kink, 2), kink, -3, 3, 0.05, {{x - 9, inner.lo.y}, {x + 9, inner.hi.y}}},
        [&](Vec2 p) { return plot.toData(p).x; });
    drawKnob(v.f, "unit/knob", {x, strips.zero}, grip);
    if (grip.moved) v.f.changes.push_back(Change::param("kink", std::round(20 * grip.value) / 20));
    plot.finish({}, unitTitle(v, inner.width()));
}

// Units one below the other, and their shares.

void drawUnits(const View& v, Rect rect) {
    const Result& r = v.s.result;
    const std::string some = std::to_string(r.pictured.size()) + " of " + std::to_string(r.units.size());
    const double rows = static_cast<double>(r.pictured.size()), part = rect.lo.x + 0.62 * rect.width();
    const AxisSpec down{.label = "", .lo = 0, .hi = rows, .ticks = false};
    Plot inputs(v.f.painter, v.f.theme, "units", {rect.lo, {part, rect.hi.y}},
                {.label = "what " + some + (residual(v.s) ? " channels read" : " units read"), .lo = -v.reach, .hi = v.reach}, down);
    Plot shares(v.f.painter, v.f.theme, "shares", {{part, rect.lo.y}, rect.hi}, {.label = "share", .lo = 0, .hi = 0.7}, down);
    const double pitch = inputs.inner().height() / rows;
    const double mean = r.switchingMean.empty() ? std::nan("") : r.switchingMean[static_cast<Size>(std::lround(shown(v.s)))];
    const auto middle = [&](Size c) { return inputs.inner().lo.y + pitch * (static_cast<double>(c) + 0.5); };
    std::vector<PointMark> marks;  // thousands: in one call
    for (Size c = 0; v.known && c < r.pictured.size(); ++c) {
        if (c == v.unit)
            v.f.painter.rect("units/chosen", {{inputs.inner().lo.x, middle(c) - pitch / 2}, {shares.inner().hi.x, middle(c) + pitch / 2}},
                             v.f.theme.accent.withAlpha(0.12f), 3);
        for (const double u : v.drawn.of(c))
            marks.push_back({{inputs.toScreen(std::clamp(u, -v.reach, v.reach), 0).x, middle(c)},
                             std::clamp(0.22 * pitch, 1.4, 2.6),
                             v.side(u > v.kinkOf(c)).withAlpha(0.55f)});
    }
    v.f.painter.points("units/input", marks);
    for (Size c = 0; v.known && c < r.pictured.size(); ++c) {
        const double kink = v.kinkOf(c), y = middle(c);
        const bool chosen = c == v.unit;
        const double x = inputs.toScreen(kink, 0).x, share = splitAt(v.drawn.of(c), kink, v.drawn.variance).share;
        v.f.painter.line("units/kink", {x, y - pitch / 2}, {x, y + pitch / 2},
                         {v.f.theme.accent.withAlpha(chosen ? 0.9f : 0.55f), chosen ? 2.0 : 1.2});
        v.f.painter.rect(
            "shares/measured",
            {{shares.inner().lo.x, y - 0.32 * pitch}, {std::min(shares.toScreen(share, 0).x, shares.inner().hi.x), y + 0.32 * pitch}},
            v.f.theme.series[0].withAlpha(chosen ? 0.9f : 0.5f));
    }
    if (std::isfinite(mean)) shares.vertical("shares/theory", mean, {v.f.theme.theory, Dash::Dashed, 1.8, ""});
    const Rect both{inputs.inner().lo, {shares.inner().hi.x, inputs.inner().hi.y}};
    const double value = static_cast<double>(v.unit) + 1;
    const auto grip = v.f.handles.offer({"unit", "unit drawn large", numberText(value), value, 1, rows, 1, both},
                                        [&](Vec2 p) { return std::floor((p.y - both.lo.y) / pitch) + 1; });
    if (grip.moved) v.f.changes.push_back(Change::param("unit", grip.value));
    inputs.finish({});
    shares.finish({});
    std::vector<std::string> titles{residual(v.s) ? "channels and their shares" : "units and their shares"};
    if (std::isfinite(mean)) {
        const std::string told = fixedText(mean, 3), hence = v.s.asked.net == Net::Vanilla ? "*δχ*" : "*δ_{φ}χ*";
        titles = {"dashed: the theorem's mean share " + told + ", so " + hence + " = " + fixedText(1 / std::sqrt(1 - mean), 3),
                  "dashed: the theorem's mean, " + told, "mean share " + told};
    }
    drawFitting(v.f, "units/title", {inputs.inner().lo.x, rect.lo.y + 10}, titles,
                {.color = v.f.theme.text, .size = v.f.theme.smallSize, .v = AlignV::Middle, .bold = true}, rect.hi.x - inputs.inner().lo.x);
}

// Increments of the sensitivity over layers, and what a ResNet's skip leaves of them.

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
            .x = {.label = residual(s) ? "residual unit *l*" : "layer *l*", .hi = depth(s) + std::max(0.4, 0.04 * depth(s)), .whole = true},
            .y = std::move(y),
            .fit = Fit::Given,
            .curves = std::move(curves),
            .more = [&s, id = std::string(id)](PictureFrame& f, Plot& plot) {
                random_nets::offerStep(f, plot, {id, id + "-layer", stepName(s), shown(s), 1, depth(s)});
            }};
}

/// Which theorem is dashed, and over which weights it is averaged.
std::vector<std::string> incrementTitles(const Seen& s) {
    const Params& p = s.asked;
    const bool relu = p.activation == random_nets::Phi::Relu;
    if (!s.result.meanRatio) return {p.net == Net::Vanilla && !relu ? "Theorem 2 is about the ReLU" : "no value of the theorem here"};
    const bool closed = p.net == Net::Vanilla && p.space == random_nets::Space::Dense && relu && p.biasVariance == 0;
    const std::string theorem = p.net == Net::Vanilla ? "Theorem 2" : p.net == Net::BatchNorm ? "Theorem 3" : "dilution law";
    const char* weights = p.expectation == Expectation::Channels          ? "the drawn channels"
                          : p.expectation == Expectation::Exact && closed ? "all weights, exactly"
                                                                          : "fresh weights";
    return {"dashed: " + theorem + " from " + weights, "dashed: " + theorem, theorem};
}

Curves increments(const Seen& s, double width) {
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
    Curves curves =
        overLayers(s, "increments", fitting(s, width - 60, incrementTitles(s)),
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
    curves.more = [step = curves.more, first, &s](PictureFrame& f, Plot& plot) {
        const double x[] = {1}, now[] = {shown(s)}, value[] = {rowAt(s.result.deltaChiTheorem, 1, now[0])[0]};
        if (!first.empty())
            plot.markers("increments/first", x, first, {f.theme.theory, Dash::Solid, 1, "first step"}, MarkerShape::Diamond, 6);
        step(f, plot);
        plot.markers("increments/now", now, value, {f.theme.theory, Dash::Solid, 1, ""}, MarkerShape::Circle, 4.5);
    };
    return curves;
}

/// What of a residual unit's variance comes from its branch, and so what of its increments is left: Theorem 4's dilution.
Curves branchShares(const Seen& s, double width) {
    const Result& r = s.result;
    Vector even;
    for (const double l : r.layers) even.push_back(1 / (l + 1));
    std::vector<Curve> curves{{"measured", {}, r.branchShare.values, Role::Measurement, "branch", s.f.theme.series[0], 2, true}};
    if (s.asked.skipScale == 1) curves.push_back({"theory", {}, even, Role::Theory, "1/(*l* + 1)", std::nullopt, 1.6});
    return overLayers(s, "branches", fitting(s, width - 60, {"the rest comes over the skip", "rest: skip"}),
                      {.label = "part of *μ*_{2}", .lo = 0, .hi = 1}, std::move(curves));
}

struct Cache {
    double reach = 0;
};

Layout layout(const Seen& s, Cache& cache) {
    if (s.result.deltaChi.values.empty()) return s.panel(0, {}, [&s](Rect) { emptyPicture(s.f, "Networks are being drawn."); });
    const auto chart = [&s](Curves (*make)(const Seen&, double)) {
        return [&s, make](Rect rect) { drawCurves(s.f, make(s, rect.width()), rect); };
    };
    std::vector<Layout> right;
    if (s.result.preactivations.empty()) return s.panel(0, {240, 150}, chart(increments));
    if (cache.reach == 0) cache.reach = reachOf(s.result.preactivations);
    const auto view = [&s, reach = cache.reach](void (*draw)(const View&, Rect)) {
        return [&s, reach, draw](Rect rect) { draw(View(s, reach), rect); };
    };
    right.push_back(s.panel(2, {250, 180}, view(drawUnits)));
    right.push_back(s.panel(1, {250, 150}, chart(increments)));
    if (!s.result.branchShare.values.empty()) right.push_back(s.panel(3, {250, 130}, chart(branchShares)).share(0.7));
    return Layout::columns({s.panel(0, {260, 170}, view(drawUnit)).share(1.35), Layout::rows(std::move(right))});
}

}  // namespace
}  // namespace sensitivity_theorems

PictureEntry sensitivity_theorems_picture() { return tablePicture<sensitivity_theorems::kScene, sensitivity_theorems::layout>(); }

}  // namespace kappaflow

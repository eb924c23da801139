// Signal and noise through the layers of random networks (P3 Figs 3–5): clouds of feature vectors, χ, its increments, effective ranks.
#include <algorithm>
#include <cmath>

#include "draw/markup.h"
#include "draw/number_text.h"
#include "scenes/moments/moments.h"
#include "scenes/moments/picture_step.h"
#include "scenes/panels.h"

namespace kappaflow {
namespace moments {
namespace {

using random_nets::Net;
using Size = std::size_t;
using Vector = std::vector<double>;
using Seen = Sight<Params, Result>;

bool given(const Seen& s) { return !s.asked.network.empty(); }
bool comparing(const Seen& s) { return s.result.nets.size() > 1; }
bool normalised(const Seen& s) { return !given(s) && random_nets::isNormalised(s.asked.net); }
bool residual(const Seen& s) { return !given(s) && random_nets::isResidual(s.asked.net); }
bool isNet(const Seen& s, Net net) { return !given(s) && s.asked.net == net; }
double depth(const Seen& s) { return s.result.layers.back(); }

/// Last layer with a cloud of any network.
double reached(const Seen& s) {
    const Size rows = s.result.layers.size();
    Size last = 0;
    for (Size i = 0; i < s.result.cloudShare.size(); ++i)
        if (std::isfinite(s.result.cloudShare[i])) last = std::max(last, i % rows);
    return static_cast<double>(last);
}
double shown(const Seen& s) { return std::clamp(s.params.at, 0.0, reached(s)); }
Size nearest(const Seen& s) { return static_cast<Size>(shown(s) + 0.5); }

/// "layer 3", of a given network with what it is: "layer 3 (pool)".
std::string layerName(const Seen& s) {
    const Size layer = nearest(s);
    if (layer == 0) return "input";
    const std::string name = "layer " + std::to_string(layer);
    const Vector& kinds = s.result.layerKind;
    return layer < kinds.size() ? name + " (" + kLayerKinds[static_cast<Size>(kinds[layer])] + ")" : name;
}

/// "one-dimensional signal", or "" before it can be told.
std::string pathologyOf(const Seen& s, Size net) {
    double code = net < s.result.pathologies.size() ? s.result.pathologies[net] : std::nan("");
    if (net == 0 && s.result.fits.pathology) code = *s.result.fits.pathology;
    return code >= 0 && code <= kCannotTell ? kPathologies[static_cast<Size>(code)] : "";
}

const char* shortNameOf(const std::string& net) {
    if (net == "given") return "given";
    return net == "vanilla" ? "vanilla" : net == "batch-norm" ? "batch norm" : net == "resnet" ? "BN-ResNet" : "plain ResNet";
}

Color colorOfNet(const Seen& s, const std::string& net) {
    return s.f.theme.series[net == "vanilla" ? 0 : net == "batch-norm" ? 1 : net == "resnet" ? 2 : 3];
}

/// The first of the texts that is at most so wide in a heading, else the last.
std::string fitting(const Seen& s, const std::vector<std::string>& texts, double width) {
    const TextStyle style{.color = s.f.theme.text, .size = s.f.theme.smallSize, .bold = true};
    for (const auto& text : texts)
        if (s.f.painter.measure(text, style).x <= width) return text;
    return texts.back();
}

// Curves over the layers.

Curve measured(const Banded& band, Color color, std::string label) {
    Curve curve{"measured", {}, band.mean.values, Role::Measurement, std::move(label), color, 2.2};
    curve.low = band.low, curve.high = band.high;
    return curve;
}
Curve theory(const Vector& values, std::string label, std::optional<Color> color = {}) {
    return {"theory", {}, values, Role::Theory, std::move(label), color, 1.6};
}

/// One curve a network, of those compared.
std::vector<Curve> comparedCurves(const Seen& s, Quantity quantity, bool withBand) {
    const Banded& all = s.result.comparedOf(quantity);
    std::vector<Curve> curves;
    for (Size k = 0; k < s.result.nets.size() && !all.mean.values.empty(); ++k) {
        const auto row = [&](const Vector& rows) { return rowAt(rows, s.result.layers.size(), static_cast<double>(k)); };
        const std::string& net = s.result.nets[k];
        curves.push_back({"measured", {}, row(all.mean.values), Role::Measurement, shortNameOf(net), colorOfNet(s, net), 2.2});
        if (withBand) curves.back().low = row(all.low), curves.back().high = row(all.high);
    }
    return curves;
}

/// What axes must hold: of means, and of bands where they are no more than three times as wide.
struct Range {
    double lo = 1e300, hi = -1e300;
    void include(double value) {
        if (std::isfinite(value)) lo = std::min(lo, value), hi = std::max(hi, value);
    }
    void include(const std::vector<Curve>& curves) {
        for (const Curve& curve : curves) {
            for (const double value : curve.y) include(value);
            if (!(hi >= lo)) continue;
            const double least = lo - (hi - lo), most = hi + (hi - lo);
            for (const double value : curve.low) include(std::max(value, least));
            for (const double value : curve.high) include(std::min(value, most));
        }
    }
    bool wide(double ratio) const { return lo > 0 && hi > ratio * lo; }
    AxisSpec linear(const char* label, double room) const {
        if (!(hi >= lo)) return {.label = label};
        const double width = std::max(hi - lo, 1e-3 * std::max(std::abs(hi), 1e-6));
        return {.label = label, .lo = lo - 0.06 * width, .hi = hi + room * width};
    }
    AxisSpec logarithmic(const char* label) const {
        if (!(hi >= lo) || !(hi > 0)) return {.label = label, .lo = 0.1, .hi = 10, .scale = Scale::Log};
        const double least = std::max(lo, hi * 1e-300), stretch = std::pow(hi / least, 0.06) * 1.15;
        return {.label = label, .lo = least / stretch, .hi = hi * stretch * stretch, .scale = Scale::Log};
    }
};

/// The line of the layer shown, which scrubs where `scrubs`.
void markLayer(const Seen& s, Plot& plot, const std::string& id, bool scrubs) {
    const double x = plot.toScreen(std::max(shown(s), 1e-9), 1).x;
    if (x >= plot.inner().lo.x - 0.5 && x <= plot.inner().hi.x + 0.5)
        random_nets::offerStep(s.f, plot, {id, "layer", layerName(s), shown(s), 0, scrubs ? reached(s) : 0});
}

/// Draws a plot over the layers; `title` in its longest form that fits.
void drawOverLayers(const Seen& s, Rect rect, Curves curves, const std::vector<std::string>& titles) {
    std::erase_if(curves.curves, [](const Curve& curve) { return curve.y.empty(); });
    for (Curve& curve : curves.curves)
        if (curve.x.empty()) curve.x = s.result.layers;
    curves.title = fitting(s, titles, rect.width() - 30);
    curves.fit = Fit::Given;
    curves.x.label = comparing(s) ? "layer or unit *l*" : residual(s) ? "unit *l*" : "layer *l*";
    if (curves.x.scale == Scale::Log) {
        curves.x.lo = 1, curves.x.hi = std::max(2.0, depth(s));
    } else {
        curves.x.hi = std::max(1.0, depth(s)), curves.x.whole = true;
    }
    curves.more = [&s, id = curves.id, more = curves.more](PictureFrame& f, Plot& plot) {
        if (more) more(f, plot);
        markLayer(s, plot, id, id == "sensitivity");
    };
    drawCurves(s.f, std::move(curves), rect);
}

std::function<void(PictureFrame&, Plot&)> lineAtOne(const char* id) {
    return [id = std::string(id)](PictureFrame& f, Plot& plot) {
        plot.horizontal(id + "/one", 1, {f.theme.muted.withAlpha(0.7f), Dash::Solid, 1, ""});
    };
}

/// Dots of a given network, where a layer is an activation.
void drawDots(const Seen& s, Plot& plot, const std::string& id, const Vector& values, Color color) {
    const Vector& kinds = s.result.layerKind;
    Vector x, y;
    for (Size l = 0; l < std::min(kinds.size(), values.size()); ++l)
        if (kinds[l] == kActivationKind && std::isfinite(values[l])) x.push_back(static_cast<double>(l)), y.push_back(values[l]);
    plot.markers(id + "/activations", x, y, {color, Dash::Solid, 1, ""}, MarkerShape::Circle, 3.4);
}

std::vector<Curve> incrementCurves(const Seen& s) {
    if (comparing(s)) return comparedCurves(s, Quantity::DeltaChi, false);
    const Result& r = s.result;
    const auto& series = s.f.theme.series;
    std::vector<Curve> all{measured(r.of(Quantity::DeltaChi), series[0], residual(s) ? "unit" : normalised(s) ? "*δχ*" : "")};
    if (residual(s)) all.push_back(measured(r.of(Quantity::DeltaInner), series[5], "layer of a branch"));
    if (normalised(s)) {
        all.push_back(measured(r.of(Quantity::DeltaBatchNorm), series[3], "batch norm"));
        all.push_back(measured(r.of(Quantity::DeltaActivation), series[2], "activation"));
        all.push_back(theory(r.means.batchNormTheory, ""));
        all.push_back(theory(r.means.activationTheory, ""));
    }
    all.push_back(theory(r.means.deltaChiTheory, ""));
    return all;
}

void drawIncrements(const Seen& s, Rect rect) {
    Curves curves{.id = "increments", .curves = incrementCurves(s), .more = lineAtOne("increments")};
    Range range;
    range.include(curves.curves);
    range.include(1);
    curves.y = range.linear("increment *δχ*^{*l*}", 0.12);
    const std::string which = isNet(s, Net::Vanilla)     ? "Theorem 2"
                              : isNet(s, Net::BatchNorm) ? "Theorem 3"
                              : isNet(s, Net::Resnet)    ? "Theorems 3, 4"
                                                         : "dilution";
    std::vector<std::string> titles{"increments"};
    if (given(s))
        titles = {"increments; no theorem: given weights", "increments, no theorem", "increments"};
    else if (!comparing(s) && !s.result.means.deltaChiTheory.empty())
        titles = {"increments; dashed: " + which, "dashed: " + which};
    drawOverLayers(s, rect, std::move(curves), titles);
}

void drawRanks(const Seen& s, Rect rect) {
    Curves curves{.id = "ranks", .more = lineAtOne("ranks")};
    if (comparing(s))
        curves.curves = comparedCurves(s, Quantity::RankSignal, true);
    else
        curves.curves = {measured(s.result.of(Quantity::RankNoise), s.f.theme.series[1], "noise"),
                         measured(s.result.of(Quantity::RankSignal), s.f.theme.series[0], "signal")};
    Range range;
    range.include(curves.curves);
    range.include(1);
    curves.y = range.wide(4) ? range.logarithmic("effective rank") : range.linear("effective rank", 0.12);
    drawOverLayers(s, rect, std::move(curves), {comparing(s) ? "effective rank of the signal" : "effective ranks; 1: a line", "ranks"});
}

/// Tails of what the activation reads beside batch norm, else what is left of the signal's variance.
void drawSigns(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const bool tails = normalised(s);
    const Color color = s.f.theme.series[3], other = s.f.theme.series[5];
    Curves curves{.id = "signs"};
    if (tails)
        curves.curves = {measured(r.of(Quantity::Kurtosis), color, "*μ*₄"), measured(r.of(Quantity::Nu1), other, "*ν*₁(|*z*|)")};
    else
        curves.curves = {measured(r.of(Quantity::VarianceRatio), color, "*μ*₂/*ν*₂"),
                         measured(r.of(Quantity::Coactivation), other, "coactivation")};
    Range range;
    range.include(curves.curves);
    const std::optional<double> ceiling =
        tails && r.kurtosisCeiling && *r.kurtosisCeiling < 8 * range.hi ? r.kurtosisCeiling : std::nullopt;
    if (ceiling) range.include(*ceiling);
    const char* label = tails ? "moments of *z*^{*l*}" : "share";
    curves.y = tails || range.wide(100) ? range.logarithmic(label) : range.linear(label, 0.12);
    curves.more = [&s, ceiling, other](PictureFrame& f, Plot& plot) {
        if (ceiling) plot.horizontal("signs/bound", *ceiling, {f.theme.muted, Dash::Dotted, 1.6, ""});
        if (given(s)) drawDots(s, plot, "signs", s.result.of(Quantity::Coactivation).mean.values, other);
    };
    std::vector<std::string> titles{"zero-dimensional as *μ*₂/*ν*₂ → 0", "*μ*₂/*ν*₂ → 0: a point", "variance left"};
    if (given(s)) titles = {"*μ*₂/*ν*₂ → 0: a point; dots: coactivation", "dots: coactivation"};
    if (r.kurtosisCeiling) {
        const std::string count = numberText(r.points, 5), most = numberText(*r.kurtosisCeiling, 4);
        titles = {"tails: " + count + " points allow *μ*₄ ≤ " + most, count + " points: *μ*₄ ≤ " + most, "tails"};
    }
    drawOverLayers(s, rect, std::move(curves), titles);
}

// χ over layers, beside the theorems, the power law and where an infinitely wide network would level off; and what was fitted over which
// layers.

/// "0.185 ± 0.002".
std::string estimated(const Estimate& e) {
    const double error = e.standardError;
    const int decimals = error > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 2, 4) : 3;
    return fixedText(e.value, decimals) + (error > 0 ? " ± " + fixedText(error, decimals) : "");
}

std::string changes(double rate) { return rate < 0 ? "changes by " : "grows "; }

/// The power law of a ResNet, or the rate of the others, with the layers that it was fitted to.
std::vector<std::string> fitTitles(const Seen& s) {
    const Result& r = s.result;
    if (comparing(s)) return {"sensitivity *χ*: noise over signal", "sensitivity *χ*"};
    if (given(s)) {
        const double chi = r.of(Quantity::Chi).mean.values.back();
        const std::string last = std::isfinite(chi) ? ": *χ* = " + numberText(chi, 3) + " at the output" : "";
        return {"sensitivity" + last + "; dots: activations", "sensitivity" + last, "sensitivity *χ*"};
    }
    const double last = r.fittedLayers.value_or(depth(s));
    const auto part = [&](double of) { return numberText(std::max(1.0, std::floor(last / of)), 4); };
    if (r.fits.predicted && r.fits.exponent && r.fits.exponentLate) {
        const std::string fit = "*χ* ~ *l*^{" + fixedText(r.fits.exponent->value, 2) + "}", deep = fixedText(r.fits.exponentLate->value, 2);
        const std::string tau = "*τ* = " + fixedText(r.fits.predicted->value, 2);
        return {fit + ", *l*^{" + deep + "} from *l* = " + part(5) + "; " + tau, fit + "; " + tau, tau};
    }
    if (!r.fits.rate) return {"sensitivity"};
    if (r.fits.stretch && r.fits.stretchPredicted) {
        const std::string slope = "log *χ* grows " + estimated(*r.fits.stretch) + " a unit of √*l*";
        return {slope + ", *l* ≥ " + part(5) + "; *N* → ∞: " + fixedText(*r.fits.stretchPredicted, 2), slope, "log *χ* ~ √*l*"};
    }
    if (r.plateau && r.fits.rateLate && pathologyOf(s, 0) != "exploding sensitivity") {
        const double rate = r.fits.rateLate->value;
        const std::string slow = "log *χ* " + changes(rate) + fixedText(rate, 4) + " a layer, *l* ≥ " + part(2);
        return {"limited, not bounded: " + slow, slow, "sensitivity"};
    }
    const std::string growth = "log *χ* " + changes(r.fits.rate->value) + estimated(*r.fits.rate) + " a layer";
    return {growth + ", *l* = 1…" + numberText(last, 4), growth, fixedText(r.fits.rate->value, 3) + " a layer"};
}

void drawSensitivity(const Seen& s, Rect rect) {
    const Result& r = s.result;
    const Theme& t = s.f.theme;
    Curves curves{.id = "sensitivity"};
    if (comparing(s)) {
        curves.curves = comparedCurves(s, Quantity::Chi, true);
        std::reverse(curves.curves.begin(), curves.curves.end());
    } else {
        const char* theorem = isNet(s, Net::Vanilla) ? "Theorem 2" : isNet(s, Net::BatchNorm) ? "Theorem 3" : "dilution";
        curves.curves = {measured(r.of(Quantity::Chi), t.series[0], "*χ*^{*l*}"), theory(r.means.chiTheory, theorem),
                         theory(r.powerLaw, "*C l*^{*τ*}", t.series[2]), theory(r.meanField, "*N* → ∞: e^{*c*√*l*}", t.series[2])};
    }
    Range range;
    range.include(curves.curves);
    if (r.plateau && !comparing(s) && *r.plateau < 3 * range.hi) range.include(*r.plateau);
    const bool fitted = s.params.axes == Axes::Fitting;
    const bool logarithmic = fitted ? range.wide(30) : s.params.axes != Axes::Linear;
    if (s.params.axes == Axes::Double) curves.x.scale = Scale::Log;
    curves.y = logarithmic ? range.logarithmic("sensitivity *χ*^{*l*}") : range.linear("sensitivity *χ*^{*l*}", 0.1);
    if (r.plateau && !comparing(s) && *r.plateau <= range.hi * 1.001)
        curves.curves.insert(
            curves.curves.begin(),
            {"plateau", {0, depth(s)}, {*r.plateau, *r.plateau}, Role::Theory, "*N* → ∞, from the data's norms", t.muted, 1.4});
    curves.more = [&s](PictureFrame& f, Plot& plot) {
        if (given(s)) drawDots(s, plot, "sensitivity", s.result.of(Quantity::Chi).mean.values, f.theme.series[0]);
    };
    drawOverLayers(s, rect, std::move(curves), fitTitles(s));
}

// Feature vectors of a layer in their principal plane, with and without noise.

/// The points of one layer, or on their way between two.
struct Cloud {
    std::vector<Vec2> signal, noisy;
    double strength = 0;  ///< noise over signal in the plane
    bool defined() const { return !signal.empty() && std::isfinite(strength) && std::isfinite(signal[0].x); }
};

double mixed(double a, double b, double t) { return a + (b - a) * t; }

/// Signal and noise are brought to a common spread of 1: as the noise grows, the signal shrinks.
Cloud cloudAt(const Seen& s, Size net, double layer) {
    const Result& r = s.result;
    const Size rows = r.layers.size(), points = r.shownPoints.size();
    if (r.cloudNoiseSize.empty() || r.cloudSpread.empty() || r.cloudSignal.empty() || r.cloudNoise.empty()) return {};
    const double *size = &r.cloudNoiseSize[net * rows], *spread = &r.cloudSpread[net * rows];
    Size last = rows - 1;
    while (last > 0 && std::isnan(size[last])) --last;
    const Between b = between(layer, last);
    Cloud cloud;
    cloud.strength = s.params.noise * std::exp(mixed(std::log(size[b.below]), std::log(size[b.above]), b.fraction));
    double unit = 1 / std::sqrt(1 + cloud.strength * cloud.strength);
    if (s.params.cloud == CloudUnit::Size) {
        double peak = 0;
        for (Size l = 0; l <= last; ++l) peak = std::max(peak, std::isfinite(spread[l]) ? spread[l] : 0);
        unit *= mixed(spread[b.below], spread[b.above], b.fraction) / (peak > 0 ? peak : 1);
    }
    const auto at = [&](const Vector& places, Size point, Size coordinate) {
        const auto place = [&](Size layer) { return places[((net * rows + layer) * points + point) * 2 + coordinate]; };
        return mixed(place(b.below), place(b.above), b.fraction);
    };
    const double moved = unit * cloud.strength;
    for (Size i = 0; i < points; ++i) {
        cloud.signal.push_back({unit * at(r.cloudSignal, i, 0), unit * at(r.cloudSignal, i, 1)});
        cloud.noisy.push_back(cloud.signal[i] + Vec2{moved * at(r.cloudNoise, i, 0), moved * at(r.cloudNoise, i, 1)});
    }
    return cloud;
}

void drawPoints(const Seen& s, Plot& plot, const Cloud& cloud, double radius) {
    const Color signal = s.f.theme.series[0], noise = s.f.theme.series[1];
    Vector x, y, noisyX, noisyY, linkX, linkY;
    const double gap = std::nan("");
    for (Size i = 0; i < cloud.signal.size(); ++i) {
        x.push_back(cloud.signal[i].x), y.push_back(cloud.signal[i].y);
        noisyX.push_back(cloud.noisy[i].x), noisyY.push_back(cloud.noisy[i].y);
        linkX.insert(linkX.end(), {x.back(), noisyX.back(), gap});
        linkY.insert(linkY.end(), {y.back(), noisyY.back(), gap});
    }
    plot.line("cloud/noise", linkX, linkY, {noise.withAlpha(0.4f), Dash::Solid, 1, ""});
    plot.markers("cloud/noisy", noisyX, noisyY, {noise, Dash::Solid, 1, ""}, MarkerShape::Circle, radius * 0.7);
    plot.markers("cloud/signal", x, y, {signal, Dash::Solid, 1, ""}, MarkerShape::Circle, radius);
}

/// The dot with the most noise at the input is pulled from its place without noise: noise over signal, for all points at once.
void offerNoise(const Seen& s, const Plot& plot, const Cloud& cloud, const std::string& id, Size net) {
    const Result& r = s.result;
    const Size rows = r.layers.size(), points = r.shownPoints.size();
    const double* input = &r.cloudNoise[net * rows * points * 2];
    Size most = 0;
    for (Size i = 0; i < points; ++i)
        if (std::hypot(input[2 * i], input[2 * i + 1]) > std::hypot(input[2 * most], input[2 * most + 1])) most = i;
    // Along the way of its noise the dot lies at (A + tB)/√(1 + t²), t the noise over the signal in this layer.
    const Vec2 signal = cloud.signal[most], moved = cloud.noisy[most] - signal;
    const double t = cloud.strength, size = t / s.params.noise, way = std::hypot(moved.x, moved.y), root = std::sqrt(1 + t * t);
    if (!(way > 0) || !(t > 0)) return;
    const Vec2 along = moved * (1 / way);
    const double A = dot(signal, along) * root, B = way * root / t;
    const auto noiseAt = [&](Vec2 pointer) {
        const double angle = std::atan2(B, A) - std::acos(std::clamp(dot(plot.toData(pointer), along) / std::hypot(A, B), -1.0, 1.0));
        return std::tan(std::clamp(angle, 0.0, 1.57)) / size;
    };
    const Vec2 at = plot.toScreen(cloud.noisy[most].x, cloud.noisy[most].y);
    const std::string handle = comparing(s) ? "noise " + s.result.nets[net] : "noise";
    const auto grip = s.f.handles.offer(
        {handle, "noise over signal at the input", inWords(s.params.noise), s.params.noise, 0, 1, 0.02, knobRect(at)}, noiseAt);
    drawKnob(s.f, id + "/noise-knob", at, grip);
    if (!grip.moved || std::abs(grip.value - s.params.noise) < 1e-3 * s.params.noise) return;
    // Three digits.
    const double wanted = std::max(grip.value, 1e-6), digit = std::pow(10, std::floor(std::log10(wanted)) - 2);
    s.f.changes.push_back(Change::param("noise", std::round(wanted / digit) * digit));
}

/// "13 of 20 draws end early", or "" when all reach the last layer.
std::string lossOf(const Vector& alive) {
    if (alive.empty() || !(alive.back() < alive[0])) return "";
    return numberText(alive[0] - alive.back()) + " of " + numberText(alive[0]) + " draws end early";
}

/// What the two colours are, and what becomes of the signal in depth.
void drawNotes(const Seen& s, const Rect& inner, Size net) {
    PictureFrame& f = s.f;
    TextStyle style{.color = f.theme.series[0], .size = f.theme.tinySize, .h = AlignH::Left, .v = AlignV::Top, .halo = f.theme.ground};
    const double line = f.painter.measure("0", style).y;
    if (net == 0 && inner.height() > 90) {
        f.painter.text("cloud/legend", inner.lo + Vec2{7, 4}, "signal", style);
        const double width = f.painter.measure("signal", style).x + 12;
        style.color = f.theme.series[1];
        f.painter.text("cloud/legend", inner.lo + Vec2{7 + width, 4}, "with noise", style);
        style.color = f.theme.warning;
        if (const std::string loss = lossOf(s.result.means.alive); !loss.empty() && inner.height() > 120 && f.report.status == Status::Ok)
            f.painter.text("cloud/loss", inner.lo + Vec2{7, 6 + line}, elide(f.painter, loss, style, inner.width() - 14), style);
    }
    const std::string verdict = pathologyOf(s, net), one = verdict.substr(0, verdict.find(' '));
    if (verdict.empty() || inner.height() < 3 * line) return;
    style.color = verdict == "well-behaved" ? f.theme.text : f.theme.warning;
    style.size = inner.width() > 260 ? f.theme.smallSize : f.theme.tinySize;
    style.bold = true, style.v = AlignV::Bottom;
    const std::string text = fitting(s, {"in depth: " + verdict, "deep: " + verdict, "deep: " + one}, inner.width() - 14);
    f.painter.text("cloud/verdict", {inner.lo.x + 7, inner.hi.y - 4}, text, style);
}

std::string cloudTitle(const Seen& s, Size net, double width) {
    if (comparing(s)) return shortNameOf(s.result.nets[net]);
    const std::string layer = layerName(s);
    const Vector &chi = s.result.of(Quantity::Chi).mean.values, &ranks = s.result.of(Quantity::RankSignal).mean.values;
    if (nearest(s) >= chi.size() || std::isnan(chi[nearest(s)])) return layer;
    const std::string c = layer + ": *χ* = " + numberText(chi[nearest(s)], 3);
    const std::string rank = ranks.empty() ? "" : numberText(ranks[nearest(s)], 3);
    return fitting(s, {c + ", effective rank " + rank, c + ", *r*_{eff} " + rank, c, layer}, width);
}

/// Half the height of the window, in units of the whole cloud's spread: all points of all layers, but at most what leaves the bulk legible.
double reachOf(const Seen& s, Size net) {
    constexpr double kLeast = 2.9, kMost = 4.2;
    double reach = kLeast;
    for (double layer = 0; layer <= reached(s); ++layer) {
        const Cloud cloud = cloudAt(s, net, layer);
        for (const auto* points : {&cloud.signal, &cloud.noisy})
            for (const Vec2& p : *points) reach = std::max({reach, 1.05 * std::abs(p.x), 1.05 * std::abs(p.y)});
    }
    return std::min(reach, kMost);
}

void drawCloud(const Seen& s, Rect rect, Size net) {
    const double most = reachOf(s, net);
    const bool large = rect.height() > 200 && rect.width() > 220;
    const double width = std::max(40.0, rect.width() - 24), height = std::max(40.0, rect.height() - 45), half = std::min(width, height);
    const std::string id = comparing(s) ? "cloud-" + s.result.nets[net] : "cloud";
    const auto axis = [&](const char* label, double size) {
        return AxisSpec{.label = large ? label : "", .lo = -most * size / half, .hi = most * size / half, .ticks = false};
    };
    Plot plot = plotIn(s.f, id, rect, axis("first principal direction", width), axis("second", height));
    const Cloud cloud = cloudAt(s, net, shown(s));
    if (cloud.defined()) {
        drawPoints(s, plot, cloud, large ? 3.6 : 2.6);
        offerNoise(s, plot, cloud, id, net);
    }
    finishPlot(s.f, plot, id, cloudTitle(s, net, rect.width() - 16));
    drawNotes(s, plot.inner(), net);
}

Layout layout(const Seen& s) {
    if (s.result.of(Quantity::Chi).mean.values.empty() || s.result.cloudSignal.empty())
        return s.panel(0, {}, [&s](Rect) { emptyPicture(s.f, "Signal and noise are on their way through the layers."); });
    const auto over = [&s](int rank, void (*draw)(const Seen&, Rect)) {
        return s.panel(rank, {210, 160}, [&s, draw](Rect rect) { draw(s, rect); });
    };
    const auto cloud = [&s](Size net, Vec2 least) { return s.panel(0, least, [&s, net](Rect rect) { drawCloud(s, rect, net); }); };
    if (!comparing(s))
        return Layout::rows({Layout::columns({cloud(0, {230, 190}), over(1, drawSensitivity)}).share(1.27),
                             Layout::columns({over(2, drawIncrements), over(3, drawRanks), over(4, drawSigns)})});
    std::vector<Layout> pairs;
    for (Size k = 0; k + 1 < s.result.nets.size(); k += 2)
        pairs.push_back(Layout::columns({cloud(k, {150, 110}), cloud(k + 1, {150, 110})}));
    return Layout::rows({Layout::columns(std::move(pairs)).share(0.8),
                         Layout::columns({over(1, drawSensitivity), over(2, drawIncrements), over(3, drawRanks)})});
}

}  // namespace
}  // namespace moments

PictureEntry moments_picture() { return tablePicture<moments::kScene, moments::layout>(); }

}  // namespace kappaflow

#include "scenes/expressivity/dichotomies/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "scene/filled_report.h"

namespace kappaflow::dichotomies {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN(), kDegree = 180 / std::numbers::pi;

/// What the drawn network gave at a remaining depth, if its sweeps came so far: of a first layer swept once all depths follow from one
/// draw, of every layer swept in turn each from its own.
struct Strip {
    const DichotomyCount* count = nullptr;
    const std::vector<LabelTrack>* tracks = nullptr;
};
std::vector<Strip> stripsOf(const Setup& s, const Progress& p) {
    std::vector<Strip> strips(s.curves[s.shown].depth);
    for (const SweptDraw& draw : p.strips)
        for (Size i = 0; i < draw.counts.size(); ++i) strips[draw.remaining + i] = {&draw.counts[i], &draw.tracks[i]};
    return strips;
}

/// [curve, remainingDepth] of means; undefined where a draw stopped before: the others would be the smaller ones.
void addMeans(FilledReport& r, const Setup& s, const Progress& p, const char* name, std::vector<Mean> CurveMeans::*which) {
    Vector values, errors;
    for (const CurveMeans& curve : p.curves) {
        const auto& means = curve.*which;
        for (Size depth = 0; depth < s.deepest(); ++depth) {
            const bool known = depth < means.size() && means[depth].count > 0 && means[depth].count == curve.tried[depth];
            values.push_back(known ? means[depth].mean() : kNone);
            errors.push_back(known ? means[depth].standardError() : kNone);
        }
    }
    auto& array = r.add(name, {countedAxis("curve", p.curves.size()), countedAxis("remainingDepth", s.deepest())}, std::move(values));
    if (array.role == Role::Measurement) array.standardError = std::move(errors);
    array.mayBeUndefined = true;
}

void addCurves(FilledReport& r, const Setup& s) {
    Vector widths, depths;
    for (const Curve& curve : s.curves) {
        widths.push_back(static_cast<double>(curve.width));
        depths.push_back(static_cast<double>(curve.depth));
    }
    const Axis curves = countedAxis("curve", s.curves.size());
    r.add("curveWidth", {curves}, std::move(widths));
    r.add("curveDepth", {curves}, std::move(depths));
}

void addTheory(FilledReport& r, const Setup& s) {
    Vector flips = meanFieldFlips(s.setting(1), s.inputSquare(), s.deepest() - 1);
    for (double& value : flips) value *= static_cast<double>(s.samples);
    r.add("flipsMeanField", {countedAxis("remainingDepth", s.deepest())}, std::move(flips));
    r.add("cap", std::ldexp(1.0, static_cast<int>(s.samples)));
    const double chi = meanFieldFixedPoint(s.setting(1)).chi;
    if (std::isfinite(chi)) r.add("growthMeanField", std::sqrt(chi));
}

/// exp of the least-squares slope of log(dichotomies) over r >= 2.
void addGrowth(FilledReport& r, const Setup& s) {
    const Array& dichotomies = *r.report.array("dichotomies");
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (Size depth = 2; depth < s.deepest(); ++depth) {
        const double value = dichotomies.row(s.shown)[depth];
        if (!(value > 0)) continue;
        const double x = static_cast<double>(depth), y = std::log(value);
        ++n, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    if (n >= 3) r.add("growth", std::exp((n * sxy - sx * sy) / (n * sxx - sx * sx)));
}

void addLabels(FilledReport& r, const Setup& s, const std::vector<Strip>& strips) {
    Vector start, flips, offsets{0};
    for (const Strip& strip : strips)
        for (Size i = 0; i < s.samples; ++i) {
            start.push_back(strip.tracks ? static_cast<double>((*strip.tracks)[i].positive) : kNone);
            if (strip.tracks)
                for (const double t : (*strip.tracks)[i].flips) flips.push_back(t * kDegree);
            offsets.push_back(static_cast<double>(flips.size()));
        }
    r.add("labelStart", {countedAxis("remainingDepth", strips.size()), countedAxis("sample", s.samples)}, std::move(start)).mayBeUndefined =
        true;
    const Size entries = offsets.size(), count = flips.size();
    r.add("labelFlips", {countedAxis("flip", count)}, std::move(flips));
    r.add("labelFlipsOffsets", {countedAxis("entry", entries)}, std::move(offsets));
}

void addRunning(FilledReport& r, const std::vector<Strip>& strips) {
    Axis angles{"angle", {}, {}};
    for (int i = 0; i <= 72; ++i) angles.values.push_back(5.0 * i);
    Vector running;
    for (const Strip& strip : strips)
        for (const double angle : angles.values) {
            if (!strip.count) {
                running.push_back(kNone);
                continue;
            }
            const auto& t = strip.count->changes;
            const auto met = std::upper_bound(t.begin(), t.end(), angle / kDegree) - t.begin();
            running.push_back(met ? strip.count->distinct[static_cast<Size>(met) - 1] : 1);
        }
    const Size depths = strips.size();
    r.add("running", {countedAxis("remainingDepth", depths), std::move(angles)}, std::move(running)).mayBeUndefined = true;
}

void addChanges(FilledReport& r, const std::vector<Strip>& strips) {
    Vector changes, distinct, offsets{0};
    for (const Strip& strip : strips) {
        if (strip.count) {
            for (const double t : strip.count->changes) changes.push_back(t * kDegree);
            distinct.insert(distinct.end(), strip.count->distinct.begin(), strip.count->distinct.end());
        }
        offsets.push_back(static_cast<double>(changes.size()));
    }
    const Size count = changes.size(), entries = offsets.size();
    r.add("changes", {countedAxis("change", count)}, std::move(changes));
    r.add("distinct", {countedAxis("change", count)}, std::move(distinct));
    r.add("changesOffsets", {countedAxis("depthEntry", entries)}, std::move(offsets));
}

std::string counted(double n, const char* one, const char* many) { return inWords(n, 6) + " " + (n == 1 ? one : many); }

std::string what(const Setup& s) {
    if (s.inputsTurn) return "the inputs' circles";
    return s.everyLayer ? "the weights of one layer" : "the first layer's weights";
}

std::string summaryOf(const Setup& s, const Report& report, const std::vector<Strip>& strips) {
    Size deepest = strips.size();
    while (deepest > 0 && !strips[deepest - 1].count) --deepest;
    if (deepest == 0) return "No sweep came to its end within the limit on pieces.";
    const DichotomyCount& count = *strips[deepest - 1].count;
    const auto remaining = static_cast<double>(deepest - 1);
    std::string text = "One turn of " + what(s) + " at width " + inWords(static_cast<double>(s.curves[s.shown].width)) + ", with " +
                       counted(remaining, "layer", "layers") + " remaining, gives " +
                       counted(static_cast<double>(s.samples), "sample", "samples") + " " +
                       counted(count.dichotomies, "label vector", "different label vectors") + " of " +
                       inWords(report.scalar("cap")->value, 7) + ", by " + counted(count.flips, "flip", "flips") + ".";
    const Scalar *growth = report.scalar("growth"), *theory = report.scalar("growthMeanField");
    if (growth && theory)
        text += " A further layer multiplies the number by " + inWords(growth->value) +
                " on average; in the limit of wide layers by √χ = " + inWords(theory->value) + ".";
    if (deepest < strips.size())
        text += " Deeper sweeps stopped at their limit of " + inWords(kLimits.pieces, 6) + " pieces or " +
                inWords(kLimits.coefficients, 7) + " coefficients a layer.";
    return text;
}

}  // namespace

double Mean::standardError() const {
    if (count < 2) return 0;
    const double variance = std::max(0.0, (squares - sum * sum / count) / (count - 1));
    return std::sqrt(variance / count);
}

Report makeReport(const Setup& s, const Progress& p) {
    FilledReport r("dichotomies");
    r.report.status = p.finished ? Status::Ok : Status::Partial;
    r.report.message = p.finished ? "" : "More networks are being drawn.";
    if (!p.stripsReady) return std::move(r.report);
    const auto strips = stripsOf(s, p);
    addCurves(r, s);
    addMeans(r, s, p, "dichotomies", &CurveMeans::dichotomies);
    addMeans(r, s, p, "flips", &CurveMeans::flips);
    addMeans(r, s, p, "flipsPredicted", &CurveMeans::predicted);
    addTheory(r, s);
    addGrowth(r, s);
    addLabels(r, s, strips);
    addChanges(r, strips);
    addRunning(r, strips);
    r.report.summary = summaryOf(s, r.report, strips);
    return std::move(r.report);
}

}  // namespace kappaflow::dichotomies

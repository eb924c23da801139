#include "scenes/expressivity/transitions/model.h"

#include <cmath>
#include <limits>
#include <string>

#include "scene/filled_report.h"

namespace kappaflow::transitions {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;
using Part = double LayerCounts::*;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Builder {
public:
    Builder(const Setup& setup, const Progress& progress) : s(setup), p(progress), r("transitions") {}

    Axis curves() const { return countedAxis("curve", s.curves.size()); }
    /// A layer is known where every draw came so far: the draws that stop before are those with the longest images.
    bool known(Size curve, Size layer) const {
        const CurveSums& sums = p.curves[curve];
        return sums.draws[layer] > 0 && sums.draws[layer] == sums.tried;
    }
    double mean(Size curve, Size layer, Part part) const { return p.curves[curve].sums[layer].*part / p.curves[curve].tried; }
    Size exactLayers(Size curve) const {
        Size last = 0;
        while (last < s.layers && known(curve, last + 1)) ++last;
        return last;
    }
    /// [curve, layer], undefined at layer 0 where `fromFirst`.
    void add(const char* name, Part part, bool fromFirst) {
        Vector values, errors;
        for (Size c = 0; c < s.curves.size(); ++c)
            for (Size l = 0; l <= s.layers; ++l) {
                const bool defined = known(c, l) && (l > 0 || !fromFirst);
                values.push_back(defined ? mean(c, l, part) : kNone);
                errors.push_back(defined ? standardError(c, l, part) : kNone);
            }
        auto& array = r.add(name, {curves(), countedAxis("layer", s.layers + 1)}, std::move(values));
        if (array.role == Role::Measurement && s.draws > 1) array.standardError = std::move(errors);
        array.mayBeUndefined = true;
    }

    const Setup& s;
    const Progress& p;
    FilledReport r;

private:
    double standardError(Size curve, Size layer, Part part) const {
        const double n = p.curves[curve].tried, sum = p.curves[curve].sums[layer].*part, squares = p.curves[curve].squares[layer].*part;
        return n < 2 ? 0 : std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)) / n);
    }
};

void addDrawing(Builder& b) {
    const auto& drawings = b.p.drawing.layers;
    const Axis layers = countedAxis("layer", drawings.size()), points{"point", b.p.drawing.places, {}};
    Vector image, pair, shares, counts, crossings, offsets{0};
    for (const LayerDrawing& drawing : drawings) {
        for (const auto& at : drawing.image) image.insert(image.end(), at.begin(), at.end());
        for (const auto& h : drawing.pair) pair.insert(pair.end(), h.begin(), h.end());
        shares.push_back(drawing.share);
        for (const auto& turn : drawing.crossings) {
            counts.push_back(static_cast<double>(turn.size()));
            crossings.insert(crossings.end(), turn.begin(), turn.end());
            offsets.push_back(static_cast<double>(crossings.size()));
        }
    }
    Axis turns{"turn", {}, {}};
    for (Size i = 0; i < kTurns; ++i) turns.values.push_back(180.0 * static_cast<double>(i) / static_cast<double>(kTurns));
    const Size count = crossings.size(), entries = offsets.size();
    b.r.add("image", {layers, points, countedAxis("coordinate", 2)}, std::move(image));
    b.r.add("planeShare", {layers}, std::move(shares));
    b.r.add("pair", {layers, points, countedAxis("unit", 2)}, std::move(pair));
    b.r.add("turnTransitions", {layers, turns}, std::move(counts));
    b.r.add("turnCrossings", {countedAxis("crossing", count)}, std::move(crossings));
    b.r.add("turnCrossingsOffsets", {countedAxis("entry", entries)}, std::move(offsets));
}

void addCurves(Builder& b) {
    Vector widths, variances, exact;
    for (Size c = 0; c < b.s.curves.size(); ++c) {
        widths.push_back(b.s.curves[c].width);
        variances.push_back(b.s.curves[c].weightVariance);
        exact.push_back(b.p.curves[c].tried > 0 ? static_cast<double>(b.exactLayers(c)) : kNone);
    }
    if (b.s.isDrawn()) {
        b.r.add("curveWidth", {b.curves()}, std::move(widths));
        b.r.add("curveWeightVariance", {b.curves()}, std::move(variances));
    }
    b.r.add("exactLayers", {b.curves()}, std::move(exact)).mayBeUndefined = true;
    b.add("length", &LayerCounts::length, false);
    b.add("transitions", &LayerCounts::transitions, true);
    b.add("predicted", &LayerCounts::predicted, true);
    b.add("saturations", &LayerCounts::saturations, true);
    b.add("saturationsPredicted", &LayerCounts::saturationsPredicted, true);
    b.add("pieces", &LayerCounts::pieces, false);
}

/// Every unit's change of piece is a change of pattern, except those at one place, which have no probability.
void addPieces(Builder& b) {
    Vector pieces;
    for (Size c = 0; c < b.s.curves.size(); ++c) {
        double sum = 1;
        for (Size l = 0; l <= b.s.layers; ++l) {
            const bool known = b.known(c, l);
            if (known && l > 0) sum += b.s.units(c, l) * b.mean(c, l, &LayerCounts::saturationsPredicted);
            pieces.push_back(known ? sum : kNone);
        }
    }
    b.r.add("piecesPredicted", {b.curves(), countedAxis("layer", b.s.layers + 1)}, std::move(pieces)).mayBeUndefined = true;
}

/// Straight line through (length below, transitions), by least squares.
struct Line {
    double slope = kNone, r2 = kNone;
};
Line lineOf(const Builder& b, Size curve) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
    for (Size l = 1; l <= b.exactLayers(curve); ++l) {
        const double x = b.mean(curve, l - 1, &LayerCounts::length), y = b.mean(curve, l, &LayerCounts::transitions);
        ++n, sx += x, sy += y, sxx += x * x, sxy += x * y, syy += y * y;
    }
    const double vx = sxx - sx * sx / n, vy = syy - sy * sy / n, cov = sxy - sx * sy / n;
    if (n < 3 || !(vx > 1e-12 * sxx)) return {};
    return {cov / vx, vy > 1e-12 * syy ? cov * cov / (vx * vy) : 1};
}

/// Layers of a given network differ in width and in the size of their weights: there is no one slope.
void addSlopes(Builder& b) {
    if (!b.s.isDrawn()) return;
    Vector slopes, predicted;
    for (Size c = 0; c < b.s.curves.size(); ++c) {
        slopes.push_back(b.p.curves[c].tried > 0 ? lineOf(b, c).slope : kNone);
        const double q = meanFieldFixedPoint(b.s.curves[c]).q;
        predicted.push_back(q > 0 && std::isfinite(q) ? transitionsPerLength(b.s.curves[c], q) : kNone);
    }
    const Line own = lineOf(b, 0);
    if (std::isfinite(own.slope)) {
        b.r.add("slope", own.slope);
        b.r.add("r2", own.r2);
    }
    b.r.add("slopes", {b.curves()}, std::move(slopes)).mayBeUndefined = true;
    if (std::isfinite(predicted[0])) b.r.add("slopePredicted", predicted[0]);
    b.r.add("slopesPredicted", {b.curves()}, std::move(predicted)).mayBeUndefined = true;
}

std::string summaryOf(const Builder& b) {
    const Size last = b.exactLayers(0);
    const std::string layer = std::to_string(last);
    if (last == 0) return "The trajectory's image in layer 1 already has more pieces than the limit.";
    const double length = b.mean(0, last - 1, &LayerCounts::length), transitions = b.mean(0, last, &LayerCounts::transitions);
    std::string text = "A unit of layer " + layer + " changes its sign " + inWords(transitions) + " times along the trajectory, which is " +
                       inWords(length) + " long where the unit reads it; angular length over π predicts " +
                       inWords(b.mean(0, last, &LayerCounts::predicted)) +
                       (b.s.isDrawn() ? "." : " for random units of the same mean squares.");
    if (const Scalar* slope = b.r.report.scalar("slope")) {
        text += std::string(" Over all layers transitions ") + (slope->value < 0 ? "fall" : "rise") + " by " +
                inWords(std::abs(slope->value)) + " for each unit of length (r² = " + inWords(b.r.report.scalar("r2")->value) + ")";
        if (const Scalar* predicted = b.r.report.scalar("slopePredicted")) text += "; mean field: " + inWords(predicted->value);
        text += ".";
    }
    for (Size c = 0; c < b.s.curves.size(); ++c)
        if (b.p.curves[c].tried > 0 && b.exactLayers(c) < b.s.layers)
            return text + " Where a curve ends before layer " + std::to_string(b.s.layers) +
                   ", the next image has more pieces than the limit.";
    return text;
}

}  // namespace

Report makeReport(const Setup& s, const Progress& p) {
    Builder b(s, p);
    Report& report = b.r.report;
    report.status = p.finished ? Status::Ok : Status::Partial;
    report.message = p.finished ? "" : "More networks are being followed.";
    report.warnings = s.warnings;
    if (p.drawing.layers.empty()) return std::move(report);
    addDrawing(b);
    addCurves(b);
    addPieces(b);
    addSlopes(b);
    report.summary = summaryOf(b);
    return std::move(report);
}

}  // namespace kappaflow::transitions

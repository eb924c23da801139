#include "core/expressivity/followed_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// A part of t, the curve in its middle, and its share of the length in the layer reached.
struct Part {
    double from, to;
    Vector value, tangent;
    double share = 0;
};

/// Middles of parts, carried through layers side by side.
Vector rowsOf(const std::vector<Part>& parts) {
    Vector rows;
    for (const Part& part : parts) rows.insert(rows.end(), part.value.begin(), part.value.end());
    for (const Part& part : parts) rows.insert(rows.end(), part.tangent.begin(), part.tangent.end());
    return rows;
}

void setRows(std::vector<Part>& parts, const Vector& rows) {
    const auto units = static_cast<std::ptrdiff_t>(rows.size() / (2 * parts.size()));
    auto value = rows.begin(), tangent = rows.begin() + units * static_cast<std::ptrdiff_t>(parts.size());
    for (Part& part : parts) {
        part.value.assign(value, value + units);
        part.tangent.assign(tangent, tangent + units);
        value += units;
        tangent += units;
    }
}

void shareOut(std::vector<Part>& parts) {
    double whole = 0;
    for (Part& part : parts) {
        double square = 0;
        for (const double v : part.tangent) square += v * v;
        whole += part.share = (part.to - part.from) * std::sqrt(square);
    }
    for (Part& part : parts) part.share = whole > 0 ? part.share / whole : 0;
}

/// New parts behind the layers gone through so far.
void findMiddles(std::vector<Part>& parts, std::span<const CurveLayer> layers, const CurvePieces& start) {
    Vector at;
    for (const Part& part : parts) at.push_back((part.from + part.to) / 2);
    Vector rows = valuesAndTangents(start, at);
    for (const CurveLayer& layer : layers) valuesAndTangentsThrough(layer, rows);
    setRows(parts, rows);
}

/// Cuts parts of more than `most` of the length into three; the middle one keeps its middle. False when there are none.
bool cutLongest(std::vector<Part>& parts, double most, std::span<const CurveLayer> layers, const CurvePieces& start) {
    std::vector<Part> fresh, cut;
    for (const Part& part : parts) {
        if (!(part.share > most)) continue;
        const double third = (part.to - part.from) / 3;
        fresh.push_back({part.from, part.from + third, {}, {}});
        fresh.push_back({part.to - third, part.to, {}, {}});
    }
    if (fresh.empty()) return false;
    findMiddles(fresh, layers, start);
    Size next = 0;
    for (Part& part : parts) {
        if (!(part.share > most)) {
            cut.push_back(std::move(part));
            continue;
        }
        part.from = fresh[next].to;
        part.to = fresh[next + 1].from;
        cut.push_back(std::move(fresh[next]));
        cut.push_back(std::move(part));
        cut.push_back(std::move(fresh[next + 1]));
        next += 2;
    }
    parts = std::move(cut);
    shareOut(parts);
    return true;
}

}  // namespace

CurveMeasure measureByLength(const CurvePieces& curve) { return {curve.ends, pieceLengths(curve)}; }

CurveMeasure measureByRefinement(const std::vector<CurveLayer>& layers, const CurvePieces& start, Size count) {
    const double from = start.ends.front(), whole = start.ends.back() - from;
    const auto end = [&](Size i) {
        return i == count ? start.ends.back() : from + whole * static_cast<double>(i) / static_cast<double>(count);
    };
    std::vector<Part> parts;
    for (Size i = 0; i < count; ++i) parts.push_back({end(i), end(i + 1), {}, {}});
    findMiddles(parts, {}, start);
    const double most = 2 / static_cast<double>(count);
    for (Size l = 0; l < layers.size(); ++l) {
        Vector rows = rowsOf(parts);
        valuesAndTangentsThrough(layers[l], rows);
        setRows(parts, rows);
        shareOut(parts);
        while (parts.size() < 8 * count && cutLongest(parts, most, std::span(layers).first(l + 1), start)) continue;
    }
    // Half by length, half by parts: the speed in a middle may be far off where the curve turns within the part.
    CurveMeasure measure{{from}, {}};
    for (const Part& part : parts) {
        measure.ends.push_back(part.to);
        measure.mass.push_back(part.share + 1 / static_cast<double>(parts.size()));
    }
    return measure;
}

FollowedCurve::FollowedCurve(const std::vector<CurveLayer>& layers, CurvePieces start, const LengthPlan& plan, Rng rng)
    : layers_(layers), plan_(plan), rng_(rng) {
    requireFit(layers_, start.units);
    start_.push_back({1, 0, 0, curveLength(start)});
    if (isPiecewiseLinear(layers_))
        sweep_.emplace(layers_, std::move(start), plan.exact);
    else
        curve_ = std::move(start);
}

void FollowedCurve::beginSampling() {
    const CurvePieces& from = sweep_ ? sweep_->image() : *curve_;
    deeper_.assign(layers_.begin() + static_cast<std::ptrdiff_t>(exactLayers()), layers_.end());
    const Size parts = std::max<Size>(plan_.sampling.pilot, 8);
    sampler_.emplace(deeper_, from, rng_, plan_.sampling,
                     from.pieces() >= parts ? measureByLength(from) : measureByRefinement(deeper_, from, parts));
}

bool FollowedCurve::advance(double operations) {
    if (finished_ || (sweep_ && sweep_->advance(operations))) return !finished_;
    if (!sampler_ && exactLayers() < layers_.size()) {
        beginSampling();
        return true;
    }
    finished_ = !sampler_ || !sampler_->advance(operations);
    return !finished_;
}

double FollowedCurve::progress() const {
    if (finished_) return 1;
    const double exact = sweep_ ? sweep_->progress() : 1;
    return 0.7 * exact + (sampler_ ? 0.3 * sampler_->progress() : 0);
}

std::vector<SampledLength> FollowedCurve::lengths() const {
    std::vector<SampledLength> lengths;
    for (const CurvePassage& passage : passages()) lengths.push_back({passage.length, 0});
    if (!sampler_ || !sampler_->finished()) return lengths;
    const std::vector<SampledLength> deep = sampler_->lengths();
    lengths.insert(lengths.end(), deep.begin() + 1, deep.end());
    for (Size l = passages().size(); l < lengths.size(); ++l)
        if (!(lengths[l].value > 0)) lengths[l].standardError = std::numeric_limits<double>::quiet_NaN();
    return lengths;
}

}  // namespace kappaflow

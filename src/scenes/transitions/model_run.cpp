#include "scenes/transitions/model_run.h"

#include <cmath>
#include <numbers>

#include "core/expressivity/curve_crofton.h"
#include "core/expressivity/principal_plane.h"
#include "core/expressivity/random_trajectory.h"

namespace kappaflow::transitions {
namespace {

using Size = std::size_t;

CurvePieces startOf(const Setup& s, const GrowthSetting& curve, Size draw) {
    const RandomEnds ends = randomEnds(static_cast<Size>(curve.width), s.seed, draw);
    return s.circle ? arcCurve(ends.x0, ends.x1, 0, std::numbers::pi / 2) : segmentCurve(ends.x0, ends.x1);
}

/// The first two units of a layer, or one twice.
CurveLayer pairOf(const CurveLayer& layer) {
    CurveLayer pair;
    pair.in = layer.in;
    pair.out = 2;
    const Size second = layer.out > 1 ? 1 : 0;
    for (Size i = 0; i < layer.in; ++i) {
        pair.weights.push_back(layer.weights[i * layer.out]);
        pair.weights.push_back(layer.weights[i * layer.out + second]);
    }
    pair.bias = {layer.bias[0], layer.bias[second]};
    return pair;
}

/// The unit w₁ cos θ + w₂ sin θ of a pair of pre-activations.
CurvePieces turned(const CurvePieces& pair, double c, double s) {
    CurvePieces one{pair.form, 1, pair.ends, {}, {}};
    for (Size i = 0; i < pair.coefficients.size(); i += 2)
        one.coefficients.push_back(c * pair.coefficients[i] + s * pair.coefficients[i + 1]);
    one.crossed = pair.crossed;
    return one;
}

}  // namespace

std::vector<double> CurveRun::points(const Setup& s) {
    const double end = s.circle ? std::numbers::pi / 2 : 1;
    std::vector<double> t(kPoints);
    for (Size i = 0; i < kPoints; ++i) t[i] = end * static_cast<double>(i) / static_cast<double>(kPoints - 1);
    return t;
}

CurveRun::CurveRun(const Setup& setup, Size curve, Size draw)
    : setup_(setup), curve_(setup.curves[curve]), drawn_(curve == 0 && draw == 0) {
    layers_ = randomLayers(curve_, setup.layers + 1, setup.seed, draw);
    next_ = std::move(layers_.back());
    layers_.pop_back();
    sweep_ = std::make_unique<TrajectorySweep>(layers_, startOf(setup, curve_, draw), setup.limits());
    record();
}

bool CurveRun::advance(double operations) {
    const bool more = sweep_->advance(operations);
    if (sweep_->exactLayers() == counts_.size()) record();
    return more;
}

void CurveRun::record() {
    const CurvePassage& passage = sweep_->passages().back();
    const bool first = counts_.empty();
    counts_.push_back({passage.length, static_cast<double>(passage.pieces), passage.signTransitions / curve_.width, first ? 0 : predicted_,
                       passage.transitions / curve_.width, first ? 0 : saturationsPredicted_});
    if (drawn_) draw();
    if (sweep_->exactLayers() == layers_.size()) return;
    const auto crossings = [&](double threshold) {
        return meanCrossings(sweep_->image(), curve_.weightVariance, curve_.biasVariance, threshold);
    };
    predicted_ = crossings(0);
    saturationsPredicted_ = 0;
    for (const double threshold : layers_[0].activation.thresholds)
        saturationsPredicted_ += threshold == 0 ? predicted_ : crossings(threshold);
}

void CurveRun::draw() {
    const CurvePieces& curve = sweep_->image();
    const Size layer = sweep_->exactLayers();
    LayerDrawing drawing;
    const CurvePieces pair = throughAffine(pairOf(layer < layers_.size() ? layers_[layer] : next_), curve);
    std::vector<double> points;
    for (const double t : CurveRun::points(setup_)) {
        const auto z = curveAt(curve, t), h = curveAt(pair, t);
        points.insert(points.end(), z.begin(), z.end());
        drawing.pair.push_back({h[0], h[1]});
    }
    const auto before = drawings_.empty() ? std::vector<std::array<double, 2>>{} : drawings_.back().image;
    PlaneImage plane = principalPlane(points, curve.units, before);
    drawing.image = std::move(plane.at);
    drawing.share = plane.share;
    for (Size i = 0; i < kTurns; ++i) {
        const double angle = std::numbers::pi * static_cast<double>(i) / static_cast<double>(kTurns);
        drawing.crossings.emplace_back();
        for (const auto& change : signChanges(turned(pair, std::cos(angle), std::sin(angle)))) drawing.crossings.back().push_back(change.t);
    }
    drawings_.push_back(std::move(drawing));
}

}  // namespace kappaflow::transitions

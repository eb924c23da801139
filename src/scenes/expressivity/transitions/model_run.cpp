#include "scenes/expressivity/transitions/model_run.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/expressivity/curve_crofton.h"
#include "core/expressivity/random_trajectory.h"

namespace kappaflow::transitions {
namespace {

using Size = std::size_t;

constexpr double kGrid = 1 << 14;
constexpr Size kBins = 128;  ///< parts of t that the drawing's points are spread over by their length

CurvePieces startOf(const Setup& s, Size curve, Size draw) {
    const RandomEnds ends = randomEnds(s.inputs(curve), s.seed, draw);
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

CurveRun::CurveRun(const Setup& setup, Size curve, Size draw)
    : setup_(setup), curve_(curve), drawn_(curve == 0 && draw == 0), start_(startOf(setup, curve, draw)) {
    layers_ = setup.layersOf(curve, draw);
    next_ = std::move(layers_.back());
    layers_.pop_back();
    sweep_ = std::make_unique<TrajectorySweep>(layers_, start_, setup.limits());
    record();
}

bool CurveRun::advance(double operations) {
    if (planes_) return drawLayer();
    const bool more = sweep_->advance(operations);
    if (sweep_->exactLayers() == counts_.size()) record();
    if (!more && drawn_) placePoints();
    return more || drawn_;
}

double CurveRun::progress() const {
    if (!drawn_) return sweep_->progress();
    return 0.8 * sweep_->progress() + 0.2 * static_cast<double>(layersDrawn_) / static_cast<double>(counts_.size());
}

void CurveRun::record() {
    const CurvePassage& passage = sweep_->passages().back();
    const bool first = counts_.empty();
    const double units = first ? 1 : setup_.units(curve_, counts_.size());
    counts_.push_back({passage.length, static_cast<double>(passage.pieces), passage.signTransitions / units, first ? 0 : predicted_,
                       passage.transitions / units, first ? 0 : saturationsPredicted_});
    if (drawn_) findCrossings();
    if (sweep_->exactLayers() == layers_.size()) return;
    const CurveLayer& reader = layers_[sweep_->exactLayers()];
    const UnitVariances variances = variancesOf(setup_, curve_, reader);
    const auto crossings = [&](double threshold) { return meanCrossings(sweep_->image(), variances.weight, variances.bias, threshold); };
    predicted_ = crossings(0);
    saturationsPredicted_ = 0;
    for (const double threshold : reader.activation.thresholds) saturationsPredicted_ += threshold == 0 ? predicted_ : crossings(threshold);
}

/// Where the turning unit changes its sign on the newest layer's image, and how long that is in every part of t.
void CurveRun::findCrossings() {
    const CurvePieces& curve = sweep_->image();
    const CurvePieces pair = throughAffine(pairOf(readerOf(sweep_->exactLayers())), curve);
    drawing_.layers.emplace_back();
    auto& crossings = drawing_.layers.back().crossings;
    for (Size i = 0; i < kTurns; ++i) {
        const double angle = std::numbers::pi * static_cast<double>(i) / static_cast<double>(kTurns);
        crossings.emplace_back();
        for (const auto& change : signChanges(turned(pair, std::cos(angle), std::sin(angle)))) crossings.back().push_back(change.t);
    }
    const std::vector<double> byBin = lengthByBin(curve, kBins);
    lengths_.insert(lengths_.end(), byBin.begin(), byBin.end());
}

/// As many points as the longest image asks for.
void CurveRun::placePoints() {
    double longest = 0;
    for (const LayerCounts& layer : counts_) longest = std::max(longest, layer.length);
    const double ratio = counts_[0].length > 0 ? longest / counts_[0].length : 1;
    const auto count = static_cast<Size>(std::clamp(kPointsPerLength * ratio, kLeastPoints, kMostPoints));
    drawing_.places = drawingPoints(start_.ends.front(), start_.ends.back(), count, lengths_, kBins);
    // On a grid, so that lengths which differ in their last bits between platforms leave the points where they are.
    for (Size i = 1; i + 1 < count; ++i) drawing_.places[i] = std::round(drawing_.places[i] * kGrid) / kGrid;
    std::vector<std::array<double, 2>> reference;
    for (const double t : drawing_.places)
        reference.push_back(setup_.circle ? std::array<double, 2>{std::cos(t), std::sin(t)} : std::array<double, 2>{1 - t, t});
    planes_.emplace(layers_, start_, drawing_.places, std::move(reference));
    for (double* end : {&drawing_.places.front(), &drawing_.places.back()}) *end = std::round(*end * 1e12) / 1e12;  // as they are told
}

/// The next layer's image, and what the pair of units that read it make of its points.
bool CurveRun::drawLayer() {
    planes_->advance();
    LayerDrawing& drawing = drawing_.layers[layersDrawn_];
    drawing.image = planes_->images().back().at;
    drawing.share = planes_->images().back().share;
    const CurveLayer reader = pairOf(readerOf(layersDrawn_));
    const std::vector<double>& z = planes_->values();
    for (Size i = 0; i < z.size(); i += reader.in) {
        std::array<double, 2> h{reader.bias[0], reader.bias[1]};
        for (Size u = 0; u < reader.in; ++u)
            for (Size k = 0; k < 2; ++k) h[k] += reader.weights[2 * u + k] * z[i + u];
        drawing.pair.push_back(h);
    }
    return ++layersDrawn_ < drawing_.layers.size();
}

}  // namespace kappaflow::transitions

#include "core/expressivity/trajectory_sweep.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace kappaflow {
namespace {

double steps(const std::vector<CurveTransition>& transitions) {
    double sum = 0;
    for (const CurveTransition& crossing : transitions) sum += std::abs(crossing.to - crossing.from);
    return sum;
}

/// Throws what tells a reader why, where an activation is smooth.
void requirePiecewiseLinear(const std::vector<CurveLayer>& layers) {
    for (const CurveLayer& layer : layers)
        if (!isPiecewiseLinear(layer.kind)) piecewiseLinear(layer.kind);
}

}  // namespace

CurvePassage passageOf(const CurveImage& image) {
    const std::vector<double> lengths = pieceLengths(image.curve);
    double length = 0;
    for (const double piece : lengths) length += piece;
    return {image.curve.patterns(), steps(image.crossings.states), steps(image.crossings.signs), length};
}

TrajectorySweep::TrajectorySweep(const std::vector<CurveLayer>& layers, CurvePieces start, SweepLimits limits)
    : layers_(layers), limits_(limits), image_(std::move(start)) {
    requireFit(layers_, image_.units);
    requirePiecewiseLinear(layers_);
    passages_.push_back(passageOf({image_, {}}));
}

bool TrajectorySweep::done() const { return stopped_ || exactLayers() == layers_.size(); }

/// Opens the next layer, unless it would take more than what is left of the operations.
bool TrajectorySweep::begin() {
    const CurveLayer& layer = layers_[exactLayers()];
    const double product = static_cast<double>(image_.coefficients.size()) * static_cast<double>(layer.out);
    const double each = static_cast<double>(coefficientsOf(image_.form)) * static_cast<double>(layer.out);
    limits_.operations -= product;
    stopped_ = limits_.operations < 0;
    if (!stopped_) step_ = std::make_unique<CurveLayerStep>(layer, image_, std::min(limits_.pieces, limits_.coefficients / each));
    return !stopped_;
}

bool TrajectorySweep::advance(double operations) {
    if (done() || (!step_ && !begin())) return false;
    if (step_->advance(operations)) return true;
    stopped_ = step_->overLimit();
    if (!stopped_) finishLayer();
    step_.reset();
    return !done();
}

void TrajectorySweep::finishLayer() {
    CurveImage& image = step_->image();
    passages_.push_back(passageOf(image));
    crossings_.push_back(std::move(image.crossings));
    image_ = std::move(image.curve);
}

double TrajectorySweep::progress() const {
    if (done()) return 1;
    return (static_cast<double>(exactLayers()) + (step_ ? step_->progress() : 0)) / static_cast<double>(layers_.size());
}

std::vector<CurvePassage> sweepTrajectory(const std::vector<CurveLayer>& layers, CurvePieces start, SweepLimits limits) {
    TrajectorySweep sweep(layers, std::move(start), limits);
    while (sweep.advance()) {
    }
    return sweep.passages();
}

}  // namespace kappaflow

#include "scenes/expressivity/dichotomies/model_sweep.h"

#include <algorithm>
#include <numbers>

#include "core/base/rng.h"
#include "core/expressivity/random_trajectory.h"

namespace kappaflow::dichotomies {
namespace {

using Size = std::size_t;

/// Draws of different widths share nothing, those of one width their first layers, whatever their depth.
Size streamOf(Size width, Size draw) { return 2 * (draw * 256 + width); }

/// Streams of weights that no layer of the network has: those are even.
std::vector<double> readoutOf(const Setup& s, Size width, Size draw, Size depth) {
    Rng rng(s.seed, Purpose::Weights, (static_cast<std::uint64_t>(streamOf(width, draw)) << 20) + 2 * depth + 1);
    std::vector<double> readout(width);
    for (double& weight : readout) weight = drawWeight(rng, 1);
    return readout;
}

std::vector<double> applied(const CurveLayer& layer, const std::vector<double>& z) {
    std::vector<double> h = layer.bias;
    for (Size i = 0; i < layer.in; ++i)
        for (Size j = 0; j < layer.out; ++j) h[j] += layer.weights[i * layer.out + j] * z[i];
    for (double& value : h) value = layer.activation.valueOf(value);
    return h;
}

/// Pre-activations of the swept layer for one sample, on the whole circle.
CurvePieces startOf(const Setup& s, std::span<const CurveLayer> below, const CurveLayer& swept, const CurveLayer& second,
                    const RandomEnds& sample) {
    if (s.inputsTurn) return throughAffine(swept, arcCurve(sample.x0, sample.x1, 0, 2 * std::numbers::pi));
    std::vector<double> z = sample.x0;
    for (const CurveLayer& layer : below) z = applied(layer, z);
    return weightCircle(swept, second.weights, z);
}

}  // namespace

SweepRun::SweepRun(const Setup& setup, const Curve& curve, Size draw, Size layer)
    : first_(setup.everyLayer ? curve.depth - 1 - layer : 0), depths_(curve.depth - layer) {
    const GrowthSetting setting = setup.setting(curve.width);
    const Size stream = streamOf(curve.width, draw);
    std::vector<CurveLayer> layers = randomLayers(setting, curve.depth, setup.seed, stream);
    const CurveLayer second = randomLayers(setting, layer + 1, setup.seed, stream + 1).back();
    for (Size sample = 0; sample < setup.samples; ++sample)
        starts_.push_back(startOf(setup, std::span(layers).first(layer), layers[layer], second,
                                  randomEnds(curve.width, setup.seed, stream * 64 + sample)));
    layers_.activation = layers[layer].activation;
    for (Size r = 0; r < depths_; ++r)
        layers_.readouts.push_back(r < first_ ? std::vector<double>{} : readoutOf(setup, curve.width, draw, layer + r));
    layers.erase(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(layer) + 1);
    layers_.remaining = std::move(layers);
    tracks_.resize(depths_);
    predicted_.resize(depths_);
}

bool SweepRun::advance(double operations) {
    if (sample_ == starts_.size()) return false;
    if (!current_) current_ = std::make_unique<LabelSweep>(layers_, starts_[sample_], kLimits);
    if (current_->advance(operations)) return true;
    depths_ = std::min(depths_, current_->tracks().size());
    for (Size r = 0; r < depths_; ++r) {
        tracks_[r].push_back(current_->tracks()[r]);
        predicted_[r] += current_->meanFlips()[r];
    }
    current_.reset();
    return ++sample_ < starts_.size();
}

double SweepRun::progress() const {
    return (static_cast<double>(sample_) + (current_ ? current_->progress() : 0)) / static_cast<double>(starts_.size());
}

SweptDraw SweepRun::take() const {
    SweptDraw draw{first_, {}, {}, {}};
    for (Size r = first_; r < depths_; ++r) {
        draw.counts.push_back(countDichotomies(tracks_[r]));
        draw.predicted.push_back(predicted_[r]);
        draw.tracks.push_back(tracks_[r]);
    }
    return draw;
}

}  // namespace kappaflow::dichotomies

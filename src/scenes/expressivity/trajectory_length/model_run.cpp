#include "scenes/expressivity/trajectory_length/model_run.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::trajectory_length {
namespace {

constexpr double kSlice = 4e6;  ///< multiply-adds, a millisecond or two
/// Streams of sampled points: draws count up from 0, the drawn network's two samples stand behind all of them.
constexpr std::uint64_t kPilotStream = 1u << 30, kDeepStream = kPilotStream + 1;

CurvePieces startOf(const Setup& s, std::size_t draw) {
    return s.trajectory.through(s.x0.empty() ? randomEnds(s.inputs(), s.seed, draw) : RandomEnds{s.x0, s.x1});
}

/// As many points as the curve at its longest is long, in units of its input length.
std::size_t pointsFor(const Setup& s, const std::vector<SampledLength>& lengths) {
    if (s.points > 0) return s.points;
    double longest = 0;
    for (const SampledLength& length : lengths) longest = std::max(longest, length.value);
    const double ratio = lengths[0].value > 0 ? longest / lengths[0].value : 1;
    return static_cast<std::size_t>(std::clamp(40 * ratio, static_cast<double>(kLeastPoints), static_cast<double>(kMostPoints)));
}

}  // namespace

DrawnRun::DrawnRun(const Setup& setup)
    : setup_(setup),
      layers_(setup.layersOf(0)),
      start_(startOf(setup, 0)),
      pilot_(layers_, start_, Rng(setup.seed, Purpose::MonteCarlo, kPilotStream), {0, kPilot, kPilot}) {
    passages_.push_back({1, 0, 0, curveLength(start_)});
    if (setup.isExact()) sweep_.emplace(layers_, start_, setup.limits());
}

bool DrawnRun::advance() {
    if (!pilot_.finished()) {
        if (!pilot_.advance(kSlice)) finishPilot();
        return true;
    }
    if (images_.size() <= layers_.size()) {
        planes_->advance();
        images_ = planes_->images();
        return true;
    }
    if (sweep_ && sweep_->advance(kSlice)) {
        followExactly();
        return true;
    }
    if (!sampled_) {
        followExactly();
        if (exactLayers() == layers_.size()) return false;
        beginSampling();
        return true;
    }
    return sampled_->advance(kSlice);
}

void DrawnRun::finishPilot() {
    pilotLengths_ = pilot_.lengths();
    const double from = start_.ends.front(), to = start_.ends.back();
    places_ = drawingPoints(from, to, pointsFor(setup_, pilotLengths_), pilot_.lengthByBin(), TangentSampler::kBins);
    std::vector<std::array<double, 2>> reference;
    for (const double t : places_) reference.push_back(setup_.trajectory.at(t));
    planes_.emplace(layers_, start_, places_, std::move(reference));
}

void DrawnRun::followExactly() {
    if (sweep_) passages_ = sweep_->passages();
}

void DrawnRun::beginSampling() {
    deeper_.assign(layers_.begin() + static_cast<std::ptrdiff_t>(exactLayers()), layers_.end());
    sampled_.emplace(deeper_, sweep_ ? sweep_->image() : start_, Rng(setup_.seed, Purpose::MonteCarlo, kDeepStream),
                     SamplingPlan{setup_.precision, kPilot, kMostStrata});
}

std::vector<SampledLength> DrawnRun::lengths() const {
    std::vector<SampledLength> lengths = pilotLengths_;
    if (lengths.empty()) return lengths;
    if (sampled_ && sampled_->finished()) {
        const auto deep = sampled_->lengths();
        std::copy(deep.begin(), deep.end(), lengths.end() - static_cast<std::ptrdiff_t>(deep.size()));
    }
    for (std::size_t l = 0; l < passages_.size(); ++l) lengths[l] = {passages_[l].length, 0};
    return lengths;
}

double DrawnRun::progress() const {
    const double layers = static_cast<double>(layers_.size()), drawn = static_cast<double>(images_.size()) / (layers + 1);
    const double followed = sweep_ ? sweep_->progress() : 1, deep = sampled_ ? sampled_->progress() : 0;
    return 0.1 * pilot_.progress() + 0.2 * drawn + 0.5 * (images_.size() > layers_.size() ? followed : 0) + 0.2 * deep;
}

void LengthMeans::add(const std::vector<SampledLength>& lengths) {
    if (draws_ == 0) first_ = lengths;
    ++draws_;
    for (std::size_t l = 0; l < lengths.size(); ++l) {
        sum_[l] += lengths[l].value;
        square_[l] += lengths[l].value * lengths[l].value;
        if (l > 0) product_[l] += lengths[l].value * lengths[l - 1].value;
    }
}

SampledLength LengthMeans::mean(std::size_t layer) const {
    if (draws_ < 2) return draws_ == 0 ? SampledLength{} : first_[layer];
    const double mean = sum_[layer] / draws_, variance = std::max(square_[layer] / draws_ - mean * mean, 0.0);
    return {mean, std::sqrt(variance / (draws_ - 1))};
}

SampledLength LengthMeans::growth(std::size_t layer) const {
    const SampledLength before = mean(layer - 1), here = mean(layer);
    if (!(before.value > 0)) return {0, 0};
    const double ratio = here.value / before.value;
    if (!(here.value > 0)) return {0, 0};
    const double a = before.standardError / before.value, b = here.standardError / here.value;
    if (draws_ < 2) return {ratio, ratio * std::hypot(a, b)};
    const double together = (product_[layer] / draws_ / (before.value * here.value) - 1) / (draws_ - 1);
    return {ratio, ratio * std::sqrt(std::max(a * a + b * b - 2 * together, 0.0))};
}

Progress::Progress(const Setup& s) : setup(s), drawn(s), further(s.layers), sweep(s.sweepPlan()) {}

bool Progress::advance() {
    if (!drawnDone_) {
        drawnDone_ = !drawn.advance();
        if (drawnDone_) further.add(drawn.lengths());
        return true;
    }
    if (draw_ < setup.draws) {
        advanceDraw();
        return true;
    }
    if (!sweepDone_) sweepDone_ = !sweep.advance(kSlice);
    return !sweepDone_;
}

void Progress::advanceDraw() {
    if (!sampler_) {
        layers_ = setup.layersOf(draw_);
        sampler_.emplace(layers_, startOf(setup, draw_), Rng(setup.seed, Purpose::MonteCarlo, draw_), SamplingPlan{0, kStrata, kStrata});
    }
    if (sampler_->advance(kSlice)) return;
    further.add(sampler_->lengths());
    sampler_.reset();
    ++draw_;
}

LengthMeans Progress::means() const {
    if (drawnDone_) return further;
    LengthMeans only(setup.layers);
    if (!drawn.lengths().empty()) only.add(drawn.lengths());
    return only;
}

double Progress::share() const {
    const double draws = setup.draws > 1 ? static_cast<double>(draw_ - 1) / static_cast<double>(setup.draws - 1) : 1;
    if (!drawnDone_) return 0.5 * drawn.progress();
    if (draw_ < setup.draws) return 0.5 + 0.2 * draws;
    return 0.7 + 0.3 * (sweepDone_ ? 1 : sweep.progress());
}

}  // namespace kappaflow::trajectory_length

#include "core/moments/moment_diffusion.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

constexpr Size kTails = MomentDiffusion::kMostTail - MomentDiffusion::kLeastTail + 1;

void addIncrement(IncrementMeans& means, double increment, double predicted, double twin, bool hasTwin) {
    means.increment.add(increment);
    means.predicted.add(predicted);
    if (increment > 0) means.drift.add(std::log(increment));
    if (!hasTwin || !(increment > 0) || !(twin > 0)) return;
    const double difference = std::log(increment / twin);
    means.diffusion.add(difference * difference / 2);
}

/// Thresholds are powers of two of y², so that its exponent says how many it passes.
void countTails(std::vector<double>& counts, double square) {
    if (!(square > 0)) return;
    const int passed = std::min(std::ilogb(square) - MomentDiffusion::kLeastTail + 1, static_cast<int>(kTails));
    for (int j = 0; j < passed; ++j) ++counts[static_cast<Size>(j)];
}

void addPreactivations(DiffusionLayer& layer, const std::vector<double>& units) {
    double square = 0, fourth = 0;
    for (const double y : units) {
        const double y2 = y * y;
        square += y2;
        fourth += y2 * y2;
        countTails(layer.tailsOver, y2);
    }
    const double n = static_cast<double>(units.size());
    layer.square.add(square / n);
    layer.fourth.add(fourth / n);
    layer.squareFourth += square / n * (fourth / n);
}

}  // namespace

double DrawMean::variance() const { return count < 2 ? 0 : std::max(0.0, (square - sum * sum / count) / (count - 1)); }
double DrawMean::standardError() const { return count < 1 ? 0 : std::sqrt(variance() / count); }

Spread spreadOf(const std::vector<double>& values) {
    Spread s;
    s.count = values.size();
    if (values.empty()) return s;
    const double n = static_cast<double>(s.count);
    for (const double value : values) s.mean += value / n;
    double m2 = 0, m3 = 0, m4 = 0;
    for (const double value : values) {
        const double d = value - s.mean;
        m2 += d * d / n, m3 += d * d * d / n, m4 += d * d * d * d / n;
    }
    s.variance = s.count > 1 ? m2 * n / (n - 1) : 0;
    s.meanError = std::sqrt(s.variance / n);
    s.varianceError = std::sqrt(std::max(0.0, m4 - m2 * m2) / n);
    if (m2 > 0) s.skewness = m3 / (m2 * std::sqrt(m2)), s.excess = m4 / (m2 * m2) - 3;
    return s;
}

MomentDiffusion::MomentDiffusion(const WalkPlan& plan, std::size_t draws) : plan_(plan), wanted_(draws), layers_(plan.layers) {
    validate(plan);
    if (draws < 1 || draws > 100000) throw InputError("There must be between 1 and 100000 draws.");
    for (auto& layer : layers_) layer.tailsOver.assign(kTails, 0);
    signal_.reserve(draws * plan.layers);
    noise_.reserve(draws * plan.layers);
}

bool MomentDiffusion::advance(double operations) {
    while (done_ < wanted_ && operations > 0) {
        const bool twins = done_ % kTwins == 0;
        if (!walk_) walk_.emplace(plan_, done_, twins);
        operations -= walk_->operations();
        if (walk_->advance()) {
            record();
            continue;
        }
        walk_.reset();
        ++done_;
    }
    return done_ < wanted_;
}

void MomentDiffusion::record() {
    DiffusionLayer& layer = layers_[walk_->layer() - 1];
    const WalkStep& step = walk_->step();
    const bool twins = done_ % kTwins == 0, collapsed = !std::isfinite(walk_->logNu2());
    if (!step.collapsedBefore) {
        addIncrement(layer.signal, step.increment, step.variance, step.twinIncrement, twins);
        addIncrement(layer.noise, step.noiseIncrement, step.noiseVariance, step.twinNoiseIncrement, twins);
    }
    layer.collapsed.add(collapsed ? 1 : 0);
    layer.dead.add(step.deadInputs);
    addPreactivations(layer, walk_->preactivations());
    signal_.push_back(walk_->logNu2());
    noise_.push_back(walk_->logMu2Noise());
}

double MomentDiffusion::progress() const {
    const double inside = walk_ ? static_cast<double>(walk_->layer()) / static_cast<double>(plan_.layers) : 0;
    return std::min(1.0, (static_cast<double>(done_) + std::min(inside, 0.999)) / static_cast<double>(wanted_));
}

std::vector<double> MomentDiffusion::logsAt(std::size_t layer, bool noise) const {
    if (layer == 0) return std::vector<double>(done_, 0.0);
    std::vector<double> found;
    const auto& logs = noise ? noise_ : signal_;
    for (Size draw = 0; draw < done_; ++draw) {
        const double value = logs[draw * plan_.layers + layer - 1];
        if (std::isfinite(value)) found.push_back(value);
    }
    return found;
}

MomentDiffusion::Kurtosis MomentDiffusion::kurtosis(std::size_t layer) const {
    const DiffusionLayer& l = layers_[layer - 1];
    const double n = l.square.count;
    if (n < 1 || !(l.square.sum > 0)) return {};
    const double a = l.square.mean(), b = l.fourth.mean(), value = b / (a * a);
    if (n < 2) return {value, 0};
    const double covariance = (l.squareFourth - n * a * b) / (n - 1);
    // The ratio b/a² to first order: its gradient is (−2b/a³, 1/a²).
    const double variance = (l.fourth.variance() - 4 * b / a * covariance + 4 * b * b / (a * a) * l.square.variance()) / (a * a * a * a);
    return {value, std::sqrt(std::max(0.0, variance) / n)};
}

double MomentDiffusion::operations(const WalkPlan& plan, std::size_t draws) {
    const double N = static_cast<double>(plan.width), columns = 2 * static_cast<double>(plan.samples), rows = std::min(columns, N);
    const double sets = 1 + 1.0 / static_cast<double>(kTwins);
    const double layer = sets * N * rows * (8 + columns) + N * columns * (columns + 8) + 10 * columns * columns + 20 * N + 500;
    return static_cast<double>(draws) * static_cast<double>(plan.layers + 2) * layer;
}

double MomentDiffusion::bytes(const WalkPlan& plan, std::size_t draws) {
    const double N = static_cast<double>(plan.width), columns = 2 * static_cast<double>(plan.samples), L = static_cast<double>(plan.layers);
    return 16 * static_cast<double>(draws) * L + 8 * (N * N + 3 * N * columns + 3 * columns * columns) + 1000 * L;
}

}  // namespace kappaflow

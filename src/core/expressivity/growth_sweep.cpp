#include "core/expressivity/growth_sweep.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace kappaflow {

void GrowthMean::add(double first, double last) {
    ++draws_;
    first_ += first;
    last_ += last;
    firstSquare_ += first * first;
    lastSquare_ += last * last;
    product_ += first * last;
}

SampledLength GrowthMean::growth(std::size_t layersBetween) const {
    if (!(first_ > 0)) return {0, 0};
    const double power = 1 / static_cast<double>(layersBetween), value = std::pow(last_ / first_, power);
    if (draws_ < 2) return {value, std::numeric_limits<double>::infinity()};
    if (!(last_ > 0)) return {0, 0};
    // Variance of last/mean(last) − first/mean(first): the relative error of the ratio.
    const double n = draws_, a = first_ / n, b = last_ / n;
    const double spread = lastSquare_ / (n * b * b) + firstSquare_ / (n * a * a) - 2 * product_ / (n * a * b);
    return {value, value * power * std::sqrt(std::max(spread, 0.0) / (n - 1))};
}

GrowthSweep::GrowthSweep(GrowthSweepPlan plan) : plan_(std::move(plan)), means_(plan_.settings.size()) {
    if (plan_.first >= plan_.last) throw InputError("Growth is measured from one layer to a later one.");
}

void GrowthSweep::begin() {
    const GrowthSetting& setting = plan_.settings[setting_];
    layers_ = randomLayers(setting, plan_.last, plan_.seed, draw_);
    const RandomEnds ends = randomEnds(static_cast<std::size_t>(setting.width), plan_.seed, draw_);
    sampler_.emplace(layers_, arcCurve(ends.x0, ends.x1, 0, std::numbers::pi / 2), Rng(plan_.seed, Purpose::MonteCarlo, draw_),
                     SamplingPlan{0, plan_.strata, plan_.strata});
}

bool GrowthSweep::advance(double operations) {
    if (draw_ == plan_.draws || plan_.settings.empty()) return false;
    if (!sampler_) begin();
    if (sampler_->advance(operations)) return true;
    const std::vector<SampledLength> lengths = sampler_->lengths();
    means_[setting_].add(lengths[plan_.first].value, lengths[plan_.last].value);
    sampler_.reset();
    if (++setting_ == plan_.settings.size()) {
        setting_ = 0;
        ++draw_;
    }
    return draw_ < plan_.draws;
}

double GrowthSweep::progress() const {
    if (plan_.draws == 0 || plan_.settings.empty()) return 1;
    const double each = static_cast<double>(plan_.settings.size());
    return (static_cast<double>(draw_) * each + static_cast<double>(setting_)) / (each * static_cast<double>(plan_.draws));
}

double GrowthSweep::operations(const GrowthSweepPlan& plan) {
    double sum = 0;
    // A weight takes about as long to draw as thirty multiply-adds.
    for (const GrowthSetting& setting : plan.settings)
        sum += setting.width * setting.width * static_cast<double>(plan.last) * (4 * static_cast<double>(plan.strata) + 30);
    return sum * static_cast<double>(plan.draws);
}

}  // namespace kappaflow

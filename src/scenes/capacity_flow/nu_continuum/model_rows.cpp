#include "scenes/capacity_flow/nu_continuum/model_rows.h"

#include <cmath>
#include <limits>

namespace kappaflow::continuum {
namespace {

using Size = std::size_t;

std::vector<double> distribution(std::vector<double> capacity) {
    double sum = 0;
    for (const double value : capacity) sum += value;
    for (double& value : capacity) value = sum > 0 ? value / sum : 0;
    return capacity;
}

}  // namespace

bool ZeroBetween::answer(double value) {
    constexpr int kMostAsked = 40;
    const double x = guess();
    const bool upper = (value > 0) == (fb_ > 0);
    if (upper) {
        b_ = x, fb_ = value;
        if (side_ > 0) fa_ /= 2;
    } else {
        a_ = x, fa_ = value;
        if (side_ < 0) fb_ /= 2;
    }
    side_ = upper ? 1 : -1;
    if (std::abs(value) > 1e-13 && std::abs(b_ - a_) > 1e-15 && ++asked_ < kMostAsked) return true;
    // From now on the place where the value is the zero's.
    a_ = b_ = x, fa_ = fb_ = value;
    return false;
}

Sweep::Sweep(std::unique_ptr<Family> family, Size points)
    : family_(std::move(family)), nu_(nuGrid(points)), order_(coarseToFine(points)), rows_(points), known_(points) {
    crossover_.nu = std::numeric_limits<double>::quiet_NaN();
    beginRow();
}

bool Sweep::step() {
    if (stage_ == Stage::Half) {
        stepHalf();
    } else if (stage_ == Stage::Layers) {
        stepLayers();
    } else if (stage_ == Stage::Rows && !family_->step(rows_[order_[next_]])) {
        known_[order_[next_]] = true;
        if (++next_ < order_.size())
            beginRow();
        else
            beginHalf();
    }
    return stage_ != Stage::Finished;
}

double Sweep::progress() const {
    // Rows, the search, layers: the search stands for a tenth.
    const double done = static_cast<double>(next_) / static_cast<double>(order_.size()), apart = family_->layersApart() ? 0.5 : 0;
    switch (stage_) {
        case Stage::Rows:
            return (0.9 - apart) * done;
        case Stage::Half:
            return 0.9 - apart;
        case Stage::Layers:
            return 0.5 + 0.5 * done;
        case Stage::Finished:
            break;
    }
    return 1;
}

void Sweep::beginRow() { family_->begin(nu_[order_[next_]]); }

// The first interval of the grid in which half of the change is passed.
void Sweep::beginHalf() {
    const Size last = rows_.size() - (jumps() ? 2 : 1);
    crossover_.start = distribution(rows_.front().capacity);
    crossover_.end = distribution(rows_[last].capacity);
    stage_ = Stage::Half;
    for (Size i = 1; i <= last; ++i)
        if (share(i - 1) < 0.5 && share(i) >= 0.5) {
            zero_ = std::make_unique<ZeroBetween>(nu_[i - 1], share(i - 1) - 0.5, nu_[i], share(i) - 0.5);
            return family_->begin(zero_->guess());
        }
    beginLayers();
}

void Sweep::stepHalf() {
    if (family_->step(trial_)) return;
    if (zero_->answer(changedShare(trial_.capacity, crossover_) - 0.5)) return family_->begin(zero_->guess());
    crossover_.nu = zero_->guess();
    beginLayers();
}

void Sweep::beginLayers() {
    next_ = 0;
    stage_ = family_->layersApart() ? Stage::Layers : Stage::Finished;
    if (stage_ == Stage::Layers) beginRow();
}

void Sweep::stepLayers() {
    if (family_->stepLayers(rows_[order_[next_]])) return;
    if (++next_ < order_.size())
        beginRow();
    else
        stage_ = Stage::Finished;
}

}  // namespace kappaflow::continuum

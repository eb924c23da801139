#include "core/capacity/paths.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kappaflow {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// Weights that differ by rounding alone count as equal.
constexpr double kTie = 1e-9;

}  // namespace

PathStatistics::PathStatistics(std::size_t units, std::size_t top) : best_(units, Best{kNever, 0}), mass_(units), entropy_(units) {
    best_[top] = {0, 0};
    mass_[top] = 1;
}

void PathStatistics::descend(const CapacityLayer& D) {
    std::vector<Best> best(D.inputs, Best{kNever, 0});
    std::vector<Step> steps(D.inputs, Step{0, 0});
    std::vector<double> entropy(D.inputs);
    for (std::size_t j = 0; j < D.outputs; ++j) {
        if (mass_[j] == 0 && best_[j].logWeight == kNever) continue;
        for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e) {
            const auto& entry = D.entries[e];
            if (entry.share <= 0) continue;
            const double logShare = std::log(entry.share);
            entropy[entry.input] += entry.share * (entropy_[j] - mass_[j] * logShare);
            const Best way{best_[j].logWeight + logShare, best_[j].wander + std::abs(entry.offset)};
            auto& have = best[entry.input];
            const bool heavier = way.logWeight > have.logWeight + kTie;
            const bool straighter = std::abs(way.logWeight - have.logWeight) <= kTie && way.wander < have.wander;
            if (!heavier && !straighter) continue;
            have = {std::max(have.logWeight, way.logWeight), way.wander};
            steps[entry.input] = {static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(e - D.start[j])};
        }
    }
    double unattributed = 0;
    mass_ = propagate(D, mass_, unattributed);
    best_ = std::move(best);
    entropy_ = std::move(entropy);
    steps_.push_back(std::move(steps));
}

std::size_t PathStatistics::heaviestUnit() const {
    std::size_t unit = 0;
    for (std::size_t i = 1; i < best_.size(); ++i) {
        const double gain = best_[i].logWeight - best_[unit].logWeight;
        const bool straighter = std::abs(gain) <= kTie && best_[i].wander < best_[unit].wander;
        if (gain > kTie || straighter || best_[unit].logWeight == kNever) unit = i;
    }
    return unit;
}

double PathStatistics::logMaxWeight() const { return best_[heaviestUnit()].logWeight; }

double PathStatistics::entropy() const {
    double sum = 0;
    for (const double e : entropy_) sum += e;
    return sum;
}

std::vector<std::uint32_t> PathStatistics::heaviestPath() const {
    std::vector<std::uint32_t> path(steps_.size());
    std::size_t unit = heaviestUnit();
    for (std::size_t l = steps_.size(); l > 0; --l) {
        path[l - 1] = steps_[l - 1][unit].entry;
        unit = steps_[l - 1][unit].from;
    }
    return path;
}

}  // namespace kappaflow

#pragma once
#include <cstddef>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// A continuous piecewise-linear activation: state s of a pre-activation h is the number of thresholds strictly below it (h exactly at
/// a threshold counts as below), and the value is slope[s]·h + offset[s]. No thresholds: affine, one state.
struct LinearPieces {
    std::vector<double> thresholds;             ///< ascending; lines of activation regions where pre-activations pass them
    std::vector<double> slopes{1}, offsets{0};  ///< one more than thresholds

    int stateOf(double h) const {
        int state = 0;
        for (const double threshold : thresholds) state += h > threshold;
        return state;
    }
    double valueOf(double h) const {
        const auto state = static_cast<std::size_t>(stateOf(h));
        return slopes[state] * h + offsets[state];
    }
    friend bool operator==(const LinearPieces&, const LinearPieces&) = default;
};

bool isPiecewiseLinear(Activation);
/// Identity, ReLU, leaky ReLU, |h|, hard-tanh, ReLU6, hard sigmoid. Throws InputError for any other.
LinearPieces piecewiseLinear(Activation, double slope = 0.01);

}  // namespace kappaflow

#pragma once
#include <cstddef>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// A continuous piecewise-linear function of one number: slopes[i] between breakpoints[i − 1] and breakpoints[i].
struct PiecewiseLinear {
    std::vector<double> breakpoints;  ///< rising; may be empty
    std::vector<double> slopes;       ///< one more
    double anchor = 0;                ///< value at the first breakpoint, at 0 without one

    /// Number of breakpoints strictly below z: the unit's state. At a breakpoint it is the state below.
    std::size_t state(double z) const;
    double value(double z) const;
    /// What the function adds to slopes[state]·z in this state.
    double offset(std::size_t state) const;
    friend bool operator==(const PiecewiseLinear&, const PiecewiseLinear&) = default;
};

/// Whether the layer's activation is piecewise linear: all but tanh, sigmoid and the pseudo-random one.
bool isPiecewiseLinear(const Layer& activation);
/// The function of the activation layer's unit i; only where isPiecewiseLinear. Neighbouring equal slopes are joined (|z| of slope −1 and 1
/// keeps its breakpoint, a leaky ReLU of slope 1 has none).
PiecewiseLinear piecewiseLinear(const Layer& activation, std::size_t unit);

}  // namespace kappaflow

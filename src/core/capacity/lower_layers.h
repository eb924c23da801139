#pragma once
#include <string>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

// Small networks without biases, whose every weight is learned (P1 App. A).

inline constexpr double kMaxSmallParameters = 512;

/// Dense layers of these widths, input first, the activation between them, random weights N(0, 1/fan-in) from `seed`. Throws InputError
/// for fewer than two widths, widths below 1 or more than kMaxSmallParameters weights.
Network smallDenseNetwork(const std::vector<int>& widths, Activation, double slope, std::uint64_t seed);

/// Dilated convolutions whose last output is one number: layer l has taps[l] taps of that dilation, hidden layers `channels` channels
/// (one entry a hidden layer), as many inputs as the output sees. Throws as above and when the lists' lengths disagree.
Network smallConvNetwork(const std::vector<int>& taps, const std::vector<int>& dilations, const std::vector<int>& channels, Activation,
                         double slope, std::uint64_t seed);

/// All weights, layer after layer in each layer's own order, and back.
std::vector<double> allWeights(const Network&);
void setAllWeights(Network&, const std::vector<double>&);

/// Hidden units of dense layers, hidden channels of convolutions: what a scale can be taken out of and put back in after.
struct HiddenUnit {
    std::size_t layer = 0;  ///< 1 … hidden layers
    std::size_t unit = 0;
    /// The direction in weight space that multiplies what comes in by 1 − t and what goes out by 1 + t: incoming −w, outgoing +w,
    /// [parameters]. To first order the output of a network with f(c z) = c f(z), c > 0, does not change (P1 App. A).
    std::vector<double> direction;
};
std::vector<HiddenUnit> scaleDirections(const Network&);

/// f′(z) = f(z)/z wherever f has a derivative: two slopes, and the pseudo-random activation. Then a small change of the weights moves
/// no η, and parameters − hidden units is the rule; else (tanh, sigmoid) no scale is redundant and the capacity is all parameters.
bool derivativeIsEta(Activation);

}  // namespace kappaflow

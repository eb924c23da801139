#pragma once
#include <vector>

#include "core/moments/moment_net.h"
#include "core/moments/point_values.h"

namespace kappaflow {

/// How far every unit of a layer is from always on or always off: its share of what Theorems 2 and 3 average, so that their increment of a
/// ReLU layer is (1 − mean)^{−1/2}. Vanilla: ν_{1,c}(y⁺)·ν_{1,c}(y⁻)/(w²·μ₂(x^{l−1})), w the weight scale; batch-normalised:
/// 2·ν_{1,c}(z⁺)·ν_{1,c}(z⁻); of a resnet's unit, that of its inner layer 1, which reads `before` itself. 0 for a unit that never
/// switches, 1/π for gaussian pre-activations with mean 0, at most 1/2 in the mean. Cost: a layer's.
std::vector<double> unitSwitching(const MomentNet&, const SignalAndNoise& before, const MomentWeights& ofLayer);

/// Theorem 2's increment with its expectation over all weights done exactly: E_θ[ν_{1,c}(y⁺)ν_{1,c}(y⁻)] is the mean over pairs of samples
/// of (2/N)·‖x_m‖‖x_n‖·(sin θ_mn − θ_mn cos θ_mn)/2π. Dense vanilla ReLU layers without biases; the weights' scale cancels. Throws
/// InputError for a signal without variance. Cost: samples²·channels.
bool hasExactIncrement(const MomentNet&);
double exactIncrement(const PointValues& before);

}  // namespace kappaflow

#pragma once
#include <cstdint>
#include <vector>

#include "core/net/data_sets.h"

namespace kappaflow {

/// x_t = first·x_{t−1} + second·x_{t−2} + noise.
struct Autoregression {
    double first = 0, second = 0;
};

/// Stationary when |second| < 1 and |first| < 1 − second.
bool isStationary(const Autoregression&);
/// ρ_0 = 1, ρ_1 … ρ_{lags−1} of the stationary process: ρ_1 = first/(1 − second), ρ_k = first·ρ_{k−1} + second·ρ_{k−2}.
std::vector<double> autocorrelation(const Autoregression&, std::size_t lags);

/// One-dimensional signals [length][samples], a class for each process, taking turns: gaussian, stationary from the first value on,
/// variance 1. Sample i comes from Rng(seed, Data, i): the same bits on every platform. Throws InputError unless there are two processes
/// or more, all stationary, 2 <= samples <= kMaxSamples and 2 <= length <= 4096.
LabelledPoints autoregressiveSignals(const std::vector<Autoregression>& processes, std::size_t samples, std::size_t length,
                                     std::uint64_t seed);

}  // namespace kappaflow

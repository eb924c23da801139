#pragma once
#include <cmath>
#include <vector>

#include "core/base/rng.h"
#include "core/moments/moment_fits.h"

namespace kappaflow {

/// Standard deviation of the median over resamples with replacement.
inline double bootstrapMedianError(const std::vector<double>& values, std::uint64_t seed) {
    constexpr std::size_t kResamples = 400;
    Rng rng(seed, Purpose::MonteCarlo);
    std::vector<double> medians, sample(values.size());
    for (std::size_t r = 0; r < kResamples; ++r) {
        for (double& value : sample) value = values[rng.below(values.size())];
        medians.push_back(median(sample));
    }
    return errorOfMean(medians) * std::sqrt(static_cast<double>(kResamples));
}

}  // namespace kappaflow

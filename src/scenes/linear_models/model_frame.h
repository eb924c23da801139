#pragma once
#include <memory>

#include "core/linear/constraints.h"
#include "scenes/linear_models/model_task.h"

namespace kappaflow::linear {

/// A model at given weights, as the pictures show it. Lags from the newest.
struct Frame {
    double place = 0;  ///< on the timeline: channels, or step
    double parameters = 0, exactRank = 0, rank = 0, loss = 0, optimality = 0, iterations = 0, threshold = 0;
    std::vector<double> weights;
    std::vector<double> capacity, inBasis, coefficients;
    std::vector<double> eigenvalues;  ///< over the largest, [n]; empty beyond kSpectrumLength
    ModelAutocovariance generated;
};

/// Spectra cost 50·n³ each; longer models show none along the timeline.
inline constexpr std::size_t kSpectrumLength = 128;

/// What all frames of a request share.
struct Scope {
    Scope(const GaussianProcess&, std::size_t length, const std::string& basis);
    std::vector<double> autocovariance;  ///< c_0 … c_n
    LinearTask task;
    MeasuredBasis basis;
};

/// Cost: the constraints and the spectrum.
Frame frameAt(const Scope&, const LinearModel&, std::vector<double> weights);
/// Eigenvalues of K̃K̃ᵀ over the largest, not below 0, and the threshold on that scale.
ConstraintSpectrum relativeSpectrum(const Scope&, const LinearModel&, const std::vector<double>& weights, bool raw);

}  // namespace kappaflow::linear

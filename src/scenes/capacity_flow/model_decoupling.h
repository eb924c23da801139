#pragma once
#include <string_view>

#include "core/capacity/augmented_space.h"
#include "core/capacity/decoupling.h"
#include "scene/param.h"

namespace kappaflow::decoupling {

/// The three decoupling coefficients of an activation at z ~ N(0, σ²), and the mean and mean square of η. Two slopes by their closed forms,
/// which are 0 and 1 to the last bit where the quadrature is so to 1e-16; all others by quadrature.
DecouplingScale scaleOf(Activation, double slope, double sigma);

Covariance covarianceNamed(std::string_view key);

/// A request read once and for all.
struct Setup {
    Activation activation;
    double slope, sigma, draws, stopAt;
    std::uint64_t seed;
    DecouplingScale scale;
    std::optional<TwoSlopes> slopes;  ///< none: no closed form of Σ̃
    Matrix covariance, features;      ///< Σ; P, scaled so that every z_j has standard deviation σ
    bool measurable() const { return !scale.etaSquareDiverges; }
};
Setup readSetup(const Values&);

}  // namespace kappaflow::decoupling

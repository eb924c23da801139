#pragma once
#include <string>
#include <vector>

#include "core/linear/input_covariance.h"

namespace kappaflow {

/// Functions of each input, of mean 0 and variance 1 for a standard normal one (P2 6.2, Eqs 22–28). Hermite: He_j(y)/√j!, j = 1 … degree,
/// which are uncorrelated. Fourier: √2-scaled sine and cosine of frequencies 1 … degree, means removed, variances made 1: sin y, cos y,
/// sin 2y, cos 2y, …; sines and cosines do not correlate with one another, different frequencies do.
enum class FeatureFamily { Hermite, Fourier };

/// degree (Hermite) or 2·degree (Fourier).
std::size_t featureCount(FeatureFamily, int degree);
/// "y", "(y² − 1)/√2", … "sin y", …: what a legend shows, in the order of the components.
std::vector<std::string> featureNames(FeatureFamily, int degree);
/// φ_j(y), j from 0.
double featureValue(FeatureFamily, std::size_t j, double y);

inline constexpr int kMaxFeatureDegree = 8;

/// Σ^φ = E[φ φᵀ] of the features of n samples of a process with autocovariance c_0 = 1 … c_n, in closed form: Hermite c^j, zero across
/// degrees (Mehler); sines sinh(a b c)/√(sinh a² sinh b²), cosines (cosh(a b c) − 1)/√((cosh a² − 1)(cosh b² − 1)). A covariance of
/// `featureCount` components: models see features as components of their input. Throws InputError unless c_0 = 1, 1 <= degree <=
/// kMaxFeatureDegree.
InputCovariance featureCovariance(FeatureFamily, int degree, const std::vector<double>& autocovariance);

}  // namespace kappaflow

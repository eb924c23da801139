#pragma once
#include <cstddef>
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

/// A tensor of feature vectors f(x, α): one row a point (sample-major, then positions row-major), one column a channel.
struct PointValues {
    std::size_t samples = 0;
    int dimensions = 0;
    std::size_t extent = 1;  ///< positions a dimension
    Matrix values;           ///< [samples·extent^dimensions][channels]

    std::size_t points() const { return values.rows; }
    std::size_t channels() const { return values.columns; }
};

/// A signal and the noise that goes through the same layers to first order (P3 Eqs 1–2): the noise is `noise`·exp(logScale), so that its
/// size never leaves the range of a double.
struct SignalAndNoise {
    PointValues signal, noise;
    double logScale = 0;
};

/// Per-channel moments of a tensor over its points (P3 Sec. 3), then the mean over channels.
struct ChannelMoments {
    double nu1 = 0, nu2 = 0, nu4 = 0;    ///< E_c E[f_c^p]
    double mu2 = 0, mu4 = 0;             ///< centred per channel
    double nu1Absolute = 0;              ///< E_c E|f_c|
    double mu1Absolute = 0;              ///< E_c E|f_c − E f_c|
    double splitProduct = 0;             ///< E_c[E f_c⁺ · E f_c⁻]: what Theorems 2 and 3 read
    std::vector<double> mean, variance;  ///< of every channel
    double kurtosis() const { return mu4 / mu2 / mu2; }
};
ChannelMoments channelMoments(const PointValues&);
/// ν₁, ν₂, μ₂ and the channels' means and variances alone, the rest 0: a third of the work.
ChannelMoments channelVariances(const PointValues&);

/// Mean of the squares of all entries: μ₂ of a noise, whose expectation is 0 (P3 Sec. 3).
double meanSquare(const PointValues&);

/// Tr C / ‖C‖₂ of the covariance of the feature vectors, centred or not; between 1 and min(channels, points). 0 for a zero tensor.
/// Relative error below 1e-12. Cost: points·channels·min(points, channels) for C, then a Lanczos iteration.
double effectiveRank(const PointValues&, bool centred);

/// First two principal coordinates of some of the signal's feature vectors, and the noise in the same plane: the cloud that a scene shows.
/// The plane is that of all points; every axis points to where its largest component is positive.
struct PrincipalCloud {
    std::vector<double> signal, noise;  ///< [point][2]; signal centred, noise without its log scale
    double share = 0;                   ///< of the variance that the plane holds
    double first = 0, second = 0;       ///< the two largest eigenvalues over the trace
};
PrincipalCloud principalCloud(const SignalAndNoise&, const std::vector<std::size_t>& shown);
/// Points at even distances when there are more than `mostPoints`.
PrincipalCloud principalCloud(const SignalAndNoise&, std::size_t mostPoints);

}  // namespace kappaflow

#pragma once
#include <cstdint>

#include "core/linear/input_covariance.h"
#include "core/linear/subspace.h"
#include "scene/scene.h"

namespace kappaflow::linear {

/// The process that the params of taskParams() name.
GaussianProcess processOf(const Values&);

/// Newest first, as reports count lags, of what the core keeps oldest first.
std::vector<double> newestFirst(std::vector<double> oldestFirst);

/// Directions along which capacity is measured, beside the lags.
class MeasuredBasis {
public:
    /// `key`: position, covariance or fourier. Covariance costs 9·n³.
    MeasuredBasis(const std::string& key, const InputCovariance&);
    /// Positions from the newest; eigenvectors from the largest eigenvalue; frequencies from 0.
    std::vector<double> capacity(const Matrix& constraints) const;

private:
    bool fourier_ = false;
    Matrix eigenvectors_;
};

}  // namespace kappaflow::linear

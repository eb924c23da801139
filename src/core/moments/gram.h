#pragma once
#include <vector>

#include "core/moments/moment_net.h"

namespace kappaflow {

/// Gram matrix of centred feature vectors on the smaller side: [channel][channel] sums over points, or [point][point] sums over channels
/// when there are fewer points; both have the same non-zero eigenvalues, points times the covariance's.
struct CentredGram {
    Matrix centred;  ///< [point][channel]
    Matrix gram;
    bool overChannels = false;  ///< gram is [channel][channel]
};
/// Cost: points·channels·min(points, channels) operations.
CentredGram centredGram(const PointValues&);

/// Divides a Gram matrix by the power of two that brings its trace near 1, where that is positive: eigenvalues then keep their digits and
/// leave room for their squares.
void bringToUnit(Matrix& gram);

/// Largest eigenvalue of a symmetric positive semi-definite matrix of trace 1e-75 to 1e75, relative error below 1e-12 (when the next one is
/// closer than 1e-7 of it, below their distance at worst): a Lanczos iteration until the residual's square over the gap is below that
/// (Parlett, The Symmetric Eigenvalue Problem, ch. 13), from a start that is the same everywhere. The same bits on every platform. 0 for a
/// zero matrix. Cost: 2·size² operations a step, some tens of steps.
double largestEigenvalue(const Matrix& gram);

/// The two largest eigenvalues with their eigenvectors, residuals below 1e-8 of the largest; cost as above, twice as many steps.
struct TopPair {
    double first = 0, second = 0;
    std::vector<double> firstVector, secondVector;
};
TopPair topPair(const Matrix& gram);

}  // namespace kappaflow

#pragma once
#include <cstdint>
#include <vector>

#include "core/linalg/matrix.h"
#include "core/linear/gaussian_process.h"

namespace kappaflow {

/// Covariance Σ of n positions of d jointly stationary, reversible components, [n·d][n·d], inputs position-major and component-minor:
/// entry ((i, k), (j, m)) is c_km(|i − j|), a symmetric Toeplitz block for every pair of components, kept as its n + 1 numbers.
class InputCovariance {
public:
    /// One component from c_0 … c_n (n + 1 numbers: the last is the target's).
    explicit InputCovariance(std::vector<double> autocovariance);
    /// Independent components, one autocovariance each. Throws InputError when their lengths differ or there is none.
    explicit InputCovariance(const std::vector<std::vector<double>>& autocovariances);
    /// Components that depend on each other, blocks[k·d + m] = c_km, symmetric in k and m; an empty block is zero.
    InputCovariance(std::size_t components, std::vector<std::vector<double>> blocks);

    std::size_t length() const { return length_; }
    std::size_t components() const { return components_; }
    std::size_t inputs() const { return length_ * components_; }
    /// No two components depend on each other.
    bool independent() const;
    /// c_km(lag), lag = 0 … n.
    double at(std::size_t k, std::size_t m, std::size_t lag) const;

    /// Σ·M, [n·d][M.columns]. Cost: n² multiply-adds for each pair of dependent components and column.
    Matrix times(const Matrix&) const;
    std::vector<double> times(const std::vector<double>&) const;
    /// xᵀΣx.
    double quadratic(const std::vector<double>& x) const;
    Matrix dense() const;

private:
    std::size_t length_ = 0, components_ = 1;
    std::vector<std::vector<double>> blocks_;  ///< [d·d][n + 1] or empty
};

/// Eigenvectors of Σ as columns, eigenvalues descending, each vector's largest entry made positive; independent components are taken one
/// at a time. Cost: 9·d·n³ (independent) or 9·(n·d)³ operations.
struct CovarianceEigenvectors {
    std::vector<double> values;
    Matrix vectors;  ///< [n·d][n·d]
};
CovarianceEigenvectors covarianceEigenvectors(const InputCovariance&);

/// Predicting from n positions of d components the scaled sum of the components' next samples, (1/√d) Σ_k y_k(n + 1) (P2 6.1): with
/// one component, the next sample.
struct LinearTask {
    InputCovariance covariance;
    std::vector<double> target;  ///< A* = Σ⁻¹ r, [n·d]
    double variance = 1;         ///< of what is predicted
    double lowerBound = 0;       ///< v* = variance − rᵀΣ⁻¹r
};
/// Throws InputError when Σ is not positive definite or singular to rounding. Cost: d·n² for independent components, else (n·d)³/3.
LinearTask predictionTask(const InputCovariance&);
LinearTask predictionTask(const GaussianProcess&, std::size_t length);
/// d independent power laws α_k, one for each exponent.
LinearTask predictionTask(const std::vector<double>& exponents, std::size_t length);
/// linspace(0.3, 0.7, components), 0.5 for a single one.
std::vector<double> componentExponents(std::size_t components);
/// The same inputs with another target, e.g. one drawn at random. Throws InputError for a wrong number or values that are not finite
/// (the message says which); lowerBound and variance stay.
LinearTask withTarget(LinearTask, std::vector<double> target);
/// A* ~ N(0, I), stream (seed, Data, draw).
std::vector<double> randomTarget(std::size_t inputs, std::uint64_t seed, std::uint64_t draw);

/// A − A*.
std::vector<double> taskError(const LinearTask&, const std::vector<double>& response);
/// L = (A − A*)ᵀ Σ (A − A*): what the prediction loses on top of v* (P2 4.1, Eq 33 adds the two).
double taskLoss(const LinearTask&, const std::vector<double>& response);
/// ∂L/∂A = 2 Σ (A − A*), [n·d].
std::vector<double> taskSlope(const LinearTask&, const std::vector<double>& response);

}  // namespace kappaflow

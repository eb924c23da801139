#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

// Stationary Gaussian processes of variance 1 and the best linear prediction of their next sample (P2 Appendix B).

enum class ProcessKind { PowerLaw, Arfima, Exponentials, Ar1, Ar2 };

/// Only the fields of its kind count.
struct GaussianProcess {
    ProcessKind kind = ProcessKind::PowerLaw;
    double alpha = 0.5;                       ///< PowerLaw: c_τ = (1 + τ)^−α, α > 0
    double memory = 0.4;                      ///< Arfima(0, d, 0): c_k = c_{k−1} (k − 1 + d)/(k − d), 0 < d < ½
    std::vector<double> weights{1, 1, 1, 1};  ///< Exponentials: c_τ = Σ w_m e^{−τ/t_m}/Σ w_m, w_m >= 0, t_m > 0
    std::vector<double> times{1, 4, 16, 64};
    double phi1 = 0.8, phi2 = 0;  ///< Ar1: c_τ = φ_1^τ; Ar2: c_1 = φ_1/(1 − φ_2), c_τ = φ_1 c_{τ−1} + φ_2 c_{τ−2}
};

/// c_0 = 1, c_1, …, c_lags. Throws InputError naming the parameter that is out of its range, unstable autoregressions included
/// (|φ_1| < 1; φ_1 + φ_2 < 1, φ_2 − φ_1 < 1, |φ_2| < 1).
std::vector<double> autocovariance(const GaussianProcess&, std::size_t lags);

/// Prediction errors below this share of the variance mean that the covariance is singular to rounding: the next sample follows
/// from the past, and A* has no digits left.
inline constexpr double kSingularPrediction = 1e-10;

/// The best linear prediction of y_{n+1} from y_1 … y_n.
struct Prediction {
    std::vector<double> coefficients;  ///< A* = Σ⁻¹ r, [n], oldest first: the last belongs to the newest sample
    std::vector<double> partial;       ///< partial autocorrelations of lags 1 … n: the coefficient a_kk of each order
    double error = 1;                  ///< v* = c_0 − rᵀΣ⁻¹r
};

/// Levinson and Durbin's recursion on c_0 … c_n, n >= 1. (P2 Eq 31 prints Σ with one row too many and r in the other order.)
/// Throws InputError for entries that are not finite, c_0 <= 0, an autocovariance that is not positive definite or is singular to
/// rounding (kSingularPrediction). Cost: n² multiply-adds.
Prediction predictNext(const std::vector<double>& autocovariance);

/// Autocovariance of the process that a predictor would itself generate, ĉ_0 = 1 (P2 Fig 14): ĉ_k = Σ_j a_j ĉ_|k−j| for k = 1 … n, a_j the
/// coefficient of lag j. From the predictors of lower orders (Levinson's recursion backwards), which exist exactly when it is stable.
struct ModelAutocovariance {
    bool stable = false;
    std::vector<double> autocovariance;  ///< ĉ_0 … ĉ_n; empty unless stable
    double largestPartial = 0;           ///< largest |partial autocorrelation|: >= 1 means unstable
};
/// `coefficients` oldest first. Throws InputError when one is not finite. Cost: 2·n².
ModelAutocovariance modelAutocovariance(const std::vector<double>& coefficients);

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

/// Eigenvectors of Σ as columns, eigenvalues descending, each vector's largest entry made positive. Cost: 9·(n·d)³ operations.
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
/// Even steps from `low` to `high`, their middle for a single component.
std::vector<double> componentExponents(std::size_t components, double low = 0.3, double high = 0.7);
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

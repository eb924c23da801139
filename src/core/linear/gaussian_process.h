#pragma once
#include <optional>
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

// Stationary Gaussian processes of variance 1 and the best linear prediction of their next sample (P2 Appendix B).

enum class ProcessKind { PowerLaw, Arfima, Exponentials, Ar1, Ar2, SquaredExponential };

/// Only the fields of its kind count.
struct GaussianProcess {
    ProcessKind kind = ProcessKind::PowerLaw;
    double alpha = 0.5;                       ///< PowerLaw: c_τ = (1 + τ)^−α, α > 0
    double memory = 0.4;                      ///< Arfima(0, d, 0): c_k = c_{k−1} (k − 1 + d)/(k − d), 0 < d < ½
    std::vector<double> weights{1, 1, 1, 1};  ///< Exponentials: c_τ = Σ w_m e^{−τ/t_m}/Σ w_m, w_m >= 0, t_m > 0
    std::vector<double> times{1, 4, 16, 64};
    double phi1 = 0.8, phi2 = 0;  ///< Ar1: c_τ = φ_1^τ; Ar2: c_1 = φ_1/(1 − φ_2), c_τ = φ_1 c_{τ−1} + φ_2 c_{τ−2}
    double width = 4;             ///< SquaredExponential: c_τ = e^{−τ²/2w²}: smooth, hence soon singular
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

/// The same in closed form where there is one: Arfima, a_j = −C(n, j) Γ(j − d) Γ(n − d − j + 1)/(Γ(−d) Γ(n − d + 1)),
/// v*/c_0 = Γ(n+1) Γ(n+1−2d)/Γ(n+1−d)² · Γ(1−d)²/Γ(1−2d), and the two autoregressions. Throws as autocovariance does.
std::optional<Prediction> predictNextInClosedForm(const GaussianProcess&, std::size_t n);

/// Autocovariance of the process that a predictor would itself generate, ĉ_0 = 1 (P2 Fig 14): ĉ_k = Σ_j a_j ĉ_|k−j| for k = 1 … n, a_j the
/// coefficient of lag j. From the predictors of lower orders (Levinson's recursion backwards), which exist exactly when it is stable.
struct ModelAutocovariance {
    bool stable = false;
    std::vector<double> autocovariance;  ///< ĉ_0 … ĉ_n; empty unless stable
    double innovation = 0;               ///< 1 − Σ a_j ĉ_j, of the variance; 0 unless stable
    double largestPartial = 0;           ///< largest |partial autocorrelation|: >= 1 means unstable
};
/// `coefficients` oldest first. Throws InputError when one is not finite. Cost: 2·n².
ModelAutocovariance modelAutocovariance(const std::vector<double>& coefficients);

}  // namespace kappaflow

#pragma once
#include <optional>
#include <vector>

#include "scenes/moments/moments/model_draws.h"

namespace kappaflow::moments {

/// A mean over draws with its standard error.
struct Estimate {
    double value = 0, error = 0, draws = 0;
};

/// What all draws of one network say as numbers; empty where there are too few layers or draws for it.
struct Fits {
    std::optional<Estimate> rate, rateLate;          ///< slope of log χ over l, l >= 1 and l >= L/2
    std::optional<Estimate> exponent, exponentLate;  ///< slope of log χ over log l, l >= 1 and l >= L/5
    std::optional<Estimate> predicted;               ///< ½(⟨δχ^{l,1}⟩^{2H} − 1)
    std::optional<int> pathology;                    ///< index of kPathologies
    Size last = 0;                                   ///< layer that most draws reach
};
/// The deepest layer that half of the draws reach.
Size lastReached(const DrawStatistics&);
Fits fitsOf(const std::vector<DrawCurves>&, const DrawStatistics&, const MomentNet&);

/// First layer of the late fits.
inline Size lateForRate(Size layers) { return layers / 2; }
inline Size lateForExponent(Size layers) { return layers / 5 > 1 ? layers / 5 : 1; }

/// C l^τ beside a mean curve, as far as it is defined; NaN at layer 0.
Vector lawBeside(const Vector& chi, double tau);

}  // namespace kappaflow::moments

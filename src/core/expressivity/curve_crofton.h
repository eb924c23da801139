#pragma once
#include "core/expressivity/curve_pieces.h"

namespace kappaflow {

/// Mean number of times a random Gaussian unit h = w·z(t) + b, w ~ N(0, σ_w²/k), b ~ N(0, σ_b²), k the curve's units, passes the value τ
/// along the curve (Kac and Rice): ∫ E[|h'| given h = τ] p_h(τ) dt with V = |v|², v = (σ_w z/√k, σ_b), p_h(τ) = e^(−τ²/2V)/√(2πV) and h'
/// given h = τ normal of mean τ (v·v')/V and variance |v'|² − (v·v')²/V. For τ = 0 this is Crofton's formula: (1/π) × the angular length of
/// v(t). Gauss panels of 6 and 10 points; where these differ, panels of 20, halved until they agree to 1e-11 of the piece or the halving
/// stops at the rounding. Pieces on which V = 0, and straight ones through the origin for τ = 0, count nothing. Cost: 9 operations a piece
/// and unit, some thousand more a piece. Throws InputError for a negative variance or a τ that is not finite.
double meanCrossings(const CurvePieces&, double weightVariance, double biasVariance, double threshold);

/// Angle that (σ_w z/√k, σ_b) turns through along the curve, in radians: π·meanCrossings(…, 0).
double angularLength(const CurvePieces&, double weightVariance, double biasVariance);

}  // namespace kappaflow

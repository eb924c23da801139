#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kappaflow {

/// What the units of a curve are combinations of. Arc: h(t) = p·cos t + q·sin t + r. Segment: h(t) = p·t + r.
enum class CurveForm { Arc, Segment };

/// Number of coefficients of one unit on one piece: (p, q, r) or (p, r).
constexpr std::size_t coefficientsOf(CurveForm form) { return form == CurveForm::Arc ? 3 : 2; }
/// The functions beside the coefficients at t, the constant 1 last: (cos t, sin t, 1) or (t, 1). Bits are the same on every platform.
void basisAt(CurveForm, double t, double* basis);
/// Their derivatives: (−sin t, cos t, 0) or (1, 0).
void basisSlopeAt(CurveForm, double t, double* basis);

/// A curve in a space of `units` coordinates, in pieces: piece i runs over t in [ends[i], ends[i + 1]] and has its own coefficients,
/// [piece][coefficient][unit]. The curve is continuous. Input curve, activations and pre-activations alike have this form.
struct CurvePieces {
    CurveForm form = CurveForm::Arc;
    std::size_t units = 0;
    std::vector<double> ends;
    std::vector<double> coefficients;
    /// Per inner border (pieces − 1): whether some unit changed its state there; corners of a drawn line are borders without one.
    std::vector<std::uint8_t> crossed;

    std::size_t pieces() const { return ends.empty() ? 0 : ends.size() - 1; }
    std::size_t stride() const { return coefficientsOf(form) * units; }
    const double* piece(std::size_t i) const { return coefficients.data() + i * stride(); }
    double* piece(std::size_t i) { return coefficients.data() + i * stride(); }
    /// Activation patterns along the curve: 1 + borders that a unit's change of state made.
    std::size_t patterns() const;
};

/// x(t) = cos t·x0 + sin t·x1 for t in [t0, t1]: a quarter of a circle from x0 to x1 is [0, π/2]. Throws InputError when sizes differ
/// or are 0, an entry or bound is not finite, or not t0 < t1 <= t0 + 2π (to rounding).
CurvePieces arcCurve(std::span<const double> x0, std::span<const double> x1, double t0, double t1);
/// x(t) = (1 − t)·x0 + t·x1, t in [0, 1]. Throws InputError as above.
CurvePieces segmentCurve(std::span<const double> x0, std::span<const double> x1);
/// Through `points` in turn, [point][unit], at t = 0, 1, 2, … Throws InputError unless there are at least two points of finite entries.
CurvePieces polylineCurve(std::span<const double> points, std::size_t units);

/// Units at t, on the piece that t lies in (the earlier one at borders; outside [ends.front(), ends.back()] the nearest).
std::vector<double> curveAt(const CurvePieces&, double t);

/// ∫ |dz/dt| dt of each piece, to about 1e-14 relative: 20-point Gauss–Legendre on panels that grow geometrically away from the
/// slowest point of the ellipse arc, where |dz/dt| nearly has a kink. Cost: 6 operations a unit, and a few times 20 square roots.
std::vector<double> pieceLengths(const CurvePieces&);
double curveLength(const CurvePieces&);

/// 20-point Gauss–Legendre nodes in (−1, 1) and weights.
struct GaussRule {
    double node[20], weight[20];
};
const GaussRule& gaussRule20();

/// Mean number of times a random Gaussian unit h = w·z(t) + b, w ~ N(0, σ_w²/k), b ~ N(0, σ_b²), k the curve's units, passes the value τ
/// along the curve (Kac and Rice): ∫ E[|h'| given h = τ] p_h(τ) dt with V = |v|², v = (σ_w z/√k, σ_b), p_h(τ) = e^(−τ²/2V)/√(2πV) and h'
/// given h = τ normal of mean τ (v·v')/V and variance |v'|² − (v·v')²/V. For τ = 0 this is Crofton's formula: (1/π) × the angular length of
/// v(t). Gauss panels of 6 and 10 points; where these differ, panels of 20, halved until they agree to 1e-11 of the piece or the halving
/// stops at the rounding. Pieces on which V = 0, and straight ones through the origin for τ = 0, count nothing. Cost: 9 operations a piece
/// and unit, some thousand more a piece. Throws InputError for a negative variance or a τ that is not finite.
double meanCrossings(const CurvePieces&, double weightVariance, double biasVariance, double threshold);

}  // namespace kappaflow

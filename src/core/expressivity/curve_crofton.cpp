#include "core/expressivity/curve_crofton.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

// Gauss–Legendre on (−1, 1).
constexpr double kNodes6[] = {-0.9324695142031521, -0.6612093864662645, -0.2386191860831969,
                              0.2386191860831969,  0.6612093864662645,  0.9324695142031521};
constexpr double kWeights6[] = {0.1713244923791704, 0.3607615730481386, 0.4679139345726910,
                                0.4679139345726910, 0.3607615730481386, 0.1713244923791704};
constexpr double kNodes10[] = {-0.9739065285171717, -0.8650633666889845, -0.6794095682990244, -0.4333953941292472, -0.1488743389816312,
                               0.1488743389816312,  0.4333953941292472,  0.6794095682990244,  0.8650633666889845,  0.9739065285171717};
constexpr double kWeights10[] = {0.0666713443086881, 0.1494513491505806, 0.2190863625159820, 0.2692667193099964, 0.2955242247147529,
                                 0.2955242247147529, 0.2692667193099964, 0.2190863625159820, 0.1494513491505806, 0.0666713443086881};

struct Crossings {
    double mean = 0, rounding = 0;
    Crossings blurred(double share) const { return {mean, mean * std::min(share, 1.0)}; }
};

/// |v|², v·v' and |v'|²|v|² − (v·v')² of one piece at any t, from inner products of its coefficients: the units are not looked at again.
/// The last is |v∧v'|², taken from p∧q, p∧r and q∧r: as a difference it would leave √rounding of noise on curves that run straight to or
/// from the origin, and no quadrature settles on noise.
struct PieceGram {
    CurveForm form;
    double threshold, rounding = 0;            ///< of |v|²
    double gram[3][3] = {}, wedge[3][3] = {};  ///< of (p, q, r), and of (p∧q, p∧r, q∧r); segments have no q

    PieceGram(const CurvePieces& curve, std::size_t i, double scale, double biasVariance, double threshold)
        : form(curve.form), threshold(threshold) {
        const bool arc = form == CurveForm::Arc;
        const double *p = curve.piece(i), *r = p + (arc ? 2 : 1) * curve.units, *parts[] = {p, arc ? p + curve.units : nullptr, r};
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b <= a; ++b) {
                double sum = 0;
                for (std::size_t u = 0; u < curve.units && parts[a] && parts[b]; ++u) sum += parts[a][u] * parts[b][u];
                gram[a][b] = gram[b][a] = scale * sum;
            }
        gram[2][2] += biasVariance;
        constexpr int kFirst[] = {0, 0, 1}, kSecond[] = {1, 2, 2};
        double trace = 0;
        const double moving = gram[0][0] + gram[1][1];
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b)
                wedge[a][b] =
                    gram[kFirst[a]][kFirst[b]] * gram[kSecond[a]][kSecond[b]] - gram[kFirst[a]][kSecond[b]] * gram[kSecond[a]][kFirst[b]];
            trace += wedge[a][a];
        }
        rounding = 2.2e-16 * (moving + gram[2][2]);
        if (trace <= 1e-14 * moving * (moving + gram[2][2])) std::fill(&wedge[0][0], &wedge[0][0] + 9, 0.0);
    }
    static double product(const double (&m)[3][3], const double* x, const double* y) {
        double sum = 0;
        for (int a = 0; a < 3; ++a) sum += x[a] * (m[a][0] * y[0] + m[a][1] * y[1] + m[a][2] * y[2]);
        return sum;
    }
    /// Crossings per t, and how much of it may be rounding: |v|² is a sum of terms that cancel where the curve passes near the origin.
    Crossings rate(double t) const {
        double at[3], slope[3] = {1, 0, 0}, turn[3] = {0, -1, 0};
        basisAt(form, t, at);
        if (form == CurveForm::Arc) {
            slope[0] = -at[1], slope[1] = at[0];
            turn[0] = 1, turn[1] = at[1], turn[2] = -at[0];
        } else {
            at[2] = 1, at[1] = 0;
        }
        const double variance = std::max(product(gram, at, at), rounding);
        if (!(variance > 0)) return {};
        const double spread = std::sqrt(std::max(0.0, product(wedge, turn, turn)) / variance), blur = 4 * rounding / variance;
        if (threshold == 0) return Crossings{spread / (std::numbers::pi * std::sqrt(variance)), 0}.blurred(blur);
        const double steep = threshold * threshold / (2 * variance), mean = threshold * product(gram, at, slope) / variance,
                     p = std::exp(-steep) / std::sqrt(2 * std::numbers::pi * variance);
        if (spread == 0) return Crossings{std::abs(mean) * p, 0}.blurred(blur * (1 + steep));
        const double z = mean / spread;
        return Crossings{p * (spread * std::sqrt(2 / std::numbers::pi) * std::exp(-z * z / 2) + mean * std::erf(z / std::sqrt(2.0))), 0}
            .blurred(blur * (1 + steep));
    }
    template <std::size_t N>
    Crossings panel(double from, double to, const double (&nodes)[N], const double (&weights)[N]) const {
        const double half = (to - from) / 2, middle = (from + to) / 2;
        Crossings sum;
        for (std::size_t i = 0; i < N; ++i) {
            const Crossings here = rate(middle + half * nodes[i]);
            sum.mean += half * weights[i] * here.mean;
            sum.rounding += half * weights[i] * here.rounding;
        }
        return sum;
    }
    Crossings panel(double from, double to) const { return panel(from, to, gaussRule20().node, gaussRule20().weight); }
    static bool agree(const Crossings& a, const Crossings& b) {
        return std::abs(a.mean - b.mean) <= 1e-11 * a.mean + 1e-14 + a.rounding + b.rounding;
    }
    /// Deep layers have many pieces, all of them short: there six points and ten agree, in a quarter of the time.
    double whole(double from, double to) const {
        const Crossings ten = panel(from, to, kNodes10, kWeights10);
        return agree(ten, panel(from, to, kNodes6, kWeights6)) ? ten.mean : refined(from, to, panel(from, to), 30);
    }
    double refined(double from, double to, const Crossings& whole, int depth) const {
        const double middle = (from + to) / 2;
        const Crossings left = panel(from, middle), right = panel(middle, to);
        const Crossings both{left.mean + right.mean, left.rounding + right.rounding};
        if (depth == 0 || agree(both, whole)) return both.mean;
        return refined(from, middle, left, depth - 1) + refined(middle, to, right, depth - 1);
    }
};

}  // namespace

double meanCrossings(const CurvePieces& curve, double weightVariance, double biasVariance, double threshold) {
    if (!(weightVariance >= 0) || !(biasVariance >= 0) || !std::isfinite(weightVariance + biasVariance + threshold))
        throw InputError("Mean crossings need variances that are finite and not negative, and a finite threshold.");
    const double scale = weightVariance / static_cast<double>(curve.units);
    double sum = 0;
    for (std::size_t i = 0; i < curve.pieces(); ++i) {
        const PieceGram piece(curve, i, scale, biasVariance, threshold);
        const double from = curve.ends[i], to = curve.ends[i + 1];
        sum += piece.whole(from, to);
    }
    return sum;
}

double angularLength(const CurvePieces& curve, double weightVariance, double biasVariance) {
    return std::numbers::pi * meanCrossings(curve, weightVariance, biasVariance, 0);
}

}  // namespace kappaflow

#include "core/expressivity/curve_crofton.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

constexpr double kPi = 3.141592653589793;

/// Inner products of one piece's coefficients, times the weights' variance: |v|², v·v' and |v'|² at any t without the units.
struct PieceGram {
    CurveForm form;
    std::size_t size;
    double gram[3][3] = {};
    double bias, threshold;

    PieceGram(const CurvePieces& curve, std::size_t i, double scale, double biasVariance, double threshold)
        : form(curve.form), size(coefficientsOf(curve.form)), bias(biasVariance), threshold(threshold) {
        const double* c = curve.piece(i);
        for (std::size_t a = 0; a < size; ++a)
            for (std::size_t b = 0; b <= a; ++b) {
                double sum = 0;
                for (std::size_t u = 0; u < curve.units; ++u) sum += c[a * curve.units + u] * c[b * curve.units + u];
                gram[a][b] = gram[b][a] = scale * sum;
            }
    }
    double product(const double* x, const double* y) const {
        double sum = 0;
        for (std::size_t a = 0; a < size; ++a)
            for (std::size_t b = 0; b < size; ++b) sum += x[a] * gram[a][b] * y[b];
        return sum;
    }
    /// Crossings per t.
    double rate(double t) const {
        double at[3], slope[3];
        basisAt(form, t, at);
        basisSlopeAt(form, t, slope);
        const double variance = product(at, at) + bias, cross = product(at, slope);
        if (!(variance > 0)) return 0;
        const double spread = std::sqrt(std::max(0.0, product(slope, slope) - cross * cross / variance));
        const double mean = threshold * cross / variance,
                     p = std::exp(-threshold * threshold / (2 * variance)) / std::sqrt(2 * kPi * variance);
        if (spread == 0) return std::abs(mean) * p;
        const double z = mean / spread;
        return p * (spread * std::sqrt(2 / kPi) * std::exp(-z * z / 2) + mean * std::erf(z / std::sqrt(2.0)));
    }
    double panel(double from, double to) const {
        const GaussRule& gauss = gaussRule20();
        const double half = (to - from) / 2, middle = (from + to) / 2;
        double sum = 0;
        for (int i = 0; i < 20; ++i) sum += gauss.weight[i] * rate(middle + half * gauss.node[i]);
        return half * sum;
    }
    double refined(double from, double to, double whole, int depth) const {
        const double middle = (from + to) / 2, left = panel(from, middle), right = panel(middle, to);
        if (depth == 0 || std::abs(left + right - whole) <= 1e-11 * (left + right) + 1e-14) return left + right;
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
        sum += piece.refined(from, to, piece.panel(from, to), 30);
    }
    return sum;
}

double angularLength(const CurvePieces& curve, double weightVariance, double biasVariance) {
    return kPi * meanCrossings(curve, weightVariance, biasVariance, 0);
}

}  // namespace kappaflow

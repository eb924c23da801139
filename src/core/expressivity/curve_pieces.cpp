#include "core/expressivity/curve_pieces.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"

namespace kappaflow {

void basisAt(CurveForm form, double t, double* basis) {
    if (form == CurveForm::Segment) {
        basis[0] = t;
        basis[1] = 1;
        return;
    }
    const SineCosine at = portableSineCosine(t);
    basis[0] = at.cosine;
    basis[1] = at.sine;
    basis[2] = 1;
}

void basisSlopeAt(CurveForm form, double t, double* basis) {
    if (form == CurveForm::Segment) {
        basis[0] = 1;
        basis[1] = 0;
        return;
    }
    const SineCosine at = portableSineCosine(t);
    basis[0] = -at.sine;
    basis[1] = at.cosine;
    basis[2] = 0;
}

namespace {

void requireFinite(std::span<const double> values, const char* what) {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i])) throw InputError("Entry " + std::to_string(i + 1) + " of " + what + " is not a finite number.");
}

void requirePair(std::span<const double> x0, std::span<const double> x1) {
    if (x0.empty() || x0.size() != x1.size())
        throw InputError("The two ends of a trajectory need the same number of entries, at least one: they have " +
                         std::to_string(x0.size()) + " and " + std::to_string(x1.size()) + ".");
    requireFinite(x0, "the trajectory's first point");
    requireFinite(x1, "the trajectory's second point");
}

}  // namespace

std::size_t CurvePieces::patterns() const { return 1 + static_cast<std::size_t>(std::count(crossed.begin(), crossed.end(), 1)); }

CurvePieces arcCurve(std::span<const double> x0, std::span<const double> x1, double t0, double t1) {
    requirePair(x0, x1);
    const bool inOrder = t0 < t1 && t1 - t0 <= (2 * std::numbers::pi) * (1 + 1e-12);
    if (!inOrder || std::abs(t0) > 1000)
        throw InputError("An arc runs from an angle t0 of at most 1000 in size to a larger one, t1, at most a full turn further on.");
    CurvePieces curve{CurveForm::Arc, x0.size(), {t0, t1}, std::vector<double>(3 * x0.size()), {}};
    std::copy(x0.begin(), x0.end(), curve.coefficients.begin());
    std::copy(x1.begin(), x1.end(), curve.coefficients.begin() + static_cast<std::ptrdiff_t>(x0.size()));
    return curve;
}

CurvePieces segmentCurve(std::span<const double> x0, std::span<const double> x1) {
    requirePair(x0, x1);
    std::vector<double> points(x0.begin(), x0.end());
    points.insert(points.end(), x1.begin(), x1.end());
    return polylineCurve(points, x0.size());
}

CurvePieces polylineCurve(std::span<const double> points, std::size_t units) {
    if (units == 0 || points.size() % units != 0 || points.size() < 2 * units)
        throw InputError("A drawn trajectory needs at least two points, all with the same number of entries.");
    requireFinite(points, "the drawn trajectory");
    const std::size_t segments = points.size() / units - 1;
    CurvePieces curve{CurveForm::Segment, units, {0}, std::vector<double>(2 * segments * units), std::vector<std::uint8_t>(segments - 1)};
    for (std::size_t s = 0; s < segments; ++s) {
        const double *from = points.data() + s * units, *to = from + units;
        double* p = curve.piece(s);
        for (std::size_t u = 0; u < units; ++u) {
            p[u] = to[u] - from[u];
            p[units + u] = from[u] - static_cast<double>(s) * p[u];
        }
        curve.ends.push_back(static_cast<double>(s + 1));
    }
    return curve;
}

std::vector<double> curveAt(const CurvePieces& curve, double t) {
    const auto inner = std::lower_bound(curve.ends.begin() + 1, curve.ends.end() - 1, t);
    const double* c = curve.piece(static_cast<std::size_t>(inner - curve.ends.begin()) - 1);
    double basis[3];
    basisAt(curve.form, t, basis);
    std::vector<double> values(curve.units);
    for (std::size_t b = 0; b < coefficientsOf(curve.form); ++b, c += curve.units)
        for (std::size_t u = 0; u < curve.units; ++u) values[u] += basis[b] * c[u];
    return values;
}

namespace {

double dot(const double* a, const double* b, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

constexpr double kHalfTurn = 3.141592653589793;

/// |dz/dt| = √(slow² + rise²·sin²(t − t₀)) on an arc with the coefficients p and q.
struct EllipseSpeed {
    double slow, rise, slowest;

    EllipseSpeed(double pp, double qq, double pq) {
        // |z'|² = mean + (qq − pp)/2·cos 2t − pq·sin 2t, whose eigenvalues are those of the Gram matrix of p and q.
        const Polar swing = portablePolar((pp - qq) / 2, pq);
        const double mean = (pp + qq) / 2, largest = mean + swing.radius;
        const double least = largest > 0 ? std::max(0.0, (pp * qq - pq * pq) / largest) : 0;
        slow = std::sqrt(least);
        rise = std::sqrt(std::max(0.0, largest - least));
        slowest = swing.angle / 2;
    }
    double panel(double from, double to) const {
        const GaussRule& gauss = gaussRule20();
        const double half = (to - from) / 2, middle = (from + to) / 2;
        double sum = 0;
        for (int i = 0; i < 20; ++i) {
            double basis[3];
            basisAt(CurveForm::Arc, middle + half * gauss.node[i], basis);
            sum += gauss.weight[i] * std::sqrt(slow * slow + rise * rise * basis[1] * basis[1]);
        }
        return half * sum;
    }
    /// From t₀ + a to t₀ + b with 0 <= a <= b <= π/2: the integrand has a branch point at ±i·asinh(slow/rise).
    double quarter(double a, double b) const {
        if (b <= a) return 0;
        // asinh(slow/rise), as good as a cut need be.
        const double steep = slow / std::max(rise, 1e-300);
        double reach = steep <= 1e-9 ? kHalfTurn : portableLog(steep + std::sqrt(steep * steep + 1)), sum = 0;
        while (reach <= a) reach *= 3;
        for (; reach < b; a = reach, reach *= 3) sum += panel(a, reach);
        return sum + panel(a, b);
    }
    /// Cut at the slowest and fastest points, every quarter turn, and mirrored to start from the slowest.
    double between(double from, double to) const {
        const double quarterTurn = kHalfTurn / 2;
        from -= slowest;
        to -= slowest;
        double sum = 0;
        for (double n = std::floor(from / quarterTurn); n * quarterTurn < to; ++n) {
            const double a = std::max(from - n * quarterTurn, 0.0), b = std::min(to - n * quarterTurn, quarterTurn);
            const bool mirrored = std::fmod(std::abs(n), 2) == 1;
            sum += mirrored ? quarter(quarterTurn - b, quarterTurn - a) : quarter(a, b);
        }
        return sum;
    }
};

}  // namespace

std::vector<double> pieceLengths(const CurvePieces& curve) {
    std::vector<double> lengths(curve.pieces());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const double *p = curve.piece(i), *q = p + curve.units, from = curve.ends[i], to = curve.ends[i + 1];
        const double pp = dot(p, p, curve.units);
        lengths[i] = curve.form == CurveForm::Segment ? std::sqrt(pp) * (to - from)
                                                      : EllipseSpeed(pp, dot(q, q, curve.units), dot(p, q, curve.units)).between(from, to);
    }
    return lengths;
}

double curveLength(const CurvePieces& curve) {
    const std::vector<double> lengths = pieceLengths(curve);
    return std::accumulate(lengths.begin(), lengths.end(), 0.0);
}

const GaussRule& gaussRule20() {
    static const GaussRule rule = [] {
        // Newton's method on the Legendre polynomial of degree 20 from Tricomi's guesses.
        GaussRule made{};
        for (int i = 0; i < 20; ++i) {
            double x = portableSineCosine(kHalfTurn * (i + 0.75) / 20.5).cosine, slope = 1;
            for (int step = 0; step < 8; ++step) {
                double below = 1, at = x;
                for (int n = 2; n <= 20; ++n) {
                    const double next = ((2 * n - 1) * x * at - (n - 1) * below) / n;
                    below = at;
                    at = next;
                }
                slope = 20 * (x * at - below) / (x * x - 1);
                x -= at / slope;
            }
            made.node[i] = x;
            made.weight[i] = 2 / ((1 - x * x) * slope * slope);
        }
        return made;
    }();
    return rule;
}

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

}  // namespace kappaflow

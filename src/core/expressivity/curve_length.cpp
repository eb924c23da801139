#include <cmath>
#include <numeric>

#include "core/expressivity/curve_pieces.h"

namespace kappaflow {
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
        const double mean = (pp + qq) / 2, swing = std::hypot((qq - pp) / 2, pq), largest = mean + swing;
        const double least = largest > 0 ? std::max(0.0, (pp * qq - pq * pq) / largest) : 0;
        slow = std::sqrt(least);
        rise = std::sqrt(std::max(0.0, largest - least));
        slowest = std::atan2(pq, (pp - qq) / 2) / 2;
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
        double reach = slow <= 1e-9 * rise ? kHalfTurn : std::asinh(slow / std::max(rise, 1e-300)), sum = 0;
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
            double x = std::cos(kHalfTurn * (i + 0.75) / 20.5), slope = 1;
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

}  // namespace kappaflow

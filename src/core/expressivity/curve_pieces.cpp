#include "core/expressivity/curve_pieces.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/base/errors.h"

namespace kappaflow {
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

}  // namespace kappaflow

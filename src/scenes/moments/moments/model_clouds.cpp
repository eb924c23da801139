#include "scenes/moments/moments/model_clouds.h"

#include <cmath>
#include <limits>

namespace kappaflow::moments {
namespace {

/// Mean over points of the squared norm of their `coordinates` first numbers out of every two.
double meanNorm(const Vector& points, Size coordinates) {
    double sum = 0;
    for (Size i = 0; i < points.size(); i += 2) sum += points[i] * points[i] + (coordinates == 2 ? points[i + 1] * points[i + 1] : 0);
    return points.empty() ? 0 : sum / static_cast<double>(points.size() / 2);
}

void scale(Vector& points, double factor) {
    for (double& value : points) value *= factor;
}

/// Entries of an orthogonal matrix, applied to rows: (x, y) → (x a + y c, x b + y d).
struct Turn {
    double a = 1, b = 0, c = 0, d = 1;
    void apply(Vector& points) const {
        for (Size i = 0; i < points.size(); i += 2) {
            const double x = points[i], y = points[i + 1];
            points[i] = x * a + y * c;
            points[i + 1] = x * b + y * d;
        }
    }
};

/// The orthogonal matrix Q that makes ‖from·Q − to‖ least: of M = fromᵀ·to the nearer of its rotation and its reflection.
Turn nearestTurn(const Vector& from, const Vector& to) {
    double m[2][2] = {};
    for (Size i = 0; i < from.size(); i += 2)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 2; ++k) m[j][k] += from[i + j] * to[i + k];
    const double c = m[0][0] + m[1][1], s = m[0][1] - m[1][0], u = m[0][0] - m[1][1], v = m[0][1] + m[1][0];
    const double rotation = std::sqrt(c * c + s * s), reflection = std::sqrt(u * u + v * v);
    if (!(rotation > 0) && !(reflection > 0)) return {};
    if (rotation >= reflection) return {c / rotation, s / rotation, -s / rotation, c / rotation};
    return {u / reflection, v / reflection, v / reflection, -u / reflection};
}

}  // namespace

double noiseUnit(const SignalAndNoise& input, const LayerMoments& moments) {
    return std::sqrt(moments.mu2 / kappaflow::meanSquare(input.noise)) * std::exp(-input.logScale);
}

namespace {

LayerCloud scaledCloud(PrincipalCloud found, const SignalAndNoise& state, const LayerMoments& moments, double unit) {
    LayerCloud cloud{std::move(found.signal), std::move(found.noise), 0, 0, found.share};
    const double first = std::sqrt(meanNorm(cloud.signal, 1)), noise = std::sqrt(meanNorm(cloud.noise, 2));
    if (first > 0) scale(cloud.signal, 1 / first);
    if (noise > 0) scale(cloud.noise, 1 / noise);
    cloud.size = first > 0 ? noise * std::exp(state.logScale) * unit / first : std::numeric_limits<double>::quiet_NaN();
    if (!std::isfinite(cloud.size)) cloud.size = std::numeric_limits<double>::quiet_NaN();
    cloud.spread = first / std::sqrt(moments.nu2 * static_cast<double>(state.signal.channels()));
    return cloud;
}

}  // namespace

LayerCloud cloudOf(const SignalAndNoise& state, const LayerMoments& moments, double unit) {
    return scaledCloud(principalCloud(state, kCloudPoints), state, moments, unit);
}

LayerCloud cloudOf(const SignalAndNoise& state, const LayerMoments& moments, double unit, const std::vector<Size>& shown) {
    return scaledCloud(principalCloud(state, shown), state, moments, unit);
}

std::vector<LayerCloud> aligned(std::vector<LayerCloud> clouds) {
    for (Size l = clouds.size(); l-- > 1;) {
        const Turn turn = nearestTurn(clouds[l - 1].signal, clouds[l].signal);
        turn.apply(clouds[l - 1].signal);
        turn.apply(clouds[l - 1].noise);
    }
    return clouds;
}

}  // namespace kappaflow::moments

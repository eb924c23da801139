#include "scenes/moments/model_fits.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kappaflow::moments {
namespace {

/// A signal whose variance is a smaller share of its mean square is a point: inputs of one size that a wide network lines up keep at
/// least 1/(2N + 1) (specs 8.6), 1e-3 at the largest width.
constexpr double kPoint = 5e-4;
/// A signal of smaller effective rank is a line.
constexpr double kLine = 1.5;
/// log χ grows as fast in the last half of the layers as in the quarter before, up to this factor (a power law: 1/2), and so fast at least
/// a layer; vanilla networks of 64 channels drift by 0.01.
constexpr double kUnabated = 0.7, kExplosion = 0.02;
constexpr Size kLayersToTell = 10;

/// Least-squares slope of log χ over l, or over log l, for l = first … last.
double slopeOf(const Vector& logChi, Size first, Size last, bool overLog) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (Size l = first; l <= last; ++l) {
        const double x = overLog ? std::log(static_cast<double>(l)) : static_cast<double>(l), y = logChi[l];
        ++n, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

std::optional<Estimate> estimateOf(const Vector& values) {
    if (values.empty()) return {};
    const auto n = static_cast<double>(values.size());
    double mean = 0, squares = 0;
    for (const double v : values) mean += v / n;
    for (const double v : values) squares += (v - mean) * (v - mean);
    if (!std::isfinite(mean)) return {};
    return Estimate{mean, n < 2 ? 0 : std::sqrt(squares / (n - 1) / n), n};
}

std::optional<Estimate> slopes(const std::vector<DrawCurves>& draws, Size first, Size last, bool overLog) {
    Vector all;
    if (last > first)
        for (const DrawCurves& draw : draws)
            if (draw.layers() > last) all.push_back(slopeOf(draw.logChi, first, last, overLog));
    return estimateOf(all);
}

/// Theorem 4's exponent of every draw; its mean is taken from ⟨δ⟩ over layers and draws alike.
std::optional<Estimate> predictedOf(const std::vector<DrawCurves>& draws, const MomentNet& net) {
    if (net.kind != MomentKind::Resnet || net.skipScale != 1) return {};
    const auto exponent = [&](double delta) { return 0.5 * (std::pow(delta, 2.0 * static_cast<double>(net.inner)) - 1); };
    Vector all;
    double sum = 0;
    for (const DrawCurves& draw : draws) {
        const Vector& delta = draw.curves[static_cast<Size>(Curve::DeltaInner)];
        if (delta.size() < 2) continue;
        double mean = 0;
        for (Size l = 1; l < delta.size(); ++l) mean += delta[l] / static_cast<double>(delta.size() - 1);
        sum += mean;
        all.push_back(exponent(mean));
    }
    auto estimate = estimateOf(all);
    if (estimate) estimate->value = exponent(sum / static_cast<double>(all.size()));
    return estimate;
}

/// Mean over the draws that reach layer `last` of what `of` says.
template <class Of>
double meanAt(const std::vector<DrawCurves>& draws, Size last, Of&& of) {
    double sum = 0, n = 0;
    for (const DrawCurves& draw : draws)
        if (draw.layers() > last) sum += of(draw), ++n;
    return sum / n;
}

/// A draw whose variance is lost in rounding has become a point.
bool becomesPoint(const std::vector<DrawCurves>& draws, Size last) {
    return meanAt(draws, last, [&](const DrawCurves& d) { return d.logVarianceRatio[last]; }) < std::log(kPoint);
}

bool explodes(const std::vector<DrawCurves>& draws, Size last) {
    const Size half = last / 2, quarter = last / 4;
    const auto climb = [&](Size from, Size to) {
        return meanAt(draws, last, [&](const DrawCurves& d) { return d.logChi[to] - d.logChi[from]; }) / static_cast<double>(to - from);
    };
    return climb(half, last) > std::max(kExplosion, kUnabated * climb(quarter, half));
}

std::optional<int> pathologyOf(const std::vector<DrawCurves>& draws, const DrawStatistics& s, Size last) {
    if (last < kLayersToTell) return {};
    if (becomesPoint(draws, last)) return 1;
    if (explodes(draws, last)) return 3;
    return s.curves[static_cast<Size>(Curve::RankSignal)].mean[last] < kLine ? 2 : 0;
}

}  // namespace

Fits fitsOf(const std::vector<DrawCurves>& draws, const DrawStatistics& s, const MomentNet& net) {
    Fits fits;
    while (fits.last + 1 < s.alive.size() && 2 * s.alive[fits.last + 1] >= std::max(1.0, s.alive[0])) ++fits.last;
    if (draws.empty() || fits.last == 0) return fits;
    fits.rate = slopes(draws, 1, fits.last, false);
    fits.rateLate = slopes(draws, std::max<Size>(1, lateForRate(fits.last)), fits.last, false);
    fits.exponent = slopes(draws, 1, fits.last, true);
    fits.exponentLate = slopes(draws, lateForExponent(fits.last), fits.last, true);
    fits.predicted = predictedOf(draws, net);
    fits.pathology = pathologyOf(draws, s, fits.last);
    return fits;
}

Vector powerLaw(const Vector& chi, double exponent) {
    double above = 0, below = 0;
    for (Size l = 1; l < chi.size(); ++l) {
        const double power = std::pow(static_cast<double>(l), exponent);
        if (std::isfinite(chi[l])) above += chi[l] * power, below += power * power;
    }
    Vector law{std::numeric_limits<double>::quiet_NaN()};
    for (Size l = 1; l < chi.size(); ++l)
        law.push_back(below > 0 ? above / below * std::pow(static_cast<double>(l), exponent) : std::numeric_limits<double>::quiet_NaN());
    return law;
}

}  // namespace kappaflow::moments

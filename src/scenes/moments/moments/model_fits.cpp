#include "scenes/moments/moments/model_fits.h"

#include <algorithm>
#include <cmath>

#include "core/moments/moment_fits.h"
#include "core/moments/moment_theory.h"

namespace kappaflow::moments {
namespace {

constexpr Size kLayersToTell = 10, kLayersToFit = 3;

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
    if (last + 1 >= first + kLayersToFit)
        for (const DrawCurves& draw : draws)
            if (draw.layers() > last) all.push_back((overLog ? powerLaw : exponentialRate)(draw.logChi, first, last).slope);
    return estimateOf(all);
}

/// Theorem 4's exponent of every draw; its mean is taken from ⟨δ⟩ over layers and draws alike.
std::optional<Estimate> predictedOf(const std::vector<DrawCurves>& draws, const MomentNet& net) {
    if (net.kind != MomentKind::Resnet || net.skipScale != 1) return {};
    const auto exponent = [&](double delta) { return predictedExponent(delta, net.inner); };
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

/// Mean over the draws that reach layer `last` of what `of` says, up to there.
template <class Of>
Vector meanCurve(const std::vector<DrawCurves>& draws, Size last, Of&& of) {
    Vector sum(last + 1);
    double n = 0;
    for (const DrawCurves& draw : draws) {
        if (draw.layers() <= last) continue;
        ++n;
        for (Size l = 0; l <= last; ++l) sum[l] += of(draw)[l];
    }
    for (double& value : sum) value /= n;
    return sum;
}

/// Index of kPathologies. Of several the one that says more: a point has no direction left, and noise hides any.
int pathologyOf(const std::vector<DrawCurves>& draws, Size last) {
    Vector ratio = meanCurve(draws, last, [](const DrawCurves& d) -> const Vector& { return d.logVarianceRatio; });
    for (double& value : ratio) value = std::exp(value);
    const Vector rank =
        meanCurve(draws, last, [](const DrawCurves& d) -> const Vector& { return d.curves[static_cast<Size>(Curve::RankSignal)]; });
    const Vector logChi = meanCurve(draws, last, [](const DrawCurves& d) -> const Vector& { return d.logChi; });
    const Pathologies found = namePathologies(ratio, rank, logChi);
    return found.zeroDimensional ? 1 : found.exploding ? 3 : found.oneDimensional ? 2 : 0;
}

}  // namespace

Size lastReached(const DrawStatistics& s) {
    Size last = 0;
    while (last + 1 < s.alive.size() && 2 * s.alive[last + 1] >= std::max(1.0, s.alive[0])) ++last;
    return last;
}

Fits fitsOf(const std::vector<DrawCurves>& draws, const DrawStatistics& s, const MomentNet& net) {
    Fits fits;
    fits.last = lastReached(s);
    if (draws.empty() || fits.last == 0) return fits;
    fits.rate = slopes(draws, 1, fits.last, false);
    fits.rateLate = slopes(draws, std::max<Size>(1, lateForRate(fits.last)), fits.last, false);
    fits.exponent = slopes(draws, 1, fits.last, true);
    fits.exponentLate = slopes(draws, lateForExponent(fits.last), fits.last, true);
    fits.predicted = predictedOf(draws, net);
    if (fits.last >= kLayersToTell) fits.pathology = pathologyOf(draws, fits.last);
    return fits;
}

Vector lawBeside(const Vector& chi, double tau) {
    Size defined = 1;
    while (defined < chi.size() && std::isfinite(chi[defined])) ++defined;
    Vector law(chi.size(), kUndefined);
    if (defined < 2) return law;
    const double amplitude = powerLawAmplitude({chi.data(), defined}, tau);
    for (Size l = 1; l < chi.size(); ++l) law[l] = amplitude * std::pow(static_cast<double>(l), tau);
    return law;
}

}  // namespace kappaflow::moments

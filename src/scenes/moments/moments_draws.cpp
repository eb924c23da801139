// Draws of networks as curves, clouds and fits.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "core/expressivity/growth_theory.h"
#include "core/moments/moment_fits.h"
#include "core/moments/moment_theory.h"
#include "scenes/moments/moments_model.h"

namespace kappaflow::moments {
namespace {

double finite(double value) { return std::isfinite(value) ? value : kUndefined; }

double normalised(MomentKind kind, double value) {
    return kind == MomentKind::BatchNorm || kind == MomentKind::Resnet ? value : kUndefined;
}

/// In the order of Quantity.
constexpr double (*kValues[])(const LayerMoments&, MomentKind) = {
    [](const LayerMoments& m, MomentKind) { return m.chi(); },
    [](const LayerMoments& m, MomentKind) { return m.deltaChi; },
    [](const LayerMoments& m, MomentKind) { return m.inner.empty() ? kUndefined : m.inner[0].deltaChi; },
    [](const LayerMoments& m, MomentKind kind) { return normalised(kind, m.deltaBatchNorm); },
    [](const LayerMoments& m, MomentKind kind) { return normalised(kind, m.deltaActivation); },
    [](const LayerMoments& m, MomentKind) { return m.rankSignal; },
    [](const LayerMoments& m, MomentKind) { return m.rankNoise; },
    [](const LayerMoments& m, MomentKind) { return m.inner.empty() ? kUndefined : m.inner[0].rankSignal; },
    [](const LayerMoments& m, MomentKind) { return m.inner.empty() ? kUndefined : m.inner[0].rankNoise; },
    [](const LayerMoments& m, MomentKind) { return m.mu4Normalised / m.mu2Normalised / m.mu2Normalised; },
    [](const LayerMoments& m, MomentKind) {
        return m.mu2Normalised > 0 ? m.nu1AbsoluteNormalised / std::sqrt(m.mu2Normalised) : kUndefined;
    },
    [](const LayerMoments& m, MomentKind) { return m.varianceRatio(); },
    [](const LayerMoments& m, MomentKind) { return m.coactivation; },
    [](const LayerMoments& m, MomentKind) { return m.logNu2; },
    [](const LayerMoments& m, MomentKind) { return m.logMu2Noise; }};
static_assert(std::size(kValues) == kQuantities);

/// What the draws that reach layer l say of it.
template <class Of>
Vector valuesAt(const std::vector<DrawCurves>& draws, Size l, Of&& of) {
    Vector values;
    for (const DrawCurves& draw : draws)
        if (l < draw.layers() && std::isfinite(of(draw)[l])) values.push_back(of(draw)[l]);
    return values;
}

Banded bandOf(const std::vector<DrawCurves>& draws, Size quantity, Size layers) {
    Banded band;
    for (Size l = 0; l <= layers; ++l) {
        const DrawBand at = drawBand(valuesAt(draws, l, [&](const DrawCurves& d) -> const Vector& { return d.curves[quantity]; }));
        band.mean.values.push_back(finite(at.mean));
        band.mean.standardErrors.push_back(at.draws == 1 ? 0 : finite(at.standardError));
        band.low.push_back(finite(at.low));
        band.high.push_back(finite(at.high));
    }
    return band;
}

Vector meanOver(const std::vector<DrawCurves>& draws, Vector DrawCurves::*curve, Size layers) {
    Vector means;
    for (Size l = 0; l <= layers; ++l)
        means.push_back(finite(meanOf(valuesAt(draws, l, [&](const DrawCurves& d) -> const Vector& { return d.*curve; }))));
    return means;
}

}  // namespace

DrawCurves curvesOf(const std::vector<LayerMoments>& layers, MomentKind kind) {
    DrawCurves draw;
    double logProduct = 0;
    for (Size l = 0; l < layers.size(); ++l) {
        const LayerMoments& m = layers[l];
        draw.logChi.push_back(m.logChi);
        draw.logVarianceRatio.push_back(std::log(m.varianceRatio()));
        for (Size q = 0; q < kQuantities; ++q) draw.curves[q].push_back(finite(kValues[q](m, kind)));
        if (l > 0) logProduct += std::log(m.theorem);
        draw.chiTheory.push_back(finite(std::exp(logProduct)));
        draw.deltaChiTheory.push_back(l > 0 ? finite(m.theorem) : kUndefined);
        draw.batchNormTheory.push_back(l > 0 ? finite(m.batchNormTheorem) : kUndefined);
        draw.activationTheory.push_back(l > 0 ? finite(m.activationTheorem) : kUndefined);
    }
    return draw;
}

Means meansOf(const std::vector<DrawCurves>& draws, Size layers) {
    Means s;
    for (Size q = 0; q < kQuantities; ++q) s.curves[q] = bandOf(draws, q, layers);
    s.chiTheory = meanOver(draws, &DrawCurves::chiTheory, layers);
    s.deltaChiTheory = meanOver(draws, &DrawCurves::deltaChiTheory, layers);
    s.batchNormTheory = meanOver(draws, &DrawCurves::batchNormTheory, layers);
    s.activationTheory = meanOver(draws, &DrawCurves::activationTheory, layers);
    for (Size l = 0; l <= layers; ++l) {
        const Vector logs = valuesAt(draws, l, [](const DrawCurves& d) -> const Vector& { return d.logChi; });
        s.alive.push_back(static_cast<double>(logs.size()));
        s.chiMedian.push_back(finite(std::exp(median(logs))));
    }
    return s;
}

namespace {

/// Mean over points of the squared norm of their `coordinates` first numbers out of every two.
double meanNorm(const Vector& points, Size coordinates) {
    double sum = 0;
    for (Size i = 0; i < points.size(); i += 2) sum += points[i] * points[i] + (coordinates == 2 ? points[i + 1] * points[i + 1] : 0);
    return points.empty() ? 0 : sum / static_cast<double>(points.size() / 2);
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
        for (Size j = 0; j < 2; ++j)
            for (Size k = 0; k < 2; ++k) m[j][k] += from[i + j] * to[i + k];
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

LayerCloud cloudOf(PrincipalCloud found, const SignalAndNoise& state, const LayerMoments& moments, double unit) {
    LayerCloud cloud{std::move(found.signal), std::move(found.noise), 0, 0, found.share};
    const double first = std::sqrt(meanNorm(cloud.signal, 1)), noise = std::sqrt(meanNorm(cloud.noise, 2));
    if (first > 0)
        for (double& value : cloud.signal) value *= 1 / first;
    if (noise > 0)
        for (double& value : cloud.noise) value *= 1 / noise;
    cloud.size = first > 0 ? finite(noise * std::exp(state.logScale) * unit / first) : kUndefined;
    cloud.spread = first / std::sqrt(moments.nu2 * static_cast<double>(state.signal.channels()));
    return cloud;
}

std::vector<LayerCloud> aligned(std::vector<LayerCloud> clouds) {
    for (Size l = clouds.size(); l-- > 1;) {
        const Turn turn = nearestTurn(clouds[l - 1].signal, clouds[l].signal);
        turn.apply(clouds[l - 1].signal);
        turn.apply(clouds[l - 1].noise);
    }
    return clouds;
}

namespace {

constexpr Size kLayersToTell = 10, kLayersToFit = 3;

std::optional<Estimate> estimateOf(const Vector& values) {
    const double mean = meanOf(values);
    if (!std::isfinite(mean)) return {};
    return Estimate{mean, values.size() < 2 ? 0 : errorOfMean(values), static_cast<double>(values.size())};
}

/// d log χ/d √l.
double rootSlope(std::span<const double> logChi, Size first, Size last) {
    Vector roots;
    for (Size l = first; l <= last; ++l) roots.push_back(std::sqrt(static_cast<double>(l)));
    return fitSlope(roots, logChi.subspan(first, roots.size()));
}

std::optional<Estimate> slopes(const std::vector<DrawCurves>& draws, Size first, Size last,
                               double (*slope)(std::span<const double>, Size, Size)) {
    Vector all;
    if (last + 1 >= first + kLayersToFit)
        for (const DrawCurves& draw : draws)
            if (draw.layers() > last) all.push_back(slope(draw.logChi, first, last));
    return estimateOf(all);
}

const Vector& curve(const DrawCurves& draw, Quantity quantity) { return draw.curves[static_cast<Size>(quantity)]; }

/// Theorem 4's exponent of every draw; its mean is taken from ⟨δ⟩ over layers and draws alike.
std::optional<Estimate> predictedOf(const std::vector<DrawCurves>& draws, const MomentNet& net) {
    if (net.kind != MomentKind::Resnet || net.skipScale != 1) return {};
    Vector all;
    double sum = 0;
    for (const DrawCurves& draw : draws) {
        const Vector& delta = curve(draw, Quantity::DeltaInner);
        if (delta.size() < 2) continue;
        const double mean = meanOf(std::span(delta).subspan(1));
        sum += mean;
        all.push_back(predictedExponent(mean, net.inner));
    }
    auto estimate = estimateOf(all);
    if (estimate) estimate->value = predictedExponent(sum / static_cast<double>(all.size()), net.inner);
    return estimate;
}

Vector meanCurve(const std::vector<Vector>& curves, Size last) {
    Vector mean(last + 1);
    for (const Vector& one : curves)
        for (Size l = 0; l <= last; ++l) mean[l] += one[l];
    for (double& value : mean) value /= static_cast<double>(curves.size());
    return mean;
}

/// Index of kPathologies. Of several the one that says more: a point has no direction left, and noise hides any. One that says more and is
/// uncertain leaves the others unsaid.
int pathologyOf(const std::vector<DrawCurves>& draws, Size last) {
    std::vector<Vector> ratios, ranks, chis;
    for (const DrawCurves& draw : draws) {
        if (draw.layers() <= last) continue;
        ratios.push_back(draw.logVarianceRatio);
        ranks.push_back(curve(draw, Quantity::RankSignal));
        chis.push_back(draw.logChi);
    }
    Vector ratio = meanCurve(ratios, last);
    for (double& value : ratio) value = std::exp(value);
    const Pathologies found =
        namePathologies(ratio, meanCurve(ranks, last), meanCurve(chis, last), errorsOfSigns(ratios, ranks, chis, last));
    if (found.zeroUncertain) return kCannotTell;
    if (found.zeroDimensional) return 1;
    if (found.explodingUncertain) return kCannotTell;
    if (found.exploding) return 3;
    if (found.oneUncertain) return kCannotTell;
    return found.oneDimensional ? 2 : 0;
}

}  // namespace

Size lastReached(const Vector& alive) {
    Size last = 0;
    while (last + 1 < alive.size() && 2 * alive[last + 1] >= std::max(1.0, alive[0])) ++last;
    return last;
}

bool stretches(const random_nets::NetSetup& s) {
    return s.net.kind == MomentKind::ResnetPlain && s.net.activation == Activation::Tanh && s.net.skipScale == 1 &&
           s.net.biasVariance == 0 && s.data == MomentData::White && (s.net.dimensions == 0 || s.net.boundary == Padding::Periodic);
}

Vector meanFieldChi(const MomentNet& net) {
    const double weight = 2 * net.weightScale * net.weightScale;
    Vector chi{1};
    double q = 1, log = 0;
    for (Size l = 0; l < net.layers; ++l) {
        double branch = q, noise = 1;
        for (Size h = 0; h < net.inner; ++h) {
            const GaussianMoments m = gaussianMoments(net.activation, 0, branch);
            branch = weight * m.square, noise *= weight * m.slopeSquare;
        }
        log += 0.5 * std::log((1 + noise) * q / (q + branch));
        q += branch;
        chi.push_back(finite(std::exp(log)));
    }
    return chi;
}

Fits fitsOf(const std::vector<DrawCurves>& draws, const MomentNet& net, Size last, const Vector& meanField) {
    Fits fits;
    if (draws.empty() || last == 0) return fits;
    fits.rate = slopes(draws, 1, last, exponentialRate);
    fits.rateLate = slopes(draws, std::max<Size>(1, lateForRate(last)), last, exponentialRate);
    fits.exponent = slopes(draws, 1, last, powerLaw);
    fits.exponentLate = slopes(draws, lateForExponent(last), last, powerLaw);
    fits.predicted = predictedOf(draws, net);
    if (!meanField.empty() && std::isfinite(meanField[last])) {
        Vector logs;
        for (const double chi : meanField) logs.push_back(std::log(chi));
        const Size first = lateForExponent(last);
        fits.stretch = slopes(draws, first, last, rootSlope);
        if (fits.stretch) fits.stretchPredicted = rootSlope(logs, first, last);
    }
    if (last >= kLayersToTell) fits.pathology = pathologyOf(draws, last);
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

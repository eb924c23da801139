#include "scenes/moments/moments/model_draws.h"

#include <cmath>

#include "core/moments/moment_fits.h"

namespace kappaflow::moments {
namespace {

double finite(double value) { return std::isfinite(value) ? value : kUndefined; }

double standardDeviationOf(const LayerMoments& m) { return m.mu2Normalised > 0 ? std::sqrt(m.mu2Normalised) : kUndefined; }

/// [theory], but for the product, of one layer.
double theoryOf(Size theory, const LayerMoments& m) {
    return theory == 1 ? m.theorem : theory == 2 ? m.batchNormTheorem : m.activationTheorem;
}

/// What the draws that reach layer l say of it.
template <class Of>
Vector valuesAt(const std::vector<DrawCurves>& draws, Size l, Of&& of) {
    Vector values;
    for (const DrawCurves& draw : draws)
        if (l < draw.layers() && std::isfinite(of(draw)[l])) values.push_back(of(draw)[l]);
    return values;
}

Banded bandOf(const std::vector<DrawCurves>& draws, Size curve, Size layers) {
    Banded band;
    for (Size l = 0; l <= layers; ++l) {
        const Vector values = valuesAt(draws, l, [&](const DrawCurves& d) -> const Vector& { return d.curves[curve]; });
        const DrawBand at = values.empty() ? DrawBand{kUndefined, kUndefined, kUndefined, kUndefined, 0} : drawBand(values);
        band.mean.push_back(finite(at.mean));
        band.low.push_back(finite(at.low));
        band.high.push_back(finite(at.high));
        band.error.push_back(std::isfinite(at.mean) && at.draws < 2 ? 0 : finite(at.standardError));
    }
    return band;
}

Vector meanTheory(const std::vector<DrawCurves>& draws, Size theory, Size layers) {
    Vector means;
    for (Size l = 0; l <= layers; ++l) {
        const Vector values = valuesAt(draws, l, [&](const DrawCurves& d) -> const Vector& { return d.theory[theory]; });
        double sum = 0;
        for (const double value : values) sum += value / static_cast<double>(values.size());
        means.push_back(values.empty() ? kUndefined : finite(sum));
    }
    return means;
}

}  // namespace

double valueOf(Curve curve, const LayerMoments& m, MomentKind kind) {
    const bool inner = !m.inner.empty(), normalised = kind == MomentKind::BatchNorm || kind == MomentKind::Resnet;
    switch (curve) {
        case Curve::Chi:
            return m.chi();
        case Curve::DeltaChi:
            return m.deltaChi;
        case Curve::DeltaInner:
            return inner ? m.inner[0].deltaChi : kUndefined;
        case Curve::DeltaBatchNorm:
            return normalised ? m.deltaBatchNorm : kUndefined;
        case Curve::DeltaActivation:
            return normalised ? m.deltaActivation : kUndefined;
        case Curve::RankSignal:
            return m.rankSignal;
        case Curve::RankNoise:
            return m.rankNoise;
        case Curve::RankSignalInner:
            return inner ? m.inner[0].rankSignal : kUndefined;
        case Curve::RankNoiseInner:
            return inner ? m.inner[0].rankNoise : kUndefined;
        case Curve::Kurtosis:
            return m.mu4Normalised / m.mu2Normalised / m.mu2Normalised;
        case Curve::Nu1:
            return m.nu1AbsoluteNormalised / standardDeviationOf(m);
        case Curve::VarianceRatio:
            return m.varianceRatio();
        case Curve::Coactivation:
            return m.coactivation;
        case Curve::LogNu2:
            return m.logNu2;
        case Curve::LogMu2Noise:
            return m.logMu2Noise;
    }
    return kUndefined;
}

DrawCurves curvesOf(const std::vector<LayerMoments>& layers, MomentKind kind) {
    DrawCurves draw{std::vector<Vector>(kCurveCount), std::vector<Vector>(kTheoryCount), {}, {}};
    double logProduct = 0;
    for (Size l = 0; l < layers.size(); ++l) {
        const LayerMoments& m = layers[l];
        draw.logChi.push_back(m.logChi);
        draw.logVarianceRatio.push_back(std::log(m.varianceRatio()));
        for (Size c = 0; c < kCurveCount; ++c) draw.curves[c].push_back(finite(valueOf(kCurves[c].curve, m, kind)));
        if (l > 0) logProduct += std::log(m.theorem);
        draw.theory[0].push_back(finite(std::exp(logProduct)));
        for (Size t = 1; t < kTheoryCount; ++t) draw.theory[t].push_back(l > 0 ? finite(theoryOf(t, m)) : kUndefined);
    }
    return draw;
}

DrawStatistics statisticsOf(const std::vector<DrawCurves>& draws, Size layers) {
    DrawStatistics s;
    for (Size c = 0; c < kCurveCount; ++c) s.curves.push_back(bandOf(draws, c, layers));
    for (Size t = 0; t < kTheoryCount; ++t) s.theory.push_back(meanTheory(draws, t, layers));
    for (Size l = 0; l <= layers; ++l) {
        const Vector logs = valuesAt(draws, l, [](const DrawCurves& d) -> const Vector& { return d.logChi; });
        s.alive.push_back(static_cast<double>(logs.size()));
        s.chiMedian.push_back(finite(std::exp(median(logs))));
    }
    return s;
}

}  // namespace kappaflow::moments

#include "scenes/moments/model_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kappaflow::moments {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double finite(double value) { return std::isfinite(value) ? value : kNone; }

double standardDeviationOf(const LayerMoments& m) { return m.mu2Normalised > 0 ? std::sqrt(m.mu2Normalised) : kNone; }

/// [theory], but for the product, of one layer.
double theoryOf(Size theory, const LayerMoments& m) {
    return theory == 1 ? m.theorem : theory == 2 ? m.batchNormTheorem : m.activationTheorem;
}

Banded bandOf(const std::vector<DrawCurves>& draws, Size curve, Size layers) {
    Banded band;
    Vector values;
    for (Size l = 0; l <= layers; ++l) {
        values.clear();
        for (const DrawCurves& draw : draws)
            if (l < draw.layers() && std::isfinite(draw.curves[curve][l])) values.push_back(draw.curves[curve][l]);
        const auto n = static_cast<double>(values.size());
        double sum = 0, squares = 0;
        for (const double v : values) sum += v / n;
        for (const double v : values) squares += (v - sum) * (v - sum);
        std::sort(values.begin(), values.end());
        band.mean.push_back(values.empty() ? kNone : finite(sum));
        band.low.push_back(values.empty() ? kNone : quantile(values, 0.16));
        band.high.push_back(values.empty() ? kNone : quantile(values, 0.84));
        band.error.push_back(values.empty() ? kNone : n < 2 ? 0 : finite(std::sqrt(squares / (n - 1) / n)));
    }
    return band;
}

Vector meanTheory(const std::vector<DrawCurves>& draws, Size theory, Size layers) {
    Vector means;
    for (Size l = 0; l <= layers; ++l) {
        double sum = 0, n = 0;
        for (const DrawCurves& draw : draws)
            if (l < draw.layers() && std::isfinite(draw.theory[theory][l])) sum += draw.theory[theory][l], ++n;
        means.push_back(n > 0 ? finite(sum / n) : kNone);
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
            return inner ? m.inner[0].deltaChi : kNone;
        case Curve::DeltaBatchNorm:
            return normalised ? m.deltaBatchNorm : kNone;
        case Curve::DeltaActivation:
            return normalised ? m.deltaActivation : kNone;
        case Curve::RankSignal:
            return m.rankSignal;
        case Curve::RankNoise:
            return m.rankNoise;
        case Curve::RankSignalInner:
            return inner ? m.inner[0].rankSignal : kNone;
        case Curve::RankNoiseInner:
            return inner ? m.inner[0].rankNoise : kNone;
        case Curve::Kurtosis:
            return m.mu4Normalised / (m.mu2Normalised * m.mu2Normalised);
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
    return kNone;
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
        for (Size t = 1; t < kTheoryCount; ++t) draw.theory[t].push_back(l > 0 ? finite(theoryOf(t, m)) : kNone);
    }
    return draw;
}

DrawStatistics statisticsOf(const std::vector<DrawCurves>& draws, Size layers) {
    DrawStatistics s;
    for (Size c = 0; c < kCurveCount; ++c) s.curves.push_back(bandOf(draws, c, layers));
    for (Size t = 0; t < kTheoryCount; ++t) s.theory.push_back(meanTheory(draws, t, layers));
    Vector logs;
    for (Size l = 0; l <= layers; ++l) {
        logs.clear();
        for (const DrawCurves& draw : draws)
            if (l < draw.layers()) logs.push_back(draw.logChi[l]);
        std::sort(logs.begin(), logs.end());
        s.alive.push_back(static_cast<double>(logs.size()));
        s.chiMedian.push_back(logs.empty() ? kNone : finite(std::exp(quantile(logs, 0.5))));
    }
    return s;
}

double quantile(const Vector& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<Size>(place);
    const Size above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace kappaflow::moments

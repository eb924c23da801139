#include "scenes/moments/moments/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/moments/moment_fits.h"
#include "core/moments/moment_propagation.h"
#include "scenes/stepwise.h"

namespace kappaflow {
namespace moments {
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

namespace {

using random_nets::NetSetup;

constexpr MomentKind kKinds[] = {MomentKind::Vanilla, MomentKind::BatchNorm, MomentKind::Resnet, MomentKind::ResnetPlain};
constexpr double kSlice = 3e6;  ///< operations between two looks at the clock, unless one layer takes more

/// The kind asked for, and the others where all are compared.
std::vector<NetSetup> netsOf(const Values& v, const NetSetup& asked) {
    std::vector<NetSetup> nets{asked};
    if (v.is("compare", "all"))
        for (const MomentKind kind : kKinds)
            if (kind != asked.net.kind) nets.push_back(random_nets::withKind(asked, kind));
    return nets;
}

Cost costOf(const Request& request) {
    if (isGiven(request.params)) return costOfGiven(request);
    const NetSetup asked = random_nets::readNet(request.params);
    const double layers = static_cast<double>(asked.net.layers + 1), draws = static_cast<double>(asked.draws);
    const double curves = layers * draws * (kCurveCount + kTheoryCount + 2);
    const double clouds = layers * std::min<double>(asked.points(), kCloudPoints) * 4;
    Cost cost{1e5, 4e6};
    double largest = 0;
    for (const NetSetup& net : netsOf(request.params, asked)) {
        const Cost one = random_nets::costOfDraw(net);
        cost.operations += one.operations * (draws + 0.5) + 300 * curves + 50 * clouds;
        cost.bytes += 8 * (curves + 3 * clouds + 4 * layers * (3 * kCurveCount + kTheoryCount));
        largest = std::max(largest, one.bytes);
    }
    cost.bytes += largest;
    return cost;
}

std::string costliestOf(const Request& request) {
    return isGiven(request.params) ? costliestOfGiven(request) : random_nets::costliestParam(request, costOf);
}

/// The plateau of an infinitely wide network, from the norms of the inputs drawn: all of them align, x^l → ‖x⁰‖·v.
struct InputNorms {
    double count = 0, sum = 0, squares = 0;
    void add(const PointValues& inputs) {
        for (Size p = 0; p < inputs.points(); ++p) {
            double square = 0;
            for (Size c = 0; c < inputs.channels(); ++c) square += inputs.values(p, c) * inputs.values(p, c);
            ++count, sum += std::sqrt(square), squares += square;
        }
    }
    /// √(E‖x⁰‖²/Var‖x⁰‖), 0 where the norms are all the same.
    double plateau() const {
        const double mean = sum / count, square = squares / count, variance = square - mean * mean;
        return variance > 1e-9 * square ? std::sqrt(square / variance) : 0;
    }
};

bool levelsOff(const MomentNet& net) {
    return net.kind == MomentKind::Vanilla && net.dimensions == 0 && net.activation == Activation::Relu && net.biasVariance == 0;
}

/// Draws of one kind of network.
struct NetDraws {
    NetSetup setup;
    std::vector<DrawCurves> draws;
    std::vector<LayerCloud> clouds;  ///< of the first draw, aligned once it is whole
    Size collapsed = 0;
    std::string collapse;

    double linearLayers() const { return static_cast<double>(setup.net.linearLayers()); }
};

class MomentsComputation final : public Computation {
public:
    explicit MomentsComputation(const Request& request) {
        for (NetSetup& net : netsOf(request.params, random_nets::readNet(request))) nets_.push_back({std::move(net), {}, {}, 0, {}});
        for (const NetDraws& net : nets_) total_ += (net.linearLayers() + 1) * static_cast<double>(net.setup.draws);
    }

    bool step() override {
        if (!run_) return begin();
        for (Size left = perSlice(); left > 0; --left) {
            const bool more = run_->advance();
            layerDone();
            if (!more) return finishDraw();
        }
        return true;
    }
    double progress() const override {
        return finished_ ? 1 : std::min(1.0, (done_ + (run_ ? static_cast<double>(run_->linearLayersDone()) : 0)) / total_);
    }
    Report report() const override {
        Progress shown;
        for (const NetDraws& net : nets_) shown.nets.push_back(resultOf(net));
        shown.finished = finished_;
        if (levelsOff(nets_[0].setup.net) && norms_.count > 0) shown.plateau = norms_.plateau();
        return makeReport(nets_[0].setup, shown);
    }

private:
    Size perSlice() const {
        const NetSetup& s = nets_[net_].setup;
        return static_cast<Size>(std::max(1.0, kSlice * nets_[net_].linearLayers() / random_nets::costOfDraw(s).operations));
    }
    bool begin() {
        run_.emplace(random_nets::propagationOf(nets_[net_].setup, draw_));
        if (draw_ == 0) unit_ = noiseUnit(run_->state(), run_->layers()[0]);
        if (net_ == 0) norms_.add(run_->state().signal);
        layerDone();
        return true;
    }
    /// The first draw's cloud of a layer that is whole.
    void layerDone() {
        if (draw_ == 0 && run_->layers().size() > nets_[net_].clouds.size())
            nets_[net_].clouds.push_back(cloudOf(run_->state(), run_->layers().back(), unit_));
    }
    /// False when that was the last draw of the last network.
    bool finishDraw() {
        NetDraws& net = nets_[net_];
        net.draws.push_back(curvesOf(run_->layers(), net.setup.net.kind));
        if (net.draws.back().layers() <= net.setup.net.layers && ++net.collapsed == 1) net.collapse = run_->collapsed();
        if (draw_ == 0) net.clouds = aligned(std::move(net.clouds));
        done_ += net.linearLayers() + 1;
        run_.reset();
        net_ = (net_ + 1) % nets_.size();
        if (net_ == 0) ++draw_;
        finished_ = draw_ == nets_[0].setup.draws;
        return !finished_;
    }
    /// Of whole draws; before the first is whole, as far as it came.
    NetResult resultOf(const NetDraws& net) const {
        const bool first = net.draws.empty(), running = first && run_ && &net == &nets_[net_];
        NetResult result{net.setup.net.kind, {},          {}, first ? aligned(net.clouds) : net.clouds, net.draws.size(),
                         net.collapsed,      net.collapse};
        std::vector<DrawCurves> begun;
        if (running) begun.push_back(curvesOf(run_->layers(), result.kind));
        const auto& draws = first ? begun : net.draws;
        result.statistics = statisticsOf(draws, net.setup.net.layers);
        result.fits = fitsOf(draws, result.statistics, net.setup.net);
        return result;
    }

    std::vector<NetDraws> nets_;  ///< the one asked for first
    std::optional<MomentPropagation> run_;
    Size net_ = 0, draw_ = 0;
    bool finished_ = false;
    double unit_ = 1, done_ = 0, total_ = 0;
    InputNorms norms_;
};

std::unique_ptr<Computation> startMoments(const Request& request) {
    if (isGiven(request.params)) return startGiven(request);
    return std::make_unique<MomentsComputation>(request);
}

}  // namespace
}  // namespace moments

Model moments_model() { return stepwise<moments::costOf, moments::costliestOf, moments::startMoments>("moments"); }

}  // namespace kappaflow

// Signal and noise through one network of the reader's in place of drawn ones.
#include <algorithm>
#include <cmath>

#include "core/io/images.h"
#include "core/moments/moment_fits.h"
#include "core/moments/moment_theory.h"
#include "scenes/chosen_network.h"
#include "scenes/moments/moments/model.h"

namespace kappaflow::moments {
namespace {

/// What draws are taken of, and what of the request has no say.
struct Given {
    random_nets::NetSetup setup;  ///< samples, data, draws and seed; its net stands for the number of layers alone
    Network network;
    std::vector<std::string> warnings;
};

/// One channel is one direction: data of many are made there as data of few.
bool asWhite(const random_nets::NetSetup& s, const Network& network) {
    return s.data == MomentData::LowRank && statesOnGrid(network)[0] && network.input.channels == 1;
}

constexpr double kGivenSlice = 1e7;  ///< operations between two looks at the clock, unless four samples or a state take more

Given readGiven(const Request& request) {
    Given g;
    g.network = chosenNetwork(request, request.params.text("network"), &g.warnings);
    g.setup = random_nets::readNet(request);
    g.setup.net = {};
    g.setup.net.layers = g.network.layers.size();
    if (asWhite(g.setup, g.network))
        g.warnings.push_back("The network takes one channel, whose data have no directions to be of low rank in: they are white Gaussian.");
    return g;
}

/// Of a layer and all inside it.
double weightsOf(const Layer& layer) {
    double sum = weightCount(layer);
    for (const Layer& inner : layer.branch) sum += weightsOf(inner);
    for (const Layer& inner : layer.skip) sum += weightsOf(inner);
    return sum;
}

/// Index of kLayerKinds.
double kindOf(const Layer& layer) {
    switch (layer.kind) {
        case LayerKind::Dense:
            return 1;
        case LayerKind::Conv:
            return 2;
        case LayerKind::Activation:
            return 3;
        case LayerKind::BatchNorm:
            return 4;
        case LayerKind::MaxPool:
        case LayerKind::AveragePool:
        case LayerKind::GlobalAveragePool:
            return 5;
        case LayerKind::Flatten:
            return 6;
        case LayerKind::Residual:
            return 7;
    }
    return 0;
}

/// A state as the layer of a drawn network: what only those have stays undefined.
LayerMoments asLayer(const StateMoments& state, const LayerMoments* before) {
    LayerMoments m;
    m.mu2 = state.varianceRatio, m.nu2 = 1;
    m.logNu2 = state.logNu2, m.logMu2 = state.logMu2, m.logMu2Noise = state.logMu2Noise, m.logChi = state.logChi;
    m.rankSignal = state.rankSignal, m.rankNoise = state.rankNoise, m.coactivation = state.coactivation;
    if (before) m.deltaChi = std::exp(m.logChi - before->logChi);
    return m;
}

/// No theorem is about them.
DrawCurves givenCurves(const std::vector<LayerMoments>& layers) {
    DrawCurves draw = curvesOf(layers, MomentKind::Vanilla);
    for (Vector& theory : draw.theory) theory.assign(theory.size(), kUndefined);
    return draw;
}

NetworkInput inputOf(const Given& g, Size draw) {
    const auto& s = g.setup;
    return s.images ? drawNetworkInput(g.network, *s.images, s.samples, s.seed, draw)
                    : drawNetworkInput(g.network, s.data, s.samples, s.seed, draw);
}

Cost costThrough(const Request& request, const Network& network) {
    const double samples = request.params.number("samples"), draws = request.params.number("draws");
    const double layers = static_cast<double>(network.layers.size()) + 1, curves = layers * draws * (kCurveCount + kTheoryCount + 2);
    const double numbers = static_cast<double>(network.input.units()) * samples;
    Cost cost = costOfNetworkMoments(network, samples);
    double weights = 0;
    for (const Layer& layer : network.layers) weights += weightsOf(layer);
    const double file = request.network && request.params.is("network", "file") ? static_cast<double>(request.network->bytes.size()) : 0;
    cost.operations = (draws + 1) * (cost.operations + 100 * numbers) + 300 * curves + 20 * weights + 1e5;
    cost.bytes += 8 * (weights + 3 * numbers + curves + 4 * layers * (3 * kCurveCount + kTheoryCount + 3 * kCloudPoints)) + file + 4e6 +
                  (request.params.is("data", "file") ? 1e8 : 0);
    return cost;
}

class GivenComputation final : public Computation {
public:
    explicit GivenComputation(const Request& request) : given_(readGiven(request)) {
        for (const Layer& layer : given_.network.layers) kinds_.push_back(kindOf(layer));
    }

    bool step() override {
        if (!run_) {
            NetworkInput input = inputOf(given_, draws_.size());
            run_.emplace(given_.network, std::move(input.signal), std::move(input.noise));
            stateDone();
            return true;
        }
        const bool more = collapse_.empty() && run_->slice(kGivenSlice);
        if (more && run_->states().size() > layers_.size()) stateDone();
        return more && collapse_.empty() ? true : finishDraw();
    }
    double progress() const override {
        if (finished_) return 1;
        const double all = static_cast<double>(given_.setup.net.layers + 1), here = static_cast<double>(layers_.size());
        return std::min(1.0, (static_cast<double>(draws_.size()) + here / all) / static_cast<double>(given_.setup.draws));
    }
    Report report() const override {
        Progress shown;
        shown.nets.push_back(result());
        shown.finished = finished_;
        shown.kinds = kinds_;
        shown.points = points_;
        Report report = makeReport(given_.setup, shown);
        report.warnings.insert(report.warnings.end(), given_.warnings.begin(), given_.warnings.end());
        return report;
    }

private:
    /// Curves go as far as there is a χ.
    void stateDone() {
        const StateMoments& state = run_->states().back();
        if (!state.undefined.empty()) {
            collapse_ = state.undefined;
            return;
        }
        layers_.push_back(asLayer(state, layers_.empty() ? nullptr : &layers_.back()));
        if (!draws_.empty()) return;
        const SignalAndNoise points = run_->points();
        LayerMoments size;
        size.mu2 = std::exp(state.logMu2), size.nu2 = std::exp(state.logNu2);
        if (layers_.size() == 1) unit_ = noiseUnit(points, size), points_ = static_cast<double>(state.points);
        clouds_.push_back(cloudOf(points, size, unit_, run_->middles(kCloudPoints)));
    }
    bool finishDraw() {
        draws_.push_back(givenCurves(layers_));
        if (!collapse_.empty() && ++collapsed_ == 1) why_ = collapse_;
        if (draws_.size() == 1) clouds_ = aligned(std::move(clouds_));
        run_.reset();
        layers_.clear(), collapse_.clear();
        finished_ = draws_.size() == given_.setup.draws;
        return !finished_;
    }
    /// Of whole draws; before the first is whole, as far as it came.
    NetResult result() const {
        const bool first = draws_.empty();
        NetResult r;
        r.clouds = first ? aligned(clouds_) : clouds_;
        r.draws = draws_.size(), r.collapsed = collapsed_, r.collapse = why_;
        const std::vector<DrawCurves> begun{givenCurves(layers_)};
        r.statistics = statisticsOf(first ? begun : draws_, given_.setup.net.layers);
        r.fits.last = lastReached(r.statistics);
        return r;
    }

    Given given_;
    std::optional<NetworkMoments> run_;
    std::vector<DrawCurves> draws_;
    std::vector<LayerMoments> layers_;  ///< of the draw under way
    std::vector<LayerCloud> clouds_;    ///< of the first draw, aligned once it is whole
    std::string collapse_, why_;        ///< why the draw under way ended, and why the first that did
    Size collapsed_ = 0;
    Vector kinds_;
    double unit_ = 1, points_ = 0;
    bool finished_ = false;
};

}  // namespace

bool isGiven(const Values& v) { return !v.is("network", ""); }

Cost costOfGiven(const Request& request) { return costThrough(request, chosenNetwork(request, request.params.text("network"))); }

std::string costliestOfGiven(const Request& request) {
    const Network network = chosenNetwork(request, request.params.text("network"));  // read once: a file takes a tenth of a second
    return random_nets::costliestParam(request, [&](const Request& asked) { return costThrough(asked, network); });
}

std::unique_ptr<Computation> startGiven(const Request& request) { return std::make_unique<GivenComputation>(request); }

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

/// Index of kPathologies. Of several the one that says more: a point has no direction left, and noise hides any. One that says more and is
/// uncertain leaves the others unsaid.
int pathologyOf(const std::vector<DrawCurves>& draws, Size last) {
    Vector ratio = meanCurve(draws, last, [](const DrawCurves& d) -> const Vector& { return d.logVarianceRatio; });
    for (double& value : ratio) value = std::exp(value);
    const Vector rank =
        meanCurve(draws, last, [](const DrawCurves& d) -> const Vector& { return d.curves[static_cast<Size>(Curve::RankSignal)]; });
    const Vector logChi = meanCurve(draws, last, [](const DrawCurves& d) -> const Vector& { return d.logChi; });
    std::vector<Vector> ratios, ranks, chis;
    for (const DrawCurves& draw : draws) {
        if (draw.layers() <= last) continue;
        ratios.push_back(draw.logVarianceRatio);
        ranks.push_back(draw.curves[static_cast<Size>(Curve::RankSignal)]);
        chis.push_back(draw.logChi);
    }
    const Pathologies found = namePathologies(ratio, rank, logChi, errorsOfSigns(ratios, ranks, chis, last));
    if (found.zeroUncertain) return kCannotTell;
    if (found.zeroDimensional) return 1;
    if (found.explodingUncertain) return kCannotTell;
    if (found.exploding) return 3;
    if (found.oneUncertain) return kCannotTell;
    return found.oneDimensional ? 2 : 0;
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

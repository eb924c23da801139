// Networks drawn, or data drawn through a given one, and their results.
#include <algorithm>
#include <cmath>

#include "core/moments/moment_theory.h"
#include "core/moments/network_moments.h"
#include "scenes/moments/moments_model.h"

namespace kappaflow::moments {

using random_nets::Net;
using random_nets::NetSetup;

std::vector<NetSetup> netsOf(const Params& p, const NetSetup& asked) {
    std::vector<NetSetup> nets{asked};
    if (p.compare == random_nets::Compare::All)
        for (const MomentKind kind : {MomentKind::Vanilla, MomentKind::BatchNorm, MomentKind::Resnet, MomentKind::ResnetPlain})
            if (kind != asked.net.kind) nets.push_back(asked), nets.back().net.kind = kind;
    return nets;
}

namespace {

/// Draws of one kind of network, or of data through the given one.
struct NetDraws {
    MomentNet net;  ///< of a given network the number of layers alone counts
    std::vector<DrawCurves> draws{};
    std::vector<LayerCloud> clouds{};  ///< of the first draw, aligned once it is whole
    Size collapsed = 0;
    std::string collapse{};

    void finish(DrawCurves draw, const std::string& why) {
        draws.push_back(std::move(draw));
        if (draws.back().layers() <= net.layers && ++collapsed == 1) collapse = why;
        if (draws.size() == 1) clouds = aligned(std::move(clouds));
    }
};

void append(Vector& all, const Vector& more) { all.insert(all.end(), more.begin(), more.end()); }

void append(Banded& all, const Banded& more) {
    append(all.mean.values, more.mean.values), append(all.mean.standardErrors, more.mean.standardErrors);
    append(all.low, more.low), append(all.high, more.high);
}

void addClouds(const std::vector<LayerCloud>& clouds, Size layers, Result& r) {
    const Size points = r.shownPoints.size();
    if (points == 0) return;
    const LayerCloud none{Vector(2 * points, kUndefined), Vector(2 * points, kUndefined), kUndefined, kUndefined, kUndefined};
    for (Size l = 0; l <= layers; ++l) {
        const LayerCloud& cloud = l < clouds.size() ? clouds[l] : none;
        append(r.cloudSignal, cloud.signal), append(r.cloudNoise, cloud.noise);
        r.cloudNoiseSize.push_back(cloud.size), r.cloudSpread.push_back(cloud.spread), r.cloudShare.push_back(cloud.share);
    }
}

/// Curves that are nowhere defined for a kind of network are left out.
void dropUndefined(Result& r) {
    const auto drop = [](Vector& values) {
        if (std::none_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) values.clear();
    };
    for (auto* curves : {&r.means.curves, &r.compared})
        for (Banded& one : *curves) drop(one.mean.values), drop(one.low), drop(one.high);
    for (Vector* values :
         {&r.means.chiMedian, &r.means.chiTheory, &r.means.deltaChiTheory, &r.means.batchNormTheory, &r.means.activationTheory, &r.powerLaw,
          &r.cloudSignal, &r.cloudNoise, &r.cloudNoiseSize, &r.cloudSpread, &r.cloudShare, &r.rates, &r.exponents, &r.pathologies})
        drop(*values);
}

/// What whole draws say; of a network without one, what its first says as far as it came: `begun`, of network `running`.
Result resultOf(const std::vector<NetDraws>& nets, bool given, double points, const DrawCurves& begun = {}, Size running = 0,
                const Vector& meanField = {}) {
    constexpr Quantity kBeside[] = {Quantity::Chi, Quantity::DeltaChi, Quantity::RankSignal, Quantity::RankNoise, Quantity::VarianceRatio};
    const Size layers = nets[0].net.layers;
    Result r;
    r.layers = countUp(layers + 1);
    r.coordinates = {0, 1};
    r.points = points;
    r.meanField = meanField;
    if (!nets[0].clouds.empty()) r.shownPoints = countUp(nets[0].clouds[0].signal.size() / 2);
    for (Size k = 0; k < nets.size(); ++k) {
        const NetDraws& net = nets[k];
        const bool first = net.draws.empty();
        std::vector<DrawCurves> started;
        if (first && k == running && begun.layers() > 0) started.push_back(begun);
        const auto& draws = first ? started : net.draws;
        Means s = meansOf(draws, layers);
        const Size last = lastReached(s.alive);
        const Fits fits = given ? Fits{} : fitsOf(draws, net.net, last, k == 0 ? meanField : Vector{});
        const Net kind = static_cast<Net>(net.net.kind);
        r.nets.emplace_back(given ? "given" : random_nets::kNets[static_cast<Size>(kind)].key);
        r.drawn.push_back({kind, net.draws.size(), net.collapsed, net.collapse, last, fits.pathology});
        addClouds(first ? aligned(net.clouds) : net.clouds, layers, r);
        if (nets.size() > 1) {
            for (const Quantity q : kBeside) append(r.compared[static_cast<Size>(q)], s.curves[static_cast<Size>(q)]);
            r.rates.push_back(fits.rate ? fits.rate->value : kUndefined);
            r.exponents.push_back(fits.exponent ? fits.exponent->value : kUndefined);
            r.pathologies.push_back(fits.pathology.value_or(kUndefined));
        }
        if (k > 0) continue;
        r.means = std::move(s);
        r.fits = fits;
        if (fits.predicted) r.powerLaw = lawBeside(r.of(Quantity::Chi).mean.values, fits.predicted->value);
        if (net.net.normalised()) r.kurtosisCeiling = kurtosisCeiling(points);
        if (last > 0) r.fittedLayers = static_cast<double>(last);
    }
    dropUndefined(r);
    return r;
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
    /// √(E‖x⁰‖²/Var‖x⁰‖), nothing where the norms are all the same.
    std::optional<double> plateau() const {
        const double mean = sum / count, square = squares / count, variance = square - mean * mean;
        return variance > 1e-9 * square ? std::optional(std::sqrt(square / variance)) : std::nullopt;
    }
};

}  // namespace

Result runDrawn(const Opened<Params>& opened, Progress& progress) {
    const auto setups = netsOf(opened.params, random_nets::setupOf(opened.params, opened.data));
    const bool levelsOff = hasExactIncrement(setups[0].net);
    std::vector<NetDraws> nets;
    double total = 0, done = 0;
    for (const NetSetup& s : setups) {
        nets.push_back({s.net});
        total += static_cast<double>((s.net.linearLayers() + 1) * s.draws);
    }
    InputNorms norms;
    const Vector meanField = stretches(setups[0]) ? meanFieldChi(setups[0].net) : Vector{};
    const auto result = [&](const DrawCurves& begun, Size running) {
        Result r = resultOf(nets, false, setups[0].points(), begun, running, meanField);
        if (levelsOff && norms.count > 0) r.plateau = norms.plateau();
        return r;
    };
    for (Size draw = 0; draw < setups[0].draws; ++draw)
        for (Size k = 0; k < nets.size(); ++k) {
            NetDraws& net = nets[k];
            MomentPropagation run = random_nets::propagationOf(setups[k], draw);
            const double unit = noiseUnit(run.state(), run.layers()[0]);
            if (k == 0) norms.add(run.state().signal);
            const auto tick = [&] { progress.tick((done + static_cast<double>(run.linearLayersDone())) / total); };
            for (bool more = true; more; more = run.advance(tick)) {
                if (draw == 0 && run.layers().size() > net.clouds.size())
                    net.clouds.push_back(cloudOf(principalCloud(run.state(), kCloudPoints), run.state(), run.layers().back(), unit));
                tick();
                progress.partial([&] { return result(draw == 0 ? curvesOf(run.layers(), net.net.kind) : DrawCurves{}, k); });
            }
            net.finish(curvesOf(run.layers(), net.net.kind), run.collapsed());
            done += static_cast<double>(net.net.linearLayers() + 1);
        }
    return result({}, 0);
}

namespace {

/// Index of kLayerKinds. Joins stand inside blocks alone.
double kindOf(const Layer& layer) {
    return layer.visit([](const Dense&) { return 1.0; }, [](const Conv&) { return 2.0; }, [](const Pointwise&) { return 3.0; },
                       [](const BatchNorm&) { return 4.0; }, [](const Pooling&) { return 5.0; },
                       [](const GlobalAveragePool&) { return 5.0; }, [](const Flatten&) { return 6.0; },
                       [](const LayerNorm&) { return 8.0; }, [](const Route&) { return 9.0; }, [](const Softmax&) { return 10.0; },
                       [](const Block& block) { return block.inner.back().is<Sum>() ? 7.0 : 11.0; }, [](const Join&) { return 11.0; });
}

/// A state as the layer of a drawn network: what only those have stays undefined.
LayerMoments asLayer(const StateMoments& state, const std::vector<LayerMoments>& before) {
    LayerMoments m;
    m.mu2 = std::exp(state.logMu2), m.nu2 = std::exp(state.logNu2);
    m.logNu2 = state.logNu2, m.logMu2 = state.logMu2, m.logMu2Noise = state.logMu2Noise, m.logChi = state.logChi;
    m.rankSignal = state.rankSignal, m.rankNoise = state.rankNoise, m.coactivation = state.coactivation;
    if (!before.empty()) m.deltaChi = std::exp(m.logChi - before.back().logChi);
    return m;
}

/// No theorem is about them.
DrawCurves givenCurves(const std::vector<LayerMoments>& layers) {
    DrawCurves draw = curvesOf(layers, MomentKind::Vanilla);
    for (Vector* theory : {&draw.chiTheory, &draw.deltaChiTheory, &draw.batchNormTheory, &draw.activationTheory})
        theory->assign(theory->size(), kUndefined);
    return draw;
}

}  // namespace

Result runGiven(const Opened<Params>& opened, Progress& progress) {
    const NetSetup s = random_nets::setupOf(opened.params, opened.data);
    const Network& network = *opened.network;
    std::vector<NetDraws> nets(1);
    NetDraws& net = nets[0];
    net.net.layers = network.layers.size();
    Vector kinds{0};
    for (const Layer& layer : network.layers) kinds.push_back(kindOf(layer));
    std::vector<std::string> warnings;
    // One channel is one direction: data of many are made there as data of few.
    if (s.data == MomentData::LowRank && statesOnGrid(network)[0] && network.input.channels == 1)
        warnings.push_back("The network takes one channel, whose data have no directions to be of low rank in: they are white Gaussian.");
    double points = 0, unit = 1;
    const auto result = [&](const DrawCurves& begun) {
        Result r = resultOf(nets, true, points, begun);
        r.layerKind = kinds;
        r.warnings = warnings;
        return r;
    };
    for (Size draw = 0; draw < s.draws; ++draw) {
        NetworkInput input = drawNetworkInput(network, s.data, s.samples, s.seed, draw, s.images.get());
        NetworkMoments run(network, std::move(input.signal), std::move(input.noise));
        std::vector<LayerMoments> layers;  // as far as there is a χ
        std::string collapse;
        const auto tick = [&] {
            progress.tick((static_cast<double>(draw) + static_cast<double>(layers.size()) / static_cast<double>(kinds.size())) /
                          static_cast<double>(s.draws));
        };
        for (bool more = true; more; more = run.step(tick)) {
            const StateMoments& state = run.states().back();
            collapse = state.undefined;
            if (!collapse.empty()) break;
            layers.push_back(asLayer(state, layers));
            if (draw == 0) {
                const SignalAndNoise shown = run.points();
                if (layers.size() == 1) unit = noiseUnit(shown, layers[0]), points = static_cast<double>(state.points);
                net.clouds.push_back(cloudOf(principalCloud(shown, run.middles(kCloudPoints)), shown, layers.back(), unit));
            }
            tick();
            progress.partial([&] { return result(draw == 0 ? givenCurves(layers) : DrawCurves{}); });
        }
        net.finish(givenCurves(layers), collapse);
    }
    return result({});
}

}  // namespace kappaflow::moments

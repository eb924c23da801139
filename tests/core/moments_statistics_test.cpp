#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "core/moments/moment_data.h"
#include "core/moments/moment_fits.h"
#include "core/moments/moment_propagation.h"
#include "core/moments/moment_theory.h"
#include "support/complete_set.h"
#include "support/median_error.h"

// Means over realizations beside the reference's: fresh weights, data and noise each time. Both have a standard error, the
// reference's from the spread that it lists, or where it lists none as large as ours.

using namespace kappaflow;
using Values = std::vector<double>;

namespace {

constexpr double kUnlisted = -1;

/// Every realization's layers, with the ranks of chosen layers.
struct Ensemble {
    MomentNet net;
    double reference;  ///< the reference's realizations
    std::vector<std::vector<LayerMoments>> draws;

    Values collect(const std::function<double(const std::vector<LayerMoments>&)>& value) const {
        Values values;
        for (const auto& layers : draws) values.push_back(value(layers));
        return values;
    }
    Values at(std::size_t layer, const std::function<double(const LayerMoments&)>& value) const {
        return collect([&](const auto& layers) { return value(layers[layer]); });
    }
};

/// As many realizations as the reference has, or a quarter of them.
Ensemble ensemble(const MomentNet& net, MomentData data, std::size_t samples, std::size_t reference,
                  const std::vector<std::size_t>& ranked) {
    Ensemble e{net, static_cast<double>(reference), {}};
    const std::size_t count = completeSet() ? reference : reference / 4;
    for (std::uint64_t draw = 0; draw < count; ++draw) {
        MomentPropagation run(net, drawMomentInput(net, data, samples, 11, draw),
                              [&](std::size_t l) { return drawMomentWeights(net, l, 11, draw); }, {false, true});
        Values ranks(net.layers + 1);
        while (run.advance()) {
            const std::size_t l = run.layers().size() - 1;
            if (std::find(ranked.begin(), ranked.end(), l) != ranked.end()) ranks[l] = effectiveRank(run.state().signal);
        }
        REQUIRE(run.collapsed().empty());
        e.draws.push_back(run.layers());
        for (const std::size_t l : ranked) e.draws.back()[l].rankSignal = ranks[l];
    }
    return e;
}

MomentNet netOf(MomentKind kind, std::size_t width) {
    MomentNet net;
    net.kind = kind, net.width = net.inputs = width, net.layers = 50;
    return net;
}

MomentNet lineOf(MomentKind kind) {
    MomentNet net = netOf(kind, 64);
    net.dimensions = 1, net.extent = 16, net.taps = 3;
    return net;
}

/// A mean beside the reference's: its spread over realizations and half a unit of its last printed digit.
void checkMean(const char* name, const Ensemble& e, const Values& own, double reference, double spread, double rounding) {
    CAPTURE(name);
    const DrawBand band = drawBand(own);
    if (spread < 0) spread = band.standardError * std::sqrt(static_cast<double>(own.size()));
    CAPTURE(band.standardError);
    CHECK(std::abs(band.mean - reference) < 4 * std::hypot(band.standardError, spread / std::sqrt(e.reference)) + rounding);
}

/// Four of our own standard errors: the reference lists none for its medians.
void checkMedian(const char* name, const Values& own, double reference, double rounding) {
    CAPTURE(name);
    CHECK(std::abs(median(own) - reference) < 4 * bootstrapMedianError(own, 1) + rounding);
}

Values logChi(const std::vector<LayerMoments>& layers) {
    Values curve;
    for (const LayerMoments& layer : layers) curve.push_back(layer.logChi);
    return curve;
}

Values rates(const Ensemble& e, std::size_t from) {
    return e.collect([from](const auto& layers) { return exponentialRate(logChi(layers), from, 50); });
}
Values slopes(const Ensemble& e, std::size_t from) {
    return e.collect([from](const auto& layers) { return powerLaw(logChi(layers), from, 50); });
}
/// ⟨δχ^{l,1}⟩ of every realization.
Values innerIncrements(const Ensemble& e) {
    return e.collect([](const auto& layers) {
        double sum = 0;
        for (std::size_t l = 1; l < layers.size(); ++l) sum += layers[l].inner[0].deltaChi;
        return sum / static_cast<double>(layers.size() - 1);
    });
}
Values exponents(const Ensemble& e) {
    Values values;
    for (const double increment : innerIncrements(e)) values.push_back(predictedExponent(increment, 2));
    return values;
}

/// Mean over layers and realizations of what was measured, over that of the theorem.
double meanRatio(const Ensemble& e, double LayerMoments::*measured, double LayerMoments::*theorem) {
    double top = 0, bottom = 0;
    for (const auto& layers : e.draws)
        for (std::size_t l = 1; l < layers.size(); ++l) top += layers[l].*measured, bottom += layers[l].*theorem;
    return top / bottom;
}

double chiOf(const LayerMoments& layer) { return layer.chi(); }
double incrementOf(const LayerMoments& layer) { return layer.deltaChi; }
double rankOf(const LayerMoments& layer) { return layer.rankSignal; }

}  // namespace

TEST_CASE("moments: vanilla nets of width 128 have the reference's numbers, and Theorem 2's to 1.2 %" * doctest::test_suite("long")) {
    const Ensemble e = ensemble(netOf(MomentKind::Vanilla, 128), MomentData::White, 256, 60, {1, 5, 10, 20, 50});
    checkMean("chi 50", e, e.at(50, chiOf), 5.18, 1.85, 0.005);
    checkMedian("median chi 50", e.at(50, chiOf), 4.71, 0.005);
    const std::pair<std::size_t, double> increments[] = {{1, 1.2112}, {5, 1.091}, {10, 1.047}, {50, 1.012}};
    for (const auto& [l, value] : increments) checkMean("increment", e, e.at(l, incrementOf), value, l == 50 ? .043 : kUnlisted, 5e-4);
    const std::pair<std::size_t, double> ranks[] = {{1, 28.4}, {5, 7.77}, {10, 3.33}, {20, 1.83}, {50, 1.158}};
    for (const auto& [l, value] : ranks) checkMean("rank", e, e.at(l, rankOf), value, l == 50 ? .122 : kUnlisted, l == 1 ? 0.05 : 5e-3);
    checkMean("coactivation", e, e.at(50, [](const auto& m) { return m.coactivation; }), .970, kUnlisted, 5e-4);
    CHECK(std::abs(meanRatio(e, &LayerMoments::deltaChi, &LayerMoments::theorem) - 1) < 0.012);
}

TEST_CASE("moments: batch-normalised nets of width 128 explode at the reference's rate, Theorem 3's activation term to 0.3 %" *
          doctest::test_suite("long")) {
    const Ensemble e = ensemble(netOf(MomentKind::BatchNorm, 128), MomentData::White, 256, 60, {50});
    checkMean("rate", e, rates(e, 0), .1853, .0031, 5e-5);
    checkMean("rate, second half", e, rates(e, 25), .1848, .0045, 5e-5);
    checkMean("chi 50", e, e.at(50, chiOf), 1.14e4, 1.5e3, 50);
    checkMean("rank", e, e.at(50, rankOf), 3.53, .60, 5e-3);
    checkMean("mu4", e, e.at(50, [](const auto& m) { return m.mu4Normalised; }), 14.0, 3.1, 0.05);
    CHECK(std::abs(meanRatio(e, &LayerMoments::deltaActivation, &LayerMoments::activationTheorem) - 1) < 0.003);
    CHECK(std::abs(meanRatio(e, &LayerMoments::deltaBatchNorm, &LayerMoments::batchNormTheorem) - 1) < 0.001);
}

TEST_CASE("moments: residual nets of width 128 follow the reference's power law, and the dilution law to 0.5 %" *
          doctest::test_suite("long")) {
    const Ensemble e = ensemble(netOf(MomentKind::Resnet, 128), MomentData::White, 256, 60, {});
    checkMean("slope", e, slopes(e, 1), .457, .011, 5e-4);
    checkMean("slope from 10", e, slopes(e, 10), .528, .016, 5e-4);
    checkMean("exponent", e, exponents(e), .596, kUnlisted, 5e-4);
    checkMean("chi 50", e, e.at(50, chiOf), 6.02, .22, 5e-3);
    checkMean("inner increment", e, innerIncrements(e), 1.217, kUnlisted, 5e-4);
    CHECK(std::abs(meanRatio(e, &LayerMoments::deltaChi, &LayerMoments::theorem) - 1) < 0.005);
}

// One dimension: 16 positions of images that went through a stem. The reference's images were smooth fields of three colours as well, of
// a spectrum that it does not tell; its rate is that of the second half.
TEST_CASE("moments: vanilla nets of one dimension have the reference's sensitivity and rank" * doctest::test_suite("long")) {
    const Ensemble e = ensemble(lineOf(MomentKind::Vanilla), MomentData::Images, 32, 64, {50});
    checkMean("chi 50", e, e.at(50, chiOf), 5.3, 3.1, 0.05);
    checkMedian("median chi 50", e.at(50, chiOf), 4.5, 0.05);
    checkMean("rank", e, e.at(50, rankOf), 1.23, .18, 5e-3);
}

TEST_CASE("moments: batch-normalised nets of one dimension explode at the reference's rate" * doctest::test_suite("long")) {
    const Ensemble e = ensemble(lineOf(MomentKind::BatchNorm), MomentData::Images, 32, 64, {});
    checkMean("rate, second half", e, rates(e, 25), .176, .004, 5e-4);
    CHECK(std::abs(meanRatio(e, &LayerMoments::deltaActivation, &LayerMoments::activationTheorem) - 1) < 0.005);
}

TEST_CASE("moments: residual nets of one dimension follow the reference's power law" * doctest::test_suite("long")) {
    const Ensemble e = ensemble(lineOf(MomentKind::Resnet), MomentData::Images, 32, 64, {});
    checkMean("slope", e, slopes(e, 1), .495, .032, 5e-4);
    checkMean("exponent", e, exponents(e), .703, kUnlisted, 5e-4);
    checkMean("chi 50", e, e.at(50, chiOf), 11.6, 1.5, 0.05);
    CHECK(std::abs(meanRatio(e, &LayerMoments::deltaChi, &LayerMoments::theorem) - 1) < 0.006);
}

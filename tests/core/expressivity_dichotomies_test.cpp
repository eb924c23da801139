#include "core/expressivity/dichotomies.h"

#include <doctest/doctest.h>

#include <limits>
#include <numbers>

#include "core/base/rng.h"
#include "core/expressivity/growth_theory.h"
#include "support/reference.h"
#include "support/sentence.h"
#include "support/slow_dichotomies.h"

using namespace kappaflow;

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

std::vector<double> gaussians(std::size_t n, std::uint64_t seed) {
    Rng rng(seed, Purpose::Inputs, 77);
    std::vector<double> values(n);
    for (double& value : values) value = rng.gaussian();
    return values;
}

/// A drawn network, its turning layer and its samples.
SlowTurning drawn(const GrowthSetting& setting, std::size_t depth, std::size_t swept, std::size_t samples, std::uint64_t seed) {
    const auto k = static_cast<std::size_t>(setting.width);
    SlowTurning net{randomLayers(setting, depth, seed), swept, randomLayers(setting, 1, seed, 1)[0].weights, gaussians(k, seed + 1), {}};
    for (std::size_t s = 0; s < samples; ++s) net.samples.push_back(gaussians(k, seed * 1000 + s));
    return net;
}

/// Tracks of all samples with the whole network behind the swept layer.
std::vector<LabelTrack> tracksOf(const SlowTurning& net) {
    SweptLayers layers;
    layers.activation = net.layers[net.swept].activation;
    layers.remaining.assign(net.layers.begin() + static_cast<std::ptrdiff_t>(net.swept) + 1, net.layers.end());
    layers.readouts.assign(layers.remaining.size() + 1, {});
    layers.readouts.back() = net.readout;
    std::vector<LabelTrack> tracks;
    for (std::vector<double> z : net.samples) {
        for (std::size_t l = 0; l < net.swept; ++l) {
            std::vector<double> h = net.layers[l].bias;
            for (std::size_t i = 0; i < z.size(); ++i)
                for (std::size_t j = 0; j < h.size(); ++j) h[j] += net.layers[l].weights[i * h.size() + j] * z[i];
            for (double& value : h) value = net.layers[l].activation.valueOf(value);
            z = h;
        }
        const SweptLabels labels = sweepLabels(layers, weightCircle(net.layers[net.swept], net.second, z));
        if (!labels.stopped) tracks.push_back(labels.tracks.back());
    }
    return tracks;
}

DichotomyCount countOf(const SlowTurning& net) { return countDichotomies(tracksOf(net)); }

SlowTurning fromCase(const nlohmann::json& c) {
    SlowTurning net;
    const auto flat = [](const nlohmann::json& rows) {
        std::vector<double> values;
        for (const auto& row : rows)
            for (const auto& value : row) values.push_back(value);
        return values;
    };
    for (const auto& layer : c["net"]) {
        const auto bias = layer["b"].get<std::vector<double>>();
        net.layers.push_back(curveLayer(flat(layer["W"]), bias, layer["W"][0].size(), Activation::HardTanh));
    }
    net.swept = c["layer"];
    net.second = curveLayer(flat(c["W2"]), {}, c["W2"][0].size(), Activation::Identity).weights;
    net.readout = c["readout"].get<std::vector<double>>();
    for (const auto& x : c["X"]) net.samples.push_back(x.get<std::vector<double>>());
    return net;
}

}  // namespace

TEST_CASE("dichotomies: the reference's sweeps, label vectors and flips exactly") {
    const auto all = reference("circle_dichotomies.json");
    REQUIRE(all["cases"].size() == 4);
    for (const auto& c : all["cases"]) {
        CAPTURE(c["name"].get<std::string>());
        const DichotomyCount count = countOf(fromCase(c));
        CHECK(count.dichotomies == c["expect"]["dichotomies"].get<double>());
        CHECK(count.flips == c["expect"]["label_flips"].get<double>());
    }
}

TEST_CASE("dichotomies: the exact sweep finds what sampling and bisection find, whichever layer turns and whatever the activation") {
    const Activation kinds[] = {Activation::HardTanh, Activation::Relu, Activation::LeakyRelu, Activation::Abs, Activation::Relu6};
    std::uint64_t seed = 5;
    for (const Activation kind : kinds)
        for (const std::size_t swept : {0u, 1u, 2u}) {
            CAPTURE(activationKey(kind));
            CAPTURE(swept);
            ++seed;
            const SlowTurning net = drawn({kind, 0.2, 4, 5, seed % 2 == 0 ? 0.0 : 0.5}, 3, swept, 3, seed);
            const SlowDichotomies slow = slowDichotomies(net, 1500);
            const auto tracks = tracksOf(net);
            for (std::size_t s = 0; s < tracks.size(); ++s) {
                CHECK(tracks[s].positive == (net.value(s, 0) > 0));
                REQUIRE(tracks[s].flips.size() == slow.flips[s].size());
                for (std::size_t i = 0; i < slow.flips[s].size(); ++i)
                    CHECK(tracks[s].flips[i] == doctest::Approx(slow.flips[s][i]).epsilon(1e-9));
            }
            CHECK(countDichotomies(tracks).dichotomies == static_cast<double>(slow.dichotomies));
        }
}

TEST_CASE("dichotomies: label vectors are counted from flips, those at one place together") {
    const auto count = [](std::vector<LabelTrack> tracks) { return countDichotomies(tracks); };
    CHECK(count({}).dichotomies == 1);
    CHECK(count({{true, {}}, {false, {}}}).dichotomies == 1);
    CHECK(count({{true, {1, 2}}}).dichotomies == 2);
    CHECK(count({{true, {1, 2}}}).flips == 2);
    const auto staggered = count({{true, {1, 3}}, {false, {2, 4}}});
    CHECK(staggered.dichotomies == 4);
    CHECK(staggered.changes == std::vector<double>{1, 2, 3, 4});
    CHECK(staggered.distinct == std::vector<double>{2, 3, 4, 4});
    const auto together = count({{true, {1, 3}}, {false, {1 + 1e-13, 3 - 1e-13}}});
    CHECK(together.dichotomies == 2);
    CHECK(together.flips == 4);
    CHECK(together.changes.size() == 2);
    // Two flips of one sample at one place undo each other.
    CHECK(count({{true, {1, 1 + 1e-13}}}).changes.empty());
    CHECK(count(std::vector<LabelTrack>(64, {true, {1, 2}})).dichotomies == 2);
    CHECK(isOneSentence(refusal([&] { count(std::vector<LabelTrack>(65)); })));
}

TEST_CASE("dichotomies: at least one flip for every further label vector, and at most 2^s of them") {
    for (const std::size_t samples : {1u, 2u, 5u, 15u}) {
        const DichotomyCount count = countOf(drawn({Activation::HardTanh, 0, 12, 8, 0}, 4, 0, samples, 40 + samples));
        CHECK(count.flips >= count.dichotomies - 1);
        CHECK(count.dichotomies <= std::ldexp(1.0, static_cast<int>(samples)));
        CHECK(count.dichotomies > 1);
        // Half a turn negates all labels of an odd network: an odd number of flips of every sample, and as many in the other half.
        CHECK(std::fmod(count.flips, 4) == std::fmod(2.0 * static_cast<double>(samples), 4));
    }
}

TEST_CASE("dichotomies: without biases ±x have opposite labels at every angle") {
    SlowTurning net = drawn({Activation::HardTanh, 0, 14, 8, 0}, 4, 0, 1, 17);
    net.samples.push_back(net.samples[0]);
    for (double& x : net.samples[1]) x = -x;
    const auto tracks = tracksOf(net);
    CHECK(tracks[0].positive != tracks[1].positive);
    REQUIRE(tracks[0].flips.size() == tracks[1].flips.size());
    CHECK(tracks[0].flips.size() > 4);
    const DichotomyCount count = countDichotomies(tracks);
    CHECK(count.dichotomies == 2);
    CHECK(count.flips == 2 * static_cast<double>(tracks[0].flips.size()));
    CHECK(count.changes.size() == tracks[0].flips.size());
}

TEST_CASE("dichotomies: a linear network flips every label twice") {
    const SlowTurning net = drawn({Activation::Identity, 0, 6, 3, 0}, 3, 1, 8, 3);
    for (const LabelTrack& track : tracksOf(net)) {
        REQUIRE(track.flips.size() == 2);
        CHECK(track.flips[1] - track.flips[0] == doctest::Approx(kTurn / 2));
    }
    const auto flips = meanFieldFlips({Activation::Identity, 0, 6, 3, 0}, 1, 4);
    for (const double mean : flips) CHECK(mean == doctest::Approx(2));
}

TEST_CASE("dichotomies: random readouts flip on average as often as the angular length of what they read over π") {
    // 2000 readouts of one curve; their flips are independent given it.
    const SlowTurning net = drawn({Activation::HardTanh, 0, 20, 8, 0}, 4, 0, 1, 64);
    SweptLayers layers{net.layers[0].activation, {net.layers.begin() + 1, net.layers.end()}, {}};
    layers.readouts.assign(4, net.readout);
    const SweptLabels labels = sweepLabels(layers, weightCircle(net.layers[0], net.second, net.samples[0]));
    REQUIRE(labels.tracks.size() == 4);
    CurvePieces curve = throughActivation(weightCircle(net.layers[0], net.second, net.samples[0]), layers.activation).curve;
    double sum = 0, squares = 0;
    constexpr int kDraws = 2000;
    for (int i = 0; i < kDraws; ++i) {
        const double flips = static_cast<double>(labelsAlong(curve, gaussians(20, 5000 + static_cast<std::uint64_t>(i))).flips.size());
        sum += flips;
        squares += flips * flips;
    }
    const double mean = sum / kDraws, error = std::sqrt((squares / kDraws - mean * mean) / kDraws);
    CHECK(std::abs(mean - labels.meanFlips[0]) < 4 * error);
    CHECK(error < 0.03 * mean);
    for (std::size_t r = 1; r < 4; ++r) CHECK(labels.meanFlips[r] > labels.meanFlips[r - 1]);
}

TEST_CASE("dichotomies: mean-field flips start as the network's correlations say and end growing by √χ") {
    const GrowthSetting setting{Activation::HardTanh, 0, 1, 8, 0};
    const auto flips = meanFieldFlips(setting, 1, 30);
    // r = 0: 2 √(E φ'² / E φ²) of N(0, 8) times √8.
    const GaussianMoments moments = gaussianMoments(Activation::HardTanh, 0, 8);
    CHECK(flips[0] == doctest::Approx(2 * std::sqrt(8 * moments.slopeSquare / moments.square)));
    CHECK(flips[30] / flips[29] == doctest::Approx(std::sqrt(meanFieldFixedPoint(setting).chi)).epsilon(1e-6));
    CHECK(flips[30] / flips[29] == doctest::Approx(1.572).epsilon(1e-3));
    CHECK(meanFieldFlips({Activation::HardTanh, 0, 1, 0, 0}, 1, 2) == std::vector<double>(3, 0.0));
}

TEST_CASE("dichotomies: units pass their thresholds as often as mean field says in wide networks" * doctest::test_suite("long")) {
    const GrowthSetting setting{Activation::HardTanh, 0, 200, 8, 0.5};
    const auto crossings = meanFieldCrossings(setting, 1, 3);
    CHECK(crossings[0] == doctest::Approx(4 * std::sqrt(8 / 8.5) * std::exp(-1 / 17.0)));
    CHECK(meanFieldCrossings({Activation::Relu, 0, 1, 2, 0}, 3, 4)[0] == doctest::Approx(2));
    const SlowTurning net = drawn(setting, 3, 0, 6, 3);
    SweptLayers layers{net.layers[0].activation, {net.layers.begin() + 1, net.layers.end()}, {}};
    layers.readouts.assign(3, net.readout);
    double expected = 1;
    std::vector<double> patterns(3);
    for (const auto& sample : net.samples) {
        const SweptLabels labels = sweepLabels(layers, weightCircle(net.layers[0], net.second, sample));
        for (std::size_t l = 0; l < 3; ++l) patterns[l] += labels.patterns[l] / static_cast<double>(net.samples.size());
    }
    for (std::size_t l = 0; l < 3; ++l) {
        expected += setting.width * crossings[l];
        CHECK(patterns[l] == doctest::Approx(expected).epsilon(0.08));
    }
}

TEST_CASE("dichotomies: a sweep over its limit stops before the layer and keeps what is exact") {
    const SlowTurning net = drawn({Activation::HardTanh, 0, 12, 16, 0}, 5, 0, 1, 8);
    SweptLayers layers{net.layers[0].activation, {net.layers.begin() + 1, net.layers.end()}, {}};
    layers.readouts.assign(5, net.readout);
    const CurvePieces start = weightCircle(net.layers[0], net.second, net.samples[0]);
    const SweptLabels whole = sweepLabels(layers, start), cut = sweepLabels(layers, start, {200, 1e7}),
                      none = sweepLabels(layers, start, {0, 0});
    CHECK_FALSE(whole.stopped);
    CHECK(cut.stopped);
    REQUIRE(cut.tracks.size() < 5);
    for (std::size_t r = 0; r < cut.tracks.size(); ++r) CHECK(cut.tracks[r].flips == whole.tracks[r].flips);
    CHECK(none.stopped);
    CHECK(none.tracks.size() == 1);
}

TEST_CASE("dichotomies: what does not fit or is no number is refused in a sentence") {
    const SlowTurning net = drawn({Activation::HardTanh, 0, 4, 8, 0}, 2, 0, 1, 2);
    const CurveLayer& layer = net.layers[0];
    const std::vector<double> z(4, 1.0), broken{1, 2, std::numeric_limits<double>::quiet_NaN(), 0};
    CHECK(isOneSentence(refusal([&] { weightCircle(layer, net.second, std::vector<double>(3)); })));
    CHECK(isOneSentence(refusal([&] { weightCircle(layer, std::vector<double>(15), z); })));
    CHECK(isOneSentence(refusal([&] { weightCircle(layer, net.second, broken); })));
    const CurvePieces curve = weightCircle(layer, net.second, z);
    CHECK(isOneSentence(refusal([&] { labelsAlong(curve, std::vector<double>(5)); })));
    SweptLayers layers{layer.activation, {net.layers[1]}, {net.readout}};
    CHECK(isOneSentence(refusal([&] { sweepLabels(layers, curve); })));
    CurveLayer smooth = net.layers[1];
    smooth.kind = Activation::Tanh;
    SweptLayers unsuited{layer.activation, {smooth}, {net.readout, net.readout}};
    CHECK(isOneSentence(refusal([&] { sweepLabels(unsuited, curve); })));
}

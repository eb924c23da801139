#include "core/capacity/capacity_kernel.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/capacity/drawn_network.h"
#include "support/matrices.h"
#include "support/reference.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

OffsetMoments diracIn(std::size_t units, std::size_t at) {
    OffsetMoments top{Vector(units), Vector(units), Vector(units)};
    top.mass[at] = 1;
    return top;
}

// Variance and mean of the offset over all units.
struct Spread {
    double mean, variance;
};
Spread spreadOf(const OffsetMoments& m) {
    const double mass = total(m.mass), mean = total(m.first) / mass;
    return {mean, total(m.second) / mass - mean * mean};
}

OffsetMoments runDown(const DrawnNetwork& n, std::size_t topPosition) {
    auto state = diracIn(static_cast<std::size_t>(n.widthAt(n.layers) * n.channels), topPosition);
    double unattributed = 0;
    for (int l = n.layers; l > 0; --l) state = propagate(capacityKernel(n, l, layerWeights(n, l, 0)), state, unattributed);
    return state;
}

// The layer as Network has it: what capacityLayer makes its D from, column by column.
Layer linearOf(const DrawnNetwork& n, int l) {
    auto plain = n;
    plain.type = LayerType::Plain;
    auto network = runnableNetwork(plain, Activation::Identity, 0, 0);
    return network.layers[static_cast<std::size_t>(2 * l - 2)];
}

std::vector<DrawnNetwork> variants() {
    std::vector<DrawnNetwork> all;
    for (const Space space : {Space::Ring, Space::Line})
        for (const bool shared : {true, false})
            for (const auto& [channels, stride, dilation, taps] :
                 {std::array{1, 1, 1, 3}, {3, 1, 1, 5}, {2, 2, 1, 3}, {2, 1, 3, 3}, {1, 3, 2, 5}, {2, 1, 0, 3}}) {
                DrawnNetwork n;
                n.space = space;
                n.kernel = KernelType::Random;
                n.shared = shared;
                n.channels = channels;
                n.stride = stride;
                n.dilation = dilation;
                n.taps = taps;
                n.extent = 24;
                n.layers = 3;
                all.push_back(n);
            }
    return all;
}

}  // namespace

TEST_CASE("the kernel form gives what columns built from the network's weights give") {
    for (const auto& n : variants()) {
        CAPTURE(static_cast<int>(n.space));
        CAPTURE(n.shared);
        CAPTURE(n.channels);
        CAPTURE(n.stride);
        CAPTURE(n.dilation);
        for (int l = 1; l <= n.layers; ++l) {
            // Where taps meet on one unit the columns add their weights, the kernel keeps their paths apart.
            if (n.space == Space::Ring && (n.taps - 1) * n.dilationOf(l) >= n.widthAt(l - 1)) continue;
            const auto slow = capacityLayer(linearOf(n, l));
            const auto K = capacityKernel(n, l, layerWeights(n, l, 0));
            auto above = diracIn(slow.outputs, slow.outputs / 2);
            for (std::size_t j = 0; j < slow.outputs; ++j) above.mass[j] = 1.0 / (1.0 + static_cast<double>(j));
            for (std::size_t j = 0; j < slow.outputs; ++j)
                above.first[j] = static_cast<double>(j) * above.mass[j], above.second[j] = 3 * above.mass[j];
            double lostFast = 0, lostSlow = 0;
            const auto fast = propagate(K, above, lostFast), obvious = propagate(slow, above, lostSlow),
                       columns = propagate(explicitLayer(K), above, lostSlow);
            REQUIRE(fast.mass.size() == obvious.mass.size());
            for (std::size_t i = 0; i < fast.mass.size(); ++i) {
                CHECK(fast.mass[i] == doctest::Approx(obvious.mass[i]).epsilon(1e-12));
                CHECK(fast.first[i] == doctest::Approx(obvious.first[i]).epsilon(1e-11));
                CHECK(fast.second[i] == doctest::Approx(obvious.second[i]).epsilon(1e-11));
                CHECK(columns.mass[i] == doctest::Approx(fast.mass[i]).epsilon(1e-12));
                CHECK(columns.second[i] == doctest::Approx(fast.second[i]).epsilon(1e-11));
            }
        }
    }
}

TEST_CASE("every kind of drawn layer conserves the total and holds nothing negative" * doctest::test_suite("long")) {
    for (auto n : variants()) {
        for (const LayerType type : {LayerType::Plain, LayerType::Residual, LayerType::Differential}) {
            for (const KernelType kernel : {KernelType::Uniform, KernelType::Random, KernelType::Triangle}) {
                n.type = type;
                n.kernel = kernel;
                n.layers = 60;
                const auto state = runDown(n, 0);
                CHECK(std::abs(total(state.mass) - 1) < 1e-12);
                for (const double c : state.mass) CHECK(c >= 0);
            }
        }
    }
}

TEST_CASE("a residual layer is (1 − ε) I + ε Q without the centre tap, also between channels") {
    DrawnNetwork n;
    n.type = LayerType::Residual;
    n.kernel = KernelType::Random;
    n.epsilon = 0.3;
    n.channels = 2;
    n.extent = 9;
    const auto D = explicitLayer(capacityKernel(n, 1, layerWeights(n, 1, 0)));
    for (std::size_t j = 0; j < D.outputs; ++j) {
        double own = 0, samePosition = 0, sum = 0;
        for (std::size_t e = D.start[j]; e < D.start[j + 1]; ++e) {
            const auto& entry = D.entries[e];
            sum += entry.share;
            if (entry.input == j) own += entry.share;
            if (entry.input % 9 == j % 9) samePosition += entry.share;
        }
        CHECK(own == doctest::Approx(0.7));
        CHECK(samePosition == doctest::Approx(0.7));
        CHECK(sum == doctest::Approx(1));
    }
}

TEST_CASE("on a line the residual layer's neighbours beyond the end drop out of Q, not out of the total") {
    DrawnNetwork n;
    n.space = Space::Line;
    n.type = LayerType::Residual;
    n.epsilon = 0.2;
    n.extent = 5;
    const auto D = explicitLayer(capacityKernel(n, 1, layerWeights(n, 1, 0)));
    double unattributed = 0;
    const auto below = propagate(D, Vector{1, 0, 0, 0, 0}, unattributed);
    CHECK(below[0] == doctest::Approx(0.8));
    CHECK(below[1] == doctest::Approx(0.2));
    n.extent = 1;
    CHECK(propagate(explicitLayer(capacityKernel(n, 1, layerWeights(n, 1, 0))), Vector{1}, unattributed)[0] == 1);
}

TEST_CASE("ring of 129, 48 layers, three equal taps: variance 32 plain, 48 ε residual") {
    DrawnNetwork n;
    n.extent = 129;
    n.layers = 48;
    CHECK(spreadOf(runDown(n, 64)).variance == doctest::Approx(32).epsilon(1e-12));
    CHECK(spreadOf(runDown(n, 64)).mean == doctest::Approx(0));
    n.type = LayerType::Residual;
    for (const double epsilon : {0.05, 0.1, 0.7}) {
        n.epsilon = epsilon;
        CHECK(spreadOf(runDown(n, 64)).variance == doctest::Approx(48 * epsilon).epsilon(1e-12));
    }
}

TEST_CASE("moments are unwrapped: a ring of any size has those of one too large to go round") {
    DrawnNetwork n;
    n.kernel = KernelType::Random;
    n.layers = 30;
    n.extent = 401;
    const auto open = spreadOf(runDown(n, 200));
    // On the large ring nothing wraps, so positions alone tell the moments.
    const auto state = runDown(n, 200);
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < state.mass.size(); ++i) {
        const double u = static_cast<double>(i) - 200;
        mean += u * state.mass[i];
        square += u * u * state.mass[i];
    }
    CHECK(open.mean == doctest::Approx(mean).epsilon(1e-12));
    CHECK(open.variance == doctest::Approx(square - mean * mean).epsilon(1e-12));
    for (const int extent : {1, 2, 5, 16}) {
        n.extent = extent;
        const auto ring = spreadOf(runDown(n, 0));
        CHECK(ring.mean == doctest::Approx(open.mean).epsilon(1e-12));
        CHECK(ring.variance == doctest::Approx(open.variance).epsilon(1e-12));
    }
}

TEST_CASE("the walk of a stride-2 stack doubles its offset every layer") {
    DrawnNetwork n;
    n.extent = 64;
    n.layers = 3;
    n.stride = 2;
    CHECK(n.widthAt(3) == 8);
    // var ← 4 var + 2/3, three times from 0.
    CHECK(spreadOf(runDown(n, 4)).variance == doctest::Approx(2.0 / 3 * (1 + 4 + 16)).epsilon(1e-12));
    n.layers = 50;  // narrower than the stride: a layer one position wide has none, so offsets stay finite
    CHECK(std::isfinite(spreadOf(runDown(n, 0)).variance));
}

TEST_CASE("drift and diffusion come from the kernel") {
    SUBCASE("plain: the step's own mean and half its variance") {
        const auto d = kernelDiffusion({0.5, 0.25, 0.25}, rowTaps(3), 1, false, 0);
        CHECK(d.time == 1);
        CHECK(d.drift == doctest::Approx(-0.25));
        CHECK(d.diffusion == doctest::Approx(0.5 * (0.75 - 0.0625)));
    }
    SUBCASE("near the identity: half the second moment, in time ε") {
        const auto d = kernelDiffusion({0.7, 0, 0.3}, rowTaps(3), 2, true, 0.9);
        CHECK(d.time == doctest::Approx(0.1));
        CHECK(d.drift == doctest::Approx(-0.8));
        CHECK(d.diffusion == doctest::Approx(2));
    }
    SUBCASE("shares are averages over channels and positions") {
        DrawnNetwork n;
        n.kernel = KernelType::Random;
        n.channels = 4;
        const auto K = capacityKernel(n, 1, layerWeights(n, 1, 0));
        Vector expected(3);
        for (int k = 0; k < 3; ++k)
            for (int pair = 0; pair < 16; ++pair)
                expected[static_cast<std::size_t>(k)] += K.shares[static_cast<std::size_t>(k * 16 + pair)] / 4;
        const auto shares = kernelShares(K);
        for (std::size_t k = 0; k < 3; ++k) CHECK(shares[k] == doctest::Approx(expected[k]).epsilon(1e-14));
        CHECK(total(shares) == doctest::Approx(1).epsilon(1e-14));
    }
}

TEST_CASE("with shared Gaussian weights one network widens less than the average one, and its centre wanders by the rest" *
          doctest::test_suite("long")) {
    const auto facts = reference("case_14_pde_limit.json")["facts"];
    constexpr int kDraws = 20000;
    for (const int channels : {1, 4}) {
        CAPTURE(channels);
        DrawnNetwork n;
        n.kernel = KernelType::Random;
        n.channels = channels;
        n.extent = 9;
        n.layers = 1;
        Vector wandering, width;
        double unattributed = 0;
        for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
            const auto below =
                propagate(capacityKernel(n, 1, layerWeights(n, 1, draw)), diracIn(static_cast<std::size_t>(9 * channels), 4), unattributed);
            const Spread spread = spreadOf(below);
            wandering.push_back(spread.mean * spread.mean);
            width.push_back(spread.variance);
        }
        const auto check = [&](const Vector& values, double expected) {
            const double mean = total(values) / kDraws;
            double square = 0;
            for (const double value : values) square += (value - mean) * (value - mean);
            CHECK(std::abs(mean - expected) < 4.5 * std::sqrt(square) / kDraws);
        };
        // Squares of three taps, summed over channels, are Dirichlet distributed with parameters c/2.
        const double annealed = facts["gaussian_weights_r3_unshared_annealed"], centre = annealed / (1.5 * channels + 1);
        check(wandering, centre);
        check(width, annealed - centre);
        if (channels > 1) continue;
        CHECK(centre == doctest::Approx(facts["gaussian_shared_conv_1ch"]["drift_var_per_layer"].get<double>()).epsilon(1e-12));
        CHECK(annealed - centre ==
              doctest::Approx(facts["gaussian_shared_conv_1ch"]["quenched_var_per_layer"].get<double>()).epsilon(1e-12));
    }
    for (const int taps : {3, 5}) {
        DrawnNetwork n;
        n.taps = taps;
        n.layers = 1;
        CHECK(spreadOf(runDown(n, 32)).variance ==
              doctest::Approx(facts["uniform_r" + std::to_string(taps)]["var_per_layer"].get<double>()).epsilon(1e-12));
    }
}

TEST_CASE("mean and variance of differential convolutions are those of the reference") {
    const auto limit = reference("case_16_differential.json")["conv_limit"];
    for (const auto& row : limit["rows"]) {
        CapacityKernel K;
        K.inWidth = K.outWidth = 33;
        K.taps = rowTaps(3);
        K.mixes = true;
        K.stay = 1 / (1 + row["eps"].get<double>());
        for (const double p : limit["kernel"].get<Vector>()) K.shares.push_back(p * p);
        auto state = diracIn(33, 5);
        double unattributed = 0;
        for (int l = 0; l < row["L"].get<int>(); ++l) state = propagate(K, state, unattributed);
        CHECK(spreadOf(state).mean == doctest::Approx(row["mean"].get<double>()).epsilon(1e-9));
        CHECK(spreadOf(state).variance == doctest::Approx(row["variance"].get<double>()).epsilon(1e-9));
        const auto d = kernelDiffusion(K.shares, K.taps, 1, true, K.stay);
        CHECK(row["L"].get<double>() * d.time * d.drift == doctest::Approx(row["pred_mean"].get<double>()).epsilon(1e-9));
    }
}

TEST_CASE("transfers are what leaves every unit and what arrives") {
    for (const auto& n : variants()) {
        const auto K = capacityKernel(n, 1, layerWeights(n, 1, 0));
        auto above = diracIn(static_cast<std::size_t>(K.outWidth * n.channels), 0);
        for (std::size_t j = 0; j < above.mass.size(); ++j) above.mass[j] = static_cast<double>(j % 5);
        double unattributed = 0;
        const auto below = propagate(K, above, unattributed);
        const auto moved = transfers(K, above.mass);
        const auto width = static_cast<std::size_t>(K.outWidth);
        Vector arrived(static_cast<std::size_t>(K.inWidth)), arrivedByUnits = arrived;
        for (std::size_t x = 0; x < width; ++x) {
            double left = 0, had = 0;
            for (std::size_t k = 0; k < K.taps.size(); ++k) {
                const double amount = moved.byTap[k * width + x];
                left += amount;
                if (const int to = K.inputAt(x, k); to >= 0) arrived[static_cast<std::size_t>(to)] += amount;
            }
            for (int c = 0; c < n.channels; ++c) had += above.mass[static_cast<std::size_t>(c) * width + x];
            CHECK(left == doctest::Approx(had).epsilon(1e-12));
        }
        for (std::size_t i = 0; i < below.mass.size(); ++i) arrivedByUnits[i % arrived.size()] += below.mass[i];
        for (std::size_t i = 0; i < arrived.size(); ++i) CHECK(arrived[i] == doctest::Approx(arrivedByUnits[i]).epsilon(1e-12));
    }
}

#include <doctest/doctest.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/moments/gram.h"
#include "core/moments/moment_theory.h"
#include "support/moment_cases.h"

using namespace kappaflow;
using doctest::Approx;

namespace {

PointValues rowsOf(std::size_t channels, const std::vector<double>& values) { return momentTensor(0, values.size() / channels, 1, values); }

PointValues gaussianPoints(std::size_t points, std::size_t channels, std::uint64_t seed, double decay) {
    PointValues tensor{points, 0, 1, Matrix(points, channels)};
    Rng rng(seed, Purpose::Inputs);
    for (std::size_t p = 0; p < points; ++p)
        for (std::size_t c = 0; c < channels; ++c)
            tensor.values(p, c) = 0.3 + rng.gaussian() * std::pow(static_cast<double>(c + 1), -decay);
    return tensor;
}

}  // namespace

TEST_CASE("moments: the reference's small tensor has its moments, channel by channel and averaged, its ranks and its sensitivity") {
    const auto listed = reference("moments_definitions.json")["definitions"];
    const PointValues t = momentTensor(1, 2, 2, listed["t"]), dt = momentTensor(1, 2, 2, listed["dt"]);
    const ChannelMoments m = channelMoments(t);
    const auto& of = listed["per_channel"];
    for (std::size_t c = 0; c < 3; ++c) {
        CHECK(m.mean[c] == Approx(of["nu1"][c].get<double>()).epsilon(1e-14));
        CHECK(m.variance[c] == Approx(of["mu2"][c].get<double>()).epsilon(1e-14));
    }
    // The other moments of one channel are the averages of a tensor of that channel.
    const std::pair<const char*, double ChannelMoments::*> names[] = {{"nu1", &ChannelMoments::nu1},
                                                                      {"nu2", &ChannelMoments::nu2},
                                                                      {"nu4", &ChannelMoments::nu4},
                                                                      {"mu2", &ChannelMoments::mu2},
                                                                      {"mu4", &ChannelMoments::mu4},
                                                                      {"nu1_abs", &ChannelMoments::nu1Absolute},
                                                                      {"mu1_abs", &ChannelMoments::mu1Absolute}};
    for (const auto& pair : names) {
        CAPTURE(pair.first);
        CHECK(m.*pair.second == Approx(listed["averaged"][pair.first].get<double>()).epsilon(1e-14));
        for (std::size_t c = 0; c < 3; ++c) {
            PointValues one{2, 1, 2, Matrix(4, 1)};
            for (std::size_t p = 0; p < 4; ++p) one.values(p, 0) = t.values(p, c);
            CHECK(channelMoments(one).*pair.second == Approx(of[pair.first][c].get<double>()));
        }
    }
    CHECK(m.splitProduct == Approx(listed["pm_product"].get<double>()).epsilon(1e-14));
    CHECK(m.mu2 / m.nu2 == Approx(listed["mu2_over_nu2"].get<double>()).epsilon(1e-14));
    CHECK(meanSquare(dt) == Approx(listed["mu2_d"].get<double>()).epsilon(1e-14));
    CHECK(std::sqrt(meanSquare(dt) / m.mu2) == Approx(listed["chi_raw"].get<double>()).epsilon(1e-14));
    CHECK(effectiveRank(t) == Approx(listed["reff"].get<double>()).epsilon(1e-12));
    CHECK(effectiveRank(dt) == Approx(listed["reff_d_centered"].get<double>()).epsilon(1e-12));
    const CentredGram g = centredGram(t);
    REQUIRE(g.overChannels);
    for (std::size_t i = 0; i < 9; ++i) CHECK(g.gram.values[i] / 4 == Approx(listed["covariance"][i].get<double>()).epsilon(1e-14));
    const auto eigenvalues = symmetricEigen(g.gram).values;
    for (std::size_t i = 0; i < 3; ++i) CHECK(eigenvalues[2 - i] / 4 == Approx(listed["eigenvalues_desc"][i].get<double>()).epsilon(1e-13));
}

TEST_CASE("moments: the effective rank of isotropic points is their dimension, of points on a line 1, of 1, ½, ¼ it is 1.75") {
    std::vector<double> axes;
    for (int c = 0; c < 5; ++c)
        for (const double sign : {1.0, -1.0})
            for (int k = 0; k < 5; ++k) axes.push_back(k == c ? sign : 0);
    CHECK(effectiveRank(rowsOf(5, axes)) == Approx(5).epsilon(1e-12));
    CHECK(effectiveRank(rowsOf(3, {1, 2, 3, -2, -4, -6, 0.5, 1, 1.5})) == Approx(1).epsilon(1e-12));
    const double h = std::sqrt(0.5);
    CHECK(effectiveRank(rowsOf(3, {1, 0, 0, -1, 0, 0, 0, h, 0, 0, -h, 0, 0, 0, 0.5, 0, 0, -0.5})) == Approx(1.75).epsilon(1e-12));
    CHECK(effectiveRank(rowsOf(2, {3, 4, 3, 4})) == 0);
}

TEST_CASE("moments: effective ranks are within 1e-12 of a full decomposition, on either side and however close eigenvalues lie") {
    for (const auto& [points, channels] : {std::pair<std::size_t, std::size_t>{40, 12}, {12, 40}, {64, 64}, {200, 64}, {2, 9}, {30, 1}})
        for (const double decay : {0.0, 0.05, 1.0})
            for (std::uint64_t seed = 0; seed < 6; ++seed) {
                const PointValues t = gaussianPoints(points, channels, seed, decay);
                const CentredGram g = centredGram(t);
                double trace = 0;
                for (std::size_t i = 0; i < g.gram.rows; ++i) trace += g.gram(i, i);
                CHECK(effectiveRank(t) == Approx(trace / symmetricEigen(g.gram).values.back()).epsilon(1e-12));
            }
    // Two largest eigenvalues a hair apart.
    for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12, 0.0}) {
        Matrix diagonal(30, 30);
        for (std::size_t i = 0; i < 30; ++i) diagonal(i, i) = i == 0 ? 1 : i == 1 ? 1 - gap : 0.9 / static_cast<double>(i);
        CHECK(largestEigenvalue(diagonal) == Approx(1).epsilon(gap < 1e-7 ? std::max(gap, 1e-13) : 1e-12));
    }
}

TEST_CASE("moments: ranks, kurtosis and clouds are the same at any scale that doubles hold") {
    const PointValues t = gaussianPoints(30, 12, 3, 0.5);
    // The squares of a Gram matrix's entries leave the doubles here, as fourth powers of the values do.
    for (const double scale : {0x1p-255, 0x1p255}) {
        PointValues scaled = t;
        for (double& value : scaled.values.values) value *= scale;
        CHECK(effectiveRank(scaled) == effectiveRank(t));
        const PrincipalCloud cloud = principalCloud({t, t, 0}, 30), far = principalCloud({scaled, scaled, 0}, 30);
        CHECK(far.share == cloud.share);
        for (std::size_t i = 0; i < 60; ++i) CHECK(far.signal[i] == cloud.signal[i] * scale);
    }
    for (const double scale : {0x1p-200, 0x1p249}) {
        PointValues scaled = t;
        for (double& value : scaled.values.values) value *= scale;
        CHECK(channelMoments(scaled).kurtosis() == channelMoments(t).kurtosis());
    }
}

TEST_CASE("moments: the principal cloud lies along the two widest directions, its signs fixed, its noise in the same plane") {
    // Variances 4, 1, 0 along orthogonal axes (0.6, 0.8, 0), (−0.8, 0.6, 0) and z.
    const std::vector<double> along{2, -2, 0, 0}, across{0, 0, 1, -1};
    SignalAndNoise state;
    state.signal = state.noise = PointValues{4, 0, 1, Matrix(4, 3)};
    for (std::size_t p = 0; p < 4; ++p) {
        state.signal.values(p, 0) = 7 + 0.6 * along[p] - 0.8 * across[p];
        state.signal.values(p, 1) = 0.8 * along[p] + 0.6 * across[p];
        state.noise.values(p, 0) = 1;
    }
    const PrincipalCloud cloud = principalCloud(state, 100);
    REQUIRE(cloud.signal.size() == 8);
    CHECK(cloud.share == Approx(1));
    for (std::size_t p = 0; p < 4; ++p) {
        CHECK(cloud.signal[2 * p] == Approx(along[p]));
        CHECK(cloud.signal[2 * p + 1] == Approx(-across[p]));  // (0.8, −0.6): its largest component is positive
        CHECK(cloud.noise[2 * p] == Approx(0.6));
        CHECK(cloud.noise[2 * p + 1] == Approx(0.8));
    }
    CHECK(principalCloud({gaussianPoints(500, 20, 1, 0.5), gaussianPoints(500, 20, 2, 0), 0}, 60).signal.size() == 120);
    const PrincipalCloud few = principalCloud({gaussianPoints(5, 30, 3, 0.5), gaussianPoints(5, 30, 4, 0), 0}, 60);
    const auto full = symmetricEigen(centredGram(gaussianPoints(5, 30, 3, 0.5)).gram).values;
    double trace = 0;
    for (const double value : full) trace += value;
    CHECK(few.share == Approx((full[4] + full[3]) / trace).epsilon(1e-9));
}

TEST_CASE("moments: closed forms have the reference's values") {
    const auto listed = reference("moments_definitions.json")["closed_forms"];
    CHECK(kGaussianIncrement == Approx(listed["delta_phi_gaussian"].get<double>()).epsilon(1e-15));
    CHECK(kMostIncrement == Approx(listed["delta_max"].get<double>()).epsilon(1e-15));
    CHECK(predictedExponent(kGaussianIncrement, 2) == Approx(listed["tau_H2_gaussian_wellconditioned"].get<double>()).epsilon(1e-13));
    CHECK(predictedExponent(kGaussianIncrement, 1) == Approx(listed["tau_H1_gaussian_wellconditioned"].get<double>()).epsilon(1e-13));
    CHECK(predictedExponent(1.2035, 2) == Approx(listed["tau_paper_conv"].get<double>()).epsilon(1e-3));
    CHECK(predictedExponent(1.2321, 2) == Approx(listed["tau_paper_fc"].get<double>()).epsilon(1e-3));
    CHECK(kurtosisCeiling(4) == Approx(listed["kurtosis_bound_P_points"]["P4"].get<double>()).epsilon(1e-14));
    CHECK(kurtosisCeiling(16) == Approx(listed["kurtosis_bound_P_points"]["P16"].get<double>()).epsilon(1e-14));
    // One point against the others reaches the ceiling.
    std::vector<double> spike(16, -1 / std::sqrt(15.0));
    spike[0] = std::sqrt(15.0);
    CHECK(channelMoments(rowsOf(1, spike)).kurtosis() == Approx(kurtosisCeiling(16)).epsilon(1e-13));
}

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/base/rng.h"
#include "core/moments/scalar_map.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

using Vector = std::vector<double>;

ScalarMixture mixtureOf(double separation, double spread, double share = 0.5) { return {separation, spread, share}; }

/// Φ_l at any x, slowly: every layer's batch norm from the grid's points, one unit after the other.
struct SlowNet {
    ScalarGrid grid;
    std::vector<std::vector<Vector>> weights;  ///< [hidden layer][unit][input]
    std::vector<Vector> mean, deviation;

    Vector hidden(double x, std::size_t layers) const {
        Vector values{x};
        for (std::size_t l = 0; l < layers; ++l) {
            Vector next;
            for (std::size_t u = 0; u < weights[l].size(); ++u) {
                const double y = std::inner_product(values.begin(), values.end(), weights[l][u].begin(), 0.0);
                next.push_back(std::max(0.0, (y - mean[l][u]) / deviation[l][u]));
            }
            values = next;
        }
        return values;
    }
    void addLayer(std::size_t width, std::uint64_t seed) {
        const std::size_t l = weights.size(), in = l == 0 ? 1 : width;
        Rng rng(seed, Purpose::Weights, 2 * (l + 2));
        std::vector<Vector> layer(width, Vector(in));
        for (std::size_t i = 0; i < in; ++i)
            for (std::size_t u = 0; u < width; ++u) layer[u][i] = drawWeight(rng, std::sqrt(2.0 / static_cast<double>(in)));
        std::vector<Vector> below;
        for (const double x : grid.x) below.push_back(hidden(x, l));
        Vector means, deviations;
        for (const Vector& w : layer) {
            double first = 0, second = 0;
            for (std::size_t p = 0; p < below.size(); ++p) {
                const double y = std::inner_product(w.begin(), w.end(), below[p].begin(), 0.0);
                first += grid.weight[p] * y, second += grid.weight[p] * y * y;
            }
            means.push_back(first);
            deviations.push_back(std::sqrt(second - first * first + 1e-3));
        }
        weights.push_back(layer), mean.push_back(means), deviation.push_back(deviations);
    }
};

}  // namespace

TEST_CASE("χ of tanh on two bumps is the reference's, and 1 for a straight line") {
    // s; χ of tanh(a x) for a = 1, 2, 3 (cases/moments/definitions.json, fig1_like_chi).
    const double rows[][4] = {{0.1, 0.5659916292097938, 0.1704216414113963, 0.04258401222956823},
                              {0.2, 0.6075483512228919, 0.2555347421643642, 0.11375345187594223},
                              {0.3, 0.6694259020620309, 0.41348883526711017, 0.31457493219384713},
                              {0.5, 0.8144507874214756, 0.7893356243850054, 0.8496428365606271}};
    for (const auto& row : rows) {
        const ScalarMixture mixture = mixtureOf(2, row[0]);
        CHECK(std::sqrt(mixture.variance()) == doctest::Approx(std::sqrt(1 + row[0] * row[0])).epsilon(1e-15));
        // The reference's quadrature errs by 1.2e-7 in its last entry, as sums over 10⁵ even steps show.
        for (const int a : {1, 2, 3})
            CHECK(layerSensitivity(mixture, Activation::Tanh, a).chi() == doctest::Approx(row[a]).epsilon(row[0] > 0.4 ? 2e-7 : 1e-9));
        CHECK(layerSensitivity(mixture, Activation::Identity, 1.7).chi() == doctest::Approx(1).epsilon(1e-12));
    }
    CHECK(layerSensitivity(mixtureOf(2, 0.5), Activation::Tanh, 3).chi() == doctest::Approx(0.849642735628223).epsilon(1e-12));
}

TEST_CASE("χ of piecewise linear layers is what their moments say, at any gain") {
    // One bump N(0, s²): Var ReLU = s² (1/2 − 1/(2π)), E φ′² = 1/2; |x|: 1 − 2/π and 1.
    const double pi = std::acos(-1.0);
    for (const double gain : {0.1, 1.0, 10.0}) {
        const ScalarMixture bump = mixtureOf(0, 0.7);
        CHECK(layerSensitivity(bump, Activation::Relu, gain).chi() == doctest::Approx(1 / std::sqrt(1 - 1 / pi)).epsilon(1e-10));
        CHECK(layerSensitivity(bump, Activation::Abs, gain).chi() == doctest::Approx(1 / std::sqrt(1 - 2 / pi)).epsilon(1e-10));
        // Far apart, |x| folds both bumps onto one: χ = (1 + s²)^{1/2}/s.
        CHECK(layerSensitivity(mixtureOf(2, 0.1), Activation::Abs, gain).chi() == doctest::Approx(std::sqrt(1.01) / 0.1).epsilon(1e-10));
    }
    // Hard-tanh of gain 1 on N(0, 1): E φ′² = erf(1/√2), E φ² = that − 2·e^{−1/2}/√(2π) + 1 − that.
    const double inside = std::erf(std::sqrt(0.5)), square = inside - 2 * std::exp(-0.5) / std::sqrt(2 * pi) + 1 - inside;
    CHECK(layerSensitivity(mixtureOf(0, 1), Activation::HardTanh, 1).chi() == doctest::Approx(std::sqrt(inside / square)).epsilon(1e-10));
}

TEST_CASE("the mixture's moments, its mass and its grid agree") {
    for (const double share : {0.0, 0.2, 0.5, 1.0}) {
        const ScalarMixture mixture = mixtureOf(3, 0.4, share);
        const ScalarGrid grid = scalarGrid(mixture, 1, 801);
        double mean = 0, square = 0, sum = 0;
        for (std::size_t i = 0; i < grid.size(); ++i) {
            sum += grid.weight[i], mean += grid.weight[i] * grid.x[i], square += grid.weight[i] * grid.x[i] * grid.x[i];
            CHECK(grid.x[i] == -grid.x[grid.size() - 1 - i]);
        }
        CHECK(sum == doctest::Approx(1).epsilon(1e-13));
        CHECK(std::abs(mean - mixture.mean()) < 1e-4);
        CHECK(square - mean * mean == doctest::Approx(mixture.variance()).epsilon(1e-4));
        CHECK(mixture.mass(-50, 50) == doctest::Approx(1).epsilon(1e-14));
        CHECK(mixture.mass(0.3, 0.3001) == doctest::Approx(1e-4 * mixture.density(0.30005)).epsilon(1e-6));
    }
}

TEST_CASE("the curve's chords know χ: Propositions 5 and 6") {
    const ScalarMixture mixture = mixtureOf(2, 0.3);
    const ScalarGrid grid = scalarGrid(mixture, 0.4, 1201);
    for (const Activation phi : {Activation::Identity, Activation::Tanh, Activation::Relu, Activation::Abs, Activation::Sigmoid}) {
        const double exact = layerSensitivity(mixture, phi, 2).chi();
        const ScalarCurve curve = layerCurve(grid, phi, 2);
        CHECK(chiOfChords(mixture, grid, curve.y) == doctest::Approx(exact).epsilon(2e-3));
        CHECK(curveSensitivity(mixture, grid, curve).chi() == doctest::Approx(exact).epsilon(2e-3));
    }
}

TEST_CASE("small noise comes out as its first order says, large noise of a tanh smaller, and of a line exactly") {
    const ScalarMixture mixture = mixtureOf(2, 0.2);
    const ScalarGrid grid = scalarGrid(mixture, 2, 401);
    const ScalarCurve curve = layerCurve(grid, Activation::Tanh, 2);
    const auto tanh2 = [](double x) { return std::tanh(2 * x); };
    const Vector small = pushedNoise(grid.x, tanh2, 1e-4), large = pushedNoise(grid.x, tanh2, 0.5);
    const Vector line = pushedNoise(
        grid.x, [](double x) { return 3 * x - 1; }, 0.7);
    for (std::size_t i = 0; i < grid.size(); ++i) {
        CHECK(line[i] == doctest::Approx(2.1).epsilon(1e-12));
        if (curve.slope[i] > 1e-2) CHECK(small[i] == doctest::Approx(1e-4 * curve.slope[i]).epsilon(1e-3));
    }
    CHECK(large[200] < 0.8 * 0.5 * curve.slope[200]);
    // Against a plain sum over 20000 even steps.
    double sum = 0, weights = 0;
    for (int k = -10000; k <= 10000; ++k) {
        const double e = k * 6e-4, w = std::exp(-e * e / 2), change = std::tanh(2 * (grid.x[230] + 0.5 * e)) - std::tanh(2 * grid.x[230]);
        sum += w * change * change, weights += w;
    }
    CHECK(large[230] == doctest::Approx(std::sqrt(sum / weights)).epsilon(1e-4));
}

TEST_CASE("output densities are probabilities: of a line the mixture's own, of |x| folded, with ReLU's atom") {
    const ScalarMixture mixture = mixtureOf(2, 0.3);
    const ScalarGrid grid = scalarGrid(mixture, 0.4, 1201);
    for (const Activation phi : {Activation::Identity, Activation::Abs, Activation::Relu, Activation::Tanh, Activation::HardTanh}) {
        const OutputDensity out = outputDensity(mixture, grid, layerCurve(grid, phi, 2).y, 140);
        CHECK(std::accumulate(out.density.begin(), out.density.end(), 0.0) * out.width == doctest::Approx(1).epsilon(1e-12));
        for (std::size_t b = 5; b < 135; ++b) {
            const double a = out.at[b] - out.width / 2, z = out.at[b] + out.width / 2;
            if (phi == Activation::Identity) CHECK(out.density[b] * out.width == doctest::Approx(mixture.mass(a / 2, z / 2)).epsilon(0.02));
            if (phi == Activation::Abs && a > 0)
                CHECK(out.density[b] * out.width == doctest::Approx(2 * mixture.mass(a / 2, z / 2)).epsilon(0.02));
        }
        const double flat = phi == Activation::Relu ? 0.5 : phi == Activation::HardTanh ? 2 * mixture.mass(0.5, 50) : 0;
        CHECK(out.flat == doctest::Approx(flat).epsilon(0.01));
    }
    // A constant: all in one bin of some width.
    const OutputDensity constant = outputDensity(mixture, grid, Vector(grid.size(), 3.0), 9);
    CHECK(constant.flat == doctest::Approx(1));
    CHECK(constant.density[4] * constant.width == doctest::Approx(1));
}

TEST_CASE("a batch-normalised net is the one computed slowly, unit by unit, and its slopes are its derivatives") {
    const ScalarGrid grid = scalarGrid(mixtureOf(2, 0.4), 0.4, 201);
    const auto curves = batchNormCurves(grid, Activation::Relu, 7, 5, 12);
    REQUIRE(curves.size() == 6);
    SlowNet slow{grid, {}, {}, {}};
    for (int l = 0; l < 4; ++l) slow.addLayer(7, 12);
    for (std::size_t layer = 1; layer <= 5; ++layer) {
        const std::size_t in = layer == 1 ? 1 : 7;
        Rng rng(12, Purpose::Weights, 2 * layer + 1);
        Vector readout;
        for (std::size_t i = 0; i < in; ++i) readout.push_back(drawWeight(rng, std::sqrt(2.0 / static_cast<double>(in))));
        const auto value = [&](double x) {
            const Vector hidden = slow.hidden(x, layer - 1);
            return std::inner_product(hidden.begin(), hidden.end(), readout.begin(), 0.0);
        };
        double mean = 0, square = 0;
        for (std::size_t p = 0; p < grid.size(); ++p) {
            const double y = value(grid.x[p]);
            mean += grid.weight[p] * y, square += grid.weight[p] * y * y;
        }
        const double unit = 1 / std::sqrt(square - mean * mean + 1e-3);
        const ScalarCurve& curve = curves[layer];
        const double sign = (value(grid.x[150]) - mean) * curve.y[150] > 0 ? 1 : -1;
        for (std::size_t p = 1; p < 200; p += 3) {
            const double x = grid.x[p], h = 1e-6;
            CHECK(curve.y[p] == doctest::Approx(sign * unit * (value(x) - mean)).epsilon(1e-8));
            const double left = (value(x) - value(x - h)) / h, right = (value(x + h) - value(x)) / h;
            if (std::abs(left - right) < 1e-4) CHECK(curve.slope[p] == doctest::Approx(sign * unit * left).epsilon(1e-4));
        }
    }
}

TEST_CASE(
    "batch-normalised nets: the first curve is straight, outputs have variance 1, χ grows with depth, and layers hang on no later ones") {
    const ScalarMixture mixture = mixtureOf(2, 0.2);
    const ScalarGrid grid = scalarGrid(mixture, 0.4, 4801);
    Vector chi, progress{0};
    const auto curves = batchNormCurves(grid, Activation::Relu, 64, 20, 1, [&](const auto& sofar, double done) {
        CHECK(sofar.size() >= 2);
        CHECK(done >= progress.back());
        progress.push_back(done);
    });
    CHECK(progress.back() == 1);
    for (const ScalarCurve& curve : curves) {
        const auto of = curveSensitivity(mixture, grid, curve);
        chi.push_back(of.chi());
        if (chi.size() > 1) CHECK(of.variance == doctest::Approx(1).epsilon(0.01));
        // Deep curves turn within a step of the grid.
        if (chi.size() <= 12) CHECK(chiOfChords(mixture, grid, curve.y) == doctest::Approx(chi.back()).epsilon(0.03));
    }
    CHECK(chi[0] == doctest::Approx(1));
    CHECK(chi[1] == doctest::Approx(1));
    CHECK(chi[20] > 3);
    CHECK(chi[20] > chi[10]);
    const auto fewer = batchNormCurves(grid, Activation::Relu, 64, 3, 1);
    REQUIRE(fewer.size() == 4);
    CHECK(fewer[3].y == curves[3].y);
}

TEST_CASE("mixtures and grids that cannot be are refused in a sentence") {
    const double nan = std::nan("");
    for (const ScalarMixture& bad : {mixtureOf(-1, 1), mixtureOf(1, 0), mixtureOf(1, nan), mixtureOf(nan, 1), mixtureOf(1, 1, 1.5)})
        CHECK(isOneSentence(refusal([&] { scalarGrid(bad, 0, 11); })));
    CHECK(isOneSentence(refusal([] { scalarGrid({}, 0, 10); })));
    CHECK(isOneSentence(refusal([] { batchNormCurves(scalarGrid({}, 0, 11), Activation::Relu, 0, 3, 1); })));
}

TEST_CASE("scalar map: a grid shows a curve when slopes and chords tell the same, and not a jump between two of its points") {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
    for (const auto& [slopes, chords, shows] :
         {std::tuple{2.0, 2.5, true}, {2, 3, false}, {3, 2, false}, {0, 0.5, false}, {0, 0, true}, {inf, 1, false}, {nan, 1, false}})
        CHECK(stepShows(slopes, chords) == shows);
    const ScalarMixture mixture;
    const ScalarGrid grid = scalarGrid(mixture, 1, 401);
    ScalarCurve step{std::vector<double>(401), std::vector<double>(401)};
    for (std::size_t i = 0; i < 401; ++i) step.y[i] = grid.x[i] > 0.9 ? 1 : 0;
    const double slopes = curveSensitivity(mixture, grid, step).chi(), chords = chiOfChords(mixture, grid, step.y);
    CHECK(slopes == 0);
    CHECK(chords > 1);
    CHECK_FALSE(stepShows(slopes, chords));
}

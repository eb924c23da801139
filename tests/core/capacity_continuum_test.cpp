#include "core/capacity/nu_continuum.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/capacity/augmented_space.h"
#include "core/linalg/decompositions.h"
#include "support/reference.h"
#include "support/sentence.h"
#include "support/slow_continuum.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

ContinuumNetwork randomNetwork(const std::vector<Size>& units, Size free, Covariance covariance, std::uint64_t seed) {
    ContinuumNetwork network{covarianceMatrix(covariance, units[0], seed), {}, randomFreeDirections(units.back(), free, seed)};
    for (Size l = 1; l < units.size(); ++l) network.features.push_back(randomFeatures(units[l - 1], units[l], true, seed, l));
    return network;
}

ContinuumNetwork uniformRing(int extent, int layers, const Vector& kernel) {
    const auto n = static_cast<Size>(extent);
    ContinuumNetwork network{identityMatrix(n), std::vector<Matrix>(static_cast<Size>(layers), slow::ringFeatures(extent, kernel)),
                             Matrix(n, 1)};
    network.free(n / 2, 0) = 1;
    return network;
}

double varianceAboutCentre(const Vector& capacity) {
    double sum = 0;
    for (Size i = 0; i < capacity.size(); ++i) {
        const double offset = static_cast<double>(i) - static_cast<double>(capacity.size() / 2);
        sum += offset * offset * capacity[i];
    }
    return sum;
}

}  // namespace

TEST_CASE("one layer's capacities are those of the reference, for every ν, wide and narrow, correlated and not") {
    const auto cases = reference("case_11_nu_continuum.json");
    for (const auto& c : cases["cases"]) {
        const auto network = normalised({matrixFrom(c["Sigma"]), {matrixFrom(c["P"])}, matrixFrom(c["U"])});
        for (const auto& row : c["by_nu"]) {
            INFO("ν = " << row["nu"]);
            const auto result = continuumCapacity(network, row["nu"].get<double>());
            CHECK(largestDifference(result.capacity, row["kappa"].get<Vector>()) < 1e-9);
            CHECK(static_cast<double>(result.total) == doctest::Approx(row["total"].get<double>()));
            CHECK(total(result.capacity) == doctest::Approx(static_cast<double>(result.total)).epsilon(1e-9));
        }
        const auto end = continuumCapacity(network, 1.0);
        CHECK(largestDifference(end.capacity, directCapacity(network.sigma, network.features[0], network.free).capacity) < 1e-12);
    }
}

TEST_CASE("two layers' capacities are those of the reference, with a ν of each layer's own") {
    const auto c = reference("case_12_deep_nu.json");
    for (const auto& row : c["cases"]) {
        const Matrix sigma = row["Sigma"] == "I" ? identityMatrix(3) : matrixFrom(c["Sigma_AR"]);
        const auto network = normalised({sigma, {matrixFrom(c["P1"]), matrixFrom(c["P2"])}, matrixFrom(c["U"])});
        const auto kappa = continuumCapacity(network, row["nu"].get<Vector>()).capacity;
        CHECK(largestDifference(kappa, row["kappa"].get<Vector>()) < 1e-9);
    }
}

TEST_CASE("rings that count every copy have the reference's variances and peaks" * doctest::test_suite("long")) {
    const auto c = reference("case_12_deep_nu.json");
    for (const auto& row : c["ring33"]) {
        const auto kappa = continuumCapacity(uniformRing(33, row["L"], row["kernel"].get<Vector>()), row["nu"].get<double>()).capacity;
        CHECK(std::abs(varianceAboutCentre(kappa) - row["variance"].get<double>()) < 1e-9);
        CHECK(std::abs(kappa[16] - row["centre"].get<double>()) < 1e-9);
    }
    // A longer ring has the numbers of the spec's line for 48 layers: from 2L/3 towards L/3.
    const double nus[] = {0, 0.02, 0.05, 0.1, 0.5, 1}, variances[] = {32.000, 28.17, 21.27, 17.15, 16.13, 16.13};
    for (int k = 0; k < 6; ++k)
        CHECK(std::abs(varianceAboutCentre(continuumCapacity(uniformRing(129, 48, {1, 1, 1}), nus[k]).capacity) - variances[k]) < 0.01);
}

TEST_CASE("two passes over layers give what all paths in pairs give") {
    const std::vector<std::vector<Size>> shapes{{3, 4}, {5, 2}, {2, 3, 3}, {3, 3, 2}, {2, 2, 3, 2}, {4, 1, 3}};
    for (const auto& units : shapes)
        for (const auto covariance : {Covariance::Identity, Covariance::Ar1, Covariance::Random})
            for (Size free = 1; free <= units.back(); ++free) {
                const auto network = randomNetwork(units, free, covariance, 7 + free);
                Rng rng(free, Purpose::Data, 5);
                for (int trial = 0; trial < 3; ++trial) {
                    Vector nu;
                    for (Size l = 1; l < units.size(); ++l) nu.push_back(trial == 0 ? 0 : 0.9 * rng.uniform());
                    const auto fast = continuumCapacity(network, nu);
                    const auto slowly = slow::continuumCapacity(network.sigma, network.features, network.free, nu, false);
                    CHECK(largestDifference(fast.capacity, slowly) < 1e-9);
                    CHECK(fast.total == free);
                }
                const Vector linear(units.size() - 1, 1.0);
                CHECK(largestDifference(continuumCapacity(network, linear).capacity,
                                        slow::continuumCapacity(network.sigma, network.features, network.free, linear, false)) < 1e-9);
            }
}

TEST_CASE("at ν = 0 with independent inputs capacity is D_1 … D_L κ^φ") {
    const auto network = randomNetwork({5, 4, 6, 3}, 2, Covariance::Identity, 3);
    CHECK(largestDifference(continuumCapacity(network, 0.0).capacity, diffusedCapacity(network)) < 1e-14);
}

TEST_CASE("the total is the rank of U below 1 and falls at 1 to what a linear map can hold, and only there") {
    const auto wide = randomNetwork({3, 6}, 6, Covariance::Identity, 2);
    for (const double nu : {0.0, 0.3, 0.9, 0.999, 0.9999, 0.99999}) CHECK(continuumCapacity(wide, nu).total == 6);
    CHECK(continuumCapacity(wide, 1.0).total == 3);
    CHECK(largestDifference(continuumCapacity(wide, 1.0).capacity, {1, 1, 1}) < 1e-14);
    const auto narrow = randomNetwork({6, 3}, 3, Covariance::Ar1, 2);
    CHECK(continuumCapacity(narrow, 0.5).total == 3);
    CHECK(continuumCapacity(narrow, 1.0).total == 3);
    // Without a jump the end is the limit.
    CHECK(largestDifference(continuumCapacity(narrow, 0.99999).capacity, continuumCapacity(narrow, 1.0).capacity) < 1e-4);
    // A bottleneck of two units in the middle holds two directions of three.
    const auto bottleneck = randomNetwork({4, 2, 5}, 3, Covariance::Identity, 2);
    CHECK(continuumCapacity(bottleneck, 0.5).total == 3);
    CHECK(continuumCapacity(bottleneck, 1.0).total == 2);
}

TEST_CASE("sixteen layers of 64 units keep their total, ν = 1 included, where the product's own singular values span many decades") {
    const auto network = randomNetwork(std::vector<Size>(17, 64), 48, Covariance::Random, 4);
    for (const double nu : {0.0, 0.01, 0.125, 0.9, 0.999, 1.0}) {
        const auto result = continuumCapacity(network, nu);
        CHECK(result.total == 48);
        CHECK(total(result.capacity) == doctest::Approx(48).epsilon(1e-6));
        for (double kappa : result.capacity) CHECK(kappa >= 0);
    }
}

TEST_CASE("dead units and unnormalised columns are the normalised network's business") {
    auto network = randomNetwork({3, 4, 3}, 3, Covariance::Identity, 5);
    for (Size i = 0; i < 3; ++i) network.features[0](i, 2) = 0;
    for (Size i = 0; i < 4; ++i) {
        network.features[1](i, 0) *= 7;
        network.features[1](i, 1) = 0;
    }
    const auto unit = normalised(network);
    CHECK(unit.free.columns == 2);
    const auto result = continuumCapacity(unit, 0.5);
    CHECK(result.total == 2);
    CHECK(total(result.capacity) == doctest::Approx(2));
    CHECK(largestDifference(result.capacity, slow::continuumCapacity(unit.sigma, unit.features, unit.free, {0.5, 0.5}, false)) < 1e-9);
}

TEST_CASE("a layer's capacity is that of the network above it with independent inputs") {
    for (const Size free : {1u, 2u})
        for (const double nu : {0.0, 0.3, 1.0}) {
            const auto network = randomNetwork({4, 3, 5, 3}, free, Covariance::Ar1, 6);
            const auto layers = layerCapacities(network, nu, continuumCapacity(network, nu).capacity);
            REQUIRE(layers.size() == 4);
            for (Size l = 1; l < 3; ++l) {
                const ContinuumNetwork above{identityMatrix(network.features[l].rows),
                                             {network.features.begin() + static_cast<std::ptrdiff_t>(l), network.features.end()},
                                             network.free};
                CHECK(largestDifference(layers[l], continuumCapacity(above, nu).capacity) < 1e-12);
            }
            for (const auto& layer : layers) {
                CHECK(total(layer) == doctest::Approx(static_cast<double>(free)));
                for (double kappa : layer) CHECK(kappa >= 0);
            }
            const auto projector = slowProduct(network.free, transposed(network.free));
            for (Size j = 0; j < 3; ++j) CHECK(layers[3][j] == doctest::Approx(projector(j, j)));
        }
}

TEST_CASE("with one learned direction capacity is the mixture of the two ends in the shares g |ΣPu|² and h Σ (ΣP∘ΣP)(u∘u)") {
    const auto network = randomNetwork({5, 4}, 1, Covariance::Random, 8);
    const Matrix sp = slowProduct(network.sigma, network.features[0]), spu = slowProduct(sp, network.free);
    double coherent = 0, dephased = 0;
    for (Size i = 0; i < 5; ++i) {
        coherent += spu(i, 0) * spu(i, 0);
        for (Size j = 0; j < 4; ++j) dephased += sp(i, j) * sp(i, j) * network.free(j, 0) * network.free(j, 0);
    }
    const Vector start = continuumCapacity(network, 0.0).capacity, end = continuumCapacity(network, 1.0).capacity;
    CHECK(changedShare(start, start, end) == doctest::Approx(0));
    CHECK(changedShare(end, start, end) == doctest::Approx(1));
    CHECK(std::isnan(changedShare(end, end, end)));
    for (double nu = 0; nu < 1; nu += 0.05) {
        const double g = 4 * nu * nu + 2 * nu * (1 - nu), h = (1 - nu) * (1 - nu);
        const double share = g * coherent / (g * coherent + h * dephased);
        const auto kappa = continuumCapacity(network, nu).capacity;
        CHECK(changedShare(kappa, start, end) == doctest::Approx(share).epsilon(1e-10));
        for (Size i = 0; i < 5; ++i) CHECK(kappa[i] == doctest::Approx((1 - share) * start[i] + share * end[i]).epsilon(1e-12));
    }
}

TEST_CASE("layers that do not fit and coefficients outside [0, 1] are refused") {
    const auto network = randomNetwork({3, 4, 2}, 1, Covariance::Identity, 1);
    CHECK(isOneSentence(refusal([&] { continuumCapacity(network, -0.1); })));
    CHECK(isOneSentence(refusal([&] { continuumCapacity(network, std::nan("")); })));
    CHECK(isOneSentence(refusal([&] { continuumCapacity(network, Vector{0.5}); })));
    auto broken = network;
    broken.features.pop_back();
    CHECK(isOneSentence(refusal([&] { normalised(broken); })));
    broken.features.clear();
    CHECK(isOneSentence(refusal([&] { normalised(broken); })));
}

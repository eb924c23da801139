#include "core/capacity/deep_limit.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/matrices.h"
#include "support/reference.h"
#include "support/sentence.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

/// e^Δ δ by its Taylor series on a window that nothing leaves to rounding.
LatticeDistribution taylorFlow(const LimitKernel& kernel, int halfWidth) {
    Vector term(static_cast<std::size_t>(2 * halfWidth + 1)), sum;
    term[static_cast<std::size_t>(halfWidth)] = 1;
    sum = term;
    for (int n = 1; n < 150; ++n) {
        Vector next(term.size());
        for (int x = 0; x < static_cast<int>(term.size()); ++x)
            for (int k = -kernel.reach(); k <= kernel.reach(); ++k) {
                const double rate = k == 0 ? 0 : kernel.rates[static_cast<std::size_t>(k + kernel.reach())];
                const double moved = rate * term[static_cast<std::size_t>(x)] / n;
                next[static_cast<std::size_t>(x)] -= moved;
                if (x + k >= 0 && x + k < static_cast<int>(next.size())) next[static_cast<std::size_t>(x + k)] += moved;
            }
        term = next;
        for (std::size_t x = 0; x < sum.size(); ++x) sum[x] += term[x];
    }
    return {-halfWidth, sum};
}

}  // namespace

TEST_CASE("chains of the reference: mean, variance, masses and their distance to the Gaussian") {
    // Total variation and largest difference to the Gaussian on cells, summed beside by a program of its own, in the order of the cases.
    const double distances[][2] = {{0.0019893853092155973, 0.0004157914052430739},
                                   {0.010868953961464952, 0.0026527808998377256},
                                   {0.08005373000396716, 0.0749902711461855},
                                   {0.0014018882160792478, 0.00020560094794910833}};
    std::size_t which = 0;
    const auto c14 = reference("case_14_pde_limit.json");
    for (const auto& c : c14["cases"]) {
        INFO(c.dump().substr(0, 100));
        const auto kernel = threePointKernel(c["b_right"], c["a_left"]);
        const int layers = c["L"];
        const auto chain = latticeChain(kernel, residualStep(layers, 0.5), layers);
        CHECK(kernel.drift() == doctest::Approx(c["v"].get<double>()));
        CHECK(kernel.diffusion() == doctest::Approx(c["Dcoef"].get<double>()));
        CHECK(chain.mean() == doctest::Approx(c["mean"].get<double>()).epsilon(1e-9));
        CHECK(chain.variance() == doctest::Approx(c["variance"].get<double>()).epsilon(1e-9));
        const auto around = c["kappa0_from_centre_minus5_to_5"].get<Vector>();
        for (int x = -5; x <= 5; ++x) CHECK(chain.at(x) == doctest::Approx(around[static_cast<std::size_t>(x + 5)]).epsilon(1e-9));
        const auto gaussian = limitGaussian(kernel, 1);
        CHECK(totalVariation(chain, gaussian) == doctest::Approx(distances[which][0]).epsilon(1e-8));
        CHECK(gaussian.total() == doctest::Approx(1).epsilon(1e-14));
        CHECK(gaussian.variance() == doctest::Approx(c["pde_variance"].get<double>() + 1.0 / 12).epsilon(1e-8));
        double farthest = 0;
        for (int x = gaussian.first; x < gaussian.first + static_cast<int>(gaussian.mass.size()); ++x)
            farthest = std::max(farthest, std::abs(chain.at(x) - gaussian.at(x)));
        CHECK(farthest == doctest::Approx(distances[which++][1]).epsilon(1e-8));
    }
}

TEST_CASE("chains have the mean and variance of a walk and keep their total, at any depth and kernel") {
    const LimitKernel kernels[] = {threePointKernel(10, 10), threePointKernel(8, 4), threePointKernel(0.5, 0), {{0.2, 1, 7, 0.5, 2}}};
    for (const auto& kernel : kernels)
        for (const int layers : {20, 100, 2000}) {
            const double step = residualStep(layers, 0.5), v = kernel.drift();
            const auto chain = latticeChain(kernel, std::min(step, 1 / kernel.total()), layers);
            const double taken = std::min(step, 1 / kernel.total());
            CHECK(chain.total() == doctest::Approx(1).epsilon(1e-12));
            CHECK(std::abs(chain.mean() - layers * taken * v) < 1e-10);
            CHECK(chain.variance() == doctest::Approx(layers * (2 * taken * kernel.diffusion() - taken * taken * v * v)).epsilon(1e-10));
        }
}

TEST_CASE("v and 𝒟 are read off the kernel, whose middle entry does not count") {
    CHECK(threePointKernel(10, 4).drift() == 6);
    CHECK(threePointKernel(10, 4).diffusion() == 7);
    const auto kernel = kernelOfWeights({0.5, 9, 1});
    CHECK(kernel.drift() == 0.75);
    CHECK(kernel.diffusion() == 0.625);
    CHECK(kernel.total() == 1.25);
    CHECK(LimitKernel{{3}}.total() == 0);
    CHECK(latticeChain({{3}}, 0.5, 10).mass == Vector{1});
}

TEST_CASE("a step that moves everything leaves nothing behind, and no step nothing moved") {
    const auto chain = latticeChain(threePointKernel(1, 0), 1, 7);
    CHECK(chain.at(7) == 1);
    CHECK(chain.total() == 1);
    CHECK(latticeChain(threePointKernel(3, 2), 0, 50).at(0) == 1);
    CHECK(latticeChain(threePointKernel(3, 2), 0.1, 0).at(0) == 1);
}

TEST_CASE("the Kolmogorov flow is the exponential's series, a semigroup, with mean v and variance 2𝒟") {
    for (const LimitKernel& kernel : {threePointKernel(1, 2), threePointKernel(0.5, 0), LimitKernel{{0.2, 1, 0, 0.5, 2}}}) {
        const auto flow = kolmogorovFlow(kernel, 1), series = taylorFlow(kernel, 70);
        CHECK(totalVariation(flow, series) < 1e-13);
        CHECK(flow.total() == doctest::Approx(1).epsilon(1e-14));
        CHECK(std::abs(flow.mean() - kernel.drift()) < 1e-12);
        CHECK(flow.variance() == doctest::Approx(2 * kernel.diffusion()).epsilon(1e-12));
    }
    // Twice the time: the convolution with itself.
    const auto kernel = threePointKernel(6, 9);
    const auto half = kolmogorovFlow(kernel, 0.5), whole = kolmogorovFlow(kernel, 1);
    LatticeDistribution twice{2 * half.first, Vector(2 * half.mass.size() - 1)};
    for (std::size_t a = 0; a < half.mass.size(); ++a)
        for (std::size_t b = 0; b < half.mass.size(); ++b) twice.mass[a + b] += half.mass[a] * half.mass[b];
    CHECK(totalVariation(twice, whole) < 1e-13);
    CHECK(kolmogorovFlow(kernel, 0).at(0) == 1);
    // One direction only: the Poisson distribution.
    const auto poisson = kolmogorovFlow(threePointKernel(3, 0), 1);
    CHECK(poisson.at(0) == doctest::Approx(std::exp(-3.0)).epsilon(1e-13));
    CHECK(poisson.at(4) == doctest::Approx(std::exp(-3.0) * 81 / 24).epsilon(1e-13));
    // Large rates neither underflow nor lose mass.
    const auto large = kolmogorovFlow(threePointKernel(3000, 2000), 1);
    CHECK(large.total() == doctest::Approx(1).epsilon(1e-12));
    CHECK(large.mean() == doctest::Approx(1000).epsilon(1e-10));
    CHECK(large.variance() == doctest::Approx(5000).epsilon(1e-9));
}

TEST_CASE("the chain's distance to the flow falls as 1/L, with the slope that the second order gives") {
    for (const LimitKernel& kernel : {threePointKernel(10, 10), threePointKernel(8, 4), threePointKernel(0.5, 0.5)}) {
        const auto flow = kolmogorovFlow(kernel, 1);
        const double slope = totalVariationSlope(kernel, 0);
        double last = 1e9;
        for (const int layers : {200, 800, 3200}) {
            const double scaled = layers * totalVariation(latticeChain(kernel, residualStep(layers, 0.5), layers), flow);
            const double miss = std::abs(scaled / slope - 1);
            // The next order is 1/L as well: four times the depth, a quarter of what is missing.
            CHECK(miss < last / 3);
            last = miss;
        }
        CHECK(last < 0.02);
    }
    const Vector p{0.6, 1.2, 0.8};
    const double norm = 0.36 + 1.44 + 0.64;
    const auto kernel = kernelOfWeights(p);
    const double scaled = 4000 * totalVariation(latticeChain(kernel, differentialStep(4000, 0.5, norm), 4000), kolmogorovFlow(kernel, 1));
    CHECK(scaled == doctest::Approx(totalVariationSlope(kernel, norm)).epsilon(0.01));
}

TEST_CASE("only the exponent one half has a limit: smaller ones blow up, larger ones stand still") {
    const auto kernel = threePointKernel(1, 1);
    const auto variance = [&](int layers, double exponent) {
        return latticeChain(kernel, residualStep(layers, exponent), layers).variance();
    };
    CHECK(variance(100, 0.5) == doctest::Approx(2));
    CHECK(variance(1600, 0.5) == doctest::Approx(2));
    CHECK(variance(1600, 0.25) / variance(100, 0.25) == doctest::Approx(4));
    CHECK(variance(1600, 1) / variance(100, 1) == doctest::Approx(1.0 / 16));
}

TEST_CASE("the Gaussian stands on the cells of the integers with mean vt, variance 2𝒟t and a cell's own, and sums to 1") {
    const auto gaussian = limitGaussian(threePointKernel(8, 4), 2);
    CHECK(gaussian.mean() == doctest::Approx(8).epsilon(1e-10));
    CHECK(gaussian.variance() == doctest::Approx(24 + 1.0 / 12).epsilon(1e-10));
    CHECK(gaussian.at(8) == doctest::Approx(std::erf(0.5 / std::sqrt(48.0))).epsilon(1e-12));
    // As density at the integers it summed to 3.99 here.
    CHECK(limitGaussian(threePointKernel(0.005, 0.005), 1).total() == doctest::Approx(1).epsilon(1e-14));
    CHECK(limitGaussian(threePointKernel(0.005, 0.005), 1).at(0) == doctest::Approx(std::erf(5 / std::sqrt(2.0))).epsilon(1e-12));
    CHECK(limitGaussian(threePointKernel(8, 4), 0).at(0) == 1);
    CHECK(limitGaussian({{5}}, 1).at(0) == 1);
}

TEST_CASE("the total variation distance is that of hand-made distributions, wherever they stand") {
    using Masses = LatticeDistribution;
    CHECK(totalVariation(Masses{0, {0.5, 0.5}}, Masses{1, {0.5, 0.5}}) == 0.5);
    CHECK(totalVariation(Masses{-3, {1}}, Masses{4, {1}}) == 1);
    CHECK(totalVariation(Masses{2, {0.2, 0.8}}, Masses{2, {0.2, 0.8}}) == 0);
}

TEST_CASE("kernels and depths that make no chain are refused in a sentence") {
    CHECK(isOneSentence(refusal([] { latticeChain(threePointKernel(10, 10), residualStep(10, 0.5), 10); })));
    CHECK(isOneSentence(refusal([] { latticeChain(threePointKernel(-1, 1), 0.1, 10); })));
    CHECK(isOneSentence(refusal([] { latticeChain({{1, 1}}, 0.1, 10); })));
    CHECK(isOneSentence(refusal([] { latticeChain(threePointKernel(1, 1), 0.5, 2000000000); })));
    CHECK(isOneSentence(refusal([] { kolmogorovFlow(threePointKernel(1e9, 1), 1); })));
    CHECK(isOneSentence(refusal([] { kolmogorovFlow(threePointKernel(1, 1), -1); })));
    CHECK(isOneSentence(refusal([] { kolmogorovFlow(threePointKernel(NAN, 1), 1); })));
    CHECK(isOneSentence(refusal([] { limitGaussian(threePointKernel(1e12, 1), 1); })));
    CHECK(isOneSentence(refusal([] { kernelOfWeights({1, 1}); })));
}

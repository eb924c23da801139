#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/base/rng.h"
#include "core/moments/moment_fits.h"
#include "support/median_error.h"
#include "support/sentence.h"

using namespace kappaflow;
using doctest::Approx;
using Curve = std::vector<double>;

namespace {

Curve curveOf(std::size_t layers, double (*value)(double)) {
    Curve curve;
    for (std::size_t l = 0; l <= layers; ++l) curve.push_back(value(static_cast<double>(l)));
    return curve;
}

Curve constantly(std::size_t layers, double value) { return Curve(layers + 1, value); }

}  // namespace

TEST_CASE("moments: slopes are least squares', rates and exponents are read over their range alone") {
    CHECK(fitSlope(Curve{1, 2, 3, 4}, Curve{1, 3, 2, 5}) == Approx(1.1));
    const Curve exponential = curveOf(40, [](double l) { return l < 10 ? 0 : 0.2 * (l - 10); });
    CHECK(exponentialRate(exponential, 10, 99) == Approx(0.2));
    const Curve power = curveOf(40, [](double l) { return l < 1 ? 0 : 0.55 * std::log(l) + 0.3; });
    CHECK(powerLaw(power, 1, 40) == Approx(0.55));
    CHECK(powerLaw(power, 10, 20) == Approx(0.55));
    Curve chi;
    for (const double value : power) chi.push_back(std::exp(value));
    CHECK(powerLawAmplitude(chi, 0.55) == Approx(std::exp(0.3)));
    const std::function<void()> refused[] = {[] {
                                                 fitSlope(Curve{1, 1}, Curve{1, 2});
                                             },
                                             [] { fitSlope(Curve{1}, Curve{1}); },
                                             [] {
                                                 fitSlope(Curve{1, 2}, Curve{1, std::nan("")});
                                             },
                                             [&] { powerLaw(power, 0, 40); },
                                             [&] { exponentialRate(power, 40, 40); },
                                             [] { exponentialRate({}, 0, 1); },
                                             [] { powerLawAmplitude(Curve{1}, 0.5); }};
    for (const auto& action : refused) CHECK(isOneSentence(refusal(action)));
}

TEST_CASE("moments: medians, percentiles and bands of draws, and the bootstrap's error of a gaussian median") {
    CHECK(median({3, 1, 2}) == 2);
    CHECK(median({4, 1, 2, 3}) == 2.5);
    CHECK(quantile({0, 10}, 0.16) == Approx(1.6));
    CHECK(std::isnan(median({})));
    const DrawBand band = drawBand(Curve{1, 2, 3, 4, 5});
    CHECK(band.mean == 3);
    CHECK(band.standardError == Approx(std::sqrt(0.5)));
    CHECK(band.low == Approx(1.64));
    CHECK(band.high == Approx(4.36));
    CHECK(band.draws == 5);
    CHECK(std::isnan(drawBand(Curve{1}).standardError));
    CHECK(std::isnan(drawBand({}).mean));
    CHECK(meanOf(Curve{1, 2, 6}) == 3);
    CHECK(errorOfMean(Curve{1, 2, 6}) == Approx(std::sqrt(14.0 / 6)));
    CHECK(std::isnan(meanOf({})));
    CHECK(std::isnan(errorOfMean(Curve{1})));
    Rng rng(1, Purpose::Data);
    Curve values(401);
    for (double& v : values) v = rng.gaussian();
    // √(π/2)/√n
    CHECK(bootstrapMedianError(values, 1) == Approx(1.2533 / std::sqrt(401.0)).epsilon(0.3));
}

TEST_CASE("moments: pathologies follow from numbers: each alone, all at once, none for a power law") {
    const std::size_t L = 100;
    const Curve healthy = constantly(L, 0.6), wide = constantly(L, 15), power = curveOf(L, [](double l) { return 0.6 * std::log1p(l); }),
                exploding = curveOf(L, [](double l) { return 0.16 * l; }),
                line = curveOf(L, [](double l) { return 1 + 20 * std::exp(-l / 10); }),
                bounded = curveOf(L, [](double l) { return 1 - std::exp(-l / 10); }),
                point = curveOf(L, [](double l) { return 0.5 * std::exp(-0.2 * l); });
    struct Case {
        Curve ratio, rank, logChi;
        bool zero = false, one = false, explodes = false;
    };
    const Case cases[] = {{healthy, wide, power},
                          {healthy, {}, power},
                          {healthy, wide, exploding, false, false, true},
                          {healthy, line, bounded, false, true},
                          {point, wide, bounded, true},
                          {constantly(L, 1e-5), wide, bounded, true},
                          // A plateau set by the norms of white data in 128 dimensions is no point.
                          {constantly(L, 1.0 / 256), wide, bounded},
                          {point, line, exploding, true, true, true},
                          // Short power laws grow fast, but slow down.
                          {constantly(16, 0.6), constantly(16, 9), curveOf(16, [](double l) { return 0.6 * std::log1p(l); })}};
    for (const Case& c : cases) {
        const Pathologies found = namePathologies(c.ratio, c.rank, c.logChi);
        CAPTURE(&c - cases);
        CHECK(found.zeroDimensional == c.zero);
        CHECK(found.oneDimensional == c.one);
        CHECK(found.exploding == c.explodes);
    }
    const Case refused[] = {{constantly(5, 1), {}, constantly(5, 1)},
                            {healthy, wide, constantly(50, 1)},
                            {constantly(L, 0), wide, power},
                            {healthy, wide, constantly(L, std::numeric_limits<double>::quiet_NaN())}};
    for (const Case& c : refused) CHECK(isOneSentence(refusal([&] { namePathologies(c.ratio, c.rank, c.logChi); })));
}

TEST_CASE("Signs within 2.5 standard errors of their limits are uncertain, and the errors are those of repeated walks") {
    const auto chi = [](double rate) {
        Curve curve(41);
        for (std::size_t l = 0; l <= 40; ++l) curve[l] = rate * static_cast<double>(l);
        return curve;
    };
    const Curve healthy = constantly(40, 0.5), wide = constantly(40, 9);
    const auto explosion = [&](double rate, double error, double overEarlier) {
        return namePathologies(healthy, wide, chi(rate), {0, 0, 0, error, overEarlier}).explodingUncertain;
    };
    CHECK_FALSE(explosion(0.04, 0, 0));
    CHECK(explosion(0.04, 0.005, 0.001));
    CHECK_FALSE(explosion(0.04, 0.003, 0.001));
    CHECK_FALSE(explosion(0.001, 0.005, 0.5));
    CHECK(namePathologies(healthy, constantly(40, 1.3), chi(0), {0, 0, 0.03, 0, 0}).oneUncertain);
    CHECK_FALSE(namePathologies(healthy, wide, chi(0), {0, 0, 0.03, 0, 0}).oneUncertain);
    CHECK(namePathologies(constantly(40, 1.2e-4), wide, chi(0), {0.1, 0, 0, 0, 0}).zeroUncertain);
    // 600 experiments of four random walks: the spread of the mean's rate beside the stated errors, which take the larger of two.
    Rng rng(5, Purpose::Data);
    double sum = 0, square = 0, stated = 0;
    for (int experiment = 0; experiment < 600; ++experiment) {
        std::vector<std::vector<double>> walks(4, std::vector<double>(41));
        double rate = 0;
        for (auto& walk : walks) {
            for (std::size_t l = 1; l <= 40; ++l) walk[l] = walk[l - 1] + 0.2 * rng.gaussian();
            rate += exponentialRate(walk, 20, 40) / 4;
        }
        sum += rate;
        square += rate * rate;
        stated += errorsOfSigns(walks, {}, walks, 40).rate;
    }
    const double spread = std::sqrt(square / 600 - sum / 600 * (sum / 600));
    CAPTURE(spread);
    CHECK(stated / 600 > 0.95 * spread);
    CHECK(stated / 600 < 1.5 * spread);
}

#include <doctest/doctest.h>

#include "core/capacity/capacity_network.h"
#include "support/networks.h"

using namespace kappaflow;

namespace {

/// x plus the mean of its three neighbours, zeros beyond the ends.
Layer smoothing(bool countsPadding) {
    Layer mean = windowLayer<AveragePool>({1, 1, 4}, 1, window1d(3, 1, 1, 1, 1, Padding::Zero));
    mean.as<AveragePool>().countsPadding = countsPadding;
    return residualBlock({1, 1, 4}, {mean});
}

double shareOf(const CapacityLayer& D, std::size_t unit, std::size_t input) {
    double share = 0;
    for (std::size_t e = D.start[unit]; e < D.start[unit + 1]; ++e)
        if (D.entries[e].input == input) share += D.entries[e].share;
    return share;
}

}  // namespace

TEST_CASE("a mean that counts padding weighs less at the border of a residual block") {
    // Skip 1 against the branch's squared norm: two cells of 1/2 each, or of 1/3 each.
    CHECK(shareOf(capacityLayer(smoothing(false)), 0, 1) == doctest::Approx(0.5 / 1.5 / 2).epsilon(1e-14));
    CHECK(shareOf(capacityLayer(smoothing(true)), 0, 1) == doctest::Approx(2.0 / 9 / (11.0 / 9) / 2).epsilon(1e-14));
    // In the middle all three cells count either way.
    for (bool counts : {false, true}) CHECK(shareOf(capacityLayer(smoothing(counts)), 1, 0) == doctest::Approx(0.25 / 3).epsilon(1e-14));
    double lost = 0;
    const auto below = propagate(smoothing(true), {1, 0, 0, 0}, lost);
    CHECK(below[1] == doctest::Approx(1.0 / 11).epsilon(1e-14));
    CHECK(lost == 0);
}

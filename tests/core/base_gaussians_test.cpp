#include <doctest/doctest.h>

#include <vector>

#include "core/base/rng.h"

using namespace kappaflow;

TEST_CASE("A block of gaussians is what as many calls give, to the bit, and leaves the generator where they do") {
    for (const std::size_t count : {std::size_t{0}, std::size_t{2}, std::size_t{63}, std::size_t{64}, std::size_t{66}, std::size_t{6400}}) {
        Rng block(7, Purpose::Weights, count), single(7, Purpose::Weights, count);
        std::vector<double> values(count + 1, 5.0);
        fillGaussian(block, values.data(), count);
        for (std::size_t i = 0; i < count; ++i) CHECK(values[i] == single.gaussian());
        CHECK(values[count] == 5.0);
        CHECK(block.bits() == single.bits());
    }
}

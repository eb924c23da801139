#include <doctest/doctest.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/net/data_sets.h"
#include "support/bits.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

constexpr DataSet kSets[] = {DataSet::Spirals, DataSet::Moons, DataSet::Circles, DataSet::Checkerboard};

double radius(const Matrix& p, std::size_t s) { return std::sqrt(p(0, s) * p(0, s) + p(1, s) * p(1, s)); }

}  // namespace

TEST_CASE("data sets are balanced, standardised, and follow from their seed") {
    for (const DataSet set : kSets) {
        CAPTURE(dataSetKey(set));
        CHECK(dataSetFromKey(dataSetKey(set)) == set);
        for (const std::size_t samples : {2, 3, 101, 400}) {
            const LabelledPoints drawn = drawDataSet(set, samples, 0.1, 7);
            REQUIRE(drawn.points.columns == samples);
            REQUIRE(drawn.classes.size() == 2);
            std::size_t second = 0;
            for (const int label : drawn.labels) second += label == 1;
            CHECK(second == samples / 2);
            for (std::size_t r = 0; r < 2; ++r) {
                double sum = 0, squares = 0;
                for (std::size_t s = 0; s < samples; ++s) sum += drawn.points(r, s), squares += drawn.points(r, s) * drawn.points(r, s);
                CHECK(std::abs(sum) < 1e-11);
                CHECK(squares == doctest::Approx(static_cast<double>(samples)).epsilon(1e-12));
            }
            CHECK(drawDataSet(set, samples, 0.1, 7).points.values == drawn.points.values);
            // Two points are always one standard deviation to either side.
            if (samples > 2) CHECK(drawDataSet(set, samples, 0.1, 8).points.values != drawn.points.values);
        }
    }
}

TEST_CASE("without noise circles have two radii, one half of the other") {
    const LabelledPoints c = drawDataSet(DataSet::Circles, 2000, 0, 3);
    // Standardising moves and stretches the rings a little: the mean of 2000 points has a standard error below 0.03.
    double outer = 0, inner = 0;
    for (std::size_t s = 0; s < 2000; ++s) (c.labels[s] == 0 ? outer : inner) += radius(c.points, s) / 1000;
    CHECK(inner / outer == doctest::Approx(0.5).epsilon(0.02));
}

TEST_CASE("without noise the classes of the checkerboard are told apart by the squares' parity") {
    const LabelledPoints c = drawDataSet(DataSet::Checkerboard, 3000, 0, 3);
    // Uniform on [−1, 1] has standard deviation 1/√3: undone here, up to 4 standard errors of the mean and deviation, which only
    // points close to an edge of a square notice.
    int wrong = 0, counted = 0;
    for (std::size_t s = 0; s < 3000; ++s) {
        const double x = (c.points(0, s) / std::sqrt(3.0) + 1) * 2, y = (c.points(1, s) / std::sqrt(3.0) + 1) * 2;
        if (std::abs(x - std::round(x)) < 0.15 || std::abs(y - std::round(y)) < 0.15) continue;
        ++counted;
        wrong += (static_cast<int>(std::floor(x)) + static_cast<int>(std::floor(y))) % 2 != c.labels[s];
    }
    CHECK(counted > 1000);
    CHECK(wrong == 0);
}

TEST_CASE("without noise no point of one spiral lies on the other") {
    const LabelledPoints c = drawDataSet(DataSet::Spirals, 1000, 0, 3);
    double nearest = 1e9;
    for (std::size_t a = 0; a < 1000; ++a)
        for (std::size_t b = 0; b < 1000; ++b)
            if (c.labels[a] != c.labels[b] && radius(c.points, a) > 0.5)
                nearest = std::min(nearest, std::hypot(c.points(0, a) - c.points(0, b), c.points(1, a) - c.points(1, b)));
    // Half a turn of r ∝ angle apart: a third of the radius, which is 2 after standardising; across the slanting arms a little less.
    CHECK(nearest > 0.4);
    CHECK(nearest < 0.75);
}

TEST_CASE("noise widens a set by its own variance") {
    // The variance of one coordinate of circles is (1 + 1/4)/4 = 0.3125 without noise; of the raw shifts nothing is left to see after
    // standardising but the rings' spread: radius deviation over mean radius of the outer ring.
    const LabelledPoints c = drawDataSet(DataSet::Circles, 20000, 0.1, 3);
    double sum = 0, squares = 0, n = 0;
    for (std::size_t s = 0; s < 20000; ++s)
        if (c.labels[s] == 0) sum += radius(c.points, s), squares += radius(c.points, s) * radius(c.points, s), ++n;
    const double mean = sum / n, spread = std::sqrt(squares / n - mean * mean);
    // Relative standard error of a deviation from 10⁴ draws: 0.7 %; the second order of the radius adds 0.5 %.
    CHECK(spread / mean == doctest::Approx(0.1).epsilon(0.035));
}

TEST_CASE("standardising leaves a coordinate without spread at 0") {
    Matrix p(2, 3, {0.1, 0.1, 0.1, 1, 2, 3});
    standardise(p);
    CHECK(p(0, 0) == 0);
    CHECK(p(0, 2) == 0);
    CHECK(p(1, 2) == doctest::Approx(std::sqrt(1.5)));
}

TEST_CASE("sets that cannot be drawn are refused in a sentence") {
    CHECK(isOneSentence(refusal([] { drawDataSet(DataSet::Moons, 1, 0, 1); })));
    CHECK(isOneSentence(refusal([] { drawDataSet(DataSet::Moons, kMaxSamples + 1, 0, 1); })));
    for (const double noise : {-0.1, 11.0, double(NAN), double(INFINITY)})
        CHECK(isOneSentence(refusal([=] { drawDataSet(DataSet::Moons, 10, noise, 1); })));
    CHECK(isOneSentence(refusal([] { dataSetFromKey("swiss-roll"); })));
}

// Recorded from one platform; another must not differ in a bit.
TEST_CASE("data sets have these bits everywhere") {
    std::uint64_t mixed = 0;
    for (const DataSet set : kSets)
        for (const double x : drawDataSet(set, 500, 0.1, 4).points.values) {
            mixed ^= bitsOf(x);
            mixed = splitmix64(mixed);
        }
    CHECK(mixed == 13327181363611125356u);
}

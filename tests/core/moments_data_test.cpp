#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/moments/moment_data.h"
#include "core/moments/moment_propagation.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

MomentNet denseNet(std::size_t inputs) {
    MomentNet net;
    net.inputs = net.width = inputs;
    return net;
}

MomentNet convolutional(int dimensions, std::size_t extent, std::size_t inputs) {
    MomentNet net = denseNet(inputs);
    net.dimensions = dimensions;
    net.extent = extent;
    net.taps = 3;
    return net;
}

struct MeanAndVariance {
    double mean, variance;
};
MeanAndVariance spreadOf(const Matrix& values, std::size_t column) {
    double sum = 0, squares = 0;
    for (std::size_t r = 0; r < values.rows; ++r) sum += values(r, column), squares += values(r, column) * values(r, column);
    const double mean = sum / static_cast<double>(values.rows);
    return {mean, squares / static_cast<double>(values.rows) - mean * mean};
}

double correlation(const Matrix& values, std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t r = 0; r < values.rows; ++r) sum += values(r, a) * values(r, b);
    return sum / static_cast<double>(values.rows);
}

/// Image i: red i mod 256 everywhere, green the column, blue the row.
ImageSet ramps(std::size_t count, std::size_t side) {
    ImageSet set{count, side, 3, {}};
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t y = 0; y < side; ++y)
            for (std::size_t x = 0; x < side; ++x)
                for (const std::size_t value : {i, x, y}) set.pixels.push_back(static_cast<unsigned char>(value));
    return set;
}

/// Difference of a channel between two points.
double slopeOf(const PointValues& images, std::size_t channel, std::size_t point, std::size_t other) {
    return images.values(other, channel) - images.values(point, channel);
}

}  // namespace

TEST_CASE("inputs have the variances that their kind says, and white noise beside them") {
    const MomentNet net = denseNet(6);
    const std::size_t samples = 20000;
    const double low[] = {1, 1.0 / 4, 1.0 / 9, 1.0 / 16, 1.0 / 25, 1.0 / 36},
                 unit = 6 / (1 + 1.0 / 4 + 1.0 / 9 + 1.0 / 16 + 1.0 / 25 + 1.0 / 36);
    for (const MomentData data : {MomentData::White, MomentData::Contrast, MomentData::LowRank}) {
        const SignalAndNoise drawn = drawMomentInput(net, data, samples, 3, 0);
        CHECK(drawn.signal.points() == samples);
        CHECK(drawn.logScale == 0);
        for (std::size_t c = 0; c < 6; ++c) {
            // E exp(g) = e^{1/2}.
            const double expected = data == MomentData::White ? 1 : data == MomentData::Contrast ? std::exp(0.5) : unit * low[c];
            const auto signal = spreadOf(drawn.signal.values, c), noise = spreadOf(drawn.noise.values, c);
            CHECK(signal.variance == doctest::Approx(expected).epsilon(0.08));
            CHECK(std::abs(signal.mean) < 4 * std::sqrt(expected / samples));
            CHECK(noise.variance == doctest::Approx(1).epsilon(0.05));
        }
    }
}

TEST_CASE("samples of spread norms share one factor over all their channels and positions") {
    const SignalAndNoise drawn = drawMomentInput(convolutional(1, 64, 32), MomentData::Contrast, 200, 5, 1);
    double sum = 0, squares = 0;
    for (std::size_t s = 0; s < 200; ++s) {
        double energy = 0;
        for (std::size_t i = 0; i < 64 * 32; ++i) energy += std::pow(drawn.signal.values.row(s * 64)[i], 2);
        const double g = std::log(energy / (64 * 32));
        sum += g, squares += g * g;
    }
    CHECK(std::abs(sum / 200) < 0.3);
    CHECK(squares / 200 == doctest::Approx(1).epsilon(0.3));
}

TEST_CASE("a sample hangs on seed, draw and its number alone") {
    const MomentNet net = denseNet(5);
    const auto few = drawMomentInput(net, MomentData::White, 3, 7, 2), many = drawMomentInput(net, MomentData::White, 9, 7, 2);
    CHECK(std::equal(few.signal.values.values.begin(), few.signal.values.values.end(), many.signal.values.values.begin()));
    CHECK(std::equal(few.noise.values.values.begin(), few.noise.values.values.end(), many.noise.values.values.begin()));
    CHECK(drawMomentInput(net, MomentData::White, 3, 7, 3).signal.values.values != few.signal.values.values);
    CHECK(drawMomentInput(net, MomentData::White, 3, 8, 2).signal.values.values != few.signal.values.values);
    CHECK(few.noise.values.values != few.signal.values.values);
}

TEST_CASE("colour fields are standardised, smooth, periodic and correlated between colours") {
    for (const int dimensions : {1, 2}) {
        const MomentNet net = convolutional(dimensions, 16, 8);
        const PointValues images = drawImages(imageGrid(net), nullptr, 100, 4, 0);
        CHECK(images.extent == 32);
        CHECK(images.dimensions == dimensions);
        const std::size_t line = 32, lines = images.points() / line;
        for (std::size_t c = 0; c < 3; ++c) {
            const auto spread = spreadOf(images.values, c);
            CHECK(std::abs(spread.mean) < 1e-12);
            CHECK(spread.variance == doctest::Approx(1).epsilon(1e-10));
            double steps = 0, wraps = 0;
            for (std::size_t l = 0; l < lines; ++l)
                for (std::size_t x = 0; x < line; ++x) {
                    const double step = images.values(l * line + (x + 1) % line, c) - images.values(l * line + x, c);
                    (x + 1 == line ? wraps : steps) += step * step;
                }
            const auto count = static_cast<double>(lines);
            CHECK(steps / (31 * count) < 0.3);
            CHECK(wraps / count == doctest::Approx(steps / (31 * count)).epsilon(0.3));
        }
        CHECK(correlation(images.values, 0, 1) > 0.4);
        CHECK(correlation(images.values, 0, 1) < 0.9);
    }
}

TEST_CASE("images come out of the stem with unit-size values where the network begins") {
    for (const int dimensions : {0, 1, 2}) {
        const MomentNet net = dimensions == 0 ? denseNet(40) : convolutional(dimensions, 8, 40);
        const SignalAndNoise drawn = drawMomentInput(net, MomentData::Images, 50, 6, 0);
        CHECK(drawn.signal.points() == 50 * net.positions());
        CHECK(drawn.signal.channels() == 40);
        CHECK(drawn.signal.extent == net.extent);
        CHECK(drawn.noise.points() == drawn.signal.points());
        double signal = 0, noise = 0;
        for (std::size_t c = 0; c < 40; ++c)
            signal += spreadOf(drawn.signal.values, c).variance / 40, noise += spreadOf(drawn.noise.values, c).variance / 40;
        CHECK(signal == doctest::Approx(1).epsilon(0.4));
        CHECK(noise == doctest::Approx(1).epsilon(0.15));
    }
}

TEST_CASE("a reader's images are chosen without replacement, others each draw") {
    MomentNet net = convolutional(2, 8, 4);
    const ImageSet set = ramps(100, 16);
    std::vector<std::set<double>> chosen;
    for (const std::uint64_t draw : {0, 1}) {
        const PointValues images = drawImages(imageGrid(net), &set, 40, 9, draw);
        std::set<double> reds;
        for (std::size_t s = 0; s < 40; ++s) reds.insert(std::round(1e9 * images.values(s * 256, 0)));
        CHECK(reds.size() == 40);
        chosen.push_back(reds);
    }
    CHECK(chosen[0] != chosen[1]);
    const PointValues all = drawImages(imageGrid(net), &set, 100, 9, 0);
    double lowest = 1e9, highest = -1e9;
    for (std::size_t s = 0; s < 100; ++s)
        lowest = std::min(lowest, all.values(s * 256, 0)), highest = std::max(highest, all.values(s * 256, 0));
    // 0 … 99 evenly: variance (100² − 1)/12.
    CHECK(highest - lowest == doctest::Approx(99 / std::sqrt(9999.0 / 12)));
}

TEST_CASE("images of any side are brought to the network's by means over areas, and keep straight ramps straight") {
    for (const std::size_t side : {8, 28, 32, 64}) {
        CAPTURE(side);
        const ImageSet set = ramps(4, side);
        const PointValues images = drawImages({2, 16}, &set, 4, 1, 0);
        const auto columns = spreadOf(images.values, 1);
        CHECK(columns.variance == doctest::Approx(1));
        for (std::size_t y = 0; y < 16; ++y)
            for (std::size_t x = 1; x < 16; ++x) {
                const double step = slopeOf(images, 1, y * 16 + x - 1, y * 16 + x), down = slopeOf(images, 2, (x - 1) * 16 + y, x * 16 + y);
                // Pixels are steps themselves: sides that do not divide leave a little of them.
                if (side >= 16) CHECK(step == doctest::Approx(std::sqrt(12.0 / 255)).epsilon(side % 16 == 0 ? 1e-9 : 0.1));
                CHECK(down == doctest::Approx(step).epsilon(1e-9));
            }
    }
    const ImageSet set = ramps(4, 28);
    const PointValues line = drawImages({1, 16}, &set, 4, 1, 0);
    CHECK(line.points() == 4 * 16);
    CHECK(line.dimensions == 1);
    CHECK(std::abs(line.values(3, 2)) < 1e-12);  // one row, one height: no variance, left at 0
    CHECK(line.values(4, 1) > line.values(3, 1));
}

TEST_CASE("a dense network reads an image as one vector of 16 × 16 pixels") {
    const MomentNet net = denseNet(12);
    const ImageSet set = ramps(30, 32);
    const PointValues images = drawImages(imageGrid(net), &set, 30, 2, 5);
    const MomentWeights stem = drawStem(net, images, 2, 5);
    CHECK(stem.in == 768);
    const SignalAndNoise through = drawMomentInput(net, MomentData::Images, 30, 2, 5, &set);
    REQUIRE(through.signal.points() == 30);
    for (std::size_t s = 0; s < 30; s += 7)
        for (std::size_t c = 0; c < 12; ++c) {
            double sum = 0;
            for (std::size_t i = 0; i < 768; ++i) sum += images.values.values[s * 768 + i] * stem.values[i * 12 + c];
            CHECK(through.signal.values(s, c) == doctest::Approx(sum).epsilon(1e-9));
        }
}

TEST_CASE("too few images, images without contrast and no samples are refused in a sentence") {
    const MomentNet net = convolutional(2, 8, 4);
    ImageSet set = ramps(10, 16);
    CHECK(isOneSentence(refusal([&] { drawMomentInput(net, MomentData::Images, 11, 1, 0, &set); })));
    std::fill(set.pixels.begin(), set.pixels.end(), 128);
    CHECK(refusal([&] { drawMomentInput(net, MomentData::Images, 5, 1, 0, &set); }).find("zero variance") != std::string::npos);
    CHECK(isOneSentence(refusal([&] { drawMomentInput(net, MomentData::White, 0, 1, 0); })));
}

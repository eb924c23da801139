#include <doctest/doctest.h>

#include <cmath>

#include "core/moments/network_moments.h"
#include "support/networks.h"
#include "support/sentence.h"

using namespace kappaflow;
using doctest::Approx;

namespace {

/// One convolution over a grid, or one dense layer, on an input of this shape.
template <class Op>
Network reading(Shape in) {
    if constexpr (std::is_same_v<Op, Dense>)
        return {in, {withNumbers(layerOf<Dense>(in, {1, 1, 3}), 1)}};
    else
        return {in, {withNumbers(windowLayer<Op>(in, 2, {}), 1)}};
}

std::vector<double> columnOf(const Batch& batch, std::size_t s) {
    std::vector<double> column(batch.rows);
    for (std::size_t i = 0; i < batch.rows; ++i) column[i] = batch(i, s);
    return column;
}

double meanOfUnits(const Batch& batch, std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i)
        for (std::size_t s = 0; s < batch.columns; ++s) sum += batch(i, s);
    return sum / static_cast<double>((to - from) * batch.columns);
}

double squareOfUnits(const Batch& batch, std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i)
        for (std::size_t s = 0; s < batch.columns; ++s) sum += batch(i, s) * batch(i, s);
    return sum / static_cast<double>((to - from) * batch.columns);
}

}  // namespace

TEST_CASE("network input: points and units are one another's transposes, and middles lie in the middle") {
    const Network network = reading<Conv>({2, 3, 5});
    const Batch x(30, 4, gaussians(120, 1)), dx(30, 4, gaussians(120, 2));
    const NetworkMoments run(network, x, dx);
    const SignalAndNoise points = run.points();
    CHECK(points.signal.points() == 60);
    PointValues sampled = points.signal;
    sampled.samples = 4;
    CHECK(batchOf(sampled).values == x.values);
    const auto middles = run.middles(3);
    REQUIRE(middles.size() == 3);
    for (std::size_t s = 0; s < 3; ++s)
        for (std::size_t c = 0; c < 2; ++c) CHECK(points.signal.values(middles[s], c) == x(c * 15 + 7, s));
    CHECK(std::abs(points.noise.values(5, 1) * std::exp(points.logScale) - dx(15 + 5, 0)) < 1e-14);
}

TEST_CASE("network input: data of every kind fit vectors, lines and grids") {
    const Shape shapes[] = {{1, 1, 7}, {3, 1, 9}, {2, 4, 6}};
    for (const Shape& shape : shapes)
        for (const Network& network : {reading<Dense>(shape), reading<Conv>(shape)})
            for (const MomentData data : {MomentData::White, MomentData::Contrast, MomentData::LowRank}) {
                const NetworkInput in = drawNetworkInput(network, data, 5, 3, 1), more = drawNetworkInput(network, data, 8, 3, 1);
                REQUIRE(in.signal.rows == shape.units());
                REQUIRE(in.signal.columns == 5);
                CHECK(in.noise.values == drawInputNoise(shape.units(), 5, 3, 1).values);
                for (std::size_t s = 0; s < 5; ++s) CHECK(columnOf(in.signal, s) == columnOf(more.signal, s));
                CHECK(in.signal.values != drawNetworkInput(network, data, 5, 3, 2).signal.values);
                NetworkMoments run(network, in.signal, in.noise);
                while (run.step()) continue;
                CHECK(run.states()[1].undefined.empty());
            }
    // Channels of a grid, units of a vector fall off as 1/k.
    const NetworkInput grid = drawNetworkInput(reading<Conv>({3, 6, 6}), MomentData::LowRank, 200, 1, 0);
    CHECK(squareOfUnits(grid.signal, 36, 72) == Approx(squareOfUnits(grid.signal, 0, 36) / 4).epsilon(0.05));
    CHECK(squareOfUnits(grid.signal, 72, 108) == Approx(squareOfUnits(grid.signal, 0, 36) / 9).epsilon(0.05));
}

TEST_CASE("network input: images come in the input's side and channels, standardised, and other inputs are refused in a sentence") {
    ImageSet grey{6, 8, 1, {}}, coloured{6, 8, 3, {}};
    for (std::size_t i = 0; i < 6 * 64; ++i) {
        grey.pixels.push_back(static_cast<unsigned char>(i * 37 % 251));
        for (std::size_t c = 0; c < 3; ++c) coloured.pixels.push_back(static_cast<unsigned char>((i * 37 + c * 11 * i) % 251));
    }
    struct Fit {
        Network network;
        std::size_t channels;
    };
    for (const Fit& fit : {Fit{reading<Conv>({1, 8, 8}), 1},
                           {reading<Conv>({3, 6, 6}), 3},
                           {reading<Conv>({3, 1, 12}), 3},
                           {reading<Dense>({1, 1, 49}), 1},
                           {reading<Dense>({1, 1, 75}), 3},
                           {reading<Dense>({1, 7, 7}), 1}}) {
        const Network& network = fit.network;
        const std::size_t units = network.input.units(), each = units / fit.channels;
        for (const NetworkInput& in :
             {drawNetworkInput(network, MomentData::Images, 5, 2, 0), drawNetworkInput(network, MomentData::Images, 5, 2, 0, &grey),
              drawNetworkInput(network, MomentData::Images, 5, 2, 0, &coloured)}) {
            REQUIRE(in.signal.rows == units);
            for (std::size_t c = 0; c < fit.channels; ++c) {
                CHECK(std::abs(meanOfUnits(in.signal, c * each, (c + 1) * each)) < 1e-12);
                CHECK(squareOfUnits(in.signal, c * each, (c + 1) * each) == Approx(1).epsilon(1e-12));
            }
        }
    }
    // One colour on three channels is thrice the same, three on one their mean.
    const Batch thrice = drawNetworkInput(reading<Conv>({3, 8, 8}), MomentData::Images, 5, 2, 0, &grey).signal;
    for (std::size_t i = 0; i < 64; ++i) CHECK(thrice(i, 2) == Approx(thrice(128 + i, 2)).epsilon(1e-12));
    for (const Network& network : {reading<Dense>({1, 1, 50}), reading<Conv>({2, 8, 8}), reading<Conv>({1, 8, 6})})
        CHECK(isOneSentence(refusal([&] { drawNetworkInput(network, MomentData::Images, 5, 2, 0); })));
    CHECK(isOneSentence(refusal([&] { drawNetworkInput(reading<Conv>({1, 8, 8}), MomentData::Images, 7, 2, 0, &grey); })));
}

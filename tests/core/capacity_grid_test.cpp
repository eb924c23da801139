#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/capacity/capacity_kernel.h"
#include "core/capacity/drawn_network.h"
#include "support/matrices.h"
#include "support/networks.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

DrawnNetwork gridOf(int side, int layers) {
    DrawnNetwork n;
    n.space = Space::Grid;
    n.extent = side;
    n.layers = layers;
    return n;
}

CapacityKernel kernelOf(const DrawnNetwork& n, int l) { return capacityKernel(n, l, layerWeights(n, l, 0)); }

// Grids of every form that takes its own way through the code.
std::vector<DrawnNetwork> variants() {
    std::vector<DrawnNetwork> all;
    for (const bool torus : {true, false})
        for (const bool shared : {true, false})
            for (const Filter filter : {Filter::Square, Filter::Cross})
                for (const auto& [side, channels, stride, dilation, taps] :
                     {std::array{9, 1, 1, 1, 3}, {8, 3, 1, 1, 5}, {12, 2, 2, 1, 3}, {11, 2, 1, 3, 3}, {70, 1, 3, 2, 5}}) {
                    auto n = gridOf(side, 2);
                    n.kernel = KernelType::Random;
                    n.torus = torus;
                    n.shared = shared;
                    n.filter = filter;
                    n.channels = channels;
                    n.stride = stride;
                    n.dilation = dilation;
                    n.taps = taps;
                    all.push_back(n);
                }
    return all;
}

Layer linearOf(DrawnNetwork n, int l) {
    n.type = LayerType::Plain;
    return runnableNetwork(n, Activation::Identity, 0, 0).layers[static_cast<std::size_t>(2 * l - 2)];
}

Vector uneven(std::size_t n) {
    Vector values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i * 7 % 11) / 11;
    return values;
}

Vector diracAt(std::size_t n, std::size_t at) {
    Vector values(n);
    values[at] = 1;
    return values;
}

// Straight from the definition: every tap of every output, one unit of every channel at a time.
OffsetMoments slowStep(const CapacityKernel& K, const OffsetMoments& above) {
    const std::size_t n = K.outPositions(), m = K.inPositions();
    const auto ins = static_cast<std::size_t>(K.inChannels), outs = static_cast<std::size_t>(K.outChannels);
    OffsetMoments below;
    for (auto* v : {&below.mass, &below.first, &below.second, &below.firstY, &below.secondY, &below.product}) v->resize(m * ins);
    const auto add = [&](std::size_t to, double share, std::size_t from, double dy, double dx) {
        const double s = K.stride, M = above.mass[from], X = above.first[from], Y = above.firstY[from];
        below.mass[to] += share * M;
        below.first[to] += share * (s * X + dx * M);
        below.firstY[to] += share * (s * Y + dy * M);
        below.second[to] += share * (s * s * above.second[from] + 2 * s * dx * X + dx * dx * M);
        below.secondY[to] += share * (s * s * above.secondY[from] + 2 * s * dy * Y + dy * dy * M);
        below.product[to] += share * (s * s * above.product[from] + s * dx * Y + s * dy * X + dy * dx * M);
    };
    for (std::size_t out = 0; out < outs; ++out)
        for (std::size_t x = 0; x < n; ++x) {
            double sum = 0;
            for (std::size_t k = 0; k < K.taps.size(); ++k)
                for (std::size_t in = 0; in < ins && K.inputAt(x, k) >= 0; ++in) sum += K.tapShares(x, k)[in * outs + out];
            for (std::size_t k = 0; k < K.taps.size(); ++k)
                for (std::size_t in = 0; in < ins && K.inputAt(x, k) >= 0; ++in)
                    add(in * m + static_cast<std::size_t>(K.inputAt(x, k)),
                        (K.mixes ? 1 - K.stay : 1) * K.tapShares(x, k)[in * outs + out] / sum, out * n + x, K.taps[k].y * K.dilation,
                        K.taps[k].x * K.dilation);
            if (K.mixes) add(out * n + x, K.stay, out * n + x, 0, 0);
        }
    return below;
}

void checkEqual(const Vector& a, const Vector& b, double epsilon) {
    REQUIRE(a.size() == b.size());
    double scale = 0;
    for (const double x : b) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) <= epsilon * scale);
}

}  // namespace

TEST_CASE("filters are rows, squares and crosses around their centre") {
    CHECK(rowTaps(3) == std::vector<Tap>{{0, -1}, {0, 0}, {0, 1}});
    CHECK(crossTaps(3) == std::vector<Tap>{{-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}});
    CHECK(squareTaps(3).size() == 9);
    CHECK(squareTaps(3).front() == Tap{-1, -1});
    CHECK(crossTaps(15).size() == 29);
    CHECK(squareTaps(1) == crossTaps(1));
}

TEST_CASE("two steps of a 3 × 3 square and of a cross on a torus, by hand") {
    auto n = gridOf(5, 2);
    double lost = 0;
    auto square = propagate(kernelOf(n, 1), propagate(kernelOf(n, 2), diracAt(25, 12), lost), lost);
    const double bell[5] = {1, 2, 3, 2, 1};
    for (std::size_t y = 0; y < 5; ++y)
        for (std::size_t x = 0; x < 5; ++x) CHECK(square[5 * y + x] == doctest::Approx(bell[y] * bell[x] / 81));
    n.filter = Filter::Cross;
    auto cross = propagate(kernelOf(n, 1), propagate(kernelOf(n, 2), diracAt(25, 12), lost), lost);
    const double diamond[5][5] = {{0, 0, 1, 0, 0}, {0, 2, 2, 2, 0}, {1, 2, 5, 2, 1}, {0, 2, 2, 2, 0}, {0, 0, 1, 0, 0}};
    for (std::size_t y = 0; y < 5; ++y)
        for (std::size_t x = 0; x < 5; ++x) CHECK(cross[5 * y + x] == doctest::Approx(diamond[y][x] / 25));
    CHECK(lost == 0);
}

TEST_CASE("at a zero-padded corner the four taps that exist share everything") {
    auto n = gridOf(4, 1);
    n.torus = false;
    double lost = 0;
    const auto below = propagate(kernelOf(n, 1), diracAt(16, 0), lost);
    for (const std::size_t at : {0, 1, 4, 5}) CHECK(below[at] == doctest::Approx(0.25));
    n.filter = Filter::Cross;
    const auto cross = propagate(kernelOf(n, 1), diracAt(16, 0), lost);
    for (const std::size_t at : {0, 1, 4}) CHECK(cross[at] == doctest::Approx(1.0 / 3));
}

TEST_CASE("the kernel gives what columns built from the weights of the real convolution give") {
    for (const auto& n : variants()) {
        CAPTURE(n.torus);
        CAPTURE(n.shared);
        CAPTURE(n.extent);
        for (int l = 1; l <= n.layers; ++l) {
            // Where taps meet on one unit the columns add their weights, the kernel keeps their paths apart.
            if (n.torus && (n.taps - 1) * n.dilationOf(l) >= n.widthAt(l - 1)) continue;
            const auto K = kernelOf(n, l);
            const auto layer = linearOf(n, l);
            const auto above = uneven(K.outPositions() * static_cast<std::size_t>(n.channels));
            double lost = 0;
            const auto fast = propagate(K, above, lost);
            checkEqual(fast, propagate(capacityLayer(layer), above, lost), 1e-13);
            checkEqual(fast, propagate(layer, above, lost), 1e-13);
            checkEqual(fast, propagate(explicitLayer(K), above, lost), 1e-13);
            CHECK(lost == 0);
        }
    }
}

TEST_CASE("moments along both axes and their product are those of the definition" * doctest::test_suite("long")) {
    for (auto n : variants())
        for (const LayerType type : {LayerType::Plain, LayerType::Residual, LayerType::Differential}) {
            n.type = type;
            n.epsilon = 0.4;
            const auto K = kernelOf(n, 1);
            const std::size_t units = K.outPositions() * static_cast<std::size_t>(n.channels);
            OffsetMoments above{uneven(units), uneven(units), uneven(units), uneven(units), uneven(units), uneven(units)};
            std::reverse(above.first.begin(), above.first.end());
            std::reverse(above.product.begin(), above.product.end());
            double lost = 0;
            const auto fast = propagate(K, above, lost), slow = slowStep(K, above);
            checkEqual(fast.mass, slow.mass, 1e-13);
            checkEqual(fast.first, slow.first, 1e-13);
            checkEqual(fast.second, slow.second, 1e-13);
            checkEqual(fast.firstY, slow.firstY, 1e-13);
            checkEqual(fast.secondY, slow.secondY, 1e-13);
            checkEqual(fast.product, slow.product, 1e-13);
            checkEqual(fast.mass, propagate(K, above.mass, lost), 1e-13);
        }
}

TEST_CASE("summed over positions, moments of a layer whose columns are alike move as on a single position") {
    for (const auto& n : variants()) {
        if (!n.periodic() || !n.alike()) continue;
        const auto K = kernelOf(n, 1);
        const auto channels = static_cast<std::size_t>(n.channels);
        const std::size_t units = K.outPositions() * channels;
        const OffsetMoments above{uneven(units), uneven(units), uneven(units), uneven(units), uneven(units), uneven(units)};
        const auto sums = [&](const Vector& v, std::size_t positions) {
            Vector s(channels);
            for (std::size_t i = 0; i < v.size(); ++i) s[i / positions] += v[i];
            return s;
        };
        const auto summed = [&](const OffsetMoments& m, std::size_t p) {
            return OffsetMoments{sums(m.mass, p),   sums(m.first, p),   sums(m.second, p),
                                 sums(m.firstY, p), sums(m.secondY, p), sums(m.product, p)};
        };
        double lost = 0;
        const auto whole = summed(propagate(K, above, lost), K.inPositions());
        const auto point = propagate(collapsed(K), summed(above, K.outPositions()), lost);
        checkEqual(point.mass, whole.mass, 1e-12);
        checkEqual(point.first, whole.first, 1e-12);
        checkEqual(point.secondY, whole.secondY, 1e-12);
        checkEqual(point.product, whole.product, 1e-12);
    }
}

TEST_CASE("dead units keep what they have, and say how much") {
    auto n = gridOf(6, 1);
    n.channels = 2;
    auto weights = layerWeights(n, 1, 0);
    std::fill(weights.begin(), weights.begin() + 18, 0.0);  // everything output channel 0 reads
    const auto K = capacityKernel(n, 1, weights);
    double lost = 0;
    Vector above(72, 1.0 / 72);
    const auto below = propagate(K, above, lost);
    CHECK(lost == doctest::Approx(0.5));
    CHECK(total(below) == doctest::Approx(0.5));
}

TEST_CASE("uniform and triangular squares are the product of two chains in one dimension") {
    for (const bool torus : {true, false})
        for (const KernelType kernel : {KernelType::Uniform, KernelType::Triangle})
            for (const int stride : {1, 2}) {
                auto plane = gridOf(16, 3);
                plane.torus = torus;
                plane.kernel = kernel;
                plane.stride = stride;
                plane.taps = 5;
                auto axis = plane;
                axis.space = torus ? Space::Ring : Space::Line;
                const auto run = [](const DrawnNetwork& n, std::size_t at) {
                    Vector state = diracAt(static_cast<std::size_t>(n.widthAt(n.layers) * n.heightAt(n.layers)), at);
                    double lost = 0;
                    for (int l = n.layers; l > 0; --l) state = propagate(kernelOf(n, l), state, lost);
                    return state;
                };
                const auto width = static_cast<std::size_t>(plane.widthAt(3));
                const auto both = run(plane, width * 1 + 0), y = run(axis, 1), x = run(axis, 0);
                for (std::size_t i = 0; i < 256; ++i) CHECK(both[i] == doctest::Approx(y[i / 16] * x[i % 16]).epsilon(1e-13));
            }
}

TEST_CASE("variance a layer adds along each axis: (r² − 1)/12 for a square, r (r² − 1)/(12 (2r − 1)) for a cross") {
    for (const int r : {1, 3, 5, 9, 15})
        for (const int dilation : {1, 3}) {
            auto n = gridOf(17, 1);
            n.taps = r;
            n.dilation = dilation;
            const auto step = [&] {
                const auto K = kernelOf(n, 1);
                return kernelDiffusion(kernelShares(K), K.taps, dilation, false, 0);
            };
            const double d2 = dilation * dilation, square = d2 * (r * r - 1.0) / 12, cross = r * square / (2 * r - 1);
            for (const auto& [filter, expected] : {std::pair{Filter::Square, square}, {Filter::Cross, cross}}) {
                n.filter = filter;
                const auto d = step();
                CHECK(2 * d.diffusion == doctest::Approx(expected));
                CHECK(2 * d.diffusionY == doctest::Approx(expected));
                CHECK(d.drift == doctest::Approx(0));
                CHECK(d.driftY == doctest::Approx(0));
                CHECK(d.diffusionYX == doctest::Approx(0));
            }
        }
}

TEST_CASE("drift and diffusion of a lopsided kernel, by hand") {
    // A quarter each at (−1, −1), the centre, (1, 0) and (1, 1).
    Vector shares(9);
    for (const std::size_t k : {0, 4, 7, 8}) shares[k] = 0.25;
    const auto plain = kernelDiffusion(shares, squareTaps(3), 2, false, 0);
    CHECK(plain.driftY == doctest::Approx(0.5));
    CHECK(plain.drift == doctest::Approx(0));
    CHECK(plain.diffusionY == doctest::Approx(0.5 * (3 - 0.25)));
    CHECK(plain.diffusion == doctest::Approx(0.5 * 2));
    CHECK(plain.diffusionYX == doctest::Approx(0.5 * 2));
    const auto mixing = kernelDiffusion(shares, squareTaps(3), 2, true, 0.9);
    CHECK(mixing.time == doctest::Approx(0.1));
    CHECK(mixing.diffusionY == doctest::Approx(0.5 * 3));
}

TEST_CASE("residual and differential grids stay where the identity keeps them") {
    auto n = gridOf(7, 1);
    n.epsilon = 0.25;
    double lost = 0;
    n.type = LayerType::Residual;
    auto below = propagate(kernelOf(n, 1), diracAt(49, 24), lost);
    CHECK(below[24] == doctest::Approx(0.75));
    CHECK(below[16] == doctest::Approx(0.25 / 8));
    n.filter = Filter::Cross;
    below = propagate(kernelOf(n, 1), diracAt(49, 24), lost);
    CHECK(below[16] == 0);
    CHECK(below[17] == doctest::Approx(0.25 / 4));
    n.type = LayerType::Differential;
    below = propagate(kernelOf(n, 1), diracAt(49, 24), lost);
    CHECK(below[24] == doctest::Approx((1 + 0.25 / 5) / 1.25));
    CHECK(below[17] == doctest::Approx(0.25 / 5 / 1.25));
}

#include <doctest/doctest.h>

#include <array>
#include <limits>

#include "core/io/network_file.h"
#include "support/base64.h"
#include "support/complete_set.h"
#include "support/exact_partition.h"
#include "support/networks.h"
#include "support/reference.h"
#include "support/region_mesh.h"

using namespace kappaflow;

namespace {

/// A pooling of a grid; ceil: the last window may end behind the padding.
struct Geometry {
    std::array<int, 2> size, stride, before, after, dilation;
    bool ceil = false;
    int height = 1, width = 1;
};

std::string nameOf(const Geometry& g) {
    std::string name;
    for (const auto& pair : {g.size, g.stride, g.before, g.after, g.dilation, {g.height, g.width}})
        name += std::to_string(pair[0]) + "×" + std::to_string(pair[1]) + " ";
    return name + (g.ceil ? "ceil" : "floor");
}

/// The pooling, or nothing where there is none: the window does not fit, or lies wholly in its padding.
std::optional<Layer> poolingOf(const Geometry& g, int channels) {
    Window window{g.size, g.stride, g.dilation, g.before, g.after, Padding::Zero};
    const int cells[] = {g.height, g.width};
    for (int axis = 0; axis < 2; ++axis) {
        const int reach = window.dilation[axis] * (window.size[axis] - 1) + 1;
        const int room = cells[axis] + window.before[axis] + window.after[axis] - reach;
        if (room < 0) return std::nullopt;
        int last = (room + window.stride[axis] - 1) / window.stride[axis];
        if (last * window.stride[axis] >= cells[axis] + window.before[axis]) --last;
        if (g.ceil)
            window.after[axis] = std::max(window.after[axis], last * window.stride[axis] + reach - cells[axis] - window.before[axis]);
    }
    const Layer layer = windowLayer<MaxPool>({channels, g.height, g.width}, channels, window);
    try {
        validate({layer.in, {layer}});
    } catch (const InputError&) {
        return std::nullopt;
    }
    return layer;
}

enum class Place { Behind, BehindRelu, Before, Branch, Twice };
constexpr Place kPlaces[] = {Place::Behind, Place::BehindRelu, Place::Before, Place::Branch, Place::Twice};

Layer convOf(const Shape& in, int channels, int size) {
    const int pad = size / 2;
    return windowLayer<Conv>(in, channels, {{size, size}, {1, 1}, {1, 1}, {pad, pad}, {pad, pad}, Padding::Zero});
}

/// A network with the pooling somewhere. Kernels of 1 give the channels of one input the same lines.
Network networkWith(const Geometry& g, Place place, int channels, int kernel) {
    const Layer pool = *poolingOf(g, channels);
    const Shape in{place == Place::Before ? channels : 1, g.height, g.width};
    std::vector<Layer> layers;
    const auto add = [&](Layer layer) { layers.push_back(std::move(layer)); };
    if (place == Place::Before) {
        add(pool);
        add(convOf(pool.out, 2, kernel));
        add(activationLayer(layers.back().out, Activation::Relu));
    } else if (place == Place::Branch) {
        const Shape fork = convOf(in, channels, kernel).out;
        add(convOf(in, channels, kernel));
        add(residualBlock(fork, {convOf(fork, channels, kernel), activationLayer(pool.in, Activation::LeakyRelu, 0.5), pool}, {pool}));
        add(activationLayer(pool.out, Activation::Relu));
    } else {
        add(convOf(in, channels, kernel));
        if (place != Place::Behind) add(activationLayer(pool.in, Activation::Relu));
        add(pool);
        if (place == Place::Twice) {
            const Geometry second{{2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false, pool.out.height, pool.out.width};
            add(convOf(pool.out, channels, kernel));
            add(*poolingOf(second, channels));
        }
    }
    return {in, layers};
}

template <class Number>
void setNumbers(std::vector<Layer>& layers, Number number) {
    eachLayer(layers, [&](Layer& layer) {
        auto* own = layer.getIf<Weights>();
        if (!own) return;
        own->weights.resize(static_cast<std::size_t>(weightCount(layer)));
        for (double& weight : own->weights) weight = number();
        if (layer.is<Conv>()) own->bias.resize(static_cast<std::size_t>(layer.out.channels));
        for (double& bias : own->bias) bias = number();
    });
}

template <class Number>
Slice sliceOf(std::size_t inputs, Number number) {
    for (;;) {
        Slice slice{std::vector<double>(inputs), std::vector<double>(inputs), std::vector<double>(inputs)};
        for (auto* part : {&slice.origin, &slice.u, &slice.v})
            for (double& entry : *part) entry = number();
        try {
            validate(slice, inputs);
            return slice;
        } catch (const InputError&) {
            // Parallel: another one.
        }
    }
}

/// States at a point by the layers themselves, depth by depth, and by how much the nearest other state is missed.
struct PointStates {
    std::vector<std::vector<std::uint16_t>> depths;
    double margin = std::numeric_limits<double>::infinity();

    std::vector<double> through(const std::vector<Layer>& layers, std::vector<double> x) {
        std::vector<std::vector<double>> at{std::move(x)};
        for (std::size_t l = 0; l < layers.size(); ++l) {
            const Layer& layer = layers[l];
            std::vector<double> y = at[operandOf(layers, l)];
            if (layer.is<Pointwise>()) bend(y);
            if (layer.is<MaxPool>()) choose(layer, y);
            if (layer.is<Block>()) {
                y = through(layer.as<Block>().inner, y);
            } else if (layer.is<Sum>()) {
                for (std::size_t i = 0; i < y.size(); ++i) y[i] += at[operandOf(layers, l, 1)][i];
            } else {
                y = applyLayer(layer, y);
            }
            at.push_back(std::move(y));
        }
        return at.back();
    }

private:
    void bend(const std::vector<double>& x) {
        depths.emplace_back();
        for (double z : x) {
            depths.back().push_back(z > 0);
            if (z != 0) margin = std::min(margin, std::abs(z));
        }
    }
    void choose(const Layer& layer, const std::vector<double>& x) {
        const auto windows = poolingWindows(layer);
        if (std::all_of(windows.begin(), windows.end(), [](const auto& w) { return w.size() == 1; })) return;
        depths.emplace_back();
        for (const auto& window : windows) {
            std::size_t first = 0;
            for (std::size_t i = 1; i < window.size(); ++i)
                if (x[window[i]] > x[window[first]]) first = i;
            depths.back().push_back(static_cast<std::uint16_t>(first));
            for (std::uint32_t i : window)
                if (x[i] != x[window[first]]) margin = std::min(margin, x[window[first]] - x[i]);
        }
    }
};

Partition built(const Network& network, const Slice& slice) {
    Partition partition = builtPartition(network, slice, unitSquare());
    const Certificate& c = partition.certificate();
    CHECK(c.twins);
    CHECK(c.euler);
    CHECK(c.distinctPatterns);
    CHECK(c.areaSum == doctest::Approx(c.windowArea).epsilon(1e-9));
    CHECK(c.repairs == 0);
    return partition;
}

/// Faces are convex, and a straight side of one has no corner but where a third face meets it.
void checkShapes(const RegionMesh& mesh) {
    for (std::size_t f = 0; f < mesh.faces(); ++f) {
        const std::size_t begin = mesh.faceStart[f], n = mesh.sides(f);
        CHECK(n >= 3);
        for (std::size_t i = 0; i < n; ++i) {
            const auto at = [&](std::size_t k) { return mesh.vertices[mesh.corners[begin + (i + k) % n]]; };
            CHECK(cross(at(1) - at(0), at(2) - at(1)) >= -1e-12);
        }
    }
    const auto degrees = vertexDegrees(mesh);
    CHECK((degrees.count(2) ? degrees.at(2) : 0) <= 4);
    CHECK(degrees.count(1) == 0);
}

/// At points of the window the face found there has the states and the output of the network itself. Returns how many were compared.
std::size_t checkPoints(const Network& network, const Slice& slice, const Partition& partition, int points, Rng& rng) {
    const RegionMesh& mesh = partition.mesh();
    std::size_t compared = 0;
    for (int draw = 0; draw < points; ++draw) {
        const Vec2 p{2 * rng.uniform() - 1, 2 * rng.uniform() - 1};
        PointStates states;
        states.through(network.layers, slice.at(p));
        if (states.margin < 1e-9) continue;
        ++compared;
        const std::int32_t face = faceAt(mesh, p);
        REQUIRE(face >= 0);
        REQUIRE(states.depths.size() == static_cast<std::size_t>(partition.depths()));
        for (int d = 1; d <= partition.exactDepth(); ++d)
            CHECK(partition.pattern(static_cast<std::size_t>(face), d) == states.depths[static_cast<std::size_t>(d) - 1]);
    }
    return compared;
}

struct Tally {
    std::size_t networks = 0, exact = 0, regions = 0, points = 0, compared = 0;
    std::size_t tooThin = 0;  ///< partitions with a region thinner than rounding, which the certificate refuses
};

/// The partition in integers, where it is small enough.
void checkExactly(const Network& network, const Slice& slice, Tally& tally) {
    const Partition partition = built(network, slice);
    checkShapes(partition.mesh());
    tally.tooThin += !partition.certificate().holds();
    if (partition.mesh().faces() > 300 || partition.exactDepth() < partition.depths()) return;
    ++tally.exact;
    const ExactPartition exact(network, slice, unitSquare());
    REQUIRE(partition.mesh().depths.size() == exact.counts.size() + 1);
    for (std::size_t d = 0; d < exact.counts.size(); ++d) {
        CAPTURE(d);
        const DepthCounts &counted = partition.mesh().depths[d + 1], &wanted = exact.counts[d];
        CHECK(counted.faces == wanted.faces);
        CHECK(counted.edges == wanted.edges);
        CHECK(counted.vertices == wanted.vertices);
    }
}

/// One network with random numbers and the same with integers over 8, the smaller the more lines meet in one point.
void checkGeometry(const Geometry& g, std::uint64_t seed, Tally& tally) {
    const std::optional<Layer> pool = poolingOf(g, 1);
    const Place place = kPlaces[seed % 5];
    if (!pool || pool->in.units() < 2 || (place == Place::Twice && pool->out.units() > 25)) return;
    const int kernel = seed / 5 % 2 ? 3 : 1;
    CAPTURE(nameOf(g));
    CAPTURE(static_cast<int>(place));
    CAPTURE(kernel);
    CAPTURE(seed);
    Network network = networkWith(g, place, 2, kernel);
    Rng rng(seed, Purpose::Data);
    {
        const auto gaussian = [&] { return rng.gaussian(); };
        setNumbers(network.layers, gaussian);
        const Slice slice = sliceOf(network.input.units(), gaussian);
        const Partition partition = built(network, slice);
        checkShapes(partition.mesh());
        tally.tooThin += !partition.certificate().holds();
        tally.points += 20;
        tally.compared += checkPoints(network, slice, partition, 20, rng);
        ++tally.networks;
        tally.regions += partition.mesh().faces();
    }
    const int step = 1 << seed % 3;
    const auto eighths = [&] {
        return static_cast<double>(step * static_cast<int>(rng.below(static_cast<std::uint64_t>(16 / step + 1))) - 8) / 8;
    };
    setNumbers(network.layers, eighths);
    checkExactly(network, sliceOf(network.input.units(), eighths), tally);
}

Geometry squareGeometry(int size, int stride, int pad, int dilation, bool ceil, int height, int width) {
    return {{size, size}, {stride, stride}, {pad, pad}, {pad, pad}, {dilation, dilation}, ceil, height, width};
}

void checkTally(const Tally& tally, std::size_t networks) {
    MESSAGE(tally.networks << " networks, " << tally.exact << " in integers, " << tally.regions << " regions, " << tally.compared << " of "
                           << tally.points << " points");
    CHECK(tally.networks > networks);
    CHECK(tally.exact > networks / 2);
    CHECK(tally.compared > tally.points / 2);
    CHECK(tally.tooThin <= networks / 5000);
}

}  // namespace

TEST_CASE("a sample of all poolings: regions are those of the network and, in integers, exactly as many" * doctest::test_suite("long")) {
    Tally tally;
    Rng rng(1, Purpose::Data);
    const auto whole = [&](int lo, int hi) { return lo + static_cast<int>(rng.below(static_cast<std::uint64_t>(hi - lo + 1))); };
    const std::uint64_t drawings = completeSet() ? 1600 : 700;
    for (std::uint64_t seed = 0; seed < drawings; ++seed) {
        const int drawn[] = {whole(1, 4), whole(1, 4), whole(0, 2), whole(1, 3), whole(1, 6), whole(1, 6)};  // in order on every platform
        Geometry g = squareGeometry(drawn[0], drawn[1], drawn[2], drawn[3], seed % 2 == 0, drawn[4], drawn[5]);
        if (seed % 3 == 0) {
            g.size[1] = whole(1, 4), g.stride[1] = whole(1, 4), g.dilation[1] = whole(1, 3);
            g.before[1] = whole(0, 2), g.after[0] = whole(0, 2), g.after[1] = whole(0, 2);
        }
        checkGeometry(g, seed, tally);
    }
    checkTally(tally, completeSet() ? 500 : 210);
}

TEST_CASE("every pooling with windows to 4, strides to 4, pads to 2, dilations to 3, on every grid to 8 by 8" *
          doctest::test_suite("long")) {
    Tally tally;
    std::uint64_t seed = 0;
    for (int size = 1; size <= 4; ++size)
        for (int stride = 1; stride <= 4; ++stride)
            for (int pad = 0; pad <= 2; ++pad)
                for (int dilation = 1; dilation <= 3; ++dilation)
                    for (const bool ceil : {false, true})
                        for (int height = 1; height <= 8; ++height)
                            for (int width = 1; width <= 8; ++width, ++seed)
                                if (completeSet() || seed % 59 == 0)
                                    checkGeometry(squareGeometry(size, stride, pad, dilation, ceil, height, width), seed, tally);
    checkTally(tally, completeSet() ? 8000 : 120);
}

TEST_CASE("files whose pooled regions could not be joined are cut") {
    const nlohmann::json files = reference("pooling_files.json");
    REQUIRE(files.size() > 10);
    for (const auto& file : files.items()) {
        CAPTURE(file.key());
        const Network network = readNetwork(bytesOfBase64(file.value()));
        Rng rng(1, Purpose::Inputs);
        for (int draw = 0; draw < 4; ++draw) {
            const Slice slice =
                draw == 0 ? sliceOfInputs(network.input.units()) : sliceOf(network.input.units(), [&] { return rng.gaussian(); });
            const Partition partition = built(network, slice);
            checkShapes(partition.mesh());
            CHECK(checkPoints(network, slice, partition, 20, rng) > (draw == 0 ? 0 : 10));
        }
    }
}

TEST_CASE("lines through one point stay so where a layer has more of them than a word of signs: one region more than half-lines") {
    for (const int width : {60, 100, 300})
        for (int layers = 1; layers <= 3; ++layers)
            for (const Polygon& window : {unitSquare(), rectangle({-1, -0.7}, {0.3, 1.1})}) {
                CAPTURE(width);
                CAPTURE(layers);
                Network network{{1, 1, 2}, {}};
                for (int l = 0; l < layers; ++l) {
                    network.layers.push_back(denseLayer(l == 0 ? 2 : width, width));
                    network.layers.push_back(activationLayer({1, 1, width}, Activation::Relu));
                }
                initialise(network, {Initialiser::He, 2, 0}, static_cast<std::uint64_t>(width));
                const Partition partition = builtPartition(network, sliceOfInputs(2), window);
                CHECK(partition.certificate().holds());
                // The origin, the window's corners and an end for every half-line.
                CHECK(partition.mesh().vertices.size() == 5 + partition.mesh().faces());
                if (layers == 1) CHECK(partition.mesh().faces() == 2 * static_cast<std::size_t>(width));
            }
}

#include <doctest/doctest.h>

#include <cmath>

#include "core/capacity/capacity_network.h"
#include "core/capacity/gates.h"
#include "core/net/layer_rows.h"
#include "support/capacity_flow.h"
#include "support/matrices.h"
#include "support/networks.h"
#include "support/sentence.h"
#include "support/slow_squares.h"

using namespace kappaflow;
using Size = std::size_t;
using Vector = std::vector<double>;

namespace {

Vector squares(Size units) {
    Vector values = gaussians(units, 77);
    for (double& v : values) v *= v;
    return values;
}

Layer weighted(Layer layer, Vector weights) {
    layer.as<Weights>().weights = std::move(weights);
    return layer;
}

Layer batchNorm(Shape shape, std::uint64_t seed) { return withNumbers(layerOf<BatchNorm>(shape, shape), seed); }

Layer convolution(Shape in, int channels, int taps) {
    const int side = (taps - 1) / 2;
    return windowLayer<Conv>(in, channels, window1d(taps, 1, 1, side, side, Padding::Zero));
}

/// What a column, the whole matrix and the network's own flow make of a block are the same, and nothing is lost on the way.
void checkConserved(const Layer& block) {
    const Vector top = squares(block.out.units());
    double lost = 0, lostByMatrix = 0;
    const Vector below = propagate(block, top, lost), byMatrix = propagate(capacityLayer(block), top, lostByMatrix);
    CHECK(largestDifference(below, byMatrix) < 1e-12);
    CHECK(lost == doctest::Approx(lostByMatrix).epsilon(1e-12));
    CHECK(std::abs(total(below) + lost - total(top)) < 1e-13 * total(top) * static_cast<double>(block.as<Block>().inner.size()));
}

}  // namespace

TEST_CASE("capacity down a block is what all its paths carry, one by one") {
    auto blocks = blocksOfEveryJoin();
    for (const Layer& layer : layersOfEveryKind())
        if (layer.is<Block>()) blocks.push_back(layer);
    int seen = 0;
    for (const Layer& block : blocks) {
        if (block.name == "attention") continue;
        CAPTURE(block.name);
        validate({block.in, {block}});
        const Vector top = squares(block.out.units());
        double lost = 0, lostBySlow = 0;
        const Vector below = propagate(block, top, lost), slow = slow::SquaredPaths(block).below(top, lostBySlow);
        CHECK(largestDifference(below, slow) < 1e-12);
        CHECK(lost == doctest::Approx(lostBySlow).epsilon(1e-12));
        checkConserved(block);
        ++seen;
    }
    CHECK(seen == 8);
}

TEST_CASE("what dead units of a block swallow is unattributed, path by path and by conservation") {
    for (Layer block : blocksOfEveryJoin()) {
        if (block.name == "attention") continue;
        CAPTURE(block.name);
        double most = 0;
        for (Size l = 0; l < block.as<Block>().inner.size(); ++l) {
            if (!block.as<Block>().inner[l].is<Conv>()) continue;
            Layer damaged = block;
            Layer& conv = damaged.as<Block>().inner[l];
            std::fill_n(conv.as<Weights>().weights.begin(), conv.as<Weights>().weights.size() / static_cast<Size>(conv.out.channels), 0.0);
            const Vector top = squares(block.out.units());
            double lost = 0, lostBySlow = 0;
            CHECK(largestDifference(propagate(damaged, top, lost), slow::SquaredPaths(damaged).below(top, lostBySlow)) < 1e-12);
            CHECK(lost == doctest::Approx(lostBySlow).epsilon(1e-12));
            checkConserved(damaged);
            most = std::max(most, lost);
        }
        // A dead gate closes no way, and a sum gives a dead operand nothing.
        CHECK((most > 0) == (block.name != "squeeze and excite" && block.name != "shuffled"));
    }
}

TEST_CASE("a sum of three splits by the squares of scales and norms; a sum's own norm is the hypotenuse of its operands'") {
    const Shape one{1, 1, 1}, two{1, 1, 2};
    Layer block = layerOf<Block>(two, one), first = layerOf<Route>(two, one);
    first.as<Route>().route = {0};
    const int past = addInner(block, first, {-1}), a = addInner(block, weighted(denseLayer(2, 1), {0, 3}), {-1});
    Layer sum = layerOf<Sum>(one, one);
    sum.as<Sum>().scales = {0.5, 2};
    const int s = addInner(block, sum, {past, a});  // norm √(0.25 + 36)
    const int dead = addInner(block, weighted(denseLayer(1, 1), {0}), {s});
    sum.as<Sum>().scales = {2, 1, 5};
    addInner(block, sum, {s, a, dead});  // 145 : 9 : 0
    const CapacityLayer D = capacityLayer(block);
    const double around = 145.0 / 154 * 0.25 / 36.25;
    REQUIRE(D.entries.size() == 2);  // around the map from unit 0, through it from unit 1
    for (const auto& [unit, offset, share] : D.entries) CHECK(share == doctest::Approx(unit == 0 ? around : 1 - around));
    CHECK(D.lost[0] == 0);
}

TEST_CASE("ways that meet on a unit are one entry, however many sums lie between") {
    const Shape one{1, 1, 1};
    Layer block = layerOf<Block>(one, one), sum = layerOf<Sum>(one, one);
    sum.as<Sum>().scales = {1, 1};
    int last = -1;
    for (int k = 0; k < 40; ++k) last = addInner(block, sum, {last, addInner(block, weighted(denseLayer(1, 1), {1}), {last})});
    const CapacityLayer D = capacityLayer(block);
    REQUIRE(D.entries.size() == 1);
    CHECK(D.entries[0].share == doctest::Approx(1));
}

TEST_CASE("batch norms of a block are folded as those of a chain are, and the block's map is that of the scaled weights") {
    const Shape two{2, 1, 5};
    // Behind a convolution that nothing else reads, and before two convolutions past an activation: both drop out.
    Layer block = layerOf<Block>(two, two);
    const int a = addInner(block, withNumbers(convolution(two, 2, 3), 1), {-1});
    const int behind = addInner(block, batchNorm(two, 2), {a});
    const int sum = addInner(block, layerOf<Sum>(two, two), {-1, behind});
    const int front = addInner(block, batchNorm(two, 3), {sum});
    const int bent = addInner(block, activationLayer(two, Activation::Relu), {front});
    const int left = addInner(block, withNumbers(convolution(two, 2, 1), 4), {bent}),
              right = addInner(block, withNumbers(convolution(two, 1, 3), 5), {bent});
    addInner(block, layerOf<Concat>(two, {3, 1, 5}), {left, right});
    validate({two, {block}});
    const auto parts = foldedLayers(block.as<Block>().inner);
    CHECK(!parts[static_cast<Size>(behind)].layer);
    CHECK(!parts[static_cast<Size>(front)].layer);

    Layer scaled = block;
    const auto scales = [&](int norm) {
        const Layer& layer = block.as<Block>().inner[static_cast<Size>(norm)];
        return Vector{batchNormScale(layer, 0), batchNormScale(layer, 5)};
    };
    for (Size w = 0; w < 12; ++w) scaled.as<Block>().inner[static_cast<Size>(a)].as<Weights>().weights[w] *= scales(behind)[w / 6];
    for (Size w = 0; w < 4; ++w) scaled.as<Block>().inner[static_cast<Size>(left)].as<Weights>().weights[w] *= scales(front)[w % 2];
    for (Size w = 0; w < 6; ++w) scaled.as<Block>().inner[static_cast<Size>(right)].as<Weights>().weights[w] *= scales(front)[w / 3];
    for (const int norm : {behind, front}) {
        const int from = scaled.as<Block>().inner[static_cast<Size>(norm)].reads[0];
        scaled.as<Block>().inner[static_cast<Size>(norm)] = activationLayer(two, Activation::Identity);
        scaled.as<Block>().inner[static_cast<Size>(norm)].reads = {from};
    }
    const Vector top = squares(15);
    double lost = 0;
    CHECK(largestDifference(propagate(block, top, lost), slow::SquaredPaths(scaled).below(top, lost)) < 1e-12);
    checkConserved(block);

    // Where a sum reads it, a batch norm before a convolution still scales that one's weights, and itself counts by |scale|.
    Layer shared = layerOf<Block>(two, two);
    const int norm = addInner(shared, batchNorm(two, 6), {-1});
    const int mapped = addInner(shared, withNumbers(convolution(two, 2, 3), 7), {norm});
    addInner(shared, layerOf<Sum>(two, two), {norm, mapped});
    CHECK(foldedLayers(shared.as<Block>().inner)[0].layer == &shared.as<Block>().inner[0]);
    CHECK(foldedLayers(shared.as<Block>().inner)[1].inFront == &shared.as<Block>().inner[0]);
    const CapacityLayer D = capacityLayer(shared);
    double kept = 0, squared = 0;
    for (Size e = D.start[2]; e < D.start[3]; ++e)
        if (D.entries[e].input == 2) kept += D.entries[e].share;
    for (Size in = 0; in < 2; ++in)
        for (Size tap = 0; tap < 3; ++tap)
            squared += std::pow(
                shared.as<Block>().inner[1].as<Weights>().weights[in * 3 + tap] * batchNormScale(shared.as<Block>().inner[0], in * 5), 2);
    const double own = std::pow(batchNormScale(shared.as<Block>().inner[0], 0), 2),
                 centre = own * std::pow(shared.as<Block>().inner[1].as<Weights>().weights[1], 2);
    CHECK(kept == doctest::Approx((own + centre) / (own + squared)));
    checkConserved(shared);
}

TEST_CASE("units of zeros that a route brings are dropped as zero padding is, in a block and along a chain") {
    const Shape three{1, 1, 3};
    // Zeros on both sides, as a route and as a window's padding.
    const Layer route = routeLayer(three, {1, 1, 5}, {-1, 0, 1, 2, -1});
    const Layer plain = withNumbers(windowLayer<Conv>({1, 1, 5}, 2, window1d(3, 1, 1, 0, 0, Padding::Zero)), 1);
    Layer padded = withNumbers(windowLayer<Conv>(three, 2, window1d(3, 1, 1, 1, 1, Padding::Zero)), 1);
    const Vector top = squares(6);
    double lost = 0;
    const Vector expected = propagate(padded, top, lost);
    CHECK(largestDifference(capacityFlow({three, {route, plain}}, top).capacity[0], expected) < 1e-14);
    CHECK(largestDifference(capacityFlow({three, {route, activationLayer({1, 1, 5}, Activation::Relu), plain}}, top).capacity[0],
                            expected) < 1e-14);
    Layer block = layerOf<Block>(three, three);
    addInner(block, plain, {addInner(block, route, {-1})});
    CHECK(largestDifference(propagate(block, top, lost), expected) < 1e-14);
    // A block hands its zeros on to the layer behind it.
    Layer first = layerOf<Block>(three, three);
    addInner(first, route, {-1});
    CHECK(largestDifference(capacityFlow({three, {first, plain}}, top).capacity[0], expected) < 1e-14);
    CHECK(lost == 0);
    // What starts on a unit of zeros goes nowhere.
    CHECK(propagate(route, Vector{1, 2, 4, 8, 16}, lost) == Vector{2, 4, 8});
    CHECK(lost == 17);

    // Of four units that a layer norm centres one is always 0: the columns of its matrix without that row.
    Layer norm = withNumbers(layerNorm({1, 1, 4}, false, false), 9);
    Layer centred = layerOf<Block>(three, three);
    addInner(centred, norm, {addInner(centred, routeLayer(three, {1, 1, 4}, {0, 1, -1, 2}), {-1})});
    const Vector four = squares(4);
    double lostBySlow = 0;
    lost = 0;
    Layer linear = denseLayer(4, 4);
    for (Size j = 0; j < 4; ++j)
        for (Size i = 0; i < 4; ++i) linear.as<Weights>().weights.push_back(norm.as<Weights>().weights[j] * ((i == j) - 0.25));
    Layer dense = centred;
    dense.as<Block>().inner[1] = linear;
    dense.as<Block>().inner[1].reads = {0};
    CHECK(largestDifference(propagate(centred, four, lost), slow::SquaredPaths(dense).below(four, lostBySlow)) < 1e-14);
    checkConserved(centred);
    CHECK(largestDifference(columnNorms(norm, {0, 0, 1, 0}), columnNorms(linear, {0, 0, 1, 0})) < 1e-14);
}

TEST_CASE("a product follows the factor that is no gate: scaled, moved and multiplied gates are gates") {
    const Shape two{1, 1, 2};
    const auto product = [&](std::vector<Layer> left, std::vector<Layer> right) {
        Layer block = layerOf<Block>(two, two);
        const int a = appendChain(block.as<Block>().inner, -1, std::move(left)),
                  b = appendChain(block.as<Block>().inner, -1, std::move(right));
        Layer times = layerOf<Product>(two, two);
        times.name = "mul";
        addInner(block, times, {a, b});
        return block;
    };
    const Layer map = weighted(denseLayer(2, 2), {1, 2, 3, 4}), swap = routeLayer(two, two, {1, 0});
    const Layer sigmoid = activationLayer(two, Activation::Sigmoid), hard = activationLayer(two, Activation::HardSigmoid),
                tanh = activationLayer(two, Activation::Tanh), softmax = layerOf<Softmax>(two, two);
    double lost = 0;
    const Vector plain = propagate(map, {1, 2}, lost);
    for (const std::vector<Layer>& gate : {std::vector{map, sigmoid}, std::vector{hard, swap}, std::vector{softmax, batchNorm(two, 3)}}) {
        CHECK(largestDifference(propagate(product({map, tanh}, gate), {1, 2}, lost), plain) < 1e-15);
        CHECK(largestDifference(propagate(product(gate, {map}), {1, 2}, lost), plain) < 1e-15);
        const std::string both = refusal([&] { propagate(product(gate, {sigmoid}), {1, 2}, lost); });
        CHECK(isOneSentence(both));
        CHECK(both.find("\"mul\" has gates alone") != both.npos);
    }
    const std::string none = refusal([&] { capacityLayer(product({map, tanh}, {map})); });
    CHECK(isOneSentence(none));
    CHECK(none.find("\"mul\" has more than one factor that is no gate") != none.npos);
}

TEST_CASE("softmax on capacity's way and attention are refused by name, and attention says who takes it") {
    Layer softmax = layerOf<Softmax>({1, 1, 3}, {1, 1, 3});
    softmax.name = "probabilities";
    double lost = 0;
    for (const std::string& text : {refusal([&] { propagate(softmax, {1, 0, 0}, lost); }), refusal([&] { capacityLayer(softmax); })}) {
        CHECK(isOneSentence(text));
        CHECK(text.find("probabilities") != text.npos);
    }
    Layer attention = blocksOfEveryJoin().back();
    REQUIRE(attention.name == "attention");
    for (Layer& inner : attention.as<Block>().inner)
        if (inner.is<MatMul>()) inner.name = "matmul";
    const std::string text = refusal([&] { propagate(attention, Vector(12, 1), lost); });
    CHECK(isOneSentence(text));
    CHECK(text.find("\"matmul\"") != text.npos);
    CHECK(text.find("by measured-capacity") != text.npos);
    CHECK_NOTHROW(followedOperands(attention.as<Block>().inner, CapacityRule::Measured));
}

#include "scenes/one_network/measured_capacity_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/net/data_sets.h"
#include "scenes/expressivity/digits_model.h"

namespace kappaflow::measured_capacity {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

/// Length of a signal; slow, alternating, and two that repeat every second value, with and without a change of sign.
constexpr int kSignalLength = 24;
const std::vector<Autoregression> kProcesses{{0.9, 0}, {-0.9, 0}, {0, 0.9}, {0, -0.9}};
/// Side of the square that so many inputs make; 0 for none that digits can be averaged down to.
int sideOf(Size inputs) {
    const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(inputs))));
    return static_cast<Size>(side) * static_cast<Size>(side) == inputs && side <= static_cast<int>(kDigitSide) ? side : 0;
}

struct Sizes {
    double inputs = 0, classes = 0, samples = 0;
};
Sizes sizesOf(const Opened<Params>& opened) {
    const Params& p = opened.params;
    if (p.data == "file") {
        const LabelledPoints& points = *opened.points;
        return {1.0 * static_cast<double>(points.points.rows), 1.0 * static_cast<double>(points.classes.size()),
                std::min(1.0 * p.samples, static_cast<double>(points.points.columns))};
    }
    if (takesSignals(opened)) return {kSignalLength, static_cast<double>(kProcesses.size()), 1.0 * p.samples};
    const double side = isDrawn(p) ? p.side : sideOf(opened.network->input.units());
    return {side * side, 10, 1.0 * p.samples};
}

/// Pixels averaged over areas of a smaller square, each coordinate's overlaps taken apart.
Matrix averagedDown(const Matrix& points, Size from, Size to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    Matrix weights(to, from), averaged(to * to, points.columns);
    for (Size y = 0; y < to; ++y)
        for (Size x = 0; x < from; ++x) {
            const double lo = std::max(static_cast<double>(y) * scale, static_cast<double>(x));
            const double hi = std::min(static_cast<double>(y + 1) * scale, static_cast<double>(x + 1));
            weights(y, x) = std::max(0.0, hi - lo) / scale;
        }
    for (Size y = 0; y < to; ++y)
        for (Size x = 0; x < to; ++x)
            for (Size v = 0; v < from; ++v)
                for (Size u = 0; u < from; ++u) {
                    const double weight = weights(y, v) * weights(x, u);
                    if (weight == 0) continue;
                    const double* const pixel = points.row(v * from + u);
                    double* const mean = averaged.row(y * to + x);
                    for (Size s = 0; s < points.columns; ++s) mean[s] += weight * pixel[s];
                }
    return averaged;
}

/// Mixed, since pairs are drawn and groups left out by places; as many as there are.
Samples mixed(const LabelledPoints& points, Size count, std::uint64_t seed) {
    std::vector<Size> order(points.points.columns);
    std::iota(order.begin(), order.end(), Size{0});
    Rng rng(seed, Purpose::Data, std::uint64_t{1} << 40);
    for (Size i = order.size(); i > 1; --i) std::swap(order[i - 1], order[static_cast<Size>(rng.below(i))]);
    Samples made{Matrix(points.points.rows, std::min(count, order.size())), {}, static_cast<int>(points.classes.size())};
    for (Size s = 0; s < made.inputs.columns; ++s) {
        made.labels.push_back(points.labels[order[s]]);
        for (Size i = 0; i < made.inputs.rows; ++i) made.inputs(i, s) = points.points(i, order[s]);
    }
    return made;
}

void takeMeans(Matrix& inputs) {
    for (Size i = 0; i < inputs.rows; ++i) {
        const double mean = std::accumulate(inputs.row(i), inputs.row(i) + inputs.columns, 0.0) / static_cast<double>(inputs.columns);
        for (Size s = 0; s < inputs.columns; ++s) inputs(i, s) -= mean;
    }
}

}  // namespace

bool takesSignals(const Opened<Params>& opened) {
    return opened.params.data == "signals" && (isDrawn(opened.params) || opened.network->input.units() == kSignalLength);
}

Samples samplesFor(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const auto count = static_cast<Size>(p.samples);
    LabelledPoints made;
    if (p.data != "file" && !takesSignals(opened)) {
        made = strokeDigits(count, p.seed);
        const int side = isDrawn(p) ? p.side : sideOf(opened.network->input.units());
        if (side == 0)
            throw InputError(
                "Digits are square images of at most 28 pixels a side, which this network does not take: open a file of samples.");
        made.points = averagedDown(made.points, kDigitSide, static_cast<Size>(side));
    }
    if (takesSignals(opened)) made = autoregressiveSignals(kProcesses, count, kSignalLength, p.seed);
    Samples samples = mixed(p.data == "file" ? *opened.points : made, count, p.seed);
    // Without their mean inputs have nothing in common with a bias; a trained network gets what it was made for.
    if (isDrawn(p)) takeMeans(samples.inputs);
    const Size inputs = samples.inputs.rows, taken = isDrawn(p) ? inputs : opened.network->input.units();
    if (inputs != taken)
        throw InputError("The samples have " + std::to_string(inputs) + " numbers each, and the network takes " + std::to_string(taken) +
                         ".");
    if (samples.inputs.columns < 3) throw InputError("Capacity is measured on pairs of at least three samples.");
    return samples;
}

namespace {

Architecture architectureOf(const Params& p, const Sizes& sizes) {
    static constexpr Activation kOf[] = {Activation::Relu, Activation::LeakyRelu, Activation::Abs, Activation::HardTanh, Activation::Tanh};
    Architecture network{{1, 1, static_cast<int>(sizes.inputs)}, {}};
    const auto add = [&network](Layer::Operation op, double units) {
        network.layers.push_back({network.output(), {1, 1, static_cast<int>(units)}, std::move(op)});
    };
    for (const double width : p.widths) {
        add(Dense{}, width);
        add(Pointwise{.activation = kOf[static_cast<Size>(p.activation)], .slope = p.slope}, width);
    }
    add(Dense{}, static_cast<double>(sizes.classes));
    return network;
}

}  // namespace

Network drawnNetwork(const Opened<Params>& opened) {
    const Params& p = opened.params;
    Network network = architectureOf(p, sizesOf(opened));
    initialise(network, {Initialiser::He}, p.seed);
    for (Layer& layer : network.layers)
        if (auto* dense = layer.getIf<Dense>(); dense && p.biases) dense->bias.assign(layer.out.units(), 0);
    return network;
}

Cost cost(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const Sizes sizes = sizesOf(opened);
    const Architecture drawn = isDrawn(p) ? architectureOf(p, sizes) : Architecture();
    const Architecture& network = isDrawn(p) ? drawn : *opened.network;
    const Cost once = measuring::costOfLook(network, sizes.samples, lookSpec(p));
    const double looks = isDrawn(p) ? static_cast<double>(lookedAt(static_cast<std::uint64_t>(p.steps)).size()) : 1;
    double widest = 0, kept = 0, parameters = 0;
    for (const Layer& layer : network.layers) parameters += weightCount(layer);
    for (const Size state : measuring::statesOf(network)) {
        const double there = static_cast<double>(state == 0 ? network.input.units() : network.layers[state - 1].out.units());
        widest = std::max(widest, there);
        if (there <= measuring::kMostShown) kept += there * there;
    }
    const double report = looks * (5 * widest * static_cast<double>(measuring::statesOf(network).size()) + kept + 100);
    const double pixels = p.data != "file" && !takesSignals(opened) ? static_cast<double>(kDigitSide * kDigitSide) : 0,
                 drawing = 60 * pixels + 1e3;
    const double batch = std::min(1.0 * p.batch, sizes.samples);
    const double training = isDrawn(p) ? p.steps * digit_training::stepOperations(network.layers, batch) : 0;
    return {training + looks * once.operations + drawing * sizes.samples + 1e6,
            once.bytes + 8 * (report * 2 + sizes.samples * (3 * sizes.inputs + pixels) + looks * 4 * parameters) + 2e6};
}

}  // namespace kappaflow::measured_capacity

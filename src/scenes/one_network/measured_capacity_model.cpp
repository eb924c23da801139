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
/// The image that digits are brought to: a network's own pixels, or the square that its inputs make; no pixels where there is none.
Shape rasterOf(const Opened<Params>& opened) {
    if (isDrawn(opened.params)) return {1, opened.params.side, opened.params.side};
    const Shape& in = opened.network->input;
    if (in.height > 1 && in.width > 1) return in;
    const int side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(in.units()))));
    return static_cast<Size>(side) * static_cast<Size>(side) == in.units() && side > 1 ? Shape{1, side, side} : Shape{0, 0, 0};
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
    if (sourceOf(opened) == Source::Signals) return {kSignalLength, static_cast<double>(kProcesses.size()), 1.0 * p.samples};
    return {static_cast<double>((isDrawn(p) ? rasterOf(opened) : opened.network->input).units()), 10, 1.0 * p.samples};
}

/// Shares of the old pixels in each new one along a side: of their lengths that overlap.
Matrix overlaps(Size from, Size to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    Matrix shares(to, from);
    for (Size y = 0; y < to; ++y)
        for (Size v = 0; v < from; ++v) {
            const double lo = std::max(static_cast<double>(y) * scale, static_cast<double>(v));
            const double hi = std::min(static_cast<double>(y + 1) * scale, static_cast<double>(v + 1));
            shares(y, v) = std::max(0.0, hi - lo) / scale;
        }
    return shares;
}
/// Square images averaged over the areas of other pixels, the same in every channel.
Matrix broughtTo(const Shape& raster, const Matrix& points, Size from) {
    const auto rows = static_cast<Size>(raster.height), columns = static_cast<Size>(raster.width), pixels = rows * columns;
    const Matrix down = overlaps(from, rows), across = overlaps(from, columns);
    Matrix brought(raster.units(), points.columns);
    for (Size y = 0; y < rows; ++y)
        for (Size x = 0; x < columns; ++x)
            for (Size v = 0; v < from; ++v)
                for (Size u = 0; u < from; ++u) {
                    const double weight = down(y, v) * across(x, u);
                    if (weight == 0) continue;
                    const double* const pixel = points.row(v * from + u);
                    double* const mean = brought.row(y * columns + x);
                    for (Size s = 0; s < points.columns; ++s) mean[s] += weight * pixel[s];
                }
    for (Size at = pixels; at < raster.units(); ++at) std::copy_n(brought.row(at % pixels), points.columns, brought.row(at));
    return brought;
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

Source sourceOf(const Opened<Params>& opened) {
    const Params& p = opened.params;
    if (p.data == "file") return Source::File;
    if (p.data == "signals" && (isDrawn(p) || opened.network->input.units() == kSignalLength)) return Source::Signals;
    return rasterOf(opened).units() > 0 ? Source::Digits : Source::Normal;
}

Samples samplesFor(const Opened<Params>& opened) {
    const Params& p = opened.params;
    const auto count = static_cast<Size>(p.samples);
    const Source source = sourceOf(opened);
    LabelledPoints made;
    if (source == Source::Signals) made = autoregressiveSignals(kProcesses, count, kSignalLength, p.seed);
    if (source == Source::Digits) {
        made = strokeDigits(count, p.seed);
        made.points = broughtTo(rasterOf(opened), made.points, kDigitSide);
    }
    if (source == Source::Normal) {
        made.points = Matrix(opened.network->input.units(), count);
        made.labels.assign(count, 0);
        Rng rng(p.seed, Purpose::Inputs);
        fillGaussian(rng, made.points.row(0), made.points.rows * count);
    }
    Samples samples = mixed(source == Source::File ? *opened.points : made, count, p.seed);
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
    const Source source = sourceOf(opened);
    const double pixels = source == Source::Digits ? static_cast<double>(kDigitSide * kDigitSide) : 0,
                 drawing = (source == Source::Normal ? 20 * sizes.inputs : 60 * pixels) + 1e3;
    const double batch = std::min(1.0 * p.batch, sizes.samples);
    const double training = isDrawn(p) ? p.steps * digit_training::stepOperations(network.layers, batch) : 0;
    return {training + 2 * looks * once.operations + drawing * sizes.samples + 1e6,
            once.bytes + 8 * (report * 2 + sizes.samples * (3 * sizes.inputs + pixels) + looks * 4 * parameters) + 2e6};
}

}  // namespace kappaflow::measured_capacity

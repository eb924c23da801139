#include "scenes/expressivity/digits_model.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/io/images.h"
#include "core/net/data_sets.h"

namespace kappaflow::digit_training {
namespace {

/// Index of the stream that mixes a file's samples, beyond any sample's own.
constexpr std::uint64_t kMixing = std::uint64_t{1} << 40;
constexpr double kMostHeld = 1000;

/// 0 … count − 1, mixed for a file, whose classes may stand one after the other.
std::vector<std::size_t> orderOf(bool mixed, std::uint64_t seed, std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!mixed) return order;
    Rng rng(seed, Purpose::Data, kMixing);
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[static_cast<std::size_t>(rng.below(i))]);
    return order;
}

TrainingData part(const LabelledPoints& all, const std::vector<std::size_t>& order, std::size_t from, std::size_t count) {
    const int classes = static_cast<int>(all.classes.size());
    TrainingData data{Matrix(all.points.rows, count), {}};
    std::vector<int> labels(count);
    for (std::size_t s = 0; s < count; ++s) labels[s] = all.labels[order[from + s]];
    for (std::size_t i = 0; i < all.points.rows; ++i)
        for (std::size_t s = 0; s < count; ++s) data.inputs(i, s) = all.points(i, order[from + s]);
    data.targets = classTargets(Loss::CrossEntropy, labels, classes, static_cast<std::size_t>(classes));
    return data;
}

std::size_t heldOut(int samples) { return static_cast<std::size_t>(std::min(kMostHeld, std::ceil(samples / 4.0))); }

/// How many of so many samples are learnt from; one at the least is held out.
std::size_t learntFrom(std::size_t there, int samples) {
    const auto wanted = static_cast<std::size_t>(samples);
    return there >= wanted + heldOut(samples) ? wanted : there - std::max<std::size_t>(1, there / 5);
}

/// The mean image is every pixel's mean over the samples learnt from.
void keepOfMean(double share, Matrix& train, Matrix& held) {
    double squares = 0;
    const double count = static_cast<double>(train.columns);
    for (std::size_t i = 0; i < train.rows; ++i) {
        double sum = 0;
        for (std::size_t s = 0; s < train.columns; ++s) sum += train(i, s);
        const double lost = (1 - share) * sum / count;
        for (std::size_t s = 0; s < train.columns; ++s) train(i, s) -= lost, squares += train(i, s) * train(i, s);
        for (std::size_t s = 0; s < held.columns; ++s) held(i, s) -= lost;
    }
    const double deviation = std::sqrt(squares / static_cast<double>(train.values.size()));
    if (!(deviation > 1e-12)) throw InputError("All samples are the same.");
    for (double& x : train.values) x /= deviation;
    for (double& x : held.values) x /= deviation;
}

Layer denseLayer(int in, int out) { return {{1, 1, in}, {1, 1, out}, Dense{}}; }

}  // namespace

std::shared_ptr<const LabelledPoints> readFile(const Attachment& file, int samples) {
    auto points = std::make_shared<const LabelledPoints>(
        readLabelledFile(file.bytes, file.name, static_cast<std::size_t>(samples) + heldOut(samples)));
    if (points->labels.size() < 3) throw InputError("At least three samples are needed: two to learn from and one held out.");
    return points;
}

Samples makeSamples(const LabelledPoints* file, int samples, std::uint64_t seed, double meanImage, const std::function<void()>& tick) {
    const LabelledPoints digits = file ? LabelledPoints{} : strokeDigits(static_cast<std::size_t>(samples) + heldOut(samples), seed, tick);
    const LabelledPoints& all = file ? *file : digits;
    const std::size_t there = all.labels.size(), train = learntFrom(there, samples);
    const std::vector<std::size_t> order = orderOf(file != nullptr, seed, there);
    Samples made{part(all, order, 0, train), part(all, order, train, std::min(heldOut(samples), there - train))};
    if (meanImage < 1) keepOfMean(meanImage, made.train.inputs, made.held.inputs);
    return made;
}

SampleSizes sizesOf(const LabelledPoints* file, int samples) {
    const auto held = static_cast<double>(heldOut(samples));
    if (!file) return {static_cast<double>(kDigitSide * kDigitSide), 10, static_cast<double>(samples), held};
    const std::size_t there = file->labels.size(), train = learntFrom(there, samples);
    return {static_cast<double>(file->points.rows), static_cast<double>(file->classes.size()), static_cast<double>(train),
            std::min(held, static_cast<double>(there - train))};
}

Architecture hardTanhArchitecture(int layers, int width, double inputs, double classes) {
    Architecture network{{1, 1, static_cast<int>(inputs)}, {}};
    for (int l = 0; l < layers; ++l) {
        network.layers.push_back(denseLayer(l == 0 ? static_cast<int>(inputs) : width, width));
        network.layers.push_back({{1, 1, width}, {1, 1, width}, Pointwise{.activation = Activation::HardTanh}});
    }
    network.layers.push_back(denseLayer(width, static_cast<int>(classes)));
    return network;
}

Network drawnNetwork(const Architecture& architecture, double weightVariance, double biasVariance, std::uint64_t seed,
                     const std::function<void()>& tick) {
    Network network = architecture;
    initialise(network, {Initialiser::Gaussian, weightVariance, biasVariance}, seed, tick);
    for (Layer& layer : network.layers)
        if (auto* dense = layer.getIf<Dense>(); dense && dense->bias.empty()) dense->bias.assign(layer.out.units(), 0.0);
    return network;
}

// The layers in front are frozen, so that what they make of every sample is known once and for all.
Trainer layerTrainer(const Network& network, std::size_t layer, TrainingData reaching, TrainingSpec spec) {
    const auto from = network.layers.begin() + static_cast<std::ptrdiff_t>(2 * layer);
    Network behind{from->in, {from, network.layers.end()}};
    spec.frozen.assign(behind.layers.size(), true);
    spec.frozen[0] = false;
    return {std::move(behind), std::move(reaching), std::move(spec)};
}

Matrix passThrough(std::span<const Layer> layers, const Matrix& inputs, const std::function<void()>& tick) {
    // Nanoseconds between two ticks; samples at once: at most what stays in the cache, at least what products are fast with.
    constexpr double kWork = 4e6, kMost = 256, kLeast = 16;
    assert(inputs.rows == layers.front().in.units());
    const auto block = static_cast<std::size_t>(std::clamp(kWork / lookOperations(layers), kLeast, kMost));
    Matrix outputs(layers.back().out.units(), inputs.columns), state, next;
    for (std::size_t done = 0; done < inputs.columns; done += block) {
        const std::size_t count = std::min(block, inputs.columns - done);
        state = Matrix(inputs.rows, count);
        for (std::size_t i = 0; i < state.rows; ++i) std::copy_n(inputs.row(i) + done, count, state.row(i));
        for (const Layer& layer : layers) {
            applyBatch(layer, state, next);
            std::swap(state, next);
        }
        for (std::size_t i = 0; i < state.rows; ++i) std::copy_n(state.row(i), count, outputs.row(i) + done);
        tick();
    }
    return outputs;
}

double parametersOf(std::span<const Layer> layers) {
    double parameters = 0;
    for (const Layer& layer : layers)
        if (layer.is<Dense>()) parameters += weightCount(layer) + static_cast<double>(layer.out.units());
    return parameters;
}

double unitsOf(std::span<const Layer> layers) {
    double units = static_cast<double>(layers.front().in.units());
    for (const Layer& layer : layers) units += static_cast<double>(layer.out.units());
    return units;
}

double lookOperations(std::span<const Layer> layers) { return 0.14 * parametersOf(layers) + 2.2 * unitsOf(layers) + 150; }

// Three products, but two in the lowest layer; the optimiser takes some nanoseconds a parameter.
double stepOperations(std::span<const Layer> layers, double batch) {
    const double parameters = parametersOf(layers), lowest = parametersOf(layers.first(1));
    return batch * (0.15 * (3 * parameters - lowest) + 6 * unitsOf(layers) + 300) + 4 * parameters + 5e3;
}

// Two products everywhere: forward, and back to the lowest layer, or its gradient.
double lowestStepOperations(std::span<const Layer> layers, double batch) {
    return 2 * batch * lookOperations(layers) + 4 * parametersOf(layers.first(1)) + 5e3;
}

}  // namespace kappaflow::digit_training

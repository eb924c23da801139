#include "scenes/expressivity/model_digits.h"

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

bool fromFile(const Values& v) { return v.is("data", "file"); }

const Attachment& fileOf(const Request& request) {
    if (!request.data) throw InputError("data=file needs the data file itself, which a link does not carry: open it again.");
    return *request.data;
}

LabelledPoints readFile(const Request& request, std::size_t most) {
    const Attachment& file = fileOf(request);
    return readLabelledFile(file.bytes, file.name, most);
}

std::size_t asked(const Values& v) { return static_cast<std::size_t>(v.integer("samples")); }

/// 0 … count − 1, mixed for a file, whose classes may stand one after the other.
std::vector<std::size_t> orderOf(const Request& request, std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!fromFile(request.params)) return order;
    Rng rng(request.params.seed(), Purpose::Data, kMixing);
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

/// How many of so many samples are learnt from, two at the least; one at the least is held out.
std::size_t learnt(std::size_t there, std::size_t wanted) {
    if (there < 3) throw InputError("At least three samples are needed: two to learn from and one held out.");
    const auto held = static_cast<std::size_t>(heldOut(static_cast<double>(wanted)));
    return there >= wanted + held ? wanted : there - std::max<std::size_t>(1, there / 5);
}

/// All samples lose (1 − share) of the mean image, every pixel's mean over the samples learnt from, and are scaled together, so that the
/// mean square over the pixels learnt from is 1.
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

Layer plainLayer(LayerKind kind, std::size_t in, std::size_t out) {
    Layer layer;
    layer.kind = kind;
    layer.activation = Activation::HardTanh;
    layer.in = {1, 1, static_cast<int>(in)};
    layer.out = {1, 1, static_cast<int>(out)};
    return layer;
}

}  // namespace

double heldOut(double samples) { return std::min(kMostHeld, std::ceil(samples / 4)); }

Samples readSamples(const Request& request) {
    const std::size_t wanted = asked(request.params), held = static_cast<std::size_t>(heldOut(static_cast<double>(wanted)));
    const LabelledPoints all =
        fromFile(request.params) ? readFile(request, wanted + held) : strokeDigits(wanted + held, request.params.seed());
    const std::size_t there = all.labels.size(), train = learnt(there, wanted);
    const std::vector<std::size_t> order = orderOf(request, there);
    Samples samples{part(all, order, 0, train), part(all, order, train, std::min(held, there - train))};
    const Values& v = request.params;
    if (v.contains("meanImage") && v.number("meanImage") < 1) keepOfMean(v.number("meanImage"), samples.train.inputs, samples.held.inputs);
    return samples;
}

SampleSizes sizesOf(const Request& request) {
    const std::size_t wanted = asked(request.params);
    const double held = heldOut(static_cast<double>(wanted));
    if (!fromFile(request.params)) return {static_cast<double>(kDigitSide * kDigitSide), 10, static_cast<double>(wanted), held};
    const Attachment& file = fileOf(request);
    const LabelledSizes sizes = sizesOfLabelledFile(file.bytes, file.name, wanted + static_cast<std::size_t>(held));
    const std::size_t train = learnt(sizes.samples, wanted);
    return {static_cast<double>(sizes.inputs), static_cast<double>(sizes.classes), static_cast<double>(train),
            std::min(held, static_cast<double>(sizes.samples - train))};
}

Architecture hardTanhArchitecture(const Values& v, std::size_t inputs, std::size_t classes) {
    const auto width = static_cast<std::size_t>(v.integer("width"));
    Architecture network{{1, 1, static_cast<int>(inputs)}, {}};
    for (int l = 0; l < v.integer("layers"); ++l) {
        network.layers.push_back(plainLayer(LayerKind::Dense, l == 0 ? inputs : width, width));
        network.layers.push_back(plainLayer(LayerKind::Activation, width, width));
    }
    network.layers.push_back(plainLayer(LayerKind::Dense, width, classes));
    return network;
}

Network hardTanhNet(const Values& v, std::size_t inputs, std::size_t classes, std::uint64_t draw) {
    Network network = hardTanhArchitecture(v, inputs, classes);
    initialise(network, {Initialiser::Gaussian, v.number("weightVariance"), v.number("biasVariance")}, v.seed() + (draw << 32));
    for (Layer& layer : network.layers)
        if (layer.kind == LayerKind::Dense && layer.bias.empty()) layer.bias.assign(layer.out.units(), 0.0);
    return network;
}

TrainingSpec specOf(const Values& v, OptimiserSpec optimiser, std::uint64_t draw) {
    TrainingSpec spec;
    spec.optimiser = optimiser;
    spec.optimiser.learningRate = v.number("learningRate");
    spec.batch = static_cast<std::size_t>(v.integer("batch"));
    spec.seed = v.seed() + (draw << 32);
    return spec;
}

double parametersOf(std::span<const Layer> layers) {
    double parameters = 0;
    for (const Layer& layer : layers)
        if (layer.kind == LayerKind::Dense) parameters += weightCount(layer) + static_cast<double>(layer.out.units());
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

namespace {

/// Nanoseconds of a call; most samples of one, whose states stay in the cache, and least, below which products slow down.
constexpr double kCallWork = 4e6, kMost = 256, kLeast = 16;

}  // namespace

SamplePass::SamplePass(std::span<const Layer> layers, const Matrix& learntInputs, const Matrix& heldInputs)
    : learnt(layers.back().out.units(), learntInputs.columns),
      held(layers.back().out.units(), heldInputs.columns),
      layers_(layers),
      learntInputs_(learntInputs),
      heldInputs_(heldInputs),
      block_(static_cast<std::size_t>(std::clamp(kCallWork / lookOperations(layers), kLeast, kMost))) {
    assert(learntInputs.rows == layers.front().in.units() && heldInputs.rows == learntInputs.rows);
}

bool SamplePass::advance() {
    if (learntDone_ < learnt.columns)
        advance(learntInputs_, learnt, learntDone_);
    else
        advance(heldInputs_, held, heldDone_);
    return learntDone_ < learnt.columns || heldDone_ < held.columns;
}

void SamplePass::advance(const Matrix& inputs, Matrix& outputs, std::size_t& done) {
    const std::size_t count = std::min(block_, inputs.columns - done);
    state_ = Matrix(inputs.rows, count);
    for (std::size_t i = 0; i < state_.rows; ++i) std::copy_n(inputs.row(i) + done, count, state_.row(i));
    for (const Layer& layer : layers_) {
        applyBatch(layer, state_, next_);
        std::swap(state_, next_);
    }
    for (std::size_t i = 0; i < state_.rows; ++i) std::copy_n(state_.row(i), count, outputs.row(i) + done);
    done += count;
}

}  // namespace kappaflow::digit_training

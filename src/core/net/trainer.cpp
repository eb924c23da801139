#include "core/net/trainer.h"

#include <Eigen/Core>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/base/rng.h"

namespace kappaflow {
namespace {

using Values = Eigen::Map<Eigen::ArrayXd>;

double halfSquares(const Matrix& y, const Matrix& t, Matrix* gradient, double perSample) {
    double sum = 0;
    for (std::size_t i = 0; i < y.values.size(); ++i) {
        const double difference = y.values[i] - t.values[i];
        sum += difference * difference;
        if (gradient) gradient->values[i] = difference * perSample;
    }
    return sum / 2;
}

double logistic(const Matrix& y, const Matrix& t, Matrix* gradient, double perSample) {
    double sum = 0;
    for (std::size_t s = 0; s < y.values.size(); ++s) {
        sum += portableSoftplus(y.values[s]) - t.values[s] * y.values[s];
        if (gradient) gradient->values[s] = (portableSigmoid(y.values[s]) - t.values[s]) * perSample;
    }
    return sum;
}

double softmax(const Matrix& y, const Matrix& t, Matrix* gradient, double perSample) {
    double sum = 0;
    std::vector<double> e(y.rows);
    for (std::size_t s = 0; s < y.columns; ++s) {
        double top = y(0, s), total = 0, cross = 0, weight = 0;
        for (std::size_t i = 1; i < y.rows; ++i) top = std::max(top, y(i, s));
        for (std::size_t i = 0; i < y.rows; ++i) {
            total += e[i] = portableExp(y(i, s) - top);
            cross += t(i, s) * (y(i, s) - top);
            weight += t(i, s);
        }
        sum += weight * portableLog(total) - cross;
        if (!gradient) continue;
        for (std::size_t i = 0; i < y.rows; ++i) (*gradient)(i, s) = (weight * (e[i] / total) - t(i, s)) * perSample;
    }
    return sum;
}

/// The largest of a column; one output counts as y against `middle`.
std::size_t classOf(const Matrix& m, std::size_t s, double middle) {
    if (m.rows == 1) return m(0, s) > middle ? 1 : 0;
    std::size_t best = 0;
    for (std::size_t i = 1; i < m.rows; ++i)
        if (m(i, s) > m(best, s)) best = i;
    return best;
}

}  // namespace

double lossOf(Loss loss, const Matrix& outputs, const Matrix& targets, Matrix* gradient) {
    assert(outputs.rows == targets.rows && outputs.columns == targets.columns && outputs.columns > 0);
    if (gradient && (gradient->rows != outputs.rows || gradient->columns != outputs.columns))
        *gradient = Matrix(outputs.rows, outputs.columns);
    const double samples = static_cast<double>(outputs.columns), perSample = 1 / samples;
    if (loss == Loss::MeanSquare) return halfSquares(outputs, targets, gradient, perSample) / samples;
    // portableLog is not made for what a diverging network puts out.
    for (const double y : outputs.values)
        if (!std::isfinite(y)) return std::nan("");
    return (outputs.rows == 1 ? logistic : softmax)(outputs, targets, gradient, perSample) / samples;
}

double accuracyOf(Loss loss, const Matrix& outputs, const Matrix& targets) {
    assert(outputs.rows == targets.rows && outputs.columns == targets.columns && outputs.columns > 0);
    const double middle = loss == Loss::CrossEntropy ? 0.5 : 0;
    std::size_t right = 0;
    for (std::size_t s = 0; s < outputs.columns; ++s) right += classOf(outputs, s, 0) == classOf(targets, s, middle);
    return static_cast<double>(right) / static_cast<double>(outputs.columns);
}

Matrix classTargets(Loss loss, const std::vector<int>& labels, int classes, std::size_t outputs) {
    const bool single = outputs == 1;
    if (classes < 2 || (single ? classes != 2 : static_cast<std::size_t>(classes) > outputs))
        throw InputError("A network with " + std::to_string(outputs) + (single ? " output" : " outputs") + " cannot tell " +
                         std::to_string(classes) + " classes apart.");
    Matrix targets(outputs, labels.size());
    for (std::size_t s = 0; s < labels.size(); ++s) {
        const int label = labels[s];
        if (label < 0 || label >= classes) throw InputError("Sample " + std::to_string(s + 1) + " has a label that is no class.");
        if (single)
            targets(0, s) = label == 1 ? 1 : loss == Loss::CrossEntropy ? 0 : -1;
        else
            targets(static_cast<std::size_t>(label), s) = 1;
    }
    return targets;
}

namespace {

Values arrayOf(std::span<double> x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

/// By repeated squaring: in a fixed order from t alone, so that any step can be re-entered, and unlike std::pow alike everywhere.
double power(double base, std::uint64_t t) {
    double result = 1;
    for (; t > 0; t >>= 1, base *= base)
        if (t & 1) result *= base;
    return result;
}

bool isShare(double x) { return x >= 0 && x < 1; }

}  // namespace

void validate(const OptimiserSpec& spec) {
    // Written so that what is not a number is refused too.
    if (!(spec.learningRate > 0 && spec.learningRate < 1e300)) throw InputError("The learning rate must be a positive number.");
    if (!isShare(spec.momentum)) throw InputError("The momentum must lie from 0 up to, not including, 1.");
    if (!isShare(spec.beta1) || !isShare(spec.beta2)) throw InputError("Adam's decay rates must lie from 0 up to, not including, 1.");
    if (!(spec.epsilon > 0 && spec.epsilon < 1e300)) throw InputError("Adam's ε must be a positive number.");
}

void updateParameters(const OptimiserSpec& spec, std::uint64_t t, std::span<double> w, std::span<const double> g, std::span<double> first,
                      std::span<double> second) {
    assert(t >= 1 && g.size() == w.size() && first.size() == w.size());
    const Eigen::Map<const Eigen::ArrayXd> gradient(g.data(), static_cast<Eigen::Index>(g.size()));
    Values parameters = arrayOf(w), m = arrayOf(first);
    if (spec.kind == Optimiser::Momentum) {
        m = spec.momentum * m + gradient;
        parameters -= spec.learningRate * m;
        return;
    }
    assert(second.size() == w.size());
    Values s = arrayOf(second);
    m = spec.beta1 * m + (1 - spec.beta1) * gradient;
    s = spec.beta2 * s + (1 - spec.beta2) * gradient.square();
    const double stepSize = spec.learningRate / (1 - power(spec.beta1, t)), scale = 1 / (1 - power(spec.beta2, t));
    parameters -= stepSize * m / ((scale * s).sqrt() + spec.epsilon);
}

namespace {

/// A gradient or loss beyond this is divergence; the square of one is still far from overflow.
constexpr double kDiverged = 1e15;
/// Samples evaluated together: their states stay in the cache, and memory bounded.
constexpr std::size_t kEvaluated = 256;

bool isFinite(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

// Written so that what is not a number is not tame.
bool isTame(const std::vector<double>& values) {
    double largest = 0;
    bool number = true;
    for (const double x : values) {
        largest = std::max(largest, std::abs(x));
        number = number && x == x;
    }
    return number && largest <= kDiverged;
}

void checkData(const Network& network, const TrainingData& data) {
    if (data.inputs.columns == 0) throw InputError("There are no samples to train on.");
    if (data.inputs.rows != network.input.units())
        throw InputError("The samples have " + std::to_string(data.inputs.rows) + " inputs, the network " +
                         std::to_string(network.input.units()) + ".");
    if (data.targets.rows != network.output().units() || data.targets.columns != data.inputs.columns)
        throw InputError("The targets do not fit the network's outputs and the samples.");
    if (!isFinite(data.inputs.values) || !isFinite(data.targets.values)) throw InputError("A sample holds a number that is not finite.");
}

void checkSpec(const Network& network, const TrainingSpec& spec) {
    validate(spec.optimiser);
    if (spec.batch == 0) throw InputError("A step needs a batch of at least one sample.");
    if (!spec.frozen.empty() && spec.frozen.size() != network.layers.size())
        throw InputError("There are " + std::to_string(spec.frozen.size()) + " marks of frozen layers for " +
                         std::to_string(network.layers.size()) + " layers.");
}

std::vector<LayerParameters> zerosLike(const std::vector<Layer>& layers) {
    std::vector<LayerParameters> zeros;
    for (const Layer& layer : layers) {
        const Weights& own = weightsOf(layer);
        const auto* block = layer.getIf<Block>();
        zeros.push_back({{std::vector<double>(own.weights.size()), std::vector<double>(own.bias.size())},
                         block ? zerosLike(block->inner) : std::vector<LayerParameters>()});
    }
    return zeros;
}

/// Calls visit(values) for the weights and the biases of every layer, or for what is kept for each of them.
template <class Visit>
void eachParameters(auto& layers, const Visit& visit) {
    for (auto& layer : layers) {
        if constexpr (std::is_base_of_v<Weights, std::remove_cvref_t<decltype(layer)>>) {
            visit(layer.weights), visit(layer.bias);
            eachParameters(layer.inner, visit);
        } else {
            if (auto* own = layer.template getIf<Weights>()) visit(own->weights), visit(own->bias);
            if (auto* block = layer.template getIf<Block>()) eachParameters(block->inner, visit);
        }
    }
}

template <class Layers>
std::vector<double> flat(const Layers& layers) {
    std::vector<double> all;
    eachParameters(layers, [&](const std::vector<double>& values) { all.insert(all.end(), values.begin(), values.end()); });
    return all;
}

template <class Layers>
void unflatten(const std::vector<double>& all, Layers& layers) {
    auto from = all.begin();
    eachParameters(layers, [&](std::vector<double>& values) {
        assert(static_cast<std::size_t>(all.end() - from) >= values.size());
        std::copy_n(from, values.size(), values.begin());
        from += static_cast<std::ptrdiff_t>(values.size());
    });
    assert(from == all.end());
}

void update(const OptimiserSpec& spec, std::uint64_t step, Layer& layer, const LayerParameters& gradient, LayerParameters& first,
            LayerParameters& second) {
    if (hasTrainableWeights(layer)) {
        auto& own = layer.as<Weights>();
        updateParameters(spec, step, own.weights, gradient.weights, first.weights, second.weights);
        updateParameters(spec, step, own.bias, gradient.bias, first.bias, second.bias);
    }
    auto* const block = layer.getIf<Block>();
    for (std::size_t l = 0; block && l < block->inner.size(); ++l)
        update(spec, step, block->inner[l], gradient.inner[l], first.inner[l], second.inner[l]);
}

/// Columns `from` … `to` − 1 of m, in the order of `columns` or as they stand.
void gather(const Matrix& m, const std::size_t* columns, std::size_t count, Matrix& out) {
    out.rows = m.rows, out.columns = count;
    out.values.resize(m.rows * count);
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t s = 0; s < count; ++s) out(i, s) = m(i, columns[s]);
}

}  // namespace

Trainer::Trainer(Network network, TrainingData data, TrainingSpec spec)
    : network_(std::move(network)), data_(std::move(data)), spec_(std::move(spec)) {
    validate(network_);
    checkData(network_, data_);
    checkSpec(network_, spec_);
    order_.resize(data_.inputs.columns);
    states_.at.resize(network_.layers.size() + 1);
    gradients_ = first_ = second_ = zerosLike(network_.layers);
    while (lowest_ < network_.layers.size() && !trains(lowest_)) ++lowest_;
}

bool Trainer::trains(std::size_t layer) const {
    return holdsTrainableWeights(network_.layers[layer]) && (spec_.frozen.empty() || !spec_.frozen[layer]);
}

std::size_t Trainer::stepsAnEpoch() const {
    const std::size_t batch = std::min(spec_.batch, order_.size());
    return (order_.size() + batch - 1) / batch;
}

void Trainer::gatherBatch() {
    const std::size_t samples = order_.size(), batch = std::min(spec_.batch, samples), perEpoch = stepsAnEpoch();
    const std::uint64_t epoch = steps_ / perEpoch;
    if (epoch != epoch_) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        Rng rng(spec_.seed, Purpose::Training, epoch);
        for (std::size_t i = samples; i > 1; --i) std::swap(order_[i - 1], order_[static_cast<std::size_t>(rng.below(i))]);
        epoch_ = epoch;
    }
    const std::size_t from = static_cast<std::size_t>(steps_ % perEpoch) * batch, count = std::min(batch, samples - from);
    gather(data_.inputs, &order_[from], count, states_.at.front());
    gather(data_.targets, &order_[from], count, targets_);
}

void Trainer::findGradient() {
    applyChain(network_.layers, states_);
    batchLoss_ = lossOf(spec_.loss, states_.at.back(), targets_, &gradient_);
    if (!(std::abs(batchLoss_) <= kDiverged)) return;
    pullChain(network_.layers, states_, gradient_, gradients_, {lowest_, false, &spec_.frozen});
}

bool Trainer::usable() const {
    if (!(std::abs(batchLoss_) <= kDiverged)) return false;
    bool tame = true;
    eachParameters(gradients_, [&](const std::vector<double>& values) { tame = tame && isTame(values); });
    return tame;
}

void Trainer::change() {
    ++steps_;
    for (std::size_t l = lowest_; l < network_.layers.size(); ++l) {
        if (trains(l)) update(spec_.optimiser, steps_, network_.layers[l], gradients_[l], first_[l], second_[l]);
    }
}

bool Trainer::step() {
    if (!trouble_.empty()) return false;
    gatherBatch();
    findGradient();
    if (!usable()) {
        trouble_ = "Training diverged after step " + std::to_string(steps_) +
                   ": its loss or gradient grows beyond all bounds; a lower learning rate avoids that.";
        return false;
    }
    change();
    return true;
}

Matrix Trainer::outputs(const Matrix& inputs) const {
    Matrix all(network_.output().units(), inputs.columns);
    BatchStates states;
    states.at.resize(network_.layers.size() + 1);
    std::vector<std::size_t> columns(inputs.columns);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    for (std::size_t from = 0; from < inputs.columns; from += kEvaluated) {
        gather(inputs, &columns[from], std::min(kEvaluated, inputs.columns - from), states.at.front());
        applyChain(network_.layers, states);
        const Batch& y = states.at.back();
        for (std::size_t i = 0; i < all.rows; ++i) std::copy_n(y.row(i), y.columns, all.row(i) + from);
    }
    return all;
}

Evaluation Trainer::evaluate() const {
    const Matrix y = outputs(data_.inputs);
    return {lossOf(spec_.loss, y, data_.targets), accuracyOf(spec_.loss, y, data_.targets)};
}

TrainingCheckpoint Trainer::checkpoint() const {
    TrainingCheckpoint c{steps_, flat(network_.layers), flat(first_), {}};
    if (spec_.optimiser.kind == Optimiser::Adam) c.second = flat(second_);
    return c;
}

void Trainer::restore(const TrainingCheckpoint& checkpoint) {
    steps_ = checkpoint.step;
    trouble_.clear();
    unflatten(checkpoint.parameters, network_.layers);
    unflatten(checkpoint.first, first_);
    if (spec_.optimiser.kind == Optimiser::Adam) unflatten(checkpoint.second, second_);
}

namespace {

/// Of a convolution: shared weights are used at every position.
double weightUses(const Layer& layer) {
    const double positions = static_cast<double>(layer.out.height) * layer.out.width;
    return weightCount(layer) * (layer.as<Conv>().shared ? positions : 1);
}

/// Units that a sample's windows read, padded ones included.
double poolUses(const Layer& layer) {
    if (layer.is<GlobalAveragePool>()) return static_cast<double>(layer.in.units());
    const auto* pooling = layer.getIf<Pooling>();
    if (!pooling) return 0;
    return static_cast<double>(layer.out.units()) * pooling->window.size[0] * pooling->window.size[1];
}

/// Nanoseconds, measured from 2-16-16-16-1 to 784-100×8-10 and 64 channels of 28 × 28 at batches of 1 to 500: 0.9 to 1.7 times what a step
/// takes. Three products with a weight are one and a half nanoseconds a sample in small layers, a third of that in large ones, the rest of
/// which stands with the units; Adam's root and quotient are the parameters'. Poolings, measured from 2 × 2 to 15 × 15 on 8 channels of
/// 28 × 28, read their windows twice a sample and find them twice a batch; a largest unit changes unforeseeably.
double operationsOf(const std::vector<Layer>& layers, double batch) {
    constexpr double kDenseUse = 0.45, kConvUse = 0.65, kUnit = 6, kParameter = 9, kPoolUse = 2, kPoolTap = 12, kLargest = 30;
    double operations = 0;
    eachLayer(layers, [&](const Layer& layer) {
        if (layer.is<Dense>()) operations += weightCount(layer) * (kDenseUse * batch + kParameter);
        if (layer.is<Conv>()) operations += weightUses(layer) * kConvUse * batch + weightCount(layer) * kParameter;
        operations += poolUses(layer) * (kPoolUse * batch + kPoolTap);
        if (layer.is<MaxPool>()) operations += kLargest * static_cast<double>(layer.out.units()) * batch;
        operations += kUnit * static_cast<double>(layer.out.units()) * batch;
    });
    return operations;
}

}  // namespace

double trainingStepOperations(const Architecture& architecture, std::size_t batch) {
    return operationsOf(architecture.layers, static_cast<double>(batch)) + 5e3;
}

}  // namespace kappaflow

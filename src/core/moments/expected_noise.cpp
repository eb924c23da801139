#include "core/moments/expected_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "core/linalg/decompositions.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// Measured: 0.33 ns a multiply-add.
constexpr double kOperationsAUse = 0.33;
/// Numbers of one chunk of samples with all their tangents, and of a Jacobian that all samples share.
constexpr double kChunkNumbers = 3e5, kMostNumbers = 2e6;
/// Apart from those of NetworkMoments, whose draws are numbered from 0.
constexpr std::uint64_t kNoiseDraw = 1u << 31;

/// True of layers whose Jacobian does not depend on their input.
bool isAffine(const Layer& layer) {
    if (const auto* block = layer.getIf<Block>()) return std::all_of(block->inner.begin(), block->inner.end(), isAffine);
    if (const auto* pool = layer.getIf<MaxPool>()) return pool->window.size[0] * pool->window.size[1] == 1;
    if (const auto* f = layer.getIf<Pointwise>()) return f->activation == Activation::Identity;
    return !layer.is<LayerNorm, Softmax, Product, MatMul>();
}

/// How the noise of a network is taken, chosen by what it costs.
struct Plan {
    Size common = 0;      ///< layers with one Jacobian
    bool merged = false;  ///< its columns replaced by fewer
    Size draws = 0;       ///< 0: exact
    double columns = 0;   ///< that each sample follows
    double operations = 0, widest = 0, sharedNumbers = 0;
};

Plan planOf(const Network& network, double samples, double operations) {
    Plan plan;
    const double inputs = static_cast<double>(network.input.units());
    while (plan.common < network.layers.size() && isAffine(network.layers[plan.common])) ++plan.common;
    double shared = 0, rest = 0, whole = 0;
    plan.widest = inputs;
    plan.sharedNumbers = inputs * inputs;
    for (Size l = 0; l < network.layers.size(); ++l) {
        const LayerCost cost = costOfTangents(network.layers[l]);
        whole += cost.uses;
        (l < plan.common ? shared : rest) += cost.uses;
        plan.widest = std::max(plan.widest, cost.units);
        if (l < plan.common) plan.sharedNumbers = std::max(plan.sharedNumbers, 2 * cost.units * inputs);
    }
    const double units = plan.common > 0 ? static_cast<double>(network.layers[plan.common - 1].out.units()) : inputs;
    const double merging = 2 * inputs * units * units;
    plan.merged = units < inputs && merging < samples * rest * (inputs - units);
    plan.columns = plan.merged ? units : inputs;
    const double exact = kOperationsAUse * (shared * inputs + samples * (shared + rest * (plan.columns + 1))) + (plan.merged ? merging : 0);
    plan.operations = exact;
    if (exact <= operations && plan.sharedNumbers <= kMostNumbers && 2 * plan.widest * (plan.columns + 1) <= kMostNumbers) return plan;
    plan.draws = static_cast<Size>(std::clamp(std::floor(operations / (kOperationsAUse * samples * whole + 1)) - 1, 1.0, 64.0));
    plan.common = 0, plan.merged = false, plan.sharedNumbers = 0;
    plan.columns = static_cast<double>(plan.draws);
    plan.operations = kOperationsAUse * samples * whole * (plan.columns + 1);
    return plan;
}

Size chunkOf(const Plan& plan, double samples) {
    return static_cast<Size>(std::clamp(std::floor(kChunkNumbers / (plan.widest * (plan.columns + 1))), 1.0, samples));
}

double meanSquare(const Batch& batch) {
    double sum = 0;
    for (const double value : batch.values) sum += value * value;
    return sum / static_cast<double>(batch.values.size());
}

/// Brings them near 1 and returns the logarithm of what they were divided by.
double renormalised(Batch& tangents) {
    const double square = meanSquare(tangents);
    if (!(square > 0) || !std::isfinite(square)) return 0;
    const double size = std::sqrt(square);
    for (double& value : tangents.values) value /= size;
    return std::log(size);
}

/// Every sample's columns, [unit][sample, column].
Batch repeated(const Batch& columns, Size samples) {
    Batch all(columns.rows, columns.columns * samples);
    for (Size i = 0; i < columns.rows; ++i)
        for (Size s = 0; s < samples; ++s) std::copy_n(columns.row(i), columns.columns, all.row(i) + s * columns.columns);
    return all;
}

}  // namespace

ExpectedNoise::ExpectedNoise(const Network& network, Batch samples, std::uint64_t seed, double operations)
    : network_(network), samples_(std::move(samples)), seed_(seed) {
    validate(network_);
    const auto count = static_cast<double>(samples_.columns);
    const Plan plan = planOf(network_, count, operations);
    draws_ = plan.draws;
    common_ = plan.common;
    chunk_ = chunkOf(plan, count);
    logSquares_.assign(network_.layers.size() + 1, std::vector<double>(samples_.columns, 0.0));
    if (draws_ == 0) {
        followCommon();
        if (plan.merged) columns_ = transposed(triangularFactor(transposed(columns_)));
    }
    begin();
}

/// J of the layers that bend nothing, from the identity.
void ExpectedNoise::followCommon() {
    const double inputs = static_cast<double>(network_.input.units());
    ValuesAndTangents t{Batch(network_.input.units(), 1), identityMatrix(network_.input.units())};
    for (Size l = 0; l < common_; ++l) {
        t = withTangents(network_.layers[l], t);
        columnsScale_ += renormalised(t.tangents);
        // |J|² over the units: every column of the identity is one of the input's numbers.
        const double square = std::log(meanSquare(t.tangents) * inputs) + 2 * columnsScale_;
        std::fill(logSquares_[l + 1].begin(), logSquares_[l + 1].end(), square);
    }
    columns_ = std::move(t.tangents);
}

void ExpectedNoise::begin() {
    const Size count = std::min(chunk_, samples_.columns - from_);
    now_.values = Batch(samples_.rows, count);
    for (Size i = 0; i < samples_.rows; ++i) std::copy_n(samples_.row(i) + from_, count, now_.values.row(i));
    layer_ = 0;
    logScale_ = columnsScale_;
    if (draws_ == 0) {
        for (; layer_ < common_; ++layer_) now_.values = withTangents(network_.layers[layer_], {now_.values, now_.values}).values;
        now_.tangents = repeated(columns_, count);
        return;
    }
    now_.tangents = Batch(samples_.rows, count * draws_);
    for (Size s = 0; s < count; ++s)
        for (Size d = 0; d < draws_; ++d) {
            Rng rng(seed_, Purpose::MonteCarlo, (kNoiseDraw + d) << 32 | (from_ + s));
            for (Size i = 0; i < samples_.rows; ++i) now_.tangents(i, s * draws_ + d) = rng.gaussian();
        }
}

void ExpectedNoise::record(Size state) {
    const Size count = now_.values.columns, each = now_.tangents.columns / count;
    const double parts = static_cast<double>(now_.tangents.rows) * (draws_ > 0 ? static_cast<double>(draws_) : 1);
    std::vector<double> sums(count);
    for (Size i = 0; i < now_.tangents.rows; ++i)
        for (Size c = 0; c < now_.tangents.columns; ++c) sums[c / each] += now_.tangents(i, c) * now_.tangents(i, c);
    for (Size s = 0; s < count; ++s) logSquares_[state][from_ + s] = std::log(sums[s] / parts) + 2 * logScale_;
}

bool ExpectedNoise::step() {
    if (from_ == samples_.columns) return false;
    if (layer_ < network_.layers.size()) {
        now_ = withTangents(network_.layers[layer_], now_);
        logScale_ += renormalised(now_.tangents);
        record(++layer_);
    }
    if (layer_ < network_.layers.size()) return true;
    from_ += now_.values.columns;
    if (from_ == samples_.columns) return false;
    begin();
    return true;
}

double ExpectedNoise::progress() const {
    const double layers = static_cast<double>(network_.layers.size()), all = static_cast<double>(samples_.columns);
    const double under = from_ < samples_.columns && layers > 0 ? static_cast<double>(now_.values.columns * layer_) / layers : 0;
    return (static_cast<double>(from_) + under) / all;
}

namespace {

/// Samples' mean squares over the largest of them.
std::vector<double> overLargest(const std::vector<double>& logs, double largest) {
    std::vector<double> shares;
    for (const double log : logs) shares.push_back(std::isfinite(largest) ? std::exp(log - largest) : 0);
    return shares;
}

double meanOf(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

}  // namespace

std::vector<double> ExpectedNoise::logMeanSquare() const {
    std::vector<double> logs{0.0};
    for (Size l = 1; l < logSquares_.size(); ++l) {
        const double largest = *std::max_element(logSquares_[l].begin(), logSquares_[l].end());
        logs.push_back(std::isfinite(largest) ? largest + std::log(meanOf(overLargest(logSquares_[l], largest))) : largest);
    }
    return logs;
}

std::vector<double> ExpectedNoise::relativeError() const {
    std::vector<double> errors(logSquares_.size());
    const double n = static_cast<double>(samples_.columns);
    for (Size l = 1; l < errors.size() && draws_ > 0 && n > 1; ++l) {
        const auto shares = overLargest(logSquares_[l], *std::max_element(logSquares_[l].begin(), logSquares_[l].end()));
        const double mean = meanOf(shares);
        double square = 0;
        for (const double share : shares) square += (share - mean) * (share - mean);
        if (mean > 0) errors[l] = std::sqrt(square / (n - 1) / n) / mean;
    }
    return errors;
}

Cost costOfExpectedNoise(const Network& network, double samples, double operations) {
    const Plan plan = planOf(network, samples, operations);
    const double chunk = static_cast<double>(chunkOf(plan, samples));
    // Inputs and outputs of a layer, values beside tangents, and the columns that all samples share.
    const double numbers = 3 * chunk * plan.widest * (plan.columns + 1) + 3 * plan.sharedNumbers;
    return {plan.operations, 8 * (numbers + samples * static_cast<double>(network.layers.size() + 1 + network.input.units()))};
}

}  // namespace kappaflow

#include "core/linear/hierarchical_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linear/dilated_responses.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

std::string count(double value) { return std::to_string(static_cast<long long>(value)); }

void within(int value, int limit, const char* what, Size layer) {
    if (value >= 1 && value <= limit) return;
    throw InputError("Layer " + std::to_string(layer) + " has " + what + " " + std::to_string(value) + ": it must lie between 1 and " +
                     std::to_string(limit) + ".");
}

HierarchicalShape stack(std::vector<int> dilations, int taps, int channels, int components) {
    HierarchicalShape shape{std::vector<int>(dilations.size(), taps), std::move(dilations), {components}};
    for (Size l = 1; l < shape.layers(); ++l) shape.channels.push_back(channels);
    shape.channels.push_back(1);
    return shape;
}

// Small enough for whatever the arguments to be refused by checkShape, not by the memory.
int times(int repeats) { return std::clamp(repeats, 0, kMaxModelLayers + 1); }

/// Lags that sums of k·d_l reach, with multiplicity, as long as none is reached twice; empty otherwise.
std::vector<std::vector<int>> digitsByLag(const HierarchicalShape& shape) {
    const Size n = static_cast<Size>(receptiveField(shape));
    std::vector<std::vector<int>> digits(n);
    std::vector<Size> reached{0};
    for (Size l = 0; l < shape.layers(); ++l) {
        std::vector<Size> next;
        auto longer = digits;
        for (auto& d : longer) d.clear();
        for (int k = 0; k < shape.taps[l]; ++k)
            for (Size lag : reached) {
                const Size there = lag + static_cast<Size>(k) * static_cast<Size>(shape.dilations[l]);
                if (!longer[there].empty()) return {};
                longer[there] = digits[lag];
                longer[there].push_back(k);
                next.push_back(there);
            }
        digits = std::move(longer);
        reached = std::move(next);
    }
    return digits;
}

}  // namespace

HierarchicalShape dilatedTree(int layers, int taps, int channels, int components) {
    std::vector<int> dilations;
    double dilation = 1;
    for (int l = 0; l < std::min(layers, kMaxModelLayers + 1); ++l) {
        dilations.push_back(static_cast<int>(dilation));
        dilation = std::clamp(dilation * taps, 0.0, kMaxModelDilation + 1.0);
    }
    return stack(std::move(dilations), taps, channels, components);
}

HierarchicalShape tiledStack(const std::vector<int>& block, int repeats, int taps, int channels, int components) {
    std::vector<int> dilations;
    for (int r = 0; r < times(repeats); ++r) dilations.insert(dilations.end(), block.begin(), block.end());
    return stack(std::move(dilations), taps, channels, components);
}

HierarchicalShape repeatedStack(const std::vector<int>& block, int repeats, int taps, int channels, int components) {
    std::vector<int> dilations;
    for (int dilation : block) dilations.insert(dilations.end(), static_cast<Size>(times(repeats)), dilation);
    return stack(std::move(dilations), taps, channels, components);
}

double receptiveField(const HierarchicalShape& shape) {
    double n = 1;
    for (Size l = 0; l < std::min(shape.taps.size(), shape.dilations.size()); ++l)
        n += (static_cast<double>(shape.taps[l]) - 1) * shape.dilations[l];
    return n;
}

double parameterCount(const HierarchicalShape& shape) {
    double p = 0;
    for (Size l = 0; l < shape.taps.size() && l + 1 < shape.channels.size(); ++l)
        p += static_cast<double>(shape.channels[l]) * shape.taps[l] * shape.channels[l + 1];
    return p;
}

void checkShape(const HierarchicalShape& shape) {
    const Size layers = shape.layers();
    if (layers < 1 || layers > static_cast<Size>(kMaxModelLayers))
        throw InputError("A hierarchical model needs between 1 and " + std::to_string(kMaxModelLayers) + " layers, not " +
                         std::to_string(layers) + ".");
    if (shape.dilations.size() != layers)
        throw InputError("There are " + std::to_string(shape.dilations.size()) + " dilations for " + std::to_string(layers) +
                         " layers: each layer needs one.");
    if (shape.channels.size() != layers + 1)
        throw InputError("There are " + std::to_string(shape.channels.size()) + " numbers of channels for " + std::to_string(layers) +
                         " layers: the input and each layer need one.");
    within(shape.channels[0], kMaxModelChannels, "as number of components", 0);
    for (Size l = 0; l < layers; ++l) {
        within(shape.taps[l], kMaxModelTaps, "as number of taps", l + 1);
        within(shape.dilations[l], kMaxModelDilation, "the dilation", l + 1);
        within(shape.channels[l + 1], kMaxModelChannels, "as number of channels", l + 1);
    }
    if (shape.channels[layers] != 1)
        throw InputError("The last layer has " + std::to_string(shape.channels[layers]) + " channels, but the model predicts one number.");
    const double inputs = receptiveField(shape) * shape.channels[0], parameters = parameterCount(shape);
    if (inputs > kMaxModelInputs)
        throw InputError("These taps and dilations reach " + count(inputs) + " inputs: at most " + count(kMaxModelInputs) +
                         " can be analysed.");
    if (parameters > kMaxModelParameters)
        throw InputError("The model has " + count(parameters) + " weights: at most " + count(kMaxModelParameters) + " can be analysed.");
}

bool isTensorTrain(const HierarchicalShape& shape) {
    checkShape(shape);
    return !digitsByLag(shape).empty();
}

std::vector<Size> bondDimensions(const HierarchicalShape& shape) {
    checkShape(shape);
    std::vector<Size> r(shape.channels.begin(), shape.channels.end());
    for (Size l = 1; l <= shape.layers(); ++l) r[l] = std::min(r[l], r[l - 1] * static_cast<Size>(shape.taps[l - 1]));
    for (Size l = shape.layers() - 1; l > 0; --l) r[l] = std::min(r[l], r[l + 1] * static_cast<Size>(shape.taps[l]));
    return r;
}

Size tensorTrainDimension(const HierarchicalShape& shape) {
    const auto r = bondDimensions(shape);
    Size dimension = r[0] * static_cast<Size>(shape.taps[0]) * r[1];
    for (Size l = 1; l < shape.layers(); ++l) dimension += r[l] * static_cast<Size>(shape.taps[l]) * r[l + 1] - r[l] * r[l];
    return dimension;
}

std::vector<std::vector<int>> lagDigits(const HierarchicalShape& shape) {
    checkShape(shape);
    auto digits = digitsByLag(shape);
    if (digits.empty()) throw InputError("Some lag is reached through different taps, so lags have no digits.");
    return digits;
}

namespace {

std::vector<WeightBlock> blocksOf(const HierarchicalShape& shape) {
    checkShape(shape);
    std::vector<WeightBlock> blocks;
    Size first = 0;
    for (Size l = 0; l < shape.layers(); ++l) {
        const Size count =
            static_cast<Size>(shape.channels[l]) * static_cast<Size>(shape.taps[l]) * static_cast<Size>(shape.channels[l + 1]);
        blocks.push_back({first, count});
        first += count;
    }
    return blocks;
}

Size lengthOf(const HierarchicalShape& shape) {
    checkShape(shape);
    return static_cast<Size>(receptiveField(shape));
}

/// Columns of `from` at the places a tap moves to.
Table<double> gathered(const Table<double>& from, const std::vector<Size>& moved) {
    Table<double> part(from.rows, moved.size());
    for (Size i = 0; i < part.rows; ++i)
        for (Size s = 0; s < part.columns; ++s) part.row(i)[s] = from.row(i)[moved[s]];
    return part;
}

/// The sensitivity of the loss to E^l from that to E^{l−1}, and the gradient of layer l's weights on the way.
Table<double> reverseStep(const DilatedPlan& plan, const Vector& weights, Size l, const Table<double>& E, const Table<double>& F,
                          Vector& gradient) {
    Table<double> result(plan.channels(l), E.columns);
    for (Size k = 0; k < plan.taps(l); ++k) {
        const auto part = gathered(F, plan.above[l].moved[k]);
        const MatrixView partRows(part.values.data(), part.rows, part.columns);
        orderedProduct(MatrixView(E.values.data(), E.rows, E.columns), partRows.transposed(), &gradient[plan.tapWeights(l, k)]);
        const auto up = weightsTimes(&weights[plan.tapWeights(l, k)], plan.channels(l), false, part);
        for (Size i = 0; i < up.values.size(); ++i) result.values[i] += up.values[i];
    }
    return result;
}

}  // namespace

HierarchicalModel::HierarchicalModel(HierarchicalShape shape)
    : LinearModel(lengthOf(shape), static_cast<Size>(shape.channels[0]), blocksOf(shape)),
      plan_(std::make_unique<DilatedPlan>(std::move(shape))) {}
HierarchicalModel::~HierarchicalModel() = default;

const HierarchicalShape& HierarchicalModel::shape() const { return plan_->shape; }

Size HierarchicalModel::weightIndex(Size l, Size tap, Size out, Size in) const {
    return plan_->tapWeights(l, tap) + out * plan_->channels(l - 1) + in;
}

Vector HierarchicalModel::response(const Vector& weights) const {
    checkWeights(weights);
    const auto A = responsesAbove<double>(*plan_, weights.data(), 1).front();
    const auto& lags = plan_->above[0].lags;
    Vector response(inputs());
    for (Size m = 0; m < A.rows; ++m)
        for (Size s = 0; s < lags.size(); ++s) response[plan_->inputIndex(lags[s], m)] = A.row(m)[s];
    return response;
}

Vector HierarchicalModel::gradient(const Vector& weights, const Vector& slope) const {
    checkWeights(weights);
    if (slope.size() != inputs())
        throw InputError("A slope of " + std::to_string(slope.size()) + " inputs does not fit a model of " + std::to_string(inputs()) +
                         ".");
    const auto E = responsesAbove<double>(*plan_, weights.data(), 1);
    const auto& lags = plan_->above[0].lags;
    Table<double> F(components(), lags.size());
    for (Size m = 0; m < F.rows; ++m)
        for (Size s = 0; s < lags.size(); ++s) F.row(m)[s] = slope[plan_->inputIndex(lags[s], m)];
    Vector gradient(parameters());
    for (Size l = 1; l <= plan_->layers(); ++l) F = reverseStep(*plan_, weights, l, E[l], F, gradient);
    return gradient;
}

Matrix HierarchicalModel::jacobian(const Vector& weights) const {
    checkWeights(weights);
    if (static_cast<double>(inputs()) * static_cast<double>(parameters()) > kMaxJacobianEntries)
        throw InputError("The Jacobian of " + std::to_string(inputs()) + " coefficients in " + std::to_string(parameters()) +
                         " weights is too large to form.");
    const auto E = responsesAbove<double>(*plan_, weights.data(), 1);
    const auto H = responsesBelow<double>(*plan_, weights.data(), 1, plan_->layers() - 1);
    Matrix J(inputs(), parameters());
    for (Size l = 1; l <= plan_->layers(); ++l) layerColumns(*plan_, l, E[l], H[l - 1], J.values.data() + plan_->offset[l - 1], J.columns);
    return J;
}

std::vector<Matrix> HierarchicalModel::canonicalJacobians(const Vector& weights) const {
    checkWeights(weights);
    const auto below = spansBelow(*plan_, weights.data()), above = spansAbove(*plan_, weights.data());
    std::vector<Matrix> all;
    for (Size l = 1; l <= plan_->layers(); ++l) all.push_back(canonicalColumns(*plan_, below, above, l));
    return all;
}

Matrix HierarchicalModel::tangent(const Vector& weights) const {
    checkWeights(weights);
    const auto below = spansBelow(*plan_, weights.data()), above = spansAbove(*plan_, weights.data());
    std::vector<Matrix> parts;
    for (Size l = 1; l <= plan_->layers(); ++l) parts.push_back(tangentColumns(*plan_, below, above, l));
    return sideBySide(parts);
}

bool HierarchicalModel::tangentIsOrthonormal() const { return plan_->tensorTrain; }

Size HierarchicalModel::exactRank() const {
    return plan_->tensorTrain ? tensorTrainDimension(plan_->shape) : genericRank(plan_->shape, {}, 0);
}

Size HierarchicalModel::exactRank(const std::vector<Size>& freeLayers) const {
    return freeLayers.empty() ? 0 : genericRank(plan_->shape, freeLayers, 0);
}

Vector HierarchicalModel::randomWeights(std::uint64_t seed, std::uint64_t draw) const {
    Vector weights(parameters());
    for (Size l = 1; l <= plan_->layers(); ++l) {
        Rng rng(seed, Purpose::Weights, draw * plan_->layers() + l - 1);
        const double scale = 1 / std::sqrt(static_cast<double>(plan_->taps(l) * plan_->channels(l - 1)));
        const auto& block = layers()[l - 1];
        for (Size i = 0; i < block.count; ++i) weights[block.first + i] = scale * rng.gaussian();
    }
    return weights;
}

}  // namespace kappaflow

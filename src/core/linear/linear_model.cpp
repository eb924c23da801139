#include "core/linear/linear_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linear/hierarchical_model.h"

namespace kappaflow {

using Size = std::size_t;
using Vector = std::vector<double>;

LinearModel::LinearModel(Size length, Size components, std::vector<WeightBlock> layers)
    : length_(length), components_(components), layers_(std::move(layers)) {
    for (const auto& layer : layers_) parameters_ += layer.count;
}

void LinearModel::checkWeights(const Vector& weights) const {
    if (weights.size() != parameters())
        throw InputError("The model has " + std::to_string(parameters()) + " weights, not " + std::to_string(weights.size()) + ".");
    for (Size i = 0; i < weights.size(); ++i)
        if (!std::isfinite(weights[i])) throw InputError("Weight " + std::to_string(i + 1) + " of the model is not a finite number.");
}

FullModel::FullModel(Size length, Size components) : FullModel(length, components, length) {}

FullModel::FullModel(Size length, Size components, Size reach) : LinearModel(length, components, {{0, reach * components}}) {
    if (length < 1 || components < 1 || static_cast<double>(length) * static_cast<double>(components) > 4096)
        throw InputError("A fully connected model needs between 1 and 4096 inputs.");
    if (reach < 1 || reach > length) throw InputError("A fully connected model reaches back between 1 and all of its positions.");
}

Vector FullModel::response(const Vector& weights) const {
    checkWeights(weights);
    Vector response(inputs() - parameters());
    response.insert(response.end(), weights.begin(), weights.end());
    return response;
}

Vector FullModel::gradient(const Vector& weights, const Vector& slope) const {
    checkWeights(weights);
    return {slope.end() - static_cast<std::ptrdiff_t>(parameters()), slope.end()};
}

Matrix FullModel::jacobian(const Vector& weights) const {
    checkWeights(weights);
    if (static_cast<double>(inputs()) * static_cast<double>(inputs()) > kMaxJacobianEntries)
        throw InputError("The Jacobian of a fully connected model of " + std::to_string(inputs()) + " inputs is too large to form.");
    return columnRange(identityMatrix(inputs()), inputs() - parameters(), parameters());
}

std::vector<Matrix> FullModel::canonicalJacobians(const Vector& weights) const { return {jacobian(weights)}; }
Matrix FullModel::tangent(const Vector& weights) const { return jacobian(weights); }
Size FullModel::exactRank() const { return parameters(); }
Size FullModel::exactRank(const std::vector<Size>& freeLayers) const { return freeLayers.empty() ? 0 : parameters(); }

Vector FullModel::randomWeights(std::uint64_t seed, std::uint64_t draw) const {
    Rng rng(seed, Purpose::Weights, draw);
    Vector weights(parameters());
    for (double& w : weights) w = rng.gaussian() / std::sqrt(static_cast<double>(inputs()));
    return weights;
}

namespace {

/// rec^τ, and its derivative τ rec^{τ−1}, oldest position first.
struct Powers {
    Vector value, slope;
};
Powers powers(double rec, Size length) {
    Powers p{Vector(length), Vector(length)};
    double power = 1, before = 0;
    for (Size lag = 0; lag < length; ++lag) {
        p.value[length - 1 - lag] = power;
        p.slope[length - 1 - lag] = static_cast<double>(lag) * before;
        before = power;
        power *= rec;
    }
    return p;
}

/// Appends scale·v scaled to norm 1; a zero column is left out.
void appendColumn(std::vector<Vector>& columns, Vector column, double scale) {
    double largest = 0, squared = 0;
    for (double& value : column) largest = std::max(largest, std::abs(value *= scale));
    if (!(largest > 0)) return;
    for (double value : column) squared += value / largest * (value / largest);
    for (double& value : column) value = value / largest / std::sqrt(squared);
    columns.push_back(std::move(column));
}

Matrix matrixOf(const std::vector<Vector>& columns, Size rows) {
    Matrix m(rows, columns.size());
    for (Size j = 0; j < m.columns; ++j)
        for (Size i = 0; i < rows; ++i) m(i, j) = columns[j][i];
    return m;
}

std::vector<WeightBlock> threeBlocks(Size length, Size channels) {
    if (length < 1 || length > 4096)
        throw InputError("A recurrent model needs a length between 1 and 4096, not " + std::to_string(length) + ".");
    if (channels < 1 || channels > 256)
        throw InputError("A recurrent model needs between 1 and 256 channels, not " + std::to_string(channels) + ".");
    return {{0, channels}, {channels, channels}, {2 * channels, channels}};
}

}  // namespace

RecurrentModel::RecurrentModel(Size length, Size channels) : LinearModel(length, 1, threeBlocks(length, channels)), channels_(channels) {}

Vector RecurrentModel::response(const Vector& weights) const {
    checkWeights(weights);
    Vector response(length());
    for (Size j = 0; j < channels_; ++j) {
        const auto p = powers(weights[channels_ + j], length());
        for (Size i = 0; i < length(); ++i) response[i] += weights[j] * weights[2 * channels_ + j] * p.value[i];
    }
    return response;
}

Vector RecurrentModel::gradient(const Vector& weights, const Vector& slope) const {
    checkWeights(weights);
    if (slope.size() != length())
        throw InputError("A slope of " + std::to_string(slope.size()) + " inputs does not fit a model of " + std::to_string(length()) +
                         ".");
    Vector gradient(parameters());
    for (Size j = 0; j < channels_; ++j) {
        const auto p = powers(weights[channels_ + j], length());
        double values = 0, slopes = 0;
        for (Size i = 0; i < length(); ++i) {
            values += p.value[i] * slope[i];
            slopes += p.slope[i] * slope[i];
        }
        gradient[j] = weights[2 * channels_ + j] * values;
        gradient[channels_ + j] = weights[j] * weights[2 * channels_ + j] * slopes;
        gradient[2 * channels_ + j] = weights[j] * values;
    }
    return gradient;
}

Matrix RecurrentModel::jacobian(const Vector& weights) const {
    checkWeights(weights);
    Matrix J(length(), parameters());
    for (Size j = 0; j < channels_; ++j) {
        const double in = weights[j], out = weights[2 * channels_ + j];
        const auto p = powers(weights[channels_ + j], length());
        for (Size i = 0; i < length(); ++i) {
            J(i, j) = out * p.value[i];
            J(i, channels_ + j) = in * out * p.slope[i];
            J(i, 2 * channels_ + j) = in * p.value[i];
        }
    }
    return J;
}

std::vector<Matrix> RecurrentModel::canonicalJacobians(const Vector& weights) const {
    checkWeights(weights);
    std::vector<Vector> columns[3];
    for (Size j = 0; j < channels_; ++j) {
        const double in = weights[j], out = weights[2 * channels_ + j];
        const auto p = powers(weights[channels_ + j], length());
        appendColumn(columns[0], p.value, out);
        appendColumn(columns[1], p.slope, in * out);
        appendColumn(columns[2], p.value, in);
    }
    return {matrixOf(columns[0], length()), matrixOf(columns[1], length()), matrixOf(columns[2], length())};
}

Matrix RecurrentModel::tangent(const Vector& weights) const {
    checkWeights(weights);
    std::vector<Vector> columns;
    for (Size j = 0; j < channels_; ++j) {
        const double in = weights[j], out = weights[2 * channels_ + j];
        const auto p = powers(weights[channels_ + j], length());
        appendColumn(columns, p.value, std::max(std::abs(in), std::abs(out)));
        appendColumn(columns, p.slope, in * out);
    }
    return matrixOf(columns, length());
}

double RecurrentModel::rankThreshold() const { return 64 * 0x1p-52; }

Size RecurrentModel::exactRank() const { return std::min(length(), 2 * channels_); }

Size RecurrentModel::exactRank(const std::vector<Size>& freeLayers) const {
    return freeLayers.empty() ? 0 : genericRecurrentRank(length(), channels_, freeLayers, 0);
}

Vector RecurrentModel::randomWeights(std::uint64_t seed, std::uint64_t draw) const {
    const double scale = 1 / std::sqrt(static_cast<double>(channels_));
    Vector weights(parameters());
    for (Size layer = 0; layer < 3; ++layer) {
        Rng rng(seed, Purpose::Weights, draw * 3 + layer);
        for (Size j = 0; j < channels_; ++j) weights[layer * channels_ + j] = layer == 1 ? 2 * rng.uniform() - 1 : scale * rng.gaussian();
    }
    return weights;
}

}  // namespace kappaflow

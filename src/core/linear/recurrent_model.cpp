#include "core/linear/recurrent_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linear/generic_rank.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

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

/// Appends scale·v, if asked scaled to norm 1; zero columns are left out then.
void appendColumn(std::vector<Vector>& columns, const Vector& v, double scale, bool normalised) {
    Vector column = v;
    double largest = 0, squared = 0;
    for (double& value : column) largest = std::max(largest, std::abs(value *= scale));
    if (normalised) {
        if (!(largest > 0)) return;
        for (double value : column) squared += value / largest * (value / largest);
        for (double& value : column) value = value / largest / std::sqrt(squared);
    }
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

Matrix RecurrentModel::canonicalJacobian(const Vector& weights, Size layer) const {
    checkWeights(weights);
    std::vector<Vector> columns;
    for (Size j = 0; j < channels_; ++j) {
        const double in = weights[j], out = weights[2 * channels_ + j];
        const auto p = powers(weights[channels_ + j], length());
        appendColumn(columns, layer == 1 ? p.slope : p.value, layer == 0 ? out : layer == 1 ? in * out : in, true);
    }
    return matrixOf(columns, length());
}

Matrix RecurrentModel::tangent(const Vector& weights) const {
    checkWeights(weights);
    std::vector<Vector> columns;
    for (Size j = 0; j < channels_; ++j) {
        const double in = weights[j], out = weights[2 * channels_ + j];
        const auto p = powers(weights[channels_ + j], length());
        appendColumn(columns, p.value, std::max(std::abs(in), std::abs(out)), true);
        appendColumn(columns, p.slope, in * out, true);
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

#include "core/moments/scalar_batch_norm.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linalg/ordered_product.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

constexpr double kEpsilon = 1e-3;

Matrix drawMatrix(Size in, Size out, std::uint64_t seed, std::uint64_t stream) {
    Matrix weights(in, out);
    Rng rng(seed, Purpose::Weights, stream);
    for (double& weight : weights.values) weight = drawWeight(rng, std::sqrt(2.0 / static_cast<double>(in)));
    return weights;
}

/// BN: column by column the weighted mean is taken off and both are divided by the root of the weighted variance plus ε.
void normalise(Matrix& y, Matrix& dy, const std::vector<double>& weight) {
    std::vector<double> mean(y.columns), variance(y.columns);
    for (Size p = 0; p < y.rows; ++p)
        for (Size c = 0; c < y.columns; ++c) mean[c] += weight[p] * y(p, c);
    for (Size p = 0; p < y.rows; ++p)
        for (Size c = 0; c < y.columns; ++c) {
            const double centred = y(p, c) -= mean[c];
            variance[c] += weight[p] * centred * centred;
        }
    for (double& v : variance) v = 1 / std::sqrt(v + kEpsilon);
    for (Size p = 0; p < y.rows; ++p)
        for (Size c = 0; c < y.columns; ++c) y(p, c) *= variance[c], dy(p, c) *= variance[c];
}

MatrixView rowsOf(const Matrix& m, Size first, Size count) { return {m.row(first), count, m.columns}; }

}  // namespace

ScalarBatchNorm::ScalarBatchNorm(ScalarGrid grid, Activation phi, Size width, Size layers, std::uint64_t seed)
    : grid_(std::move(grid)), phi_(phi), width_(width), layers_(layers), seed_(seed) {
    if (width == 0 || layers == 0) throw InputError("A batch-normalised net takes at least one unit and one layer.");
    signal_ = Matrix(grid_.size(), 1, grid_.x);
    tangent_ = Matrix(grid_.size(), 1, std::vector<double>(grid_.size(), 1.0));
    curves_.push_back({grid_.x, tangent_.values});
    addCurve();
}

void ScalarBatchNorm::addCurve() {
    const Matrix readout = drawMatrix(signal_.columns, 1, seed_, 2 * curves_.size() + 1);
    Matrix y(grid_.size(), 1), dy(grid_.size(), 1);
    orderedProduct(signal_, readout, y.values.data());
    orderedProduct(tangent_, readout, dy.values.data());
    normalise(y, dy, grid_.weight);
    double together = 0;
    for (Size p = 0; p < grid_.size(); ++p) together += grid_.weight[p] * y(p, 0) * curves_.back().y[p];
    if (together < 0)
        for (Matrix* m : {&y, &dy})
            for (double& value : m->values) value = -value;
    curves_.push_back({std::move(y.values), std::move(dy.values)});
}

void ScalarBatchNorm::beginHidden() {
    weights_ = drawMatrix(signal_.columns, width_, seed_, 2 * curves_.size());
    nextSignal_ = nextTangent_ = Matrix(grid_.size(), width_);
}

void ScalarBatchNorm::finishHidden() {
    normalise(nextSignal_, nextTangent_, grid_.weight);
    for (Size i = 0; i < nextSignal_.values.size(); ++i) {
        double& z = nextSignal_.values[i];
        nextTangent_.values[i] *= activationDerivative(phi_, z, 0);
        z = activate(phi_, z, 0);
    }
    std::swap(signal_, nextSignal_);
    std::swap(tangent_, nextTangent_);
    row_ = 0;
}

bool ScalarBatchNorm::advance(double operations) {
    if (curves_.size() > layers_) return false;
    if (row_ == 0) beginHidden();
    const double perRow = 2.0 * static_cast<double>(signal_.columns) * static_cast<double>(width_);
    const Size count = std::min(grid_.size() - row_, static_cast<Size>(operations / perRow) + 16);
    orderedProduct(rowsOf(signal_, row_, count), weights_, nextSignal_.row(row_));
    orderedProduct(rowsOf(tangent_, row_, count), weights_, nextTangent_.row(row_));
    row_ += count;
    if (row_ < grid_.size()) return true;
    finishHidden();
    addCurve();
    return curves_.size() <= layers_;
}

double ScalarBatchNorm::progress() const {
    const double layers = static_cast<double>(layers_ - 1);
    if (layers == 0) return 1;
    return (static_cast<double>(curves_.size() - 2) + static_cast<double>(row_) / static_cast<double>(grid_.size())) / layers;
}

double ScalarBatchNorm::operations(Size points, Size width, Size layers) {
    const auto p = static_cast<double>(points), w = static_cast<double>(width);
    return static_cast<double>(layers) * p * (2 * w * w + 40 * w);
}

}  // namespace kappaflow

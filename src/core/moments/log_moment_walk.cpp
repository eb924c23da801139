#include "core/moments/log_moment_walk.h"

#include <cmath>
#include <limits>

#include "core/base/errors.h"
#include "core/base/gaussians.h"
#include "core/linalg/ordered_product.h"
#include "core/moments/rectified_pairs.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

constexpr double kDependent = 1e-14;  ///< of a column's square: what the others leave of it is rounding

/// Upper triangular R with RᵀR = G, in place; a column that depends on those before it gets a row of zeros.
void triangulate(Matrix& G, Matrix& R) {
    const Size n = G.rows;
    R = Matrix(n, n);
    std::vector<double> squares(n);
    for (Size k = 0; k < n; ++k) squares[k] = G(k, k);
    for (Size k = 0; k < n; ++k) {
        if (!(G(k, k) > kDependent * squares[k])) continue;
        const double root = std::sqrt(G(k, k));
        double* row = R.row(k);
        for (Size j = k; j < n; ++j) row[j] = G(k, j) / root;
        for (Size i = k + 1; i < n; ++i)
            for (Size j = i; j < n; ++j) G(i, j) -= row[i] * row[j];
    }
}

/// Divides the columns from `first` on by `scale`.
void divide(Matrix& m, Size first, Size count, double scale) {
    for (Size c = 0; c < m.rows; ++c)
        for (Size j = first; j < first + count; ++j) m(c, j) /= scale;
}

void copyColumns(const PointValues& points, Matrix& state, Size first) {
    for (Size m = 0; m < points.points(); ++m)
        for (Size c = 0; c < points.channels(); ++c) state(c, first + m) = points.values(m, c);
}

double squareOf(const Matrix& m, Size first, Size count) {
    double sum = 0;
    for (Size c = 0; c < m.rows; ++c)
        for (Size j = first; j < first + count; ++j) sum += m(c, j) * m(c, j);
    return sum;
}

}  // namespace

void validate(const WalkPlan& plan) {
    for (const Size size : {plan.width, plan.layers, plan.samples})
        if (size < 1 || size > 1000) throw InputError("Width, layers and samples must be between 1 and 1000.");
}

LogMomentWalk::LogMomentWalk(const WalkPlan& plan, std::uint64_t draw, bool twins)
    : plan_(plan), rng_(plan.seed, Purpose::Weights, 2 * draw), twinRng_(plan.seed, Purpose::Weights, 2 * draw + 1), twins_(twins) {
    validate(plan);
    MomentNet net;
    net.inputs = net.width = plan.width;
    net.layers = plan.layers;
    const SignalAndNoise input = drawMomentInput(net, plan.data, plan.samples, plan.seed, draw);
    const Size M = plan.samples;
    state_ = Matrix(plan.width, 2 * M);
    copyColumns(input.signal, state_, 0);
    copyColumns(input.noise, state_, M);
    const double values = static_cast<double>(plan.width * M);
    const double signal = squareOf(state_, 0, M), noise = squareOf(state_, M, M);
    if (!(signal > 0) || !(noise > 0)) throw InputError("The input of a random network is zero.");
    divide(state_, 0, M, std::sqrt(signal / values));
    divide(state_, M, M, std::sqrt(noise / values));
    fixedUnit_ = std::sqrt(2 / static_cast<double>(plan.width) * squareOf(state_, 0, 1));
    rows_ = Matrix(plan.width, 2 * M);
    fixed_.resize(plan.width);
}

void LogMomentWalk::readGram() {
    gram_ = Matrix(state_.columns, state_.columns);
    orderedProduct(MatrixView(state_).transposed(), state_, gram_.values.data());
}

void LogMomentWalk::reduce() {
    if (state_.columns < plan_.width)
        triangulate(gram_, basis_);
    else
        basis_ = state_;
    const double scale = std::sqrt(2 / static_cast<double>(plan_.width));
    for (double& value : basis_.values) value *= scale;
}

void LogMomentWalk::drawRows(Rng& rng) {
    gaussians_.resize(plan_.width * basis_.rows);
    fillGaussian(rng, gaussians_.data(), gaussians_.size());
    orderedProduct(MatrixView(gaussians_.data(), plan_.width, basis_.rows), basis_, rows_.values.data());
}

LogMomentWalk::Sizes LogMomentWalk::rectify() {
    const Size M = plan_.samples;
    Sizes sizes;
    for (Size c = 0; c < plan_.width; ++c) {
        double *signal = rows_.row(c), *noise = signal + M;
        for (Size m = 0; m < M; ++m) {
            const double mask = signal[m] > 0;
            signal[m] *= mask;
            noise[m] *= mask;
            sizes.signal += signal[m] * signal[m];
            sizes.noise += noise[m] * noise[m];
        }
    }
    return sizes;
}

void LogMomentWalk::measureVariances() {
    const Size M = plan_.samples;
    double signal = 0, noise = 0, signalTotal = 0, noiseTotal = 0;
    for (Size m = 0; m < M; ++m) {
        signalTotal += gram_(m, m);
        noiseTotal += gram_(M + m, M + m);
        for (Size n = 0; n <= m; ++n) {
            const double a = gram_(m, m) * gram_(n, n), b = gram_(M + m, M + m) * gram_(M + n, M + n), times = n == m ? 1 : 2;
            if (!(a > 0)) continue;
            const double cosine = gram_(m, n) / std::sqrt(a), product = gram_(M + m, M + n);
            signal += times * a * rectifiedSquares(cosine);
            noise += times * (b + 2 * product * product) * bothPositive(cosine);
        }
    }
    const double N = static_cast<double>(plan_.width);
    step_.variance = (4 * signal / (signalTotal * signalTotal) - 1) / N;
    step_.noiseVariance = (4 * noise / (noiseTotal * noiseTotal) - 1) / N;
}

void LogMomentWalk::finish(Sizes before, Sizes after) {
    const Size M = plan_.samples;
    step_.increment = after.signal / before.signal;
    step_.noiseIncrement = after.noise / before.noise;
    Size dead = 0;
    for (Size m = 0; m < M; ++m) {
        bool zero = true;
        for (Size c = 0; c < plan_.width && zero; ++c) zero = rows_(c, m) == 0;
        dead += zero;
    }
    step_.deadInputs = static_cast<double>(dead) / static_cast<double>(M);
    logNu2_ += std::log(step_.increment);
    logMu2Noise_ += std::log(step_.noiseIncrement);
    std::swap(state_, rows_);
    const double values = static_cast<double>(plan_.width * M);
    if (after.signal > 0) divide(state_, 0, M, std::sqrt(after.signal / values));
    if (after.noise > 0) divide(state_, M, M, std::sqrt(after.noise / values));
}

bool LogMomentWalk::advance() {
    if (layer_ == plan_.layers) return false;
    ++layer_;
    step_ = {};
    const Sizes before{squareOf(state_, 0, plan_.samples), squareOf(state_, plan_.samples, plan_.samples)};
    if (!(before.signal > 0) || !(before.noise > 0)) {
        step_.deadInputs = 1;
        step_.collapsedBefore = true;
        logNu2_ = logMu2Noise_ = -std::numeric_limits<double>::infinity();
        fixed_.assign(plan_.width, 0);
        return true;
    }
    readGram();
    measureVariances();
    reduce();
    if (twins_) {
        drawRows(twinRng_);
        const Sizes twin = rectify();
        step_.twinIncrement = twin.signal / before.signal;
        step_.twinNoiseIncrement = twin.noise / before.noise;
    }
    drawRows(rng_);
    const double unit = std::exp(logNu2_ / 2) / fixedUnit_;
    for (Size c = 0; c < plan_.width; ++c) fixed_[c] = rows_(c, 0) * unit;
    finish(before, rectify());
    return true;
}

double LogMomentWalk::operations() const {
    const double N = static_cast<double>(plan_.width), columns = 2 * static_cast<double>(plan_.samples);
    const double rows = columns < N ? columns : N, sets = twins_ ? 2 : 1;
    return sets * N * rows * (14 + columns) + N * columns * (columns + 12) + 10 * columns * columns + 500;
}

}  // namespace kappaflow

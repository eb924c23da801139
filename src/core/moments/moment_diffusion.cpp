#include "core/moments/moment_diffusion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/linalg/matrix.h"
#include "core/moments/moment_theory.h"

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

/// Index of each column as a tap sees it, moved by `tap` positions around the ring in every dimension.
std::vector<Size> movedColumns(const WalkPlan& plan, Size tap, Size columns) {
    const Size positions = plan.positions(), n = plan.extent;
    std::vector<Size> moved(columns);
    for (Size j = 0; j < columns; ++j) {
        Size place = j % positions, digits = tap, to = 0, unit = 1;
        for (int d = 0; d < plan.dimensions; ++d) {
            // (taps − 1)/2 back, around the ring as often as it takes.
            const Size step = digits % plan.taps + plan.taps * n - (plan.taps - 1) / 2;
            to += (place % n + step) % n * unit;
            place /= n, digits /= plan.taps, unit *= n;
        }
        moved[j] = j - j % positions + to;
    }
    return moved;
}

/// Mean over the taps of the inner products of what they read.
Matrix averagedOverTaps(const Matrix& gram, const WalkPlan& plan) {
    const double taps = plan.fanIn() / static_cast<double>(plan.width);
    Matrix mean(gram.rows, gram.columns);
    for (Size tap = 0; tap < static_cast<Size>(taps); ++tap) {
        const std::vector<Size> moved = movedColumns(plan, tap, gram.columns);
        for (Size i = 0; i < gram.rows; ++i)
            for (Size j = 0; j < gram.columns; ++j) mean(i, j) += gram(moved[i], moved[j]) / taps;
    }
    return mean;
}

double squareOf(const Matrix& m, Size first, Size count) {
    double sum = 0;
    for (Size c = 0; c < m.rows; ++c)
        for (Size j = first; j < first + count; ++j) sum += m(c, j) * m(c, j);
    return sum;
}

}  // namespace

Size WalkPlan::positions() const {
    Size all = 1;
    for (int d = 0; d < dimensions; ++d) all *= extent;
    return all;
}

double WalkPlan::fanIn() const { return std::pow(static_cast<double>(taps), dimensions) * static_cast<double>(width); }

void validate(const WalkPlan& plan) {
    for (const Size size : {plan.width, plan.layers, plan.points()})
        if (size < 1 || size > 1000) throw InputError("Width, layers and points must be between 1 and 1000.");
    if (plan.taps % 2 == 0 || plan.taps > 99) throw InputError("A convolution needs an odd number of taps, at most 99.");
}

LogMomentWalk::LogMomentWalk(const WalkPlan& plan, std::uint64_t draw, bool twins)
    : plan_(plan), rng_(plan.seed, Purpose::Weights, 2 * draw), twinRng_(plan.seed, Purpose::Weights, 2 * draw + 1), twins_(twins) {
    validate(plan);
    MomentNet net;
    net.inputs = net.width = plan.width;
    net.layers = plan.layers;
    net.dimensions = plan.dimensions;
    net.extent = plan.extent, net.taps = plan.taps;
    const SignalAndNoise input = drawMomentInput(net, plan.data, plan.samples, plan.seed, draw);
    const Size M = plan.points();
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
    if (plan_.dimensions > 0) gram_ = averagedOverTaps(gram_, plan_);
}

void LogMomentWalk::reduce() {
    if (state_.columns < plan_.width || plan_.dimensions > 0)
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
    const Size M = plan_.points();
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
    const Size M = plan_.points();
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
    const Size M = plan_.points();
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
    const Size M = plan_.points();
    const Sizes before{squareOf(state_, 0, M), squareOf(state_, M, M)};
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

namespace {

/// ψ(k/2) and ψ'(k/2) for k = 1 … n by their recursions.
struct HalfGamma {
    std::vector<double> digamma, trigamma;
};
HalfGamma halfGamma(std::size_t n) {
    constexpr double kEuler = std::numbers::egamma, kPi = std::numbers::pi;
    HalfGamma g{std::vector<double>(n + 1), std::vector<double>(n + 1)};
    for (std::size_t k = 1; k <= n; ++k) {
        if (k == 1) g.digamma[k] = -kEuler - 2 * std::numbers::ln2, g.trigamma[k] = kPi * kPi / 2;
        if (k == 2) g.digamma[k] = -kEuler, g.trigamma[k] = kPi * kPi / 6;
        if (k <= 2) continue;
        const double x = static_cast<double>(k - 2) / 2;
        g.digamma[k] = g.digamma[k - 2] + 1 / x;
        g.trigamma[k] = g.trigamma[k - 2] - 1 / (x * x);
    }
    return g;
}

/// Moments of δ = (1/N) Σ q, q = 2g⁺² with E q^p = 1, 6, 60, 840: from the cumulants 1, 5, 44, 558 of q.
void setIncrements(OneDimensionalLaw& law, double N) {
    const double k2 = 5 / N, k3 = 44 / (N * N), k4 = 558 / (N * N * N);
    law.increments[0] = law.increments[1] = 1;
    law.increments[2] = 1 + k2;
    law.increments[3] = 1 + 3 * k2 + k3;
    law.increments[4] = 1 + 6 * k2 + 3 * k2 * k2 + 4 * k3 + k4;
}

}  // namespace

OneDimensionalLaw oneDimensionalLaw(std::size_t width) {
    if (width < 1 || width > 1000) throw InputError("The width of a layer must be between 1 and 1000.");
    const double N = static_cast<double>(width);
    const HalfGamma gamma = halfGamma(width);
    OneDimensionalLaw law;
    law.collapse = std::exp2(-N);
    double probability = law.collapse, total = 0, mean = 0, square = 0;
    for (std::size_t k = 1; k <= width; ++k) {
        probability *= static_cast<double>(width - k + 1) / static_cast<double>(k);
        const double log = gamma.digamma[k] + std::log(4 / N);
        total += probability;
        mean += probability * log;
        square += probability * (gamma.trigamma[k] + log * log);
    }
    law.drift = mean / total;
    law.variance = square / total - law.drift * law.drift;
    setIncrements(law, N);
    return law;
}

double collapseBy(const OneDimensionalLaw& law, double layer) { return -std::expm1(layer * std::log1p(-law.collapse)); }

double preactivationKurtosis(const OneDimensionalLaw& law, double layer) { return 3 * std::pow(law.increments[2], layer - 1); }

double relativeKurtosisError(const OneDimensionalLaw& law, std::size_t width, double layer, double draws) {
    const double N = static_cast<double>(width), below = layer - 1;
    // Var(mean over units of y⁴): E r⁴·(105/N + 9(1 − 1/N)) − (3 E r²)², r the squared norm below over its expectation.
    const double ratio = std::pow(law.increments[4] / (law.increments[2] * law.increments[2]), below);
    return std::sqrt(std::max(0.0, ratio * (105 / N + 9 * (1 - 1 / N)) / 9 - 1) / draws);
}

double preactivationTail(const OneDimensionalLaw& law, double layer, double t) {
    const double below = layer - 1, mean = below * law.drift, deviation = std::sqrt(below * law.variance);
    const auto gaussianTail = [&](double logNorm) { return std::erfc(t / std::sqrt(2.0) * std::exp(-logNorm / 2)); };
    const double alive = 1 - collapseBy(law, below);
    if (deviation == 0) return alive * gaussianTail(mean);
    double sum = 0, weights = 0;
    for (int i = -64; i <= 64; ++i) {
        const double z = i / 8.0, weight = std::exp(-z * z / 2);
        sum += weight * gaussianTail(mean + z * deviation);
        weights += weight;
    }
    return alive * sum / weights;
}

namespace {

constexpr Size kTails = MomentDiffusion::kMostTail - MomentDiffusion::kLeastTail + 1;

void addIncrement(IncrementMeans& means, double increment, double predicted, double twin, bool hasTwin) {
    means.increment.add(increment);
    means.predicted.add(predicted);
    if (increment > 0) means.drift.add(std::log(increment));
    if (!hasTwin || !(increment > 0) || !(twin > 0)) return;
    const double difference = std::log(increment / twin);
    means.diffusion.add(difference * difference / 2);
}

/// Thresholds are powers of two of y², so that its exponent says how many it passes.
void countTails(std::vector<double>& counts, double square) {
    if (!(square > 0)) return;
    const int passed = std::min(std::ilogb(square) - MomentDiffusion::kLeastTail + 1, static_cast<int>(kTails));
    for (int j = 0; j < passed; ++j) ++counts[static_cast<Size>(j)];
}

void addPreactivations(DiffusionLayer& layer, const std::vector<double>& units) {
    double square = 0, fourth = 0;
    for (const double y : units) {
        const double y2 = y * y;
        square += y2;
        fourth += y2 * y2;
        countTails(layer.tailsOver, y2);
    }
    const double n = static_cast<double>(units.size());
    layer.square.add(square / n);
    layer.fourth.add(fourth / n);
    layer.squareFourth += square / n * (fourth / n);
}

}  // namespace

double DrawMean::variance() const { return count < 2 ? 0 : std::max(0.0, (square - sum * sum / count) / (count - 1)); }
double DrawMean::standardError() const { return count < 1 ? 0 : std::sqrt(variance() / count); }

Spread spreadOf(const std::vector<double>& values) {
    Spread s;
    s.count = values.size();
    if (values.empty()) return s;
    const double n = static_cast<double>(s.count);
    for (const double value : values) s.mean += value / n;
    double m2 = 0, m3 = 0, m4 = 0;
    for (const double value : values) {
        const double d = value - s.mean;
        m2 += d * d / n, m3 += d * d * d / n, m4 += d * d * d * d / n;
    }
    s.variance = s.count > 1 ? m2 * n / (n - 1) : 0;
    s.meanError = std::sqrt(s.variance / n);
    s.varianceError = std::sqrt(std::max(0.0, m4 - m2 * m2) / n);
    if (m2 > 0) s.skewness = m3 / (m2 * std::sqrt(m2)), s.excess = m4 / (m2 * m2) - 3;
    return s;
}

MomentDiffusion::MomentDiffusion(const WalkPlan& plan) : plan_(plan), layers_(plan.layers) {
    validate(plan);
    for (auto& layer : layers_) layer.tailsOver.assign(kTails, 0);
}

void MomentDiffusion::addDraw(const std::function<void(double)>& tick) {
    LogMomentWalk walk(plan_, done_, done_ % kTwins == 0);
    while (walk.advance()) {
        record(walk);
        tick(static_cast<double>(walk.layer()) / static_cast<double>(plan_.layers));
    }
    ++done_;
}

void MomentDiffusion::record(const LogMomentWalk& walk) {
    DiffusionLayer& layer = layers_[walk.layer() - 1];
    const WalkStep& step = walk.step();
    const bool twins = done_ % kTwins == 0, collapsed = !std::isfinite(walk.logNu2());
    if (!step.collapsedBefore) {
        addIncrement(layer.signal, step.increment, step.variance, step.twinIncrement, twins);
        addIncrement(layer.noise, step.noiseIncrement, step.noiseVariance, step.twinNoiseIncrement, twins);
    }
    layer.collapsed.add(collapsed ? 1 : 0);
    layer.dead.add(step.deadInputs);
    addPreactivations(layer, walk.preactivations());
    signal_.push_back(walk.logNu2());
    noise_.push_back(walk.logMu2Noise());
}

std::vector<double> MomentDiffusion::logsAt(std::size_t layer, bool noise) const {
    if (layer == 0) return std::vector<double>(done_, 0.0);
    std::vector<double> found;
    const auto& logs = noise ? noise_ : signal_;
    for (Size draw = 0; draw < done_; ++draw) {
        const double value = logs[draw * plan_.layers + layer - 1];
        if (std::isfinite(value)) found.push_back(value);
    }
    return found;
}

MomentDiffusion::Kurtosis MomentDiffusion::kurtosis(std::size_t layer) const {
    const DiffusionLayer& l = layers_[layer - 1];
    const double n = l.square.count;
    if (n < 1 || !(l.square.sum > 0)) return {};
    const double a = l.square.mean(), b = l.fourth.mean(), value = b / (a * a);
    if (n < 2) return {value, 0};
    const double covariance = (l.squareFourth - n * a * b) / (n - 1);
    // The ratio b/a² to first order: its gradient is (−2b/a³, 1/a²).
    const double variance = (l.fourth.variance() - 4 * b / a * covariance + 4 * b * b / (a * a) * l.square.variance()) / (a * a * a * a);
    return {value, std::sqrt(std::max(0.0, variance) / n)};
}

double MomentDiffusion::operations(const WalkPlan& plan, std::size_t draws) {
    const double N = static_cast<double>(plan.width), columns = 2 * static_cast<double>(plan.points());
    const bool dense = plan.dimensions == 0;
    const double rows = dense ? std::min(columns, N) : columns;
    const double sets = 1 + 1.0 / static_cast<double>(kTwins);
    const double layer = sets * N * rows * (8 + columns) + N * columns * (columns + 8) + 10 * columns * columns + 20 * N + 500 +
                         (dense ? 0 : columns * columns * (columns / 3 + 2 * plan.fanIn() / N));
    // All N units of a dense layer are off in one of 2^N, and nothing is left.
    const double layers = static_cast<double>(plan.layers + 2), alive = dense ? std::min(layers, 2 + 1.5 * std::pow(2, N)) : layers;
    return static_cast<double>(draws) * alive * layer;
}

double MomentDiffusion::bytes(const WalkPlan& plan, std::size_t draws) {
    const double N = static_cast<double>(plan.width), columns = 2 * static_cast<double>(plan.points()),
                 L = static_cast<double>(plan.layers);
    return 16 * static_cast<double>(draws) * L + 8 * (N * N + 3 * N * columns + (plan.dimensions == 0 ? 3 : 4) * columns * columns) +
           1000 * L;
}

}  // namespace kappaflow

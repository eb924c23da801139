#include "core/expressivity/growth_theory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/rng.h"
#include "core/net/network.h"

namespace kappaflow {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }
/// x·density(x), 0 at infinity.
double tilted(double x) { return std::isinf(x) ? 0 : x * density(x); }
double below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// ∫ over (lo, hi) of 1, g and g² against the normal density.
struct Slab {
    double mass, first, second;
    Slab(double lo, double hi) {
        mass = lo > 0 ? below(-lo) - below(-hi) : below(hi) - below(lo);
        first = density(lo) - density(hi);
        second = mass + tilted(lo) - tilted(hi);
    }
};

GaussianMoments piecewiseMoments(const LinearPieces& phi, double q) {
    const double root = std::sqrt(std::max(q, 1e-200));
    GaussianMoments moments;
    double lo = -kInfinity;
    for (std::size_t s = 0; s < phi.slopes.size(); ++s) {
        const double hi = s < phi.thresholds.size() ? phi.thresholds[s] / root : kInfinity;
        const Slab slab(lo, hi);
        const double slope = phi.slopes[s], offset = phi.offsets[s];
        moments.square += slope * slope * q * slab.second + 2 * slope * offset * root * slab.first + offset * offset * slab.mass;
        moments.slopeSquare += slope * slope * slab.mass;
        lo = hi;
    }
    return moments;
}

GaussianMoments smoothMoments(Activation activation, double slope, double q) {
    // The nearest poles lie π/(2√q) from the real axis; a step of a sixteenth of that leaves e^(−2π·16).
    const double root = std::sqrt(q), step = std::max(std::min(0.25, std::numbers::pi / (32 * std::max(root, 1e-9))), 0.004);
    GaussianMoments moments;
    const int points = static_cast<int>(9 / step);
    for (int i = -points; i <= points; ++i) {
        const double g = i * step, weight = step * density(g), value = activate(activation, root * g, slope),
                     rise = activationDerivative(activation, root * g, slope);
        moments.square += weight * value * value;
        moments.slopeSquare += weight * rise * rise;
    }
    return moments;
}

bool isHomogeneous(Activation activation) {
    return activation == Activation::Identity || activation == Activation::Relu || activation == Activation::LeakyRelu ||
           activation == Activation::Abs;
}

MeanField homogeneousFixedPoint(const GrowthSetting& s, double kept) {
    const double chi = s.weightVariance * gaussianMoments(s.activation, s.slope, 1).slopeSquare;
    if (std::abs(chi - 1) < 1e-12) return {s.biasVariance > 0 ? kInfinity : kept, chi};
    return {chi < 1 ? s.biasVariance / (1 - chi) : s.biasVariance == 0 && chi == 0 ? 0 : kInfinity, chi};
}

}  // namespace

double theoremOneBase(const GrowthSetting& s) {
    const double total = std::sqrt(s.weightVariance + s.biasVariance);
    return total > 0 ? std::sqrt(s.weightVariance / total) * std::sqrt(s.width / (total + s.width)) : 0;
}

double theoremOneBaseRelu(const GrowthSetting& s) { return std::sqrt(s.weightVariance * s.width / (s.width + 1)); }

double theoremTwoGrowth(const GrowthSetting& s) { return std::sqrt(s.width / (1 + s.biasVariance / s.weightVariance)); }

double saturatedGrowth(const GrowthSetting& s) {
    const double turned = 2 / (s.width * (1 + s.biasVariance / s.weightVariance));
    return s.width / std::numbers::pi * std::acos(std::max(-1.0, 1 - turned));
}

double growthUpperBound(const GrowthSetting& s) { return std::sqrt(s.weightVariance); }

GaussianMoments gaussianMoments(Activation activation, double slope, double q) {
    if (activation == Activation::PseudoRandom)
        throw InputError("The pseudo-random activation has no derivative to take the mean square of.");
    return isPiecewiseLinear(activation) ? piecewiseMoments(piecewiseLinear(activation, slope), q) : smoothMoments(activation, slope, q);
}

MeanField meanFieldFixedPoint(const GrowthSetting& s, double kept) {
    if (isHomogeneous(s.activation)) return homogeneousFixedPoint(s, kept);
    const auto at = [&](double q) { return gaussianMoments(s.activation, s.slope, q); };
    const auto next = [&](double q) { return s.weightVariance * at(q).square + s.biasVariance; };
    // next(q)/q falls for the bounded activations here: one crossing of 1 at the most, found by bisection of log q.
    double high = s.weightVariance * 36 + s.biasVariance, low = 1e-30;
    if (!(high > 0) || next(low) <= low * (1 + 1e-12)) return {0, s.weightVariance * at(0).slopeSquare};
    for (int i = 0; i < 200 && high > low * (1 + 1e-14); ++i) {
        const double middle = std::sqrt(low) * std::sqrt(high);
        (next(middle) > middle ? low : high) = middle;
    }
    return {high, s.weightVariance * at(high).slopeSquare};
}

std::vector<MeanField> meanFieldByLayer(const GrowthSetting& s, double inputSquare, std::size_t layers) {
    std::vector<MeanField> fields;
    double square = inputSquare;
    for (std::size_t l = 0; l < layers; ++l) {
        const double q = s.weightVariance * square + s.biasVariance;
        const GaussianMoments moments = gaussianMoments(s.activation, s.slope, q);
        fields.push_back({q, s.weightVariance * moments.slopeSquare});
        square = moments.square;
    }
    return fields;
}

double reluGrowth(double width, double weightVariance) {
    // Mean norms c_N of N gaussians by c_N c_(N+1) = N; binomial weights outwards from the middle, where none underflows.
    const auto k = static_cast<std::size_t>(width);
    std::vector<double> norm(k + 1), weight(k + 1);
    if (k >= 1) norm[1] = std::sqrt(2 / std::numbers::pi);
    for (std::size_t n = 1; n < k; ++n) norm[n + 1] = static_cast<double>(n) / norm[n];
    const std::size_t middle = k / 2;
    weight[middle] = 1;
    for (std::size_t n = middle; n < k; ++n) weight[n + 1] = weight[n] * static_cast<double>(k - n) / static_cast<double>(n + 1);
    for (std::size_t n = middle; n > 0; --n) weight[n - 1] = weight[n] * static_cast<double>(n) / static_cast<double>(k - n + 1);
    double sum = 0, total = 0;
    for (std::size_t n = 0; n <= k; ++n) {
        sum += weight[n] * norm[n];
        total += weight[n];
    }
    return std::sqrt(weightVariance / width) * sum / total;
}

double absGrowth(double width, double weightVariance) {
    double norm = std::sqrt(2 / std::numbers::pi);
    for (double n = 1; n < width; ++n) norm = n / norm;
    return std::sqrt(weightVariance / width) * norm;
}

double transitionsPerLength(const GrowthSetting& s, double q) { return std::sqrt(s.weightVariance / (s.width * q)) / std::numbers::pi; }

namespace {

/// Streams of one draw: more layers than any network has.
constexpr std::uint64_t kDrawStride = 1 << 20;

void fill(std::vector<double>& numbers, Rng rng, double variance) {
    const double scale = std::sqrt(variance);
    for (double& number : numbers) number = drawWeight(rng, scale);
}

}  // namespace

std::vector<CurveLayer> randomLayers(const GrowthSetting& s, std::size_t layers, std::uint64_t seed, std::uint64_t draw) {
    if (!(s.width >= 1) || !(s.weightVariance >= 0) || !(s.biasVariance >= 0) || !std::isfinite(s.weightVariance + s.biasVariance))
        throw InputError("A random network needs a width of at least 1 and variances that are finite and not negative.");
    const auto units = static_cast<std::size_t>(s.width);
    std::vector<double> weights(units * units), bias(s.biasVariance > 0 ? units : 0);
    std::vector<CurveLayer> drawn;
    for (std::size_t l = 0; l < layers; ++l) {
        // `initialise` counts activations as layers too.
        const std::uint64_t index = draw * kDrawStride + 2 * l;
        fill(weights, Rng(seed, Purpose::Weights, index), s.weightVariance / s.width);
        fill(bias, Rng(seed, Purpose::Biases, index), s.biasVariance);
        drawn.push_back(curveLayer(weights, bias, units, s.activation, s.slope));
    }
    return drawn;
}

Network randomNetwork(const GrowthSetting& s, std::size_t layers, std::uint64_t seed, bool lastActivation,
                      const std::function<void()>& tick) {
    Network network;
    const Shape shape{1, 1, static_cast<int>(s.width)};
    network.input = shape;
    for (std::size_t l = 0; l < layers; ++l) {
        network.layers.push_back({shape, shape, Dense{}});
        if (lastActivation || l + 1 < layers)
            network.layers.push_back({shape, shape, Pointwise{.activation = s.activation, .slope = s.slope}});
    }
    initialise(network, {Initialiser::Gaussian, s.weightVariance, s.biasVariance}, seed, tick);
    return network;
}

RandomEnds randomEnds(std::size_t units, std::uint64_t seed, std::uint64_t draw) {
    RandomEnds ends{std::vector<double>(units), std::vector<double>(units)};
    Rng rng(seed, Purpose::Inputs, draw);
    for (double& x : ends.x0) x = drawWeight(rng, 1);
    for (double& x : ends.x1) x = drawWeight(rng, 1);
    return ends;
}

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void GrowthMean::add(double first, double last) {
    ++draws_;
    first_ += first;
    last_ += last;
    firstSquare_ += first * first;
    lastSquare_ += last * last;
    product_ += first * last;
}

SampledLength GrowthMean::growth(std::size_t layersBetween) const {
    if (!(first_ > 0) || !(last_ > 0)) return {kUnknown, kUnknown};
    const double power = 1 / static_cast<double>(layersBetween), value = std::pow(last_ / first_, power);
    if (draws_ < 2) return {value, std::numeric_limits<double>::infinity()};
    // Variance of last/mean(last) − first/mean(first): the relative error of the ratio.
    const double n = draws_, a = first_ / n, b = last_ / n;
    const double spread = lastSquare_ / (n * b * b) + firstSquare_ / (n * a * a) - 2 * product_ / (n * a * b);
    return {value, value * power * std::sqrt(std::max(spread, 0.0) / (n - 1))};
}

void LengthMeans::add(const std::vector<SampledLength>& lengths) {
    if (draws_ == 0) first_ = lengths;
    ++draws_;
    lost_ += !(lengths.back().value > 0);
    for (std::size_t l = 0; l < lengths.size(); ++l) {
        sum_[l] += lengths[l].value;
        square_[l] += lengths[l].value * lengths[l].value;
        if (l > 0) product_[l] += lengths[l].value * lengths[l - 1].value;
    }
}

SampledLength LengthMeans::mean(std::size_t layer) const {
    if (draws_ < 2) return first_[layer];
    const double mean = sum_[layer] / draws_, variance = std::max(square_[layer] / draws_ - mean * mean, 0.0);
    return {mean, mean > 0 || layer == 0 ? std::sqrt(variance / (draws_ - 1)) : kUnknown};
}

SampledLength LengthMeans::growth(std::size_t layer) const {
    const SampledLength before = mean(layer - 1), here = mean(layer);
    if (!(before.value > 0)) return {kUnknown, kUnknown};
    const double ratio = here.value / before.value;
    if (!(here.value > 0)) return {0, draws_ < 2 ? here.standardError : kUnknown};
    const double a = before.standardError / before.value, b = here.standardError / here.value;
    if (draws_ < 2) return {ratio, ratio * std::hypot(a, b)};
    const double together = (product_[layer] / draws_ / (before.value * here.value) - 1) / (draws_ - 1);
    return {ratio, ratio * std::sqrt(std::max(a * a + b * b - 2 * together, 0.0))};
}

LengthPlan planOfDraw(double width) {
    const double pieces = std::clamp(120000 / (width * width), 100.0, 8000.0);
    const auto strata = static_cast<std::size_t>(std::clamp(1024 / width, 16.0, 64.0));
    return {{pieces, 1e9, 1e15}, {0, strata, strata}};
}

double workOfDraw(double width, double weights, double layers, bool exact) {
    const LengthPlan plan = planOfDraw(width);
    const double points = 2 * static_cast<double>(plan.sampling.most), units = layers * width;
    // Measured: a weight takes as long to draw as thirty multiply-adds, a piece as four hundred and ten a unit, tanh as forty. Layers have
    // half of the most pieces where they are wide, few where they lose their curves; refinement takes three points a part.
    const double followed = (width > 8 ? 0.5 : 0.006 * width) * plan.exact.pieces * (weights + 10 * units + 400 * layers);
    const double refined = 1.5 * points * (2 * weights + 40 * units);
    return 30 * weights + 2 * points * weights + (exact ? followed : refined);
}

GrowthSweep::GrowthSweep(GrowthSweepPlan plan)
    : plan_(std::move(plan)), means_(plan_.settings.size()), stretches_(plan_.settings.size(), std::vector<GrowthMean>(plan_.last + 1)) {
    if (plan_.first >= plan_.last) throw InputError("Growth is measured from one layer to a later one.");
}

void GrowthSweep::begin() {
    const GrowthSetting& setting = plan_.settings[setting_];
    layers_ = randomLayers(setting, plan_.last, plan_.seed, draw_);
    const RandomEnds ends = randomEnds(static_cast<std::size_t>(setting.width), plan_.seed, draw_);
    curve_.emplace(layers_, arcCurve(ends.x0, ends.x1, 0, std::numbers::pi / 2), planOfDraw(setting.width),
                   Rng(plan_.seed, Purpose::MonteCarlo, draw_));
}

bool GrowthSweep::advance(double operations) {
    if (draw_ == plan_.draws || plan_.settings.empty()) return false;
    if (!curve_) begin();
    if (curve_->advance(operations)) return true;
    const std::vector<SampledLength> lengths = curve_->lengths();
    means_[setting_].add(lengths[plan_.first].value, lengths[plan_.last].value);
    for (std::size_t l = 0; l <= plan_.last; ++l) stretches_[setting_][l].add(lengths[0].value, lengths[l].value);
    curve_.reset();
    if (++setting_ == plan_.settings.size()) {
        setting_ = 0;
        ++draw_;
    }
    return draw_ < plan_.draws;
}

double GrowthSweep::progress() const {
    if (plan_.draws == 0 || plan_.settings.empty()) return 1;
    const double each = static_cast<double>(plan_.settings.size());
    return (static_cast<double>(draw_) * each + static_cast<double>(setting_)) / (each * static_cast<double>(plan_.draws));
}

double GrowthSweep::operations(const GrowthSweepPlan& plan) {
    double sum = 0;
    for (const GrowthSetting& setting : plan.settings) {
        const double layers = static_cast<double>(plan.last);
        sum += workOfDraw(setting.width, layers * setting.width * setting.width, layers, isPiecewiseLinear(setting.activation));
    }
    return sum * static_cast<double>(plan.draws);
}

}  // namespace kappaflow

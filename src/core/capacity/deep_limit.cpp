#include "core/capacity/deep_limit.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/base/rng.h"
#include "core/capacity/diffusion_theory.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using States = std::vector<std::vector<double>>;

constexpr double kMaxOperations = 3e9, kTrimmed = 1e-40;

void requireKernel(const LimitKernel& kernel) {
    if (kernel.rates.size() % 2 == 0) throw InputError("A kernel has an odd number of entries, the middle one at offset 0.");
    for (double rate : kernel.rates)
        if (!(rate >= 0) || !std::isfinite(rate)) throw InputError("The rates of a kernel are finite and not negative.");
}

/// Δ π.
LatticeDistribution generated(const LimitKernel& kernel, const LatticeDistribution& p) {
    const Size reach = static_cast<Size>(kernel.reach());
    const double total = kernel.total();
    LatticeDistribution out{p.first - kernel.reach(), std::vector<double>(p.mass.size() + 2 * reach)};
    for (Size x = 0; x < p.mass.size(); ++x) out.mass[x + reach] -= total * p.mass[x];
    for (Size k = 0; k < kernel.rates.size(); ++k)
        for (Size x = 0; x < p.mass.size() && k != reach; ++x) out.mass[x + k] += kernel.rates[k] * p.mass[x];
    return out;
}

/// (I + step·Δ) π, the diagonal taken together so that step·total = 1 leaves exactly nothing.
LatticeDistribution stepped(const LimitKernel& kernel, double step, const LatticeDistribution& p) {
    const Size reach = static_cast<Size>(kernel.reach());
    const double stay = std::max(0.0, 1 - step * kernel.total());
    LatticeDistribution out{p.first - kernel.reach(), std::vector<double>(p.mass.size() + 2 * reach)};
    for (Size k = 0; k < kernel.rates.size(); ++k) {
        const double share = k == reach ? stay : step * kernel.rates[k];
        for (Size x = 0; x < p.mass.size() && share != 0; ++x) out.mass[x + k] += share * p.mass[x];
    }
    return out;
}

void trim(LatticeDistribution& p) {
    auto isSmall = [](double mass) { return mass < kTrimmed; };
    const auto begin = std::find_if_not(p.mass.begin(), p.mass.end() - 1, isSmall);
    p.first += static_cast<int>(begin - p.mass.begin());
    p.mass.erase(p.mass.begin(), begin);
    while (p.mass.size() > 1 && isSmall(p.mass.back())) p.mass.pop_back();
}

// About twenty-eight standard deviations are above 1e-40, and no more than every step's reach.
void requireAffordable(const LimitKernel& kernel, double steps, double variance) {
    const double spread = std::min(2 * steps * kernel.reach(), 28 * std::sqrt(variance) + 100 * kernel.reach()) + 1;
    if (!(steps * spread * static_cast<double>(kernel.rates.size()) <= kMaxOperations))
        throw InputError("This chain takes too long to follow; use fewer layers or smaller rates.");
}

void addWeighted(LatticeDistribution& sum, double weight, const LatticeDistribution& p) {
    if (p.first < sum.first) {
        sum.mass.insert(sum.mass.begin(), static_cast<Size>(sum.first - p.first), 0.0);
        sum.first = p.first;
    }
    const Size shift = static_cast<Size>(p.first - sum.first);
    if (sum.mass.size() < shift + p.mass.size()) sum.mass.resize(shift + p.mass.size());
    for (Size x = 0; x < p.mass.size(); ++x) sum.mass[shift + x] += weight * p.mass[x];
}

/// Poisson weights n = 0 … last, from the mode outwards so that none underflows that matters, until they fall below 1e-20 of it.
std::vector<double> poissonWeights(double mean) {
    const Size mode = static_cast<Size>(mean);
    std::vector<double> weights(mode + 1);
    weights[mode] = 1;
    for (Size n = mode; n > 0; --n) weights[n - 1] = weights[n] * static_cast<double>(n) / mean;
    while (weights.back() > 1e-20) weights.push_back(weights.back() * mean / static_cast<double>(weights.size()));
    double total = 0;
    for (double w : weights) total += w;
    for (double& w : weights) w /= total;
    return weights;
}

}  // namespace

double LimitKernel::total() const {
    double sum = 0;
    for (Size k = 0; k < rates.size(); ++k) sum += k == rates.size() / 2 ? 0 : rates[k];
    return sum;
}

double LimitKernel::drift() const {
    double sum = 0;
    for (Size k = 0; k < rates.size(); ++k) sum += (static_cast<double>(k) - reach()) * rates[k];
    return sum;
}

double LimitKernel::diffusion() const {
    double sum = 0;
    for (Size k = 0; k < rates.size(); ++k) sum += (static_cast<double>(k) - reach()) * (static_cast<double>(k) - reach()) * rates[k];
    return sum / 2;
}

LimitKernel threePointKernel(double up, double down) { return {{down, 0, up}}; }

LimitKernel kernelOfWeights(const std::vector<double>& p) {
    LimitKernel kernel;
    for (double w : p) kernel.rates.push_back(w * w);
    requireKernel(kernel);
    return kernel;
}

double LatticeDistribution::total() const {
    double sum = 0;
    for (double m : mass) sum += m;
    return sum;
}

double LatticeDistribution::mean() const {
    double sum = 0;
    for (Size x = 0; x < mass.size(); ++x) sum += (first + static_cast<double>(x)) * mass[x];
    return sum;
}

double LatticeDistribution::variance() const {
    const double centre = mean();
    double sum = 0;
    for (Size x = 0; x < mass.size(); ++x) {
        const double offset = first + static_cast<double>(x) - centre;
        sum += offset * offset * mass[x];
    }
    return sum;
}

double residualStep(int layers, double exponent) { return std::pow(static_cast<double>(layers), -2 * exponent); }

double differentialStep(int layers, double exponent, double squaredNorm) {
    const double epsilon = residualStep(layers, exponent);
    return epsilon / (1 + epsilon * squaredNorm);
}

LatticeDistribution latticeChain(const LimitKernel& kernel, double step, int layers) {
    requireKernel(kernel);
    if (!(step >= 0) || !(step * kernel.total() <= 1 + 1e-12))
        throw InputError("A layer cannot move more capacity than a unit has; use more layers or smaller rates.");
    requireAffordable(kernel, layers, 2.0 * layers * step * kernel.diffusion());
    LatticeDistribution p;
    for (int l = 0; l < layers; ++l) {
        p = stepped(kernel, step, p);
        trim(p);
    }
    return p;
}

LatticeDistribution kolmogorovFlow(const LimitKernel& kernel, double time) {
    requireKernel(kernel);
    const double rate = kernel.total() * time;
    if (!(time >= 0) || !(rate < 1e6)) throw InputError("The time of a flow is not negative, and its rates times it below 10⁶.");
    if (rate == 0) return {};
    requireAffordable(kernel, rate + 10 * std::sqrt(rate) + 50, 2 * kernel.diffusion() * time);
    const auto weights = poissonWeights(rate);
    LatticeDistribution power, sum{0, {0.0}};
    for (double weight : weights) {
        addWeighted(sum, weight, power);
        power = stepped(kernel, 1 / kernel.total(), power);
        trim(power);
    }
    return sum;
}

LatticeDistribution limitGaussian(const LimitKernel& kernel, double time) {
    requireKernel(kernel);
    const double mean = kernel.drift() * time, variance = 2 * kernel.diffusion() * time;
    if (!(std::abs(mean) < 1e8 && variance < 1e12)) throw InputError("The Gaussian of this limit lies too far out; use smaller rates.");
    if (variance <= 0) return {static_cast<int>(std::lround(mean)), {1.0}};
    const double reach = 10 * std::sqrt(variance);
    LatticeDistribution p{static_cast<int>(std::floor(mean - reach)), {}};
    for (int x = p.first; x <= mean + reach + 1; ++x) p.mass.push_back(normalOnCell(x - mean, variance));
    return p;
}

double totalVariation(const LatticeDistribution& a, const LatticeDistribution& b) {
    const int from = std::min(a.first, b.first);
    const int to = std::max(a.first + static_cast<int>(a.mass.size()), b.first + static_cast<int>(b.mass.size()));
    double sum = 0;
    for (int x = from; x < to; ++x) sum += std::abs(a.at(x) - b.at(x));
    return sum / 2;
}

double totalVariationSlope(const LimitKernel& kernel, double secondOrder) {
    const auto once = generated(kernel, kolmogorovFlow(kernel, 1)), twice = generated(kernel, once);
    double sum = 0;
    for (int x = twice.first; x < twice.first + static_cast<int>(twice.mass.size()); ++x)
        sum += std::abs(secondOrder * once.at(x) + 0.5 * twice.at(x));
    return sum / 2;
}

namespace {

void requireEquation(const ForwardEquation& equation, const std::vector<double>& start) {
    if (equation.weights.size() % 2 == 0 || start.empty() || !(equation.epsilon >= 0) || equation.layers < 0)
        throw InputError("The forward equation needs an odd number of weights, a start and a step that is not negative.");
    if ((1.0 + equation.layers) * static_cast<double>(start.size()) > 1e8)
        throw InputError("The forward equation has too many layers times positions; use fewer of either.");
}

/// Position that tap k of unit x reads.
Size readBy(Size x, Size k, Size taps, Size n) {
    const Size reach = taps / 2 % n;
    return (x + k % n + n - reach) % n;
}

}  // namespace

States forwardDraw(const ForwardEquation& equation, const std::vector<double>& start, std::uint64_t seed, std::uint64_t draw) {
    requireEquation(equation, start);
    const Size n = start.size(), taps = equation.weights.size();
    const double root = std::sqrt(equation.epsilon);
    Rng rng(seed, Purpose::Signs, draw);
    States states{start};
    for (int l = 0; l < equation.layers; ++l) {
        auto next = states.back();
        for (Size x = 0; x < n; ++x) {
            double z = 0;
            for (Size k = 0; k < taps; ++k) z += equation.weights[k] * states.back()[readBy(x, k, taps, n)];
            next[x] += root * rng.sign() * z;
        }
        states.push_back(std::move(next));
    }
    return states;
}

}  // namespace kappaflow

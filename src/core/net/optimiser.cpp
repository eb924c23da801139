#include "core/net/optimiser.h"

#include <Eigen/Core>
#include <cassert>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

using Values = Eigen::Map<Eigen::ArrayXd>;

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

}  // namespace kappaflow

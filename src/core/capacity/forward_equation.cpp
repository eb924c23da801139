#include "core/capacity/forward_equation.h"

#include <cmath>

#include "core/base/errors.h"
#include "core/base/rng.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using States = std::vector<std::vector<double>>;

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

States forwardSecondMoment(const ForwardEquation& equation, const std::vector<double>& start) {
    requireEquation(equation, start);
    const Size n = start.size(), taps = equation.weights.size();
    States moments(1);
    for (double y : start) moments[0].push_back(y * y);
    for (int l = 0; l < equation.layers; ++l) {
        const auto& now = moments.back();
        auto next = now;
        for (Size x = 0; x < n; ++x)
            for (Size k = 0; k < taps; ++k)
                for (Size q = 0; q < taps; ++q) {
                    const Size a = readBy(x, k, taps, n), b = readBy(x, q, taps, n);
                    const double moment = a == b ? now[a] : start[a] * start[b];
                    next[x] += equation.epsilon * equation.weights[k] * equation.weights[q] * moment;
                }
        moments.push_back(std::move(next));
    }
    return moments;
}

}  // namespace kappaflow

#pragma once
#include <vector>

#include "core/capacity/deep_limit.h"

namespace kappaflow::slow {

/// E Y_x(l)² of the forward equation, [layer 0 … layers][position], exactly: E Y stays the start, E Y_x Y_y (x ≠ y) stays its product, and
/// E Y_x² grows by ε E (Pᵀ Y)_x² in every layer.
inline std::vector<std::vector<double>> forwardSecondMoment(const ForwardEquation& equation, const std::vector<double>& start) {
    const std::size_t n = start.size(), taps = equation.weights.size();
    const auto readBy = [&](std::size_t x, std::size_t k) { return (x + k % n + n - taps / 2 % n) % n; };
    std::vector<std::vector<double>> moments(1);
    for (const double y : start) moments[0].push_back(y * y);
    for (int l = 0; l < equation.layers; ++l) {
        const auto& now = moments.back();
        auto next = now;
        for (std::size_t x = 0; x < n; ++x)
            for (std::size_t k = 0; k < taps; ++k)
                for (std::size_t q = 0; q < taps; ++q) {
                    const std::size_t a = readBy(x, k), b = readBy(x, q);
                    next[x] += equation.epsilon * equation.weights[k] * equation.weights[q] * (a == b ? now[a] : start[a] * start[b]);
                }
        moments.push_back(std::move(next));
    }
    return moments;
}

}  // namespace kappaflow::slow

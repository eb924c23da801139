#include "core/capacity/mean_squared_gradient.h"

#include <cmath>

namespace kappaflow {

std::vector<std::vector<double>> squaredGradient(const Network& network, const std::vector<std::size_t>& states,
                                                 const std::vector<double>& top, Rng& rng) {
    std::vector<double> input(network.input.units());
    for (double& x : input) x = rng.gaussian();
    auto direction = top;
    for (double& d : direction) d = std::sqrt(d) * rng.sign();
    // Layers above the last state of interest are no part of the question.
    Network below{network.input, {network.layers.begin(), network.layers.begin() + static_cast<std::ptrdiff_t>(states.back())}};
    const auto gradients = backward(below, forward(below, input), direction);
    std::vector<std::vector<double>> squares;
    for (const auto state : states) {
        squares.push_back(gradients[state]);
        for (double& g : squares.back()) g *= g;
    }
    return squares;
}

}  // namespace kappaflow

#include "core/capacity/mean_squared_gradient.h"

#include <cmath>

namespace kappaflow {

std::vector<std::vector<double>> squaredGradient(const Network& network, const std::vector<double>& top, Rng& rng) {
    std::vector<double> input(network.input.units());
    for (double& x : input) x = rng.gaussian();
    auto direction = top;
    for (double& d : direction) d = std::sqrt(d) * rng.sign();
    auto gradients = backward(network, forward(network, input), direction);
    for (auto& gradient : gradients)
        for (double& g : gradient) g *= g;
    return gradients;
}

}  // namespace kappaflow

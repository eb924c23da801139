#include "scenes/capacity_flow/lower_layers/model_run.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::lower {
namespace {

/// Looks cost a singular value decomposition each, 50·parameters³ operations.
double looksWhileGrowing(double parameters) { return parameters <= 40 ? 40 : parameters <= 100 ? 12 : 5; }

}  // namespace

SampledNetwork::SampledNetwork(const Setup& setup, Activation a)
    : activation(a), network(networkOf(setup, a)), jacobian(network, setup.deviation, setup.seed) {}

void SampledNetwork::sampleTo(std::size_t inputs, bool look) {
    jacobian.add(inputs - static_cast<std::size_t>(jacobian.samples()));
    if (!look) return;
    singularValues = jacobian.singularValues();
    rankAt.push_back(numericalRank(singularValues).rank);
    const double largest = singularValues.empty() ? 0 : singularValues.front();
    for (double& value : singularValues) value = largest > 0 ? value / largest : 0;
}

std::vector<Stop> stopsOf(const Setup& setup) {
    const double parameters = setup.parameters(), rows = setup.widths.back();
    const auto growing = std::min(static_cast<std::size_t>(std::ceil(1.6 * parameters / rows)) + 1, setup.inputs);
    const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(static_cast<double>(growing) / looksWhileGrowing(parameters))));
    const auto slice = static_cast<std::size_t>(std::clamp(3e6 / (parameters * parameters * rows), 1.0, 500.0));
    std::vector<Stop> stops;
    for (std::size_t n = 1; n < growing; n += step) stops.push_back({n, true});
    for (std::size_t n = growing; n < setup.inputs; n += slice) stops.push_back({n, n == growing});
    stops.push_back({setup.inputs, true});
    return stops;
}

}  // namespace kappaflow::lower

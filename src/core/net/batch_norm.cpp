#include <cmath>

#include "core/net/layers.h"

namespace kappaflow {
namespace {

double slopeOf(const Layer& layer, std::size_t index) {
    return layer.weights[index] / std::sqrt(layer.variance[index] + layer.batchNormEpsilon);
}

std::size_t unitsPerScale(const Layer& layer) { return layer.in.units() / layer.weights.size(); }

}  // namespace

std::vector<double> applyBatchNorm(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    const std::size_t run = unitsPerScale(layer);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t s = i / run;
        y[i] = slopeOf(layer, s) * (x[i] - layer.mean[s]) + (layer.bias.empty() ? 0 : layer.bias[s]);
    }
    return y;
}

std::vector<double> pullBatchNorm(const Layer& layer, const std::vector<double>& g) {
    std::vector<double> pulled(g.size());
    const std::size_t run = unitsPerScale(layer);
    for (std::size_t i = 0; i < g.size(); ++i) pulled[i] = slopeOf(layer, i / run) * g[i];
    return pulled;
}

}  // namespace kappaflow

#include "core/linalg/linalg.h"
#include "core/net/layers.h"

namespace kappaflow {

std::vector<double> applyDense(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y = matrixTimesVector(layer.weights, x);
    for (std::size_t i = 0; i < layer.bias.size(); ++i) y[i] += layer.bias[i];
    return y;
}

std::vector<double> pullDense(const Layer& layer, const std::vector<double>& g) {
    return transposedTimesVector(layer.weights, g, layer.in.units());
}

}  // namespace kappaflow

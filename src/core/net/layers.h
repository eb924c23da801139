#pragma once
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

// One pair a layer kind, what `applyLayer` and `applyLayerTransposedJacobian` choose from: x the layer's input, g the gradient at its
// output.

std::vector<double> applyDense(const Layer&, const std::vector<double>& x);
std::vector<double> pullDense(const Layer&, const std::vector<double>& g);
std::vector<double> applyConv(const Layer&, const std::vector<double>& x);
std::vector<double> pullConv(const Layer&, const std::vector<double>& g);
std::vector<double> applyBatchNorm(const Layer&, const std::vector<double>& x);
std::vector<double> pullBatchNorm(const Layer&, const std::vector<double>& g);
std::vector<double> applyActivation(const Layer&, const std::vector<double>& x);
std::vector<double> pullActivation(const Layer&, const std::vector<double>& x, const std::vector<double>& g);
/// Maximum over the window; the gradient goes to the first of equal ones, in the order of taps.
std::vector<double> applyMaxPool(const Layer&, const std::vector<double>& x);
std::vector<double> pullMaxPool(const Layer&, const std::vector<double>& x, const std::vector<double>& g);
std::vector<double> applyAveragePool(const Layer&, const std::vector<double>& x);
std::vector<double> pullAveragePool(const Layer&, const std::vector<double>& g);
std::vector<double> applyGlobalAveragePool(const Layer&, const std::vector<double>& x);
std::vector<double> pullGlobalAveragePool(const Layer&, const std::vector<double>& g);
std::vector<double> applyResidual(const Layer&, const std::vector<double>& x);
std::vector<double> pullResidual(const Layer&, const std::vector<double>& x, const std::vector<double>& g);

}  // namespace kappaflow

#pragma once
#include <cstdint>
#include <vector>

#include "core/linalg/matrix.h"
#include "core/moments/scalar_map.h"

namespace kappaflow {

/// A batch-normalised feedforward net of one input and one output (P3 Fig 1c, Eqs 9–11): hidden layers x = φ(BN(ω x)) of `width` units,
/// weights N(0, 2/in), and after every one of them the network that ends there with a linear, batch-normalised unit. The statistics of
/// batch norm are those of the grid's points with the grid's weights, ε = 1e-3, and constants for the derivative.
class ScalarBatchNorm {
public:
    /// `layers` counts the last, linear one: curves 1 … layers, layer 1 being linear. Throws InputError on a zero size.
    ScalarBatchNorm(ScalarGrid, Activation, std::size_t width, std::size_t layers, std::uint64_t seed);

    /// About so many multiply-adds; false when every curve is there. Weights of layer l hang on seed and l alone.
    bool advance(double operations);
    double progress() const;
    const ScalarGrid& grid() const { return grid_; }
    /// [0] is the identity. A curve's sign, which χ does not see, is the one that goes with the curve before.
    const std::vector<ScalarCurve>& curves() const { return curves_; }
    /// Cost of all: 2·points·width² multiply-adds a hidden layer after the first.
    static double operations(std::size_t points, std::size_t width, std::size_t layers);

private:
    void beginHidden();
    void finishHidden();
    void addCurve();

    ScalarGrid grid_;
    Activation phi_;
    std::size_t width_, layers_;
    std::uint64_t seed_;
    Matrix signal_, tangent_;  ///< of the last whole hidden layer [point][unit]; the input at first
    Matrix weights_, nextSignal_, nextTangent_;
    std::size_t row_ = 0;  ///< points of the next layer that are there
    std::vector<ScalarCurve> curves_;
};

}  // namespace kappaflow

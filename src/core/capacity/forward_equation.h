#pragma once
#include <cstdint>
#include <vector>

namespace kappaflow {

/// Differential layers on a ring as a difference equation (P1, later version, Eqs 34–36): Y ← Y + √ε η∘(Pᵀ Y), whose
/// deep limit is dY_x = (Pᵀ Y)_x dB_x. Weights p_k, an odd number of them, unit x reads x + k; √ε stands for the layer's scaling.
/// The paper's explicit link between this equation's coefficient and the diffusion of capacity is not recoverable: no factor is
/// claimed. Taps may meet on one unit of a short ring.
struct ForwardEquation {
    std::vector<double> weights;
    double epsilon = 0.01;
    int layers = 100;
};

/// One solution, [layer 0 … layers][position]: η = ±1, independent between units and layers, from the stream (seed, Signs, draw).
/// Throws InputError for an even number of weights, an empty start or more than 1e8 numbers. Cost: layers · positions · taps.
std::vector<std::vector<double>> forwardDraw(const ForwardEquation&, const std::vector<double>& start, std::uint64_t seed,
                                             std::uint64_t draw);

/// E Y_x(l)², [layer 0 … layers][position], exactly: E Y stays the start, E Y_x Y_y (x ≠ y) stays its product, and
/// E Y_x² grows by ε E (Pᵀ Y)_x² in every layer. Cost: layers · positions · taps².
std::vector<std::vector<double>> forwardSecondMoment(const ForwardEquation&, const std::vector<double>& start);

}  // namespace kappaflow

#pragma once
#include <cstdint>
#include <vector>

#include "core/capacity/capacity_kernel.h"

namespace kappaflow {

enum class Space { Ring, Line, Grid, Dense };
enum class LayerType { Plain, Residual, Differential };
enum class KernelType { Uniform, Random, Triangle };
enum class Filter { Square, Cross };

/// A network of equal layers whose capacity is followed (P1 Eqs 26–29), layer 1 at the input:
/// plain x ← f(Pᵀx), D = P∘P; residual x ← √(1 − ε) x + √ε f(Pᵀx) with P's centre tap (dense: diagonal) removed, D = (1 − ε) I + ε P∘P;
/// differential x ← (x + √ε f(Pᵀx))/√(1 + ε), D = (I + ε P∘P)/(1 + ε). Columns of P have norm 1.
struct DrawnNetwork {
    Space space = Space::Ring;
    LayerType type = LayerType::Plain;
    KernelType kernel = KernelType::Uniform;
    bool shared = true;
    Filter filter = Filter::Square;  ///< of a grid
    bool torus = true;               ///< grids: periodic along both axes; else zero-padded, as a line is
    int extent = 65;                 ///< of a grid: its height and its width
    int layers = 24, taps = 3, channels = 1;
    int stride = 1;    ///< plain layers only, along every axis; a layer that is one position wide has none
    int dilation = 1;  ///< 0: doubling, 1, 2, 4, … 512 from the input upwards and again from 1, as in WaveNet
    double epsilon = 0.1;
    std::uint64_t seed = 1;

    bool mixes() const { return type != LayerType::Plain; }
    bool periodic() const { return space == Space::Ring || (space == Space::Grid && torus); }
    /// One kernel for all positions of a layer; those without randomness are the same everywhere, whatever `shared` says.
    bool alike() const { return shared || kernel != KernelType::Random; }
    /// Share of the identity connection.
    double stay() const;
    /// Size of state l = 0 … layers; only grids are higher than 1.
    int widthAt(int l) const;
    int heightAt(int l) const { return space == Space::Grid ? widthAt(l) : 1; }
    /// What a unit reads: the row of a ring or line, the filter of a grid.
    std::vector<Tap> tapsOf() const;
    int strideOf(int l) const;    ///< of layer l = 1 … layers
    int dilationOf(int l) const;  ///< of layer l = 1 … layers
    int channelsAt(int) const { return space == Space::Dense ? 1 : channels; }
};

/// Weights of layer l = 1 … layers in network number `draw`, not normalised: convolution [position, unless shared][out][in][tap], dense
/// [out][in]. Uniform: 1; triangle: (taps + 1)/2 − |k|, in two dimensions the product over both axes, so that a square filter's shares
/// are a product too (dense: extent − |i − j|); random: N(0, 1), stream (seed, Weights, draw and l). Residual layers have zeros in the
/// centre.
std::vector<double> layerWeights(const DrawnNetwork&, int l, std::uint64_t draw);

/// D of layer l from such weights, for rings, lines and grids.
CapacityKernel capacityKernel(const DrawnNetwork&, int l, const std::vector<double>& weights);
/// D of layer l of a dense network.
CapacityLayer denseCapacityLayer(const DrawnNetwork&, const std::vector<double>& weights);

/// The same network as one that can be run: the same weights with unit columns (uniform and triangle kernels, whose D sees no signs,
/// get random ones: stream (seed, Signs, draw and l)), times a gain that keeps E f(z)² = 1 for z ~ N(0, 1); no activation on the last
/// plain layer. Border columns beside zero padding keep their norm below 1, as it leaves them. Cross
/// filters are square ones with zeros off the axes.
Network runnableNetwork(const DrawnNetwork&, Activation, double slope, std::uint64_t draw);
/// Index in `forward` of state l = 0 … layers of that network.
std::vector<std::size_t> runnableStates(const DrawnNetwork&);

/// 1/√(E f(z)²), z ~ N(0, 1).
double varianceGain(Activation, double slope);

}  // namespace kappaflow

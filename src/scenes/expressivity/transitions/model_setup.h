#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "scene/scene.h"

namespace kappaflow::transitions {

/// Variances of a Gaussian unit: weights N(0, σ_w²/k), bias N(0, σ_b²), k the units it reads.
struct UnitVariances {
    double weight = 0, bias = 0;
};

/// A request read once and for all.
struct Setup {
    std::vector<GrowthSetting> curves;  ///< the drawn network's first; a given network is one curve, whose setting has no say
    std::vector<CurveLayer> given;      ///< a given network's layers, the output's last; empty: drawn here
    std::size_t layers = 1, draws = 1;
    bool circle = true;
    double pieces = 1e4;
    std::uint64_t seed = 1;
    std::vector<std::string> warnings;

    SweepLimits limits() const;
    /// Pieces that a layer of a curve may have.
    double mostPieces(const GrowthSetting&) const;
    bool isDrawn() const { return given.empty(); }
    /// All layers of a draw, the one that only reads the last image included.
    std::vector<CurveLayer> layersOf(std::size_t curve, std::size_t draw) const;
    std::size_t inputs(std::size_t curve) const;
    /// Of a layer, from 1.
    double units(std::size_t curve, std::size_t layer) const;
};
/// Throws InputError where a network's transitions cannot be counted exactly.
Setup readSetup(const Request&);
/// The network whose curve is drawn, the layer that only reads its last image included.
Network networkOf(const Request&);
/// Of a curve's layer that was drawn so, or with the mean squares of a given layer.
UnitVariances variancesOf(const Setup&, std::size_t curve, const CurveLayer&);
/// Most layers that a given network may have behind its input.
inline constexpr std::size_t kMostLayers = 17;

/// Points of the drawn curve: at the least, at the most, and for each length of the input curve that the longest image has.
inline constexpr double kLeastPoints = 400, kMostPoints = 2400, kPointsPerLength = 60;
/// Stops of the turning unit on half a turn.
inline constexpr std::size_t kTurns = 24;

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::transitions

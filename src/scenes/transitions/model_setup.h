#pragma once
#include <cstdint>
#include <vector>

#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "scenes/scene.h"

namespace kappaflow::transitions {

/// A request read once and for all.
struct Setup {
    std::vector<GrowthSetting> curves;  ///< the drawn network's first
    std::size_t layers = 1, draws = 1;
    bool circle = true;
    double pieces = 1e4;
    std::uint64_t seed = 1;

    SweepLimits limits() const { return {pieces, 8e6}; }
    /// Pieces that a layer of a curve may have.
    double mostPieces(const GrowthSetting&) const;
};
Setup readSetup(const Values&);

/// Points of the drawn curve: at the least, at the most, and for each length of the input curve that the longest image has.
inline constexpr double kLeastPoints = 400, kMostPoints = 2400, kPointsPerLength = 60;
/// Stops of the turning unit on half a turn.
inline constexpr std::size_t kTurns = 24;

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::transitions

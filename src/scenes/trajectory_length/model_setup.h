#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/expressivity/growth_sweep.h"
#include "core/expressivity/trajectory_sweep.h"
#include "scenes/scene.h"

namespace kappaflow::trajectory_length {

/// A trajectory a·x₀ + b·x₁ in the plane of two inputs, as a curve (a, b)(t).
struct Trajectory {
    enum class Kind { Circle, Line, Drawn } kind = Kind::Circle;
    double from = 0, to = 1;   ///< of t
    std::vector<double> path;  ///< Drawn: corners a, b

    std::array<double, 2> at(double t) const;
    CurvePieces through(const RandomEnds&) const;
};

/// A request read once and for all.
struct Setup {
    GrowthSetting setting;
    std::size_t layers = 1, draws = 1, points = 0;
    Trajectory trajectory;
    double pieces = 1e4, precision = 0.02;
    std::vector<double> widths, variances;  ///< of the sweep, ascending, each once
    std::size_t sweepDraws = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> warnings;

    SweepLimits limits() const;
    GrowthSweepPlan sweepPlan() const;
    bool isExact() const { return isPiecewiseLinear(setting.activation); }
};
Setup readSetup(const Values&);

/// Most points of the drawing when their number is left to the scene, and strata of the draws beside the drawn one.
inline constexpr std::size_t kMostPoints = 2400, kLeastPoints = 400, kStrata = 8;
/// Strata that the drawing's points are placed by, and most strata of sampled lengths.
inline constexpr std::size_t kPilot = 48, kMostStrata = 1200;

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::trajectory_length

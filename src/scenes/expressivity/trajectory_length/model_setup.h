#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/expressivity/growth_sweep.h"
#include "core/expressivity/trajectory_sweep.h"
#include "scene/scene.h"

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
    GrowthSetting setting;          ///< of networks drawn here
    std::vector<CurveLayer> given;  ///< of a network that is not; empty: drawn here
    std::size_t layers = 1, draws = 1, points = 0;
    Trajectory trajectory;
    std::vector<double> x0, x1;  ///< its ends where they are given; empty: random ones, others each draw
    double pieces = 1e4, precision = 0.02;
    std::vector<double> widths, variances;  ///< of the sweep, ascending, each once
    std::size_t sweepDraws = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> warnings;

    SweepLimits limits() const;
    GrowthSweepPlan sweepPlan() const;
    bool isDrawn() const { return given.empty(); }
    bool isExact() const { return isDrawn() ? isPiecewiseLinear(setting.activation) : isPiecewiseLinear(given); }
    std::size_t inputs() const { return isDrawn() ? static_cast<std::size_t>(setting.width) : given.front().in; }
    std::size_t widest() const;
    double weights() const;         ///< of all layers
    double largestProduct() const;  ///< inputs times units of a layer, at its most
    /// The layers of a draw: all draws are of one network if that is given.
    std::vector<CurveLayer> layersOf(std::size_t draw) const;
};
/// Throws InputError where a network cannot be followed.
Setup readSetup(const Request&);
/// Most layers that a given network may have.
inline constexpr std::size_t kMostLayers = 40;

/// Most points of the drawing when their number is left to the scene, and strata of the draws beside the drawn one.
inline constexpr std::size_t kMostPoints = 2400, kLeastPoints = 400, kStrata = 8;
/// Strata that the drawing's points are placed by, and most strata of sampled lengths.
inline constexpr std::size_t kPilot = 48, kMostStrata = 1200;

/// The network that the first trajectory goes through.
Network networkOf(const Request&);

Cost costOf(const Request&);
std::string costliestOf(const Request&);

}  // namespace kappaflow::trajectory_length

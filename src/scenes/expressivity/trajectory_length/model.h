#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/expressivity/curve_plane.h"
#include "core/expressivity/followed_curve.h"
#include "core/expressivity/growth_theory.h"
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

/// Most points of the drawing when their number is left to the scene.
inline constexpr std::size_t kMostPoints = 2400, kLeastPoints = 400;
/// Strata that the drawing's points are placed by, and most strata of sampled lengths.
inline constexpr std::size_t kPilot = 48, kMostStrata = 1200;

/// The network that the first trajectory goes through.
Network networkOf(const Request&);

Cost costOf(const Request&);
std::string costliestOf(const Request&);

/// The drawn network and its trajectory: a first sample of lengths, the images, exact lengths as deep as the limits let them, and
/// sampled ones behind these.
class DrawnRun {
public:
    explicit DrawnRun(const Setup&);
    bool advance();
    double progress() const;

    /// Lengths known by now, of all layers; exact ones have no error.
    std::vector<SampledLength> lengths() const;
    const std::vector<PlaneImage>& images() const { return images_; }
    const std::vector<double>& places() const { return places_; }
    const std::vector<CurvePassage>& passages() const { return followed_.passages(); }
    std::size_t exactLayers() const { return followed_.exactLayers(); }
    double sampledPoints() const { return followed_.points(); }

private:
    void finishPilot();

    const Setup& setup_;
    std::vector<CurveLayer> layers_;
    CurvePieces start_;
    TangentSampler pilot_;
    std::vector<SampledLength> pilotLengths_;
    std::optional<CurvePlanes> planes_;
    std::vector<PlaneImage> images_;
    std::vector<double> places_;
    FollowedCurve followed_;
};

/// Lengths of all draws: sums, and what follows for their means and ratios.
class LengthMeans {
public:
    explicit LengthMeans(std::size_t layers) : sum_(layers + 1), square_(layers + 1), product_(layers + 1) {}
    void add(const std::vector<SampledLength>&);
    double draws() const { return draws_; }
    /// Draws of which nothing is left in the last layer.
    double lost() const { return lost_; }
    /// Mean length and its standard error over draws (of one draw: that of its sampling). Where no draw of many has any length left, the
    /// standard error is not a number: how seldom one has is not known.
    SampledLength mean(std::size_t layer) const;
    /// Ratio of the means of `layer` and the one before.
    SampledLength growth(std::size_t layer) const;

private:
    double draws_ = 0, lost_ = 0;
    std::vector<double> sum_, square_, product_;  ///< product: with the layer before
    std::vector<SampledLength> first_;
};

/// Everything that is known of a request so far.
struct Progress {
    explicit Progress(const Setup&);
    /// A few milliseconds of the next thing to do; false when all is done.
    bool advance();
    double share() const;
    /// Means over the draws that are through: the drawn network alone until then.
    LengthMeans means() const;

    const Setup& setup;
    DrawnRun drawn;
    LengthMeans further;
    GrowthSweep sweep;

private:
    void advanceDraw();

    std::size_t draw_ = 1;
    bool drawnDone_ = false, sweepDone_ = false;
    std::vector<CurveLayer> layers_;
    std::optional<FollowedCurve> curve_;
};

/// Lengths of layers 0 … n that theory gives a trajectory of length 1: mean over the trajectory of ∏√χ, since χ depends on how far from the
/// origin the input lies.
std::vector<double> meanFieldLengths(const Setup&);
/// first, first·base, first·base², …
std::vector<double> powers(double first, double base, std::size_t layers);
/// ReLU and |h|: mean growth of a layer at this width and weight variance; 0 for others.
double exactGrowth(const GrowthSetting&);
/// Theorem 1's base, or its line for ReLU; 0 for activations it says nothing about.
double theoremBase(const GrowthSetting&);

Report reportOf(const Setup&, const Progress&, bool finished);

}  // namespace kappaflow::trajectory_length

#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/expressivity/curve_plane.h"
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

/// What is known of one layer of one network; predictions and counts of layer 0 mean nothing.
struct LayerCounts {
    double length = 0, pieces = 1, transitions = 0, predicted = 0, saturations = 0, saturationsPredicted = 0;
};

/// The drawn network's image of the trajectory in a layer, and two units of the next layer that read it.
struct LayerDrawing {
    std::vector<std::array<double, 2>> image, pair;  ///< [point]
    double share = 1;
    std::vector<std::vector<double>> crossings;  ///< [turn]: t of the sign changes
};
struct Drawing {
    std::vector<double> places;  ///< t of the points, closer where the layers' images are long
    std::vector<LayerDrawing> layers;
};

/// One network and trajectory of one curve, followed layer by layer.
class CurveRun {
public:
    CurveRun(const Setup&, std::size_t curve, std::size_t draw);
    /// Does about `operations` multiply-adds; false when the trajectory is through, or at its limit.
    bool advance(double operations);
    double progress() const;
    const std::vector<LayerCounts>& layers() const { return counts_; }
    /// Of the first draw of the first curve, once all is done; empty for others.
    const Drawing& drawing() const { return drawing_; }

private:
    void record();
    void findCrossings();
    void placePoints();
    bool drawLayer();
    const CurveLayer& readerOf(std::size_t layer) const { return layer < layers_.size() ? layers_[layer] : next_; }

    const Setup& setup_;
    std::size_t curve_;
    bool drawn_;
    std::vector<CurveLayer> layers_;  ///< those gone through
    CurveLayer next_;                 ///< reads the last layer's image in the drawing
    CurvePieces start_;
    std::unique_ptr<TrajectorySweep> sweep_;
    double predicted_ = 0, saturationsPredicted_ = 0;  ///< of the layer after the last one recorded
    std::vector<LayerCounts> counts_;
    std::vector<double> lengths_;  ///< [layer][bin] of the drawn curve's t
    std::optional<CurvePlanes> planes_;
    std::size_t layersDrawn_ = 0;
    Drawing drawing_;
};

/// Means over draws: sums by layer, and how many draws came so far.
struct CurveSums {
    std::vector<LayerCounts> sums;
    std::vector<LayerCounts> squares;
    std::vector<double> draws;  ///< [layer]
    double tried = 0;           ///< draws, those included that stopped before
};

struct Progress {
    std::vector<CurveSums> curves;
    Drawing drawing;
    bool finished = false;
};

Report makeReport(const Setup&, const Progress&);

}  // namespace kappaflow::transitions

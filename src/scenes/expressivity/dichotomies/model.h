#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/expressivity/dichotomies.h"
#include "core/expressivity/growth_theory.h"
#include "core/expressivity/trajectory_sweep.h"
#include "scene/scene.h"

namespace kappaflow::dichotomies {

/// Networks that one line of the chart is the mean of.
struct Curve {
    std::size_t width = 1;
    std::size_t depth = 1;  ///< hidden layers
};

/// A request read once and for all.
struct Setup {
    std::size_t samples = 15;
    bool inputsTurn = false;  ///< in place of a layer's weights
    bool everyLayer = false;  ///< every layer of a network is swept in turn; else the first alone, read after any number of layers
    std::vector<Curve> curves;
    std::size_t shown = 0;  ///< curve whose first draw is drawn in strips
    std::size_t draws = 1;
    Activation activation = Activation::HardTanh;
    double slope = 0, weightVariance = 1, biasVariance = 0;
    std::uint64_t seed = 1;

    GrowthSetting setting(std::size_t width) const { return {activation, slope, static_cast<double>(width), weightVariance, biasVariance}; }
    /// Remaining depths 0 … deepest() - 1.
    std::size_t deepest() const;
    /// Layers that are swept in a network of a curve.
    std::size_t sweptLayers(const Curve& curve) const { return everyLayer ? curve.depth : 1; }
    /// Square of an input of the swept layer, per unit: of the samples, or of deep layers in mean field.
    double inputSquare() const;
};
Setup readSetup(const Values&);

/// Where a sweep of one sample stops: k = 128 goes on to about 20 000 pieces a layer.
inline constexpr SweepLimits kLimits{1e5, 8e6};

Cost costOf(const Request&);
std::string costliestOf(const Request&);

/// What is found of one swept layer of one drawn network.
struct SweptDraw {
    std::size_t remaining = 0;                    ///< remaining depth of the first entry below
    std::vector<DichotomyCount> counts;           ///< [r − remaining], as far as every sample's sweep came
    std::vector<double> predicted;                ///< flips by Crofton, all samples
    std::vector<std::vector<LabelTrack>> tracks;  ///< [r − remaining][sample]
};

/// One swept layer of one drawn network, sample after sample.
class SweepRun {
public:
    SweepRun(const Setup&, const Curve&, std::size_t draw, std::size_t layer);
    /// Does about `operations` multiply-adds; false when all samples are through.
    bool advance(double operations);
    double progress() const;
    SweptDraw take() const;

private:
    std::size_t first_;  ///< remaining depth that is read first
    SweptLayers layers_;
    std::vector<CurvePieces> starts_;  ///< pre-activations of the swept layer, [sample]
    std::unique_ptr<LabelSweep> current_;
    std::size_t sample_ = 0, depths_;
    std::vector<std::vector<LabelTrack>> tracks_;  ///< [r][sample]
    std::vector<double> predicted_;
};

/// A number's mean over draws.
struct Mean {
    double count = 0, sum = 0, squares = 0;
    void add(double value) {
        ++count;
        sum += value;
        squares += value * value;
    }
    double mean() const { return sum / count; }
    double standardError() const;
};

/// What a curve's draws found, by remaining depth.
struct CurveMeans {
    std::vector<Mean> dichotomies, flips, predicted;  ///< [r]
    std::vector<double> tried;                        ///< [r]: draws, those included that stopped before
};

/// What is known so far.
struct Progress {
    std::vector<CurveMeans> curves;
    std::vector<SweptDraw> strips;  ///< of the drawn network
    bool stripsReady = false, finished = false;
};

Report makeReport(const Setup&, const Progress&);

}  // namespace kappaflow::dichotomies

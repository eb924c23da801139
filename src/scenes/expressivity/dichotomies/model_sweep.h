#pragma once
#include <memory>
#include <vector>

#include "core/expressivity/dichotomies.h"
#include "scenes/expressivity/dichotomies/model_setup.h"

namespace kappaflow::dichotomies {

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

}  // namespace kappaflow::dichotomies

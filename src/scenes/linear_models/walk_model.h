#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/linear/optimum.h"
#include "scene/typed_model.h"
#include "scenes/linear_models/gaussian_task_model.h"
#include "scenes/linear_models/walk.h"

namespace kappaflow::linear {

/// The models that a scene is about, by number of channels.
struct Family {
    std::function<std::unique_ptr<LinearModel>(std::size_t channels)> model;
    std::vector<std::unique_ptr<LinearModel>> others;  ///< compared with the one asked for: none, one or two
    /// An optimum's weights after the reader pulled at them.
    std::function<std::vector<double>(const LinearModel&, std::vector<double> weights)> pulled;
    std::size_t length = 1;
    std::vector<std::size_t> shown;  ///< channels on the timeline, rising
    OptimumOptions options;
};
/// Its options, as the params say, and its timeline: these channels and those asked for.
void setWalk(Family&, const WalkParams&, std::vector<std::size_t> shown);

/// What was found so far.
struct Walk {
    std::vector<double> autocovariance;  ///< c_0 … c_n
    LinearTask task;
    std::vector<Frame> frames;  ///< in the order of the timeline
    std::size_t asked = 0;      ///< the frame of the model asked for
    std::vector<Frame> others;
    std::vector<double> rawSpectrum;
};
/// Optima of one model after the other, or the way to one of them; `found` is called when there may be something new.
Walk takeWalk(const WalkParams&, const Family&, Progress&, const std::function<void(const Walk&)>& found);
void fillWalk(const WalkParams&, const Walk&, WalkResult&);

Cost walkCost(const WalkParams&, const Family&);
/// `name`: "A tree of 6 layers with 2 channels".
std::string walkSummary(const WalkParams&, const WalkResult&, const std::string& name);

}  // namespace kappaflow::linear

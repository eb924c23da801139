// Tiled against repeated dilations (P2 App. C): stacks of 1 … R repeats, each at weights found for the same task.
#include "scenes/linear_models/model_scene.h"
#include "scenes/linear_models/wavenet/model_report.h"

namespace kappaflow {
namespace {

using namespace wavenet;

std::unique_ptr<Computation> start(const Request& request) {
    return std::make_unique<wide::SeriesComputation<Setup>>(readSetup(request.params), request.withNetwork);
}

}  // namespace

Model wavenet_model() { return {"wavenet", costOf, costliestOf, start}; }

}  // namespace kappaflow

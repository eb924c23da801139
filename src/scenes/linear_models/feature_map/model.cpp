// A linear model behind a feature map that acts on every input alone (P2 6.2): one model for every degree.
#include "scenes/linear_models/feature_map/model_report.h"
#include "scenes/linear_models/model_scene.h"

namespace kappaflow {
namespace {

using namespace feature_map;

std::unique_ptr<Computation> start(const Request& request) {
    return std::make_unique<wide::SeriesComputation<Setup>>(readSetup(request.params), request.withNetwork);
}

}  // namespace

Model feature_map_model() { return {"feature-map", costOf, costliestOf, start}; }

}  // namespace kappaflow

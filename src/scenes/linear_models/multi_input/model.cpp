// Several inputs at every position (P2 6.1): stacks with more and more channels, and the same ratio of channels to inputs.
#include "scenes/linear_models/model_scene.h"
#include "scenes/linear_models/multi_input/model_report.h"

namespace kappaflow {
namespace {

using namespace multi_input;

std::unique_ptr<Computation> start(const Request& request) {
    return std::make_unique<wide::SeriesComputation<Setup>>(readSetup(request.params), request.withNetwork);
}

}  // namespace

Model multi_input_model() { return {"multi-input", costOf, costliestOf, start}; }

}  // namespace kappaflow

// Several inputs at every position (P2 6.1): stacks with more and more channels, and the same ratio of channels to inputs.
#include "scenes/multi_input/model_report.h"
#include "scenes/wide_models/model_scene.h"

namespace kappaflow {
namespace {

using namespace multi_input;

std::unique_ptr<Computation> start(const Request& request) {
    return std::make_unique<wide::SeriesComputation<Setup>>(readSetup(request.params), request.withNetwork);
}

}  // namespace

Model multi_input_model() { return {"multi-input", costOf, costliestOf, start}; }

}  // namespace kappaflow

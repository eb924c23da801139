#include "scenes/linear_models/model_cost.h"

#include <algorithm>

#include "core/linear/hierarchical_model.h"

namespace kappaflow::linear {

double optimumCost(const LinearModel& model, const OptimumOptions& options) {
    const double bound = optimumOperations(model, options);
    const auto* tree = dynamic_cast<const HierarchicalModel*>(&model);
    if (!tree || options.start != OptimumStart::Best || !options.freeLayers.empty() || !isTensorTrain(tree->shape())) return bound;
    const double n = static_cast<double>(model.inputs()), rank = std::min(n, static_cast<double>(model.parameters()));
    // A step: conjugate gradients, at most 2·rank + 20 of them, then a decomposition.
    const double step = (2 * rank + 20) * (4 * n * rank + n * n) + 50 * n * n;
    return std::min(bound, 20 * step + 4 * static_cast<double>(model.parameters()) * n);
}

}  // namespace kappaflow::linear

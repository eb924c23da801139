#pragma once
#include <vector>

#include "core/linear/hierarchical_model.h"
#include "scene/report.h"

namespace kappaflow::linear {

/// A stack's weights as convolutions are printed everywhere: [out][in][tap].
std::vector<ReportLayer> printedLayers(const HierarchicalModel&, const std::vector<double>& weights);

}  // namespace kappaflow::linear

#pragma once
#include "scenes/capacity_flow/capacity_diffusion/model_theory.h"

namespace kappaflow::diffusion {

/// The report of at least one network. `gaussian` ([layer, position]) may be empty: not computed yet.
Report makeReport(const Setup&, const Chain&, const Totals&, const std::vector<double>& gaussian, bool finished);

/// The drawn or read network's weights, layer by layer, as --with-network prints them.
std::vector<ReportLayer> reportLayers(const std::vector<Layer>&);

}  // namespace kappaflow::diffusion

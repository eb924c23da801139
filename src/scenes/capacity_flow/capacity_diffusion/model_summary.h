#pragma once
#include "scenes/capacity_flow/capacity_diffusion/model_totals.h"

namespace kappaflow::diffusion {

/// One to three sentences made from the report's numbers.
std::string summaryOf(const Setup&, const Chain&, const Totals&, const Report&);

}  // namespace kappaflow::diffusion

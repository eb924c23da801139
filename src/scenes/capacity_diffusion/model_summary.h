#pragma once
#include "scenes/capacity_diffusion/model_chain.h"

namespace kappaflow::diffusion {

/// One to three sentences made from the report's numbers.
std::string summaryOf(const Setup&, const Chain&, const Report&);

}  // namespace kappaflow::diffusion

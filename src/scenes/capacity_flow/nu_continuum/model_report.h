#pragma once
#include "scenes/capacity_flow/nu_continuum/model_rows.h"

namespace kappaflow::continuum {

/// The sweep as far as it has come; what is not known yet is NaN.
Report reportOf(const Sweep&, const Values&);

}  // namespace kappaflow::continuum

#pragma once
#include <string>

#include "core/linear/subspace.h"
#include "scene/param.h"
#include "scenes/linear_models/gaussian_task_model.h"

namespace kappaflow::linear {

/// The process that the params of taskParams() name.
GaussianProcess processOf(const Values&);
/// The stack that the params of treeParams() describe, with so many channels. Any values give one, be it over the core's limits.
HierarchicalShape treeShape(const Values&, int channels);
/// The param that makes it larger than scenes analyse: "" when it is not. (Spectra and eigenvectors grow as n³.)
std::string oversized(const Values&);

}  // namespace kappaflow::linear

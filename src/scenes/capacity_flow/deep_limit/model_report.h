#pragma once
#include "scenes/capacity_flow/deep_limit/model_simulation.h"

namespace kappaflow::deep_limit {

/// What is known so far: all chains, and the simulations as far as they are.
struct Progress {
    std::vector<LatticeDistribution> chains;  ///< [depth]
    LatticeDistribution flow, gaussian;
    std::vector<std::unique_ptr<ForwardRun>> forward;  ///< [depth], of differential layers
    std::unique_ptr<CheckRun> check;
};

Report makeReport(const Setup&, const Progress&, bool finished);

}  // namespace kappaflow::deep_limit

#pragma once
#include "core/moments/moment_diffusion.h"
#include "scene/scene.h"

namespace kappaflow::moment_diffusion {

/// What a request asks and what follows from its width and layers alone.
struct Setup {
    WalkPlan plan;
    std::size_t draws = 1;
    OneDimensionalLaw law;
    std::vector<double> bins;         ///< middles of the histogram's, fixed by the law so that no draw moves them
    std::vector<double> tailsTheory;  ///< [layer 1 … L][threshold]
};
WalkPlan planOf(const Values&);
Setup readSetup(const Values&);

Report makeReport(const Setup&, const MomentDiffusion&, bool finished);

}  // namespace kappaflow::moment_diffusion

#pragma once
#include "core/capacity/plane_theory.h"
#include "scenes/capacity_flow/capacity_diffusion/model_totals.h"

namespace kappaflow::diffusion {

/// What the diffusion equation says of a ring, line or grid, from the kernels alone (averaged over positions, channels and draws).
struct Theory {
    std::vector<KernelDiffusion> layers;  ///< [weight layer]
    std::vector<double> scale;            ///< [layer] positions per top position
    std::vector<PlaneNormal> normal;      ///< [layer] the density the start is convolved with
    double drift = 0, diffusion = 0;      ///< averages over layers, along x
    double driftY = 0, diffusionY = 0;    ///< along y
};

Theory makeTheory(const Setup&, const Totals&);
/// The profile of state l it predicts, by position.
std::vector<double> gaussianRow(const Setup&, const Theory&, std::size_t l);
/// Operations of all rows.
double gaussianWork(const Setup&, const Chain&);
/// Share of each tap with the identity connection, [tap], of a weight layer.
std::vector<double> sharesWithIdentity(const Setup&, const Theory&, std::vector<double> kernel, std::size_t weightLayer);

}  // namespace kappaflow::diffusion

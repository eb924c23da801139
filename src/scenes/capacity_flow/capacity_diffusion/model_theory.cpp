#include "scenes/capacity_flow/capacity_diffusion/model_theory.h"

#include <algorithm>
#include <numeric>

#include "core/capacity/diffusion_theory.h"

namespace kappaflow::diffusion {

Theory makeTheory(const Setup& setup, const Totals& totals) {
    const DrawnNetwork& n = setup.drawn;
    const auto taps = n.tapsOf();
    const std::size_t rows = totals.rows();
    Theory theory;
    theory.layers.resize(rows - 1);
    theory.scale.assign(rows, 1);
    theory.normal.resize(rows);
    for (std::size_t l = rows - 1; l > 0; --l) {
        auto shares = totals.kernelShares[l - 1];
        for (double& share : shares) share /= totals.capacity.count();
        const int layer = static_cast<int>(l);
        const auto step = kernelDiffusion(shares, taps, n.dilationOf(layer), n.mixes(), n.stay());
        const double stride = n.strideOf(layer), square = stride * stride, time = step.time;
        const PlaneNormal& above = theory.normal[l];
        theory.layers[l - 1] = step;
        theory.scale[l - 1] = stride * theory.scale[l];
        theory.normal[l - 1] = {stride * above.meanY + time * step.driftY, stride * above.meanX + time * step.drift,
                                square * above.varianceY + 2 * time * step.diffusionY, square * above.varianceX + 2 * time * step.diffusion,
                                square * above.covariance + 2 * time * step.diffusionYX};
        const double share = 1 / static_cast<double>(rows - 1);
        theory.drift += share * step.drift;
        theory.diffusion += share * step.diffusion;
        theory.driftY += share * step.driftY;
        theory.diffusionY += share * step.diffusionY;
    }
    return theory;
}

std::vector<double> gaussianRow(const Setup& setup, const Theory& theory, std::size_t l) {
    const DrawnNetwork& n = setup.drawn;
    const auto& normal = theory.normal[l];
    const int layer = static_cast<int>(l);
    if (!setup.plane())
        return diffused(setup.start.profile, theory.scale[l], normal.meanX, normal.varianceX, n.widthAt(layer), n.periodic());
    const PlaneProfile start{setup.start.height(), setup.start.width(), setup.start.profile};
    return diffusedPlane(start, theory.scale[l], normal, n.heightAt(layer), n.widthAt(layer), n.periodic()).values;
}

double gaussianWork(const Setup& setup, const Chain& chain) {
    const auto& shape = chain.shape();
    const auto& profile = setup.start.profile;
    const auto starting = static_cast<double>(std::count_if(profile.begin(), profile.end(), [](double p) { return p > 0; }));
    double work = 0;
    for (std::size_t l = 0; l < shape.widths.size(); ++l)
        work += shape.plane ? diffusedPlaneWork(shape.heights[l], shape.widths[l], setup.drawn.periodic(), setup.random())
                            : 2.0 * shape.widths[l] * (starting + 60);
    return work;
}

std::vector<double> sharesWithIdentity(const Setup& setup, const Theory& theory, std::vector<double> kernel, std::size_t weightLayer) {
    const double time = theory.layers[weightLayer].time, moving = std::accumulate(kernel.begin(), kernel.end(), 0.0);
    for (double& share : kernel) share *= time;
    if (setup.drawn.mixes()) kernel[kernel.size() / 2] += moving > 0 ? 1 - time : 1;
    return kernel;
}

}  // namespace kappaflow::diffusion

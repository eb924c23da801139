#include "scenes/capacity_diffusion/model_theory.h"

#include <algorithm>
#include <numeric>

#include "core/capacity/diffusion_theory.h"

namespace kappaflow::diffusion {

Theory makeTheory(const Setup& setup, const Totals& totals) {
    const DrawnNetwork& n = setup.drawn;
    const std::size_t rows = totals.rows();
    Theory theory;
    theory.layers.resize(rows - 1);
    theory.scale.assign(rows, 1);
    theory.mean.assign(rows, 0);
    theory.variance.assign(rows, 0);
    for (std::size_t l = rows - 1; l > 0; --l) {
        auto shares = totals.kernelShares[l - 1];
        for (double& share : shares) share /= totals.capacity.count();
        const int layer = static_cast<int>(l);
        const auto step = kernelDiffusion(shares, n.dilationOf(layer), n.mixes(), n.stay());
        const double stride = n.strideOf(layer);
        theory.layers[l - 1] = step;
        theory.scale[l - 1] = stride * theory.scale[l];
        theory.mean[l - 1] = stride * theory.mean[l] + step.time * step.drift;
        theory.variance[l - 1] = stride * stride * theory.variance[l] + 2 * step.time * step.diffusion;
        theory.drift += step.drift / static_cast<double>(rows - 1);
        theory.diffusion += step.diffusion / static_cast<double>(rows - 1);
    }
    return theory;
}

std::vector<double> gaussianRow(const Setup& setup, const Theory& theory, std::size_t l) {
    return diffused(setup.start.profile, theory.scale[l], theory.mean[l], theory.variance[l], setup.drawn.widthAt(static_cast<int>(l)),
                    setup.drawn.space == Space::Ring);
}

double gaussianWork(const Setup& setup, const Chain& chain) {
    const auto& profile = setup.start.profile;
    const auto starting = static_cast<double>(std::count_if(profile.begin(), profile.end(), [](double p) { return p > 0; }));
    double work = 0;
    for (const int width : chain.shape().widths) work += 2.0 * width * (starting + 60);
    return work;
}

std::vector<double> sharesWithIdentity(const Setup& setup, const Theory& theory, std::vector<double> kernel, std::size_t weightLayer) {
    const double time = theory.layers[weightLayer].time, moving = std::accumulate(kernel.begin(), kernel.end(), 0.0);
    for (double& share : kernel) share *= time;
    if (setup.drawn.mixes()) kernel[kernel.size() / 2] += moving > 0 ? 1 - time : 1;
    return kernel;
}

}  // namespace kappaflow::diffusion

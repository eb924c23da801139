#include <algorithm>
#include <cmath>

#include "scenes/moments/moment_diffusion/model_report.h"

namespace kappaflow::moment_diffusion {
namespace {

constexpr int kBins = 72;

/// Four standard deviations on either side, of every layer.
std::vector<double> binsOf(const OneDimensionalLaw& law, std::size_t layers) {
    double lo = 0, hi = 0;
    for (std::size_t l = 1; l <= layers; ++l) {
        const double depth = static_cast<double>(l), mean = depth * law.drift, reach = 4 * std::sqrt(depth * law.variance);
        lo = std::min(lo, mean - reach);
        hi = std::max(hi, mean + reach);
    }
    std::vector<double> bins(kBins);
    for (int i = 0; i < kBins; ++i) bins[static_cast<std::size_t>(i)] = lo + (hi - lo) * (i + 0.5) / kBins;
    return bins;
}

}  // namespace

WalkPlan planOf(const Values& v) {
    return {static_cast<std::size_t>(v.integer("width")), static_cast<std::size_t>(v.integer("layers")),
            static_cast<std::size_t>(v.integer("samples")), momentDataFromKey(v.text("data")), v.seed()};
}

Setup readSetup(const Values& v) {
    Setup s;
    s.plan = planOf(v);
    s.draws = static_cast<std::size_t>(v.integer("draws"));
    s.law = oneDimensionalLaw(s.plan.width);
    s.bins = binsOf(s.law, s.plan.layers);
    for (std::size_t l = 1; l <= s.plan.layers; ++l)
        for (int j = MomentDiffusion::kLeastTail; j <= MomentDiffusion::kMostTail; ++j)
            s.tailsTheory.push_back(preactivationTail(s.law, static_cast<double>(l), std::exp2(0.5 * j)));
    return s;
}

}  // namespace kappaflow::moment_diffusion

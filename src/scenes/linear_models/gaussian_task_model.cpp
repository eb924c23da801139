#include "scenes/linear_models/gaussian_task_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/linear/linear_model.h"

namespace kappaflow::linear {

GaussianProcess processOf(const TaskParams& p) {
    GaussianProcess process;
    static_assert(static_cast<int>(Process::Ar2) == static_cast<int>(ProcessKind::Ar2));
    process.kind = static_cast<ProcessKind>(p.process);
    process.alpha = p.alpha;
    process.memory = p.memory;
    process.phi1 = p.phi1;
    process.phi2 = p.phi2;
    return process;
}

std::vector<double> newestFirst(std::vector<double> oldestFirst) {
    std::reverse(oldestFirst.begin(), oldestFirst.end());
    return oldestFirst;
}

HierarchicalShape treeShape(Dilation dilation, int layers, int taps, const std::vector<int>& dilations, int channels) {
    HierarchicalShape shape;
    shape.dilations = dilation == Dilation::List ? dilations : std::vector<int>{1};
    while (dilation == Dilation::Doubling && static_cast<int>(shape.dilations.size()) < layers)
        shape.dilations.push_back(shape.dilations.back() * taps);
    shape.taps.assign(shape.dilations.size(), taps);
    shape.channels.assign(shape.dilations.size() + 1, channels);
    shape.channels.front() = shape.channels.back() = 1;
    return shape;
}

bool oversized(const HierarchicalShape& shape) {
    constexpr double kMostLags = 600;
    return receptiveField(shape) > kMostLags || parameterCount(shape) > kMaxModelParameters;
}

std::vector<ReportLayer> printedLayers(const HierarchicalModel& model, const std::vector<double>& weights) {
    const HierarchicalShape& shape = model.shape();
    std::vector<ReportLayer> layers;
    for (std::size_t l = 1; l <= shape.layers(); ++l) {
        const auto in = static_cast<std::size_t>(shape.channels[l - 1]), out = static_cast<std::size_t>(shape.channels[l]),
                   taps = static_cast<std::size_t>(shape.taps[l - 1]);
        layers.push_back({"convolution", {out, in, taps}, {}, {}});
        for (std::size_t o = 0; o < out; ++o)
            for (std::size_t i = 0; i < in; ++i)
                for (std::size_t k = 0; k < taps; ++k) layers.back().weights.push_back(weights[model.weightIndex(l, k, o, i)]);
    }
    return layers;
}

namespace {

using Size = std::size_t;

/// Visits the weights that write channel `channel` of bond `bond` (reading false) or read it.
template <class Visit>
void forChannel(const HierarchicalModel& model, Size bond, Size channel, bool reading, Visit&& visit) {
    const HierarchicalShape& shape = model.shape();
    const Size layer = reading ? bond + 1 : bond;
    const auto others = static_cast<Size>(shape.channels[reading ? bond + 1 : bond - 1]), taps = static_cast<Size>(shape.taps[layer - 1]);
    for (Size k = 0; k < taps; ++k)
        for (Size other = 0; other < others; ++other)
            visit(reading ? model.weightIndex(layer, k, other, channel) : model.weightIndex(layer, k, channel, other));
}

bool unused(const HierarchicalModel& model, const std::vector<double>& weights, Size bond, Size channel) {
    bool zero = true;
    for (const bool reading : {false, true})
        forChannel(model, bond, channel, reading, [&](Size index) { zero = zero && weights[index] == 0; });
    return zero;
}

}  // namespace

std::vector<double> fillUnusedChannels(const HierarchicalModel& model, std::vector<double> weights, std::uint64_t seed) {
    const HierarchicalShape& shape = model.shape();
    const auto bonds = bondDimensions(shape);
    const std::vector<double> before = weights;
    for (Size bond = 1; bond < shape.layers(); ++bond) {
        Rng rng(seed, Purpose::Weights, 5000 + bond);
        const bool fullFromBelow = bonds[bond] == bonds[bond - 1] * static_cast<Size>(shape.taps[bond - 1]);
        const double scale = 1 / std::sqrt(static_cast<double>(shape.channels[bond]));
        for (Size channel = 0; channel < static_cast<Size>(shape.channels[bond]); ++channel)
            if (unused(model, before, bond, channel))
                forChannel(model, bond, channel, fullFromBelow, [&](Size index) { weights[index] = drawWeight(rng, scale); });
    }
    return weights;
}

std::string lossInWords(double loss) { return loss > 0 ? powerInWords(std::log10(loss)) : "0"; }

bool isEasy(const TaskParams& p) {
    return p.process == Process::Ar1 || p.process == Process::Ar2 || (p.process == Process::PowerLaw && p.alpha > 2);
}

bool isTrain(const LinearModel& model) {
    const auto* tree = dynamic_cast<const HierarchicalModel*>(&model);
    return tree && isTensorTrain(tree->shape());
}

bool beginsAtTarget(const LinearModel& model) {
    return isTrain(model) && tensorTrainDimension(static_cast<const HierarchicalModel&>(model).shape()) >= model.inputs();
}

double optimumCost(const TaskParams& p, const LinearModel& model, const OptimumOptions& options) {
    const double bound = optimumOperations(model, options);
    if (options.start != OptimumStart::Best) return bound;
    const bool autoregressive = p.process == Process::Ar1 || p.process == Process::Ar2;
    const double n = static_cast<double>(model.inputs()), weights = static_cast<double>(model.parameters());
    if (dynamic_cast<const RecurrentModel*>(&model)) return (autoregressive ? 0.07 : 1) * bound;
    if (!isTrain(model)) return (autoregressive && weights >= 2 * n ? 0.05 : 1) * bound;
    if (!options.freeLayers.empty()) return (p.process == Process::Ar1 ? 0.015 : isEasy(p) ? 0.06 : 0.15) * bound;
    const double start = 1e5 + 15 * n * n + 10 * weights;
    if (beginsAtTarget(model)) return start;
    // A step: conjugate gradients, at most 2·rank + 20 of them and mostly a quarter, then a decomposition.
    const double rank = std::min(n, weights), step = (2 * rank + 20) * (n * rank + n * n / 4) + 50 * n * n;
    return std::min(bound, start + (autoregressive ? 1 : isEasy(p) ? 3 : 14) * step);
}

}  // namespace kappaflow::linear

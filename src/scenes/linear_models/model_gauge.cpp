#include "scenes/linear_models/model_gauge.h"

#include <cmath>

#include "core/base/rng.h"
#include "core/linear/tensor_train.h"

namespace kappaflow::linear {
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

}  // namespace kappaflow::linear

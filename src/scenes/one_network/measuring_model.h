#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/base/cost.h"
#include "core/capacity/measured_capacity.h"
#include "scene/table.h"

// Capacity of a network's units measured on samples, beside what the rules say.
namespace kappaflow::measuring {

struct LookSpec {
    std::size_t unit = 0;  ///< output whose capacity it is, or the last one
    bool diagonal = false;
    double pairs = 2e5;
    std::uint64_t seed = 1;
};
/// Largest layer whose co-activations are kept, and groups of samples left out in turn.
inline constexpr std::size_t kMostShown = 64, kGroups = 40;

struct Look {
    struct Layer {
        std::vector<double> measured, errors, decoupled, channel;
        Estimate toDecoupled, toChannel;
        double byError = 0;
    };
    std::vector<Layer> layers;
    std::vector<std::size_t> states;  ///< of each layer, as in `forward`
    std::vector<GateStatistics> gates;
    double pairs = 0, allPairs = 0;
    std::string unruly;  ///< why D = P∘P does not hold in this network; `decoupled` is empty then
};

/// States whose units' capacities are looked at: of the inputs and behind every weight layer, up to the one that the outputs are read from.
std::vector<std::size_t> statesOf(const Architecture&);
/// On samples [input][sample] in random order. Throws what `startAtOutputs` and `measureCapacity` throw.
Look lookAt(const Network&, const Matrix& inputs, const LookSpec&, const std::function<void(double)>& tick);
Cost costOfLook(const Architecture&, double samples, const LookSpec&);

}  // namespace kappaflow::measuring

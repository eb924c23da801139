#pragma once
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/capacity/measured_capacity.h"
#include "core/net/trainer.h"
#include "scene/typed_model.h"
#include "scenes/one_network/measured_capacity.h"

// Samples, networks and the three profiles of one training step.
namespace kappaflow::measured_capacity {

/// Largest layer whose co-activations are reported, and groups of samples left out in turn.
inline constexpr std::size_t kMostShown = 64, kGroups = 40;

struct Samples {
    Matrix inputs;  ///< in random order
    std::vector<int> labels;
    int classes = 0;
};
/// Whether samples are signals: to a network of another number of inputs digits are given in their place.
bool takesSignals(const Opened<Params>&);
/// Throws InputError where they do not fit a network that was given.
Samples samplesFor(const Opened<Params>&);
/// He weights, biases 0 where there are some.
Network drawnNetwork(const Opened<Params>&);
Cost cost(const Opened<Params>&);

/// What is known of one training step.
struct Look {
    struct Layer {
        std::vector<double> measured, errors, decoupled, channel;
        Estimate toDecoupled, toChannel;
        double byError = 0;
    };
    std::vector<Layer> layers;
    std::vector<GateStatistics> gates;
    double pairs = 0, allPairs = 0;
    std::string unruly;  ///< why D = P∘P does not hold in this network; `decoupled` is empty then
    Evaluation learnt{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
};

/// Of a network whose last layer is dense. Throws what `startAtOutputs` and `measureCapacity` throw.
Look lookAt(const Network&, const Samples&, const Params&, const std::function<void(double)>& tick);

}  // namespace kappaflow::measured_capacity

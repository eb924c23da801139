#pragma once
#include <algorithm>
#include <limits>
#include <vector>

#include "core/net/trainer.h"
#include "scene/typed_model.h"
#include "scenes/one_network/measured_capacity.h"
#include "scenes/one_network/measuring_model.h"

// Samples, networks and what is known of one training step.
namespace kappaflow::measured_capacity {

struct Samples {
    Matrix inputs;  ///< in random order
    std::vector<int> labels;
    int classes = 0;
};
/// The samples that a network is measured on. A network that does not take the chosen ones gets digits, brought to its pixels and the same
/// in every colour; one whose inputs are no image gets standard normal numbers.
enum class Source { File, Signals, Digits, Normal };
Source sourceOf(const Opened<Params>&);
/// Throws InputError where they do not fit a network that was given.
Samples samplesFor(const Opened<Params>&);
/// He weights, biases 0 where there are some.
Network drawnNetwork(const Opened<Params>&);
Cost cost(const Opened<Params>&);

/// What is known of one training step.
struct Look : measuring::Look {
    Evaluation learnt{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
};
inline measuring::LookSpec lookSpec(const Params& p) {
    return {static_cast<std::size_t>(std::max(p.unit, 0)), p.diagonal, 1.0 * p.pairs, p.seed};
}

}  // namespace kappaflow::measured_capacity

#pragma once
#include <optional>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// Capacity of all weights and biases of a chain of dense layers and convolutions with an activation behind each: their number, less one
/// for every hidden unit (hidden channel of a shared kernel) whose scale can be taken out of what comes in and put back into what goes
/// out. That takes f(cz) = c f(z), c > 0, so that tanh and the like lose nothing, and learned weights on both sides: a layer that is frozen
/// brings no parameters, and its neighbours keep their scales (P1 App. A). `frozen` is one a layer of the network, or empty.
/// Nothing for other networks (pooling, batch norm and blocks have symmetries of their own; without an activation between them two layers
/// share more than scales).
std::optional<double> parameterCapacity(const Network&, const std::vector<bool>& frozen = {});

}  // namespace kappaflow

#pragma once
#include <memory>
#include <optional>

#include "core/moments/network_input.h"
#include "scenes/moments/moments/model_report.h"

namespace kappaflow::moments {

/// Whether a reader's network takes the place of drawn ones.
bool isGiven(const Values&);

Cost costOfGiven(const Request&);
/// The param to lower when that is too much.
std::string costliestOfGiven(const Request&);

/// Draws of data and noise through one given network.
std::unique_ptr<Computation> startGiven(const Request&);

}  // namespace kappaflow::moments

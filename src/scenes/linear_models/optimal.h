#pragma once

namespace kappaflow::linear {

/// An optimum is called one while ‖KᵀX‖/‖X‖ is at most this: searches that end there reach 1e-7 to 1e-11, searches that stall stay
/// between 1e-3 and 1.
inline constexpr double kOptimal = 1e-6;

}  // namespace kappaflow::linear

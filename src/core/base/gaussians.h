#pragma once
#include <cstddef>

#include "core/base/rng.h"

namespace kappaflow {

/// The numbers that `count` calls of rng.gaussian() would give a generator that holds no spare one, to the bit, more than twice as fast:
/// the logarithms of a block of pairs are taken side by side. The last of an odd count loses its spare. Cost: about 10 ns each.
void fillGaussian(Rng& rng, double* values, std::size_t count);

}  // namespace kappaflow

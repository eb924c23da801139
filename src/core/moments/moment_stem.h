#pragma once
#include "core/moments/moment_data.h"

namespace kappaflow {

/// Stem of draw `draw`, LeCun: weights N(0, 1/fan-in), no bias. Convolution [tap…][colour][inputs] of 3 taps a dimension and stride 2;
/// of a dense net one matrix [pixel·colour][inputs]. Keyed apart from the layers' weights.
MomentWeights drawStem(const MomentNet&, const PointValues& images, std::uint64_t seed, std::uint64_t draw);

/// Images → input of layer 1, with the network's own boundary. Cost: 2·points·fan-in·inputs; memory: fan-in a point.
PointValues throughStem(const MomentNet&, const PointValues& images, const MomentWeights&);

}  // namespace kappaflow

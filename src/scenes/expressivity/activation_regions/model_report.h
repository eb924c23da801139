#pragma once
#include <optional>

#include "core/regions/region_info.h"
#include "scenes/expressivity/activation_regions/model_setup.h"

namespace kappaflow::regions {

/// What is made of a finished partition, part by part.
struct Facts {
    std::vector<double> slopes;         ///< [region]
    std::vector<std::uint32_t> pieces;  ///< [region], see affinePieces
    std::vector<MeshSegment> decisions;
    std::optional<std::vector<Crossing>> crossings;  ///< of the path, when there is one
};

Report makeReport(const Setup&, const Partition&, const Facts&);

/// The path as points, a circle in 128 steps.
Polygon pathPoints(const Setup&);

/// One to three sentences.
std::string summaryOf(const Setup&, const Partition&, const Report&);

}  // namespace kappaflow::regions

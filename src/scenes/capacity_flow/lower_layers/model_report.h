#pragma once
#include <memory>

#include "core/capacity/network_paths.h"
#include "scenes/capacity_flow/lower_layers/model_run.h"

namespace kappaflow::lower {

/// What the paths say, knowing nothing of how the network runs.
struct PathRanks {
    double paths = 0;
    std::size_t generic = 0, linear = 0;  ///< modulo 2³¹ − 1; linear: paths with the same ends added up
    std::size_t atWeights = 0;            ///< at the drawn weights, by singular values
    std::vector<double> singularValues;   ///< of the path Jacobian at the drawn weights, the largest 1
};
PathRanks pathRanks(const Setup&);

/// How many of the tried inputs tell whether a unit stays on one piece of its activation.
inline constexpr std::size_t kInputsForPieces = 3000;

struct Findings {
    const Setup& setup;
    const PathRanks& paths;
    const std::vector<std::unique_ptr<SampledNetwork>>& runs;
    const std::vector<Stop>& stops;
    std::size_t rounds;  ///< stops that all networks have passed
    bool withNetwork;
};
/// Everything but the status.
Report reportOf(const Findings&);

}  // namespace kappaflow::lower

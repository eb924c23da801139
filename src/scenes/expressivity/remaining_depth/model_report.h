#pragma once
#include "scenes/expressivity/remaining_depth/model_run.h"

namespace kappaflow::remaining_depth {

/// Neighbours of which the lower, or the upper, ends with more named rightly, by more than a standard error of the difference of two means
/// over draws (of one draw none is known: then any difference counts); the others.
struct NeighbourOrder {
    std::size_t lower = 0, upper = 0, ties = 0;
};
NeighbourOrder orderOf(const Accuracies&, std::size_t layers, std::size_t epoch);
/// One sentence for both, which have the same number of pairs, one at the least.
std::string orderInWords(const NeighbourOrder& learnt, const NeighbourOrder& held, bool severalDraws);

Report reportOf(const Run&, bool finished);

}  // namespace kappaflow::remaining_depth

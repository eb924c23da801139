#pragma once
#include <string_view>
#include <vector>

#include "core/io/onnx_constants.h"

namespace kappaflow::onnx {

/// A graph as a chain of nodes, some of them joins: additions of two chains that fork from one value. Where branch and skip are empty
/// in turn, they are that value itself.
struct Step {
    const Node* node = nullptr;
    bool joins = false;
    std::vector<Step> branch, skip;
};

/// Residual blocks inside residual blocks, at most: what `validate` takes too.
inline constexpr int kMaxResidualNesting = 8;

/// The steps from the input to the output. A join forks at its immediate dominator, the last value that all its ways come through, so
/// nested blocks come out as nested; the shorter of its sides is the skip, the second when both are as long.
/// Throws InputError naming a node when a value is read otherwise: by nodes of two blocks that overlap, or by one that leads nowhere.
std::vector<Step> residualPlan(const std::vector<const Node*>& dataFlowOrder, const Constants&, std::string_view input,
                               std::string_view output);

}  // namespace kappaflow::onnx

#pragma once
#include <deque>
#include <map>
#include <string_view>
#include <vector>

#include "core/io/onnx_graph.h"

namespace kappaflow::onnx {

/// Nodes so that each comes after what it reads (Kahn's algorithm). Throws InputError on two values of one name, on a value that nothing
/// makes, and on a cycle.
std::vector<const Node*> dataFlowOrder(const Graph&);

/// Values of a graph that do not depend on its input: initialisers, Constant nodes, and Identity of either (how exporters write
/// shared weights). Views into the graph. Throws InputError on any other node that reads constants alone.
class Constants {
public:
    Constants(const Graph&, const std::vector<const Node*>& dataFlowOrder);
    /// Null for what is computed from the input.
    const Tensor* find(std::string_view value) const;
    /// The values a node reads that are computed from the input.
    std::vector<std::string_view> computedInputs(const Node&) const;

private:
    void take(const Node&);
    const Tensor* tensorOf(const Node& constant);

    std::map<std::string_view, const Tensor*> byName_;
    std::deque<Tensor> made_;  ///< of constants that are given as numbers
};

}  // namespace kappaflow::onnx

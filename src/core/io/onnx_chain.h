#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/onnx_graph.h"
#include "core/net/network.h"

namespace kappaflow::onnx {

/// Nodes so that each comes after what it reads (Kahn's algorithm). Throws InputError on two values of one name, on a value that nothing
/// makes, and on a cycle.
std::vector<const Node*> dataFlowOrder(const Graph&);

/// A graph's nodes as a chain of layers: walks along the data flow with the value that was made last, and refuses what leaves the chain.
class ChainBuilder {
public:
    explicit ChainBuilder(const Graph&);
    Network build();

private:
    using Read = void (ChainBuilder::*)(const Node&);
    struct Operator {
        std::string_view type;
        Read read;
    };
    static const std::vector<Operator>& operators();

    void requireSupported() const;
    void takeInput();
    void readInputShape(const ValueInfo&);
    void takeNode(const Node&);
    void takeOutput() const;

    void readGemm(const Node&);
    void readMatMul(const Node&);
    void readAdd(const Node&);
    void readActivation(const Node&);
    void readClip(const Node&);
    void readFlatten(const Node&);
    void readIdentity(const Node&);
    void readSoftmax(const Node&);
    void readConstant(const Node&);

    void addDense(const Node&, const Tensor& matrix, bool outputsFirst, double scale);
    void addBias(const Node&, const Tensor&, double scale);
    void addActivation(const Node&, Activation, double slope = 0);
    void append(Layer, const Node&, const Shape& out);

    bool isConstant(std::string_view value) const { return constants_.count(value) > 0; }
    /// The constant tensor behind input `index` of a node; null when the input is left out.
    const Tensor* constantInput(const Node&, std::size_t index) const;
    void requireFlat(const Node&) const;

    const Graph& graph_;
    Network network_;
    std::map<std::string_view, const Tensor*> constants_;
    std::string_view current_;  ///< the value the chain has come to
    std::size_t rank_ = 2;      ///< of the current value, batch axis included
    double weights_ = 0;
};

}  // namespace kappaflow::onnx

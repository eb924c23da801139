#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/stored_numbers.h"

namespace kappaflow::onnx {

// What of an ONNX file is looked at, as it stands there: names and raw data are views into the file, nothing is checked against anything
// else yet. Field numbers: onnx.proto of ONNX 1.12.

// Lists of whole numbers (axes, shapes) may be kMaxDims long, or twice for pads.

/// ONNX's numbers for element types.
enum ElementType : std::int64_t { kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9, kDouble = 11 };

/// Bytes of a repeated field of numbers: a view of the one packed piece that writers write, or a copy of several pieces.
class PackedBytes {
public:
    void append(std::string_view piece) {
        if (!joined_.empty() || !piece_.empty())
            joined_.append(joined_.empty() ? piece_ : std::string_view()).append(piece);
        else
            piece_ = piece;
    }
    std::string_view view() const { return joined_.empty() ? piece_ : std::string_view(joined_); }

private:
    std::string_view piece_;
    std::string joined_;
};

/// Stored numbers of a tensor, little-endian: `raw` when raw_data was given, else float_data or double_data. Of int32_data and
/// int64_data a few are kept, since shapes and axes are all that is read as whole numbers.
struct Tensor {
    std::string_view name;
    std::vector<std::int64_t> dims;
    std::int64_t type = 0;
    std::optional<std::string_view> raw;
    PackedBytes floats, doubles;
    std::vector<std::int64_t> integers;
    bool isCut = false;  ///< there were more integers than are kept
    bool external = false;
    std::string_view location;  ///< of external data
};

struct Attribute {
    std::string_view name;
    std::optional<float> number;
    std::optional<std::int64_t> integer;
    std::optional<std::string_view> text;
    std::vector<std::string_view> texts;
    std::optional<Tensor> tensor;
    PackedBytes numbers;                 ///< floats, 4 bytes each
    std::vector<std::int64_t> integers;  ///< at most 2·kMaxDims + 1 of them
    bool isCut = false;                  ///< there were more
};

struct Node {
    std::string_view name, type, domain;
    std::vector<std::string_view> inputs, outputs;
    std::vector<Attribute> attributes;
    std::size_t number = 0;  ///< place in the file, from 1
};

/// A dimension of a graph's input: a size, or a name, or neither.
struct Dimension {
    std::optional<std::int64_t> size;
    std::string_view name;
};

/// A graph's input or output; no shape: not stated.
struct ValueInfo {
    std::string_view name;
    std::int64_t type = 0;
    std::optional<std::vector<Dimension>> shape;
    std::size_t batchAxis = 0;  ///< 1 of a sequence that a recurrent layer reads
};

struct Graph {
    std::vector<Node> nodes;
    std::vector<Tensor> initialisers;
    std::vector<ValueInfo> inputs, outputs;
    std::optional<std::int64_t> operatorSet;  ///< version of the standard operators
    std::deque<std::string> texts;            ///< names and numbers of nodes that no file has
};

struct Folded;

/// Protobuf to graph. Throws InputError with the byte offset where the file stops making sense. Memory: little beside the file, since
/// counts are limited and numbers stay where they are, unless they were written one by one.
Graph parseModel(std::span<const unsigned char> bytes);

/// `node "fc1"`, or `node 3 (Gemm)` for one without a name.
std::string label(const Node&);

/// Inputs or outputs of a node without those that an empty name leaves out.
std::vector<std::string_view> named(const std::vector<std::string_view>&);

/// The numbers of a FLOAT or DOUBLE tensor. Throws InputError naming the tensor when they are elsewhere, of another type, fewer or more
/// than the shape claims, or not finite.
std::vector<double> numbers(const Tensor&);
/// The same of a matrix the other way round: [columns][rows]. Not a copy of a copy, since a matrix may be most of the memory there is.
std::vector<double> transposedNumbers(const Tensor&);
/// The whole numbers of a short INT64, INT32 or BOOL tensor: a shape, axes, a flag. Throws InputError naming the tensor.
std::vector<std::int64_t> integers(const Tensor&);
/// Those of an INT64 list of at most `most`, stored raw.
std::vector<std::int64_t> longList(const Tensor&, double most);
/// wholesOf reads an INT64, INT32 or BOOL tensor of any shape; a list that is not stored raw is read while it is short.
std::vector<std::int64_t> wholesOf(const Tensor&);
/// Product of the dims, in double. Throws InputError naming the tensor when they are those of none.
double elementCount(const Tensor&);
std::string typeName(std::int64_t type);

/// Throws InputError: `node "conv1": REASON.`
[[noreturn]] void refuse(const Node&, const std::string& reason);

/// The same unless there is no reason.
void requireNone(const Node&, const std::string& reason);

/// Attributes of nodes that are made.
Attribute listOf(std::string_view name, std::vector<std::int64_t> values);
Attribute wholeOf(std::string_view name, std::int64_t value);

/// Attributes of a node, or their standard values; each throws InputError when the attribute is of another kind.
const Attribute* attribute(const Node&, std::string_view name);
double numberAttribute(const Node&, std::string_view name, double standard);
std::int64_t integerAttribute(const Node&, std::string_view name, std::int64_t standard);
/// 0 or 1.
bool flagAttribute(const Node&, std::string_view name, bool standard);
/// isBatchFirst says whether a recurrent node's tensors have the batch axis in front of time, not behind it.
inline bool isBatchFirst(const Node& recurrent) { return flagAttribute(recurrent, "layout", false); }
std::string_view textAttribute(const Node&, std::string_view name, std::string_view standard);
/// Empty when it is not given.
std::vector<std::int64_t> integersAttribute(const Node&, std::string_view name);

/// isOneOf says whether the operator is among those.
inline bool isOneOf(std::string_view type, std::initializer_list<std::string_view> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
}

/// "0.1", as a sentence quotes it.
std::string shortNumber(double);

/// LSTM, GRU and RNN.
inline bool isRecurrent(const Node& node) { return isOneOf(node.type, {"LSTM", "GRU", "RNN"}); }

/// Nodes so that each comes after what it reads, as in the file where that is so (Kahn's algorithm). Throws InputError on two values of one
/// name, on a value that nothing makes, and on a cycle.
std::vector<const Node*> dataFlowOrder(const Graph&);

/// Values of a graph that do not depend on its input: initialisers, Constant nodes, and what is computed from them (onnx_folding.h), shapes
/// of computed values included. Views into the graph. Throws InputError on any other node that reads constants alone.
class Constants {
public:
    Constants(const Graph&, const std::vector<const Node*>& dataFlowOrder);
    /// Null for what is computed from the input.
    const Tensor* find(std::string_view value) const;
    /// The values a node reads that are computed from the input.
    std::vector<std::string_view> computedInputs(const Node&) const;
    /// Whether what the node makes is a constant.
    bool makes(const Node& node) const { return find(node.outputs.front()); }
    /// Sizes of a value with the batch axis in front, one sample; null where they are not known.
    const std::vector<std::int64_t>* sizes(std::string_view value) const;
    /// Looks up a short list of whole numbers; nothing for what is computed from the input or is none.
    std::function<std::optional<std::vector<std::int64_t>>(std::string_view)> wholes() const;

private:
    void take(const Node&);
    void takeSizes(const Node&);
    void takeParts(const Node& split);
    void takeSteps(const Node& recurrent);
    void keep(const Node&, const Folded&);
    void keep(std::string_view value, const Tensor*);
    void remember(std::string_view value, const std::vector<std::int64_t>& sizes);
    const Tensor* resized(const Node&);
    const Tensor* tensorOf(const Node& constant);

    std::map<std::string_view, const Tensor*> byName_;
    std::map<std::string_view, std::vector<std::int64_t>> sizes_;
    std::deque<Tensor> made_;         ///< of constants that are given as numbers, and of computed ones
    std::deque<std::string> stored_;  ///< numbers of the latter
    double budget_ = 0;
};

}  // namespace kappaflow::onnx

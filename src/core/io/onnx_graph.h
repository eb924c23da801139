#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kappaflow::onnx {

// What of an ONNX file is looked at, as it stands there: names and raw data are views into the file, nothing is checked against anything
// else yet. Field numbers: onnx.proto of ONNX 1.12.

/// Stored numbers of a tensor, little-endian: `raw` when raw_data was given, else float_data or double_data copied together.
struct Tensor {
    std::string_view name;
    std::vector<std::int64_t> dims;
    std::int64_t type = 0;
    std::optional<std::string_view> raw;
    std::string floats, doubles;
    bool external = false;
    std::string_view location;  ///< of external data
};

struct Attribute {
    std::string_view name;
    std::optional<float> number;
    std::optional<std::int64_t> integer;
    std::optional<Tensor> tensor;
};

struct Node {
    std::string_view name, type, domain;
    std::vector<std::string_view> inputs, outputs;
    std::vector<Attribute> attributes;
    std::size_t number = 0;  ///< place in the file, from 1
};

/// A dimension of a graph's input; none: named or unknown.
using Dimension = std::optional<std::int64_t>;

/// A graph's input or output; no shape: not stated.
struct ValueInfo {
    std::string_view name;
    std::int64_t type = 0;
    std::optional<std::vector<Dimension>> shape;
};

struct Graph {
    std::vector<Node> nodes;
    std::vector<Tensor> initialisers;
    std::vector<ValueInfo> inputs, outputs;
};

/// Protobuf to graph. Throws InputError with the byte offset where the file stops making sense. Memory: within a small multiple of the
/// file's size, since counts are limited and numbers stay where they are or are copied once.
Graph parseModel(std::span<const unsigned char> bytes);

/// `node "fc1"`, or `node 3 (Gemm)` for one without a name.
std::string label(const Node&);
/// "64 × 32", "a single number".
std::string shapeText(const std::vector<std::int64_t>& dims);

/// The numbers of a FLOAT or DOUBLE tensor. Throws InputError naming the tensor when they are elsewhere, of another type, fewer or more
/// than the shape claims, or not finite.
std::vector<double> numbers(const Tensor&);
/// Product of the dims, each checked to be 1 … 2³¹−1, in double.
double elementCount(const Tensor&);
std::string typeName(std::int64_t type);

}  // namespace kappaflow::onnx

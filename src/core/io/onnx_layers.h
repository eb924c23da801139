#pragma once
#include <protozero/pbf_writer.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/onnx_operators.h"
#include "core/net/network.h"

namespace kappaflow::onnx {

/// An attribute as a message of its own.
std::string attributeMessage(std::string_view name, std::int64_t);
std::string attributeMessage(std::string_view name, float);
std::string attributeMessage(std::string_view name, std::string_view);
std::string attributeMessage(std::string_view name, const std::vector<std::int64_t>&);

/// The bytes of an ONNX model, put together from nodes and tensors in any order.
class ModelFile {
public:
    /// `single`: tensors of FLOAT rather than DOUBLE; then every number must be one.
    explicit ModelFile(bool single) : single_(single), graph_(bytes_) {}

    /// Each returns the tensor's name.
    std::string tensor(std::string name, const std::vector<std::int64_t>& dims, const std::vector<double>& values);
    std::string tensor(std::string name, const std::vector<std::int64_t>& values);
    void node(std::string_view type, std::string_view name, const std::vector<std::string>& inputs, std::string_view output,
              const std::vector<std::string>& attributes = {});
    /// Sizes of one sample; the batch axis is added in front.
    void input(std::string_view name, const std::vector<std::int64_t>& sizes) { value(11, name, sizes); }
    void output(std::string_view name, const std::vector<std::int64_t>& sizes) { value(12, name, sizes); }
    std::vector<unsigned char> finish(std::int64_t operatorSet);

private:
    void value(std::uint32_t field, std::string_view name, const std::vector<std::int64_t>& sizes);

    bool single_;
    std::string bytes_;
    protozero::pbf_writer graph_;
};

/// A value and its name while a network is written.
struct WrittenValue {
    std::string name;
    Value value;
};

/// Writes layers as nodes, from the network's input on. Throws InputError naming the layer that ONNX has no operator for.
class LayerWriter {
public:
    LayerWriter(ModelFile& file, WrittenValue start) : file_(file), here_(std::move(start)) {}
    /// A chain, or the layers of a block. `path` begins the names of tensors and `place` those of layers in messages: "Layer 2, inner layer
    /// ". `last`: name of the last layer, where it has none.
    void layers(const std::vector<Layer>&, const std::string& path, const std::string& place, const std::string& last = "");
    const WrittenValue& here() const { return here_; }
    /// Passes on what there is, by a node.
    void pass() { node("Identity", "", {}, here_.value); }
    std::int64_t operatorSet() const { return operatorSet_; }

private:
    struct At {
        const Layer& layer;
        std::string path, place, name;
    };
    void layer(const At&);
    void dense(const At&);
    void conv(const At&);
    void batchNorm(const At&);
    void scaleAndShift(const At&);
    void layerNorm(const At&);
    void pool(const At&);
    void activation(const At&);
    void leaky(const At&);
    void hardSigmoid(const At&);
    void smooth(const At&);
    void clip(const At&, double low, double high);
    void join(const At&, std::vector<WrittenValue> operands);
    void route(const At&);

    /// Adds a node that reads what there is and, behind it, constants; what it makes is what there is from now on.
    void node(std::string_view type, std::string_view name, const std::vector<std::string>& constants, const Value& out,
              const std::vector<std::string>& attributes = {});
    void reshape(const Value& out, std::string_view name = "");
    void setRank(std::size_t rank);
    /// Strides, dilations, pads and kernel; padding that is not of zeros gets nodes of its own.
    std::vector<std::string> window(const At&, const Window&);
    void padAround(const At&, const Window&);
    std::string tensorOf(const At&, const char* what, const std::vector<std::int64_t>& dims, const std::vector<double>& values);

    ModelFile& file_;
    WrittenValue here_;
    std::size_t values_ = 0;
    std::int64_t operatorSet_ = 13;
};

/// Dimensions of the tensor that a layer's operator reads, `rank` being what it would get.
std::size_t rankFor(const Layer&, std::size_t rank);
/// The least a tensor of this shape can have.
std::size_t leastRank(const Shape&);
/// A batch norm of mean 0, variance 1 and epsilon 0.
bool isScaleAndShift(const BatchNorm&);
/// The variances, with an epsilon that ONNX cannot hold inside them.
std::vector<double> writtenVariances(const BatchNorm&);
bool isSingle(double);
bool isVector(const Shape&);
/// Throws InputError: "Layer 2, branch layer 1 ("conv") cannot be written …".
[[noreturn]] void refuseLayer(const std::string& place, const Layer&, const std::string& reason);

}  // namespace kappaflow::onnx

#pragma once
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace kappaflow::onnx

#pragma once
#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <utility>
#include <vector>

namespace kappaflow {

/// ONNX files written field by field, so that a test can also write wrong ones.
namespace onnx_writer {

using Message = std::string;

enum Type : int { kFloat = 1, kInt32 = 6, kInt64 = 7, kBool = 9, kFloat16 = 10, kDouble = 11 };
enum class Storage { Raw, Packed, Unpacked };

template <class Stored>
std::string rawBytes(const std::vector<double>& values) {
    std::string bytes;
    for (double value : values) {
        const Stored stored = static_cast<Stored>(value);
        bytes.append(reinterpret_cast<const char*>(&stored), sizeof stored);
    }
    return bytes;
}

inline void addNumbers(protozero::pbf_writer& tensor, const std::vector<double>& values, Type type, Storage storage) {
    if (storage == Storage::Raw) {
        tensor.add_bytes(9, type == kDouble ? rawBytes<double>(values) : rawBytes<float>(values));
    } else if (type == kDouble) {
        if (storage == Storage::Packed)
            tensor.add_packed_double(10, values.begin(), values.end());
        else
            for (double value : values) tensor.add_double(10, value);
    } else {
        if (storage == Storage::Packed)
            tensor.add_packed_float(4, values.begin(), values.end());
        else
            for (double value : values) tensor.add_float(4, static_cast<float>(value));
    }
}

inline Message tensor(const std::string& name, const std::vector<std::int64_t>& dims, const std::vector<double>& values, Type type = kFloat,
                      Storage storage = Storage::Raw) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    for (std::int64_t dim : dims) writer.add_int64(1, dim);
    writer.add_int32(2, type);
    addNumbers(writer, values, type, storage);
    writer.add_string(8, name);
    return bytes;
}

/// Whole numbers of an INT64 (raw, or packed int64_data) or an INT32 or BOOL tensor (packed int32_data).
inline Message integerTensor(const std::string& name, const std::vector<std::int64_t>& dims, const std::vector<std::int64_t>& values,
                             Type type = kInt64, Storage storage = Storage::Packed) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    for (std::int64_t dim : dims) writer.add_int64(1, dim);
    writer.add_int32(2, type);
    if (storage == Storage::Raw)
        writer.add_bytes(9, std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]));
    else
        writer.add_packed_int64(type == kInt64 ? 7 : 5, values.begin(), values.end());
    writer.add_string(8, name);
    return bytes;
}

inline Message integers(const std::string& name, const std::vector<std::int64_t>& values) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    for (std::int64_t value : values) writer.add_int64(8, value);
    return bytes;
}

inline Message text(const std::string& name, const std::string& value) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_bytes(4, value);
    return bytes;
}

inline Message number(const std::string& name, float value) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_float(2, value);
    return bytes;
}

inline Message integer(const std::string& name, std::int64_t value) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_int64(3, value);
    return bytes;
}

inline Message tensorAttribute(const std::string& name, const Message& value) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    writer.add_string(1, name);
    writer.add_message(5, value);
    return bytes;
}

inline Message node(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs, const std::vector<Message>& attributes = {}) {
    Message bytes;
    protozero::pbf_writer writer(bytes);
    for (const std::string& input : inputs) writer.add_string(1, input);
    for (const std::string& output : outputs) writer.add_string(2, output);
    writer.add_string(3, name);
    writer.add_string(4, type);
    for (const Message& attribute : attributes) writer.add_message(5, attribute);
    return bytes;
}

/// A dimension of -1 becomes the named one "batch", -2 one about which nothing is said.
inline Message valueInfo(const std::string& name, const std::vector<std::int64_t>& dims, int type = kFloat) {
    // From the inside out: nested writers would leave empty messages out.
    Message shape, tensorType, typeProto, bytes;
    for (std::int64_t dim : dims) {
        Message dimension;
        if (dim == -1)
            protozero::pbf_writer(dimension).add_string(2, "batch");
        else if (dim != -2)
            protozero::pbf_writer(dimension).add_int64(1, dim);
        protozero::pbf_writer(shape).add_message(1, dimension);
    }
    protozero::pbf_writer(tensorType).add_int32(1, type);
    protozero::pbf_writer(tensorType).add_message(2, shape);
    protozero::pbf_writer(typeProto).add_message(1, tensorType);
    protozero::pbf_writer(bytes).add_string(1, name);
    protozero::pbf_writer(bytes).add_message(2, typeProto);
    return bytes;
}

/// A graph being put together; `file` makes the bytes of the model around it.
struct Model {
    std::vector<Message> nodes, tensors, inputs, outputs;
    std::int64_t operatorSet = 0;  ///< 0: not stated

    std::vector<unsigned char> file() const {
        Message graph, model;
        protozero::pbf_writer g(graph);
        for (const Message& message : nodes) g.add_message(1, message);
        g.add_string(2, "test");
        for (const Message& message : tensors) g.add_message(5, message);
        for (const Message& message : inputs) g.add_message(11, message);
        for (const Message& message : outputs) g.add_message(12, message);
        protozero::pbf_writer m(model);
        m.add_int64(1, 7);
        m.add_string(2, "tests");
        m.add_message(7, graph);
        if (operatorSet != 0) {
            Message version;
            protozero::pbf_writer(version).add_int64(2, operatorSet);
            m.add_message(8, version);
        }
        return {model.begin(), model.end()};
    }
};

}  // namespace onnx_writer
}  // namespace kappaflow

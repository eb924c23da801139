// Field numbers: onnx.proto of ONNX 1.12.
#include <algorithm>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "core/io/onnx_graph.h"
#include "core/io/onnx_layers.h"

namespace kappaflow {
namespace onnx {
namespace {

using protozero::pbf_writer;

/// AttributeProto.AttributeType.
enum class AttributeKind : std::int32_t { Float = 1, Int = 2, String = 3, Ints = 7 };

template <class Add>
std::string attributeOf(std::string_view name, AttributeKind kind, Add add) {
    std::string message;
    pbf_writer writer(message);
    writer.add_string(1, name.data(), name.size());
    add(writer);
    writer.add_int32(20, static_cast<std::int32_t>(kind));
    return message;
}

void addText(pbf_writer& writer, std::uint32_t field, std::string_view text) { writer.add_string(field, text.data(), text.size()); }

pbf_writer tensorMessage(pbf_writer& graph, const std::string& name, const std::vector<std::int64_t>& dims, ElementType type) {
    pbf_writer writer(graph, 5);
    for (const std::int64_t dim : dims) writer.add_int64(1, dim);
    writer.add_int32(2, static_cast<std::int32_t>(type));
    writer.add_string(8, name);
    return writer;
}

template <class Stored, class Given>
void addRaw(pbf_writer& tensor, const std::vector<Given>& values) {
    const std::vector<Stored> stored(values.begin(), values.end());
    tensor.add_bytes(9, reinterpret_cast<const char*>(stored.data()), stored.size() * sizeof(Stored));
}

/// The oldest version of the file format that has the operator set.
std::int64_t formatVersion(std::int64_t operatorSet) { return operatorSet > 20 ? 10 : operatorSet > 18 ? 9 : operatorSet > 14 ? 8 : 7; }

}  // namespace

std::string attributeMessage(std::string_view name, std::int64_t value) {
    return attributeOf(name, AttributeKind::Int, [&](pbf_writer& w) { w.add_int64(3, value); });
}
std::string attributeMessage(std::string_view name, float value) {
    return attributeOf(name, AttributeKind::Float, [&](pbf_writer& w) { w.add_float(2, value); });
}
std::string attributeMessage(std::string_view name, std::string_view value) {
    return attributeOf(name, AttributeKind::String, [&](pbf_writer& w) { w.add_bytes(4, value.data(), value.size()); });
}
std::string attributeMessage(std::string_view name, const std::vector<std::int64_t>& values) {
    return attributeOf(name, AttributeKind::Ints, [&](pbf_writer& w) {
        for (const std::int64_t value : values) w.add_int64(8, value);
    });
}

std::string ModelFile::tensor(std::string name, const std::vector<std::int64_t>& dims, const std::vector<double>& values) {
    pbf_writer writer = tensorMessage(graph_, name, dims, single_ ? kFloat : kDouble);
    if (single_)
        addRaw<float>(writer, values);
    else
        addRaw<double>(writer, values);
    return name;
}

std::string ModelFile::tensor(std::string name, const std::vector<std::int64_t>& values) {
    pbf_writer writer = tensorMessage(graph_, name, {static_cast<std::int64_t>(values.size())}, kInt64);
    addRaw<std::int64_t>(writer, values);
    return name;
}

void ModelFile::node(std::string_view type, std::string_view name, const std::vector<std::string>& inputs, std::string_view output,
                     const std::vector<std::string>& attributes) {
    pbf_writer writer(graph_, 1);
    for (const std::string& input : inputs) writer.add_string(1, input);
    addText(writer, 2, output);
    if (!name.empty()) addText(writer, 3, name);
    addText(writer, 4, type);
    for (const std::string& attribute : attributes) writer.add_message(5, attribute);
}

void ModelFile::value(std::uint32_t field, std::string_view name, const std::vector<std::int64_t>& sizes) {
    pbf_writer info(graph_, field);
    addText(info, 1, name);
    pbf_writer type(info, 2), tensor(type, 1);
    tensor.add_int32(1, single_ ? kFloat : kDouble);
    pbf_writer shape(tensor, 2);
    pbf_writer(shape, 1).add_string(2, "N");
    for (const std::int64_t size : sizes) pbf_writer(shape, 1).add_int64(1, size);
}

std::vector<unsigned char> ModelFile::finish(std::int64_t operatorSet) {
    graph_.add_string(2, "network");
    std::string start, end;
    pbf_writer front(start), back(end);
    front.add_int64(1, formatVersion(operatorSet));
    front.add_string(2, "kappaflow");
    pbf_writer(back, 8).add_int64(2, operatorSet);
    std::string length;
    protozero::add_varint_to_buffer(&length, bytes_.size());
    start += static_cast<char>(7 << 3 | 2);
    start += length;
    std::vector<unsigned char> file;
    file.reserve(start.size() + bytes_.size() + end.size());
    for (const std::string* part : {&start, &bytes_, &end}) file.insert(file.end(), part->begin(), part->end());
    return file;
}

namespace {

bool areSingles(const std::vector<double>& values) { return std::all_of(values.begin(), values.end(), isSingle); }

bool areSingles(const std::vector<Layer>& layers) {
    bool all = true;
    eachLayer(layers, [&](const Layer& layer) {
        const Weights& own = weightsOf(layer);
        all = all && areSingles(own.weights) && areSingles(own.bias);
        if (const auto* norm = layer.getIf<BatchNorm>()) all = all && areSingles(norm->mean) && areSingles(writtenVariances(*norm));
        if (const auto* sum = layer.getIf<Sum>()) all = all && areSingles(sum->scales);
        const auto* f = layer.getIf<Pointwise>();
        if (!f) return;
        all = all && areSingles(f->slopes) && (f->activation != Activation::LeakyRelu || f->slope == 0.01 || isSingle(f->slope));
    });
    return all;
}

/// Dimensions that the first layer with a say in it wants of a tensor of this shape; 0: none has.
std::size_t wantedRank(const std::vector<Layer>& layers, std::size_t least) {
    for (const Layer& layer : layers) {
        if (layer.is<Flatten, Dense, Route>()) return least;
        if (const auto* block = layer.getIf<Block>()) {
            if (const std::size_t rank = wantedRank(block->inner, least); rank > 0) return rank;
            continue;
        }
        std::size_t rank = layer.is<Pointwise, Join>() ? 0 : rankFor(layer, least);
        if (rank > 0) return rank;
    }
    return 0;
}

Value inputOf(const Network& network) {
    const std::size_t least = leastRank(network.input);
    return {network.input, std::max(least, wantedRank(network.layers, least))};
}

}  // namespace
}  // namespace onnx

std::vector<unsigned char> writeOnnx(const Network& network) {
    using namespace onnx;
    validate(network);
    if (network.layers.empty()) throw InputError("A network without layers cannot be written to an ONNX file.");
    ModelFile file(areSingles(network.layers));
    const Value input = inputOf(network);
    file.input("x", input.sizes());
    LayerWriter writer(file, {"x", input});
    writer.layers(network.layers, "layer", "Layer ");
    // The reader leaves a softmax out at the end.
    if (writer.here().name == "x" || network.layers.back().is<Softmax>()) writer.pass();
    file.output(writer.here().name, writer.here().value.sizes());
    return file.finish(writer.operatorSet());
}

}  // namespace kappaflow

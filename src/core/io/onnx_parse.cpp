#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/errors.h"
#include "core/io/onnx_graph.h"
#include "core/io/printable.h"

namespace kappaflow::onnx {
namespace {

/// Field number and wire type of a protobuf field as one number, for switches.
constexpr std::uint32_t varintField(std::uint32_t field) { return protozero::tag_and_type(field, protozero::pbf_wire_type::varint); }
constexpr std::uint32_t bytesField(std::uint32_t field) {
    return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}
constexpr std::uint32_t fixed32Field(std::uint32_t field) { return protozero::tag_and_type(field, protozero::pbf_wire_type::fixed32); }
constexpr std::uint32_t fixed64Field(std::uint32_t field) { return protozero::tag_and_type(field, protozero::pbf_wire_type::fixed64); }

/// One protobuf message of a file nobody vouches for. Fields that are not read are skipped; what does not fit throws InputError with its
/// byte offset in the file.
class ProtobufMessage {
public:
    explicit ProtobufMessage(std::string_view file) : ProtobufMessage(file, file.data()) {}
    /// A message inside this one: the field just found.
    ProtobufMessage message() { return {bytes(), fileStart_}; }

    bool next();
    /// varintField(n), bytesField(n), … of the field just found.
    std::uint32_t field() const { return reader_.tag_and_type(); }

    std::int64_t integer();
    std::string_view bytes();
    /// The 4 or 8 bytes of a fixed field.
    std::string_view fixedBytes();
    float number();
    /// Of a repeated field, packed or one by one: appended, at most until there are `most`. False when that left any out.
    bool appendIntegers(std::vector<std::int64_t>& list, std::size_t most);

private:
    ProtobufMessage(std::string_view bytes, const char* fileStart) : reader_(bytes.data(), bytes.size()), fileStart_(fileStart) {}
    template <class Read>
    auto guarded(Read read);
    void checkLength() const;

    protozero::pbf_reader reader_;
    const char* fileStart_;
    bool pending_ = false;
};

template <class Read>
auto ProtobufMessage::guarded(Read read) {
    const auto offset = reader_.data().data() - fileStart_;
    try {
        return read();
    } catch (const protozero::exception&) {
        throw InputError("The file is damaged or cut off at byte " + std::to_string(offset) + ", or is not an ONNX model.");
    }
}

// protozero compares a field's length with what is left as signed numbers of the platform: in a 32-bit build a length above 2^31 turns
// negative there and would move the reader backwards. So lengths are checked here first.
void ProtobufMessage::checkLength() const {
    if (reader_.wire_type() != protozero::pbf_wire_type::length_delimited) return;
    const protozero::data_view rest = reader_.data();
    const char* at = rest.data();
    const char* end = at + rest.size();
    const std::uint64_t length = protozero::decode_varint(&at, end);
    if (length > static_cast<std::uint64_t>(end - at)) throw protozero::end_of_buffer_exception{};
}

bool ProtobufMessage::next() {
    return guarded([&] {
        if (pending_) {
            checkLength();
            reader_.skip();
        }
        return pending_ = reader_.next();
    });
}

std::int64_t ProtobufMessage::integer() {
    pending_ = false;
    return guarded([&] { return reader_.get_int64(); });
}

std::string_view ProtobufMessage::bytes() {
    pending_ = false;
    return guarded([&] {
        checkLength();
        const protozero::data_view view = reader_.get_view();
        return std::string_view(view.data(), view.size());
    });
}

std::string_view ProtobufMessage::fixedBytes() {
    pending_ = false;
    return guarded([&] {
        const char* start = reader_.data().data();
        reader_.skip();
        return std::string_view(start, static_cast<std::size_t>(reader_.data().data() - start));
    });
}

bool ProtobufMessage::appendIntegers(std::vector<std::int64_t>& list, std::size_t most) {
    if (reader_.wire_type() == protozero::pbf_wire_type::varint) {
        if (list.size() >= most) return false;
        list.push_back(integer());
        return true;
    }
    const std::string_view packed = bytes();
    return guarded([&] {
        const char *at = packed.data(), *end = at + packed.size();
        while (at != end && list.size() < most) list.push_back(static_cast<std::int64_t>(protozero::decode_varint(&at, end)));
        return at == end;
    });
}

float ProtobufMessage::number() {
    float value;
    std::memcpy(&value, fixedBytes().data(), sizeof value);
    return value;
}

// A two-byte empty submessage would become a struct of a hundred bytes: counts are limited so that a file of nothing else stays harmless.
constexpr std::size_t kMaxItems = 16384, kMaxAttributes = 16, kMaxPerNode = 64, kMaxAllAttributes = 65536;

/// One more element, unless there are `most` already.
template <class Item>
Item& append(std::vector<Item>& items, std::size_t most, const char* what) {
    if (items.size() >= most) throw InputError("The model has more than " + std::to_string(most) + " " + what + ".");
    return items.emplace_back();
}

void parseExternal(ProtobufMessage entry, Tensor& tensor) {
    std::string_view key, value;
    while (entry.next()) {
        if (entry.field() == bytesField(1))
            key = entry.bytes();
        else if (entry.field() == bytesField(2))
            value = entry.bytes();
    }
    if (key == "location") tensor.location = value;
}

Tensor parseTensor(ProtobufMessage message) {
    Tensor tensor;
    while (message.next()) {
        switch (message.field()) {
            case varintField(1):
            case bytesField(1):
                // One dim too many is kept, so that the tensor can be refused by name when it is used.
                message.appendIntegers(tensor.dims, kMaxDims + 1);
                break;
            case varintField(2):
                tensor.type = message.integer();
                break;
            case bytesField(4):
                tensor.floats.append(message.bytes());
                break;
            case fixed32Field(4):
                tensor.floats.append(message.fixedBytes());
                break;
            case varintField(5):
            case bytesField(5):
            case varintField(7):
            case bytesField(7):
                tensor.isCut |= !message.appendIntegers(tensor.integers, kMaxDims + 1);
                break;
            case bytesField(8):
                tensor.name = message.bytes();
                break;
            case bytesField(9):
                tensor.raw = message.bytes();
                break;
            case bytesField(10):
                tensor.doubles.append(message.bytes());
                break;
            case fixed64Field(10):
                tensor.doubles.append(message.fixedBytes());
                break;
            case bytesField(13):
                tensor.external = true;
                parseExternal(message.message(), tensor);
                break;
            case varintField(14):
                tensor.external |= message.integer() == 1;
                break;
            default:
                break;
        }
    }
    return tensor;
}

Attribute parseAttribute(ProtobufMessage message) {
    Attribute attribute;
    while (message.next()) {
        switch (message.field()) {
            case bytesField(1):
                attribute.name = message.bytes();
                break;
            case fixed32Field(2):
                attribute.number = message.number();
                break;
            case varintField(3):
                attribute.integer = message.integer();
                break;
            case bytesField(4):
                attribute.text = message.bytes();
                break;
            case bytesField(5):
                attribute.tensor = parseTensor(message.message());
                break;
            case bytesField(7):
                attribute.numbers.append(message.bytes());
                break;
            case fixed32Field(7):
                attribute.numbers.append(message.fixedBytes());
                break;
            case varintField(8):
            case bytesField(8):
                attribute.isCut |= !message.appendIntegers(attribute.integers, 2 * kMaxDims + 1);
                break;
            case bytesField(9):
                append(attribute.texts, kMaxPerNode, "texts at one attribute") = message.bytes();
                break;
            default:
                break;
        }
    }
    return attribute;
}

Node parseNode(ProtobufMessage message) {
    Node node;
    while (message.next()) {
        switch (message.field()) {
            case bytesField(1):
                append(node.inputs, kMaxPerNode, "inputs at one node") = message.bytes();
                break;
            case bytesField(2):
                append(node.outputs, kMaxPerNode, "outputs at one node") = message.bytes();
                break;
            case bytesField(3):
                node.name = message.bytes();
                break;
            case bytesField(4):
                node.type = message.bytes();
                break;
            case bytesField(5):
                append(node.attributes, kMaxAttributes, "attributes at one node") = parseAttribute(message.message());
                break;
            case bytesField(7):
                node.domain = message.bytes();
                break;
            default:
                break;
        }
    }
    // A constant's tensor rarely has a name of its own; messages name it by the value that it is.
    for (Attribute& attribute : node.attributes)
        if (attribute.tensor && attribute.tensor->name.empty() && !node.outputs.empty()) attribute.tensor->name = node.outputs.front();
    return node;
}

std::vector<Dimension> parseShape(ProtobufMessage message) {
    std::vector<Dimension> shape;
    while (message.next()) {
        if (message.field() != bytesField(1)) continue;
        Dimension& dimension = append(shape, kMaxDims, "dimensions at one input");
        for (ProtobufMessage inner = message.message(); inner.next();) {
            if (inner.field() == varintField(1))
                dimension.size = inner.integer();
            else if (inner.field() == bytesField(2))
                dimension.name = inner.bytes();
        }
    }
    return shape;
}

void parseType(ProtobufMessage type, ValueInfo& info) {
    while (type.next()) {
        if (type.field() != bytesField(1)) continue;
        for (ProtobufMessage tensor = type.message(); tensor.next();) {
            if (tensor.field() == varintField(1))
                info.type = tensor.integer();
            else if (tensor.field() == bytesField(2))
                info.shape = parseShape(tensor.message());
        }
    }
}

ValueInfo parseValueInfo(ProtobufMessage message) {
    ValueInfo info;
    while (message.next()) {
        if (message.field() == bytesField(1))
            info.name = message.bytes();
        else if (message.field() == bytesField(2))
            parseType(message.message(), info);
    }
    return info;
}

void parseGraph(ProtobufMessage message, Graph& graph) {
    std::size_t attributes = 0;
    while (message.next()) {
        switch (message.field()) {
            case bytesField(1): {
                Node& node = append(graph.nodes, kMaxItems, "nodes");
                node = parseNode(message.message());
                node.number = graph.nodes.size();
                attributes += node.attributes.size();
                if (attributes > kMaxAllAttributes)
                    throw InputError("The model has more than " + std::to_string(kMaxAllAttributes) + " attributes at its nodes.");
                break;
            }
            case bytesField(5):
                append(graph.initialisers, kMaxItems, "tensors") = parseTensor(message.message());
                break;
            case bytesField(11):
                append(graph.inputs, kMaxItems, "inputs") = parseValueInfo(message.message());
                break;
            case bytesField(12):
                append(graph.outputs, kMaxItems, "outputs") = parseValueInfo(message.message());
                break;
            case bytesField(15):
                throw InputError("The model keeps sparse tensors, which are not supported.");
            default:
                break;
        }
    }
}

void parseOperatorSet(ProtobufMessage message, Graph& graph) {
    std::string_view domain;
    std::int64_t version = 0;
    while (message.next()) {
        if (message.field() == bytesField(1))
            domain = message.bytes();
        else if (message.field() == varintField(2))
            version = message.integer();
    }
    if (domain.empty() || domain == "ai.onnx") graph.operatorSet = version;
}

}  // namespace

Graph parseModel(std::span<const unsigned char> bytes) {
    if (bytes.empty()) throw InputError("The file is empty.");
    Graph graph;
    bool found = false;
    for (ProtobufMessage model(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())); model.next();) {
        if (model.field() == bytesField(8)) parseOperatorSet(model.message(), graph);
        if (model.field() != bytesField(7)) continue;
        found = true;
        parseGraph(model.message(), graph);
    }
    for (const Node& node : graph.nodes)
        for (ValueInfo& input : graph.inputs)
            if (isRecurrent(node) && !node.inputs.empty() && node.inputs[0] == input.name && !isBatchFirst(node)) input.batchAxis = 1;
    if (!found) throw InputError("The file holds no ONNX graph.");
    return graph;
}

std::vector<std::string_view> named(const std::vector<std::string_view>& values) {
    std::vector<std::string_view> names;
    for (std::string_view value : values)
        if (!value.empty()) names.push_back(value);
    return names;
}

std::string label(const Node& node) {
    if (!node.name.empty()) return "node " + quoted(node.name);
    return "node " + std::to_string(node.number) + " (" + printable(node.type) + ")";
}

}  // namespace kappaflow::onnx

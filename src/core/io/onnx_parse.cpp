#include "core/base/errors.h"
#include "core/io/onnx_graph.h"
#include "core/io/printable.h"
#include "core/io/protobuf_message.h"

namespace kappaflow::onnx {
namespace {

// A two-byte empty submessage would become a struct of a hundred bytes: counts are limited so that a file of nothing else stays harmless.
constexpr std::size_t kMaxItems = 4096, kMaxAttributes = 16, kMaxPerNode = 64;

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
    while (message.next()) {
        switch (message.field()) {
            case bytesField(1): {
                Node& node = append(graph.nodes, kMaxItems, "nodes");
                node = parseNode(message.message());
                node.number = graph.nodes.size();
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

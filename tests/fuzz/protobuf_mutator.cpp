#include "fuzz/protobuf_mutator.h"

#include <map>
#include <utility>

namespace kappaflow::fuzz {
namespace {

constexpr std::size_t kMostLeafBytes = 4096;

bool readVarint(const std::string& bytes, std::size_t& at, std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
}

}  // namespace

ProtobufMutator::Kind ProtobufMutator::kindInside(Kind kind, std::uint64_t number) {
    static const std::map<std::pair<Kind, std::uint64_t>, Kind> kinds = {
        {{kModel, 7}, kGraph},      {{kModel, 8}, kOperatorSet}, {{kGraph, 1}, kNode},       {{kGraph, 5}, kTensor},
        {{kGraph, 11}, kValueInfo}, {{kGraph, 12}, kValueInfo},  {{kNode, 5}, kAttribute},   {{kAttribute, 5}, kTensor},
        {{kValueInfo, 2}, kType},   {{kType, 1}, kTensorType},   {{kTensorType, 2}, kShape}, {{kShape, 1}, kDimension},
    };
    const auto found = kinds.find({kind, number});
    return found == kinds.end() ? kLeaf : found->second;
}

bool ProtobufMutator::parse(const std::string& message, std::vector<Field>& fields) {
    for (std::size_t at = 0; at < message.size();) {
        Field field{};
        std::uint64_t length = 0;
        if (!readVarint(message, at, field.tag)) return false;
        const std::size_t start = at;
        if (field.wire() == 0) {
            if (!readVarint(message, at, length)) return false;
            field.bytes = message.substr(start, at - start);
            fields.push_back(std::move(field));
            continue;
        }
        if (field.wire() == 1)
            length = 8;
        else if (field.wire() == 5)
            length = 4;
        else if (field.wire() != 2 || !readVarint(message, at, length))
            return false;
        if (length > message.size() - at) return false;
        field.bytes = message.substr(at, length);
        at += length;
        fields.push_back(std::move(field));
    }
    return true;
}

std::string ProtobufMutator::serialised(const std::vector<Field>& fields) {
    std::string message;
    for (const Field& field : fields) message += varint(field.tag) + (field.wire() == 2 ? varint(field.bytes.size()) : "") + field.bytes;
    return message;
}

std::string ProtobufMutator::changed(const std::string& message, Kind kind) {
    std::vector<Field> fields;
    if (!parse(message, fields) || fields.empty()) return "";
    const std::size_t at = below(fields.size());
    const Kind inside = kindInside(kind, fields[at].number());
    if (inside != kLeaf && fields[at].wire() == 2 && below(8) != 0) {
        const std::string deeper = changed(fields[at].bytes, inside);
        if (!deeper.empty()) fields[at].bytes = deeper;
    } else {
        changeField(fields, at, inside);
    }
    return serialised(fields);
}

void ProtobufMutator::changeField(std::vector<Field>& fields, std::size_t at, Kind kind) {
    const std::size_t other = below(fields.size());
    switch (below(kind == kLeaf ? 12 : 4)) {
        case 0:
            fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at));
            return;
        case 1: {
            const Field copy = fields[at];
            fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(other), copy);
            return;
        }
        case 2:
            std::swap(fields[at], fields[other]);
            return;
        case 3:
            // What one field says, another one gets: inputs meet other outputs, tensors other shapes.
            if (fields[at].wire() == fields[other].wire()) fields[at].bytes = fields[other].bytes;
            return;
        default:
            break;
    }
    if (fields[at].wire() == 0) return changeNumber(fields[at].bytes);
    const std::size_t size = fields[at].bytes.size();
    changeBytes_(fields[at].bytes, fields[at].wire() == 2 ? size + kMostLeafBytes : size);
    if (fields[at].wire() != 2) fields[at].bytes.resize(size);
}

void ProtobufMutator::changeNumber(std::string& bytes) {
    static constexpr std::uint64_t kTelling[] = {0,          1,
                                                 2,          3,
                                                 4,          5,
                                                 7,          8,
                                                 16,         64,
                                                 4096,       4097,
                                                 1ull << 18, 1ull << 20,
                                                 1ull << 31, (1ull << 31) - 1,
                                                 ~0ull,      ~1ull,
                                                 1ull << 32, 1ull << 62,
                                                 1ull << 63, 0xFFFFFFFFull};
    std::size_t at = 0;
    std::uint64_t value = 0;
    readVarint(bytes, at, value);
    switch (below(3)) {
        case 0:
            value += below(9) - 4;
            break;
        case 1:
            value ^= 1ull << below(64);
            break;
        default:
            value = kTelling[below(std::size(kTelling))];
    }
    bytes = varint(value);
}

}  // namespace kappaflow::fuzz

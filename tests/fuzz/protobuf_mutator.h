#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);  // libFuzzer's own

namespace kappaflow::fuzz {

/// Changes bytes as libFuzzer does.
inline void changeBytes(std::string& bytes, std::size_t most) {
    const std::size_t size = bytes.size();
    bytes.resize(std::max<std::size_t>(most, 1));
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
}

/// Changes one thing in a protobuf message and mends the lengths of all messages around it, which random bytes hardly ever do.
/// Messages are told from other bytes by their schema: field numbers of the message kinds inside each kind.
class ProtobufMutator {
public:
    /// Changes bytes of a leaf; gets the bytes and how many there may be.
    using ChangeBytes = void (*)(std::string& bytes, std::size_t most);

    ProtobufMutator(std::uint32_t seed, ChangeBytes changeBytes) : random_(seed), changeBytes_(changeBytes) {}
    /// The message with one field changed, left out, doubled or moved, somewhere in the tree; empty when it is no message.
    std::string mutated(const std::string& model) { return changed(model, kModel); }

private:
    enum Kind { kModel, kGraph, kNode, kTensor, kAttribute, kValueInfo, kType, kTensorType, kShape, kDimension, kOperatorSet, kLeaf };
    struct Field {
        std::uint64_t tag;
        std::string bytes;  ///< as they stand, without the length of a length-delimited one
        std::uint64_t number() const { return tag >> 3; }
        std::uint64_t wire() const { return tag & 7; }
    };

    static Kind kindInside(Kind kind, std::uint64_t number);
    static bool parse(const std::string& message, std::vector<Field>& fields);
    static std::string serialised(const std::vector<Field>& fields);
    std::string changed(const std::string& message, Kind kind);
    void changeField(std::vector<Field>& fields, std::size_t at, Kind kind);
    void changeNumber(std::string& varint);
    std::size_t below(std::size_t n) { return random_() % n; }

    std::minstd_rand random_;
    ChangeBytes changeBytes_;
};

}  // namespace kappaflow::fuzz

#pragma once
#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>
#include <vector>

namespace kappaflow {

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

}  // namespace kappaflow

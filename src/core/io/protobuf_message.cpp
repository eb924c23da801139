#include "core/io/protobuf_message.h"

#include <cstring>
#include <string>

#include "core/base/errors.h"

namespace kappaflow {

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

}  // namespace kappaflow

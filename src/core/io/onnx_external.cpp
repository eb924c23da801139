#include <charconv>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "core/base/errors.h"
#include "core/io/onnx.h"
#include "core/io/printable.h"

namespace kappaflow {
namespace {

void copyField(protozero::pbf_reader& from, protozero::pbf_writer& to) {
    switch (from.wire_type()) {
        case protozero::pbf_wire_type::varint:
            return to.add_uint64(from.tag(), from.get_uint64());
        case protozero::pbf_wire_type::fixed64:
            return to.add_fixed64(from.tag(), from.get_fixed64());
        case protozero::pbf_wire_type::fixed32:
            return to.add_fixed32(from.tag(), from.get_fixed32());
        default:
            return to.add_bytes(from.tag(), from.get_view());
    }
}

/// Where a tensor's numbers are: location, offset and length, each a text.
struct Place {
    std::string location, offset, length;
    void take(protozero::pbf_reader entry) {
        std::string key, value;
        while (entry.next()) {
            if (entry.wire_type() != protozero::pbf_wire_type::length_delimited)
                entry.skip();
            else if (entry.tag() == 1)
                key = entry.get_string();
            else if (entry.tag() == 2)
                value = entry.get_string();
            else
                entry.skip();
        }
        if (key == "location") location = value;
        if (key == "offset") offset = value;
        if (key == "length") length = value;
    }
    std::optional<std::uint64_t> number(const std::string& text) const {
        if (text.empty()) return {};
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
            throw InputError("The model's data in " + quoted(location) + " begins or ends at " + quoted(text) + ", which is no place.");
        return value;
    }
};

constexpr protozero::pbf_tag_type kGraph = 7, kInitialiser = 5, kRaw = 9, kExternal = 13, kLocation = 14;

bool isMessage(const protozero::pbf_reader& reader, protozero::pbf_tag_type tag) {
    return reader.tag() == tag && reader.wire_type() == protozero::pbf_wire_type::length_delimited;
}

/// Where the tensor's numbers are; nothing where they are in it.
std::optional<Place> placeOf(protozero::pbf_reader tensor) {
    Place place;
    bool external = false;
    while (tensor.next()) {
        if (isMessage(tensor, kExternal))
            place.take(tensor.get_message());
        else if (tensor.tag() == kLocation && tensor.wire_type() == protozero::pbf_wire_type::varint)
            external = tensor.get_int32() == 1;
        else
            tensor.skip();
    }
    if (!external || place.location.empty()) return {};
    return place;
}

/// The tensor with its numbers as raw data.
std::string filled(protozero::pbf_reader tensor, const Place& place, const ExternalRead& read) {
    std::string bytes;
    protozero::pbf_writer out(bytes);
    while (tensor.next()) tensor.tag() == kExternal || tensor.tag() == kLocation ? tensor.skip() : copyField(tensor, out);
    out.add_bytes(kRaw, read(place.location, place.number(place.offset).value_or(0), place.number(place.length)));
    return bytes;
}

bool isAnyOutside(protozero::pbf_reader model) {
    while (model.next()) {
        if (!isMessage(model, kGraph)) {
            model.skip();
            continue;
        }
        for (protozero::pbf_reader graph = model.get_message(); graph.next();)
            if (!isMessage(graph, kInitialiser))
                graph.skip();
            else if (placeOf(graph.get_message()))
                return true;
    }
    return false;
}

}  // namespace

std::optional<std::vector<unsigned char>> withExternalData(std::span<const unsigned char> model, const ExternalRead& read) {
    try {
        protozero::pbf_reader in(reinterpret_cast<const char*>(model.data()), model.size());
        if (!isAnyOutside(in)) return {};
        std::string whole;
        protozero::pbf_writer out(whole);
        while (in.next()) {
            if (!isMessage(in, kGraph)) {
                copyField(in, out);
                continue;
            }
            protozero::pbf_writer written(out, kGraph);
            for (protozero::pbf_reader graph = in.get_message(); graph.next();) {
                if (!isMessage(graph, kInitialiser)) {
                    copyField(graph, written);
                    continue;
                }
                const protozero::data_view tensor = graph.get_view();
                const std::optional<Place> place = placeOf(protozero::pbf_reader(tensor));
                written.add_bytes(kInitialiser, place ? filled(protozero::pbf_reader(tensor), *place, read) : std::string(tensor));
            }
        }
        return std::vector<unsigned char>(whole.begin(), whole.end());
    } catch (const protozero::exception&) {  // no ONNX model, or a damaged one: the reader says so
        return {};
    }
}

}  // namespace kappaflow

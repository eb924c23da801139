#include "core/io/safetensors.h"

#include <algorithm>

#include "core/base/errors.h"
#include "core/io/flat_json.h"
#include "core/io/network_file.h"
#include "core/io/printable.h"
#include "core/io/stored_whole.h"

namespace kappaflow {
namespace {

using namespace tensors;
using Bytes = std::span<const unsigned char>;

constexpr std::size_t kLengthBytes = 8, kMaxHeader = 4u << 20;

double headerLength(Bytes file) { return static_cast<double>(wholeAt(file, 0, kLengthBytes)); }

std::string_view headerOf(Bytes file) {
    if (file.size() < kLengthBytes + 2) throw InputError("The file is too short for a safetensors file.");
    const double length = headerLength(file);
    if (length > static_cast<double>(file.size() - kLengthBytes))
        throw InputError("The file claims a header of " + whole(length) + " bytes, but holds " +
                         std::to_string(file.size() - kLengthBytes) + "; it is cut off or no safetensors file.");
    if (length > kMaxHeader)
        throw InputError("The file's header has " + whole(length) + " bytes; at most " + std::to_string(kMaxHeader) + " are read.");
    return {reinterpret_cast<const char*>(file.data()) + kLengthBytes, static_cast<std::size_t>(length)};
}

struct Described {
    std::string name, type;
    std::vector<std::int64_t> dims;
    std::size_t begin = 0, end = 0;
};

template <class Wanted>
const Wanted& member(const FlatObject& object, std::string_view key) {
    for (const auto& [name, value] : object.members)
        if (name == key)
            if (const auto* wanted = std::get_if<Wanted>(&value)) return *wanted;
    refuse(object.name, "its " + std::string(key) + " is missing, or of another kind");
}

Described described(const FlatObject& object, std::size_t bytes) {
    using List = std::vector<std::int64_t>;
    if (object.members.size() != 3) refuse(object.name, "it should have dtype, shape and data_offsets, and nothing else");
    Described tensor{object.name, member<std::string>(object, "dtype"), member<List>(object, "shape"), 0, 0};
    const List& offsets = member<List>(object, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1]) refuse(object.name, "its data_offsets should be where it begins and where it ends");
    if (static_cast<double>(offsets[1]) > static_cast<double>(bytes)) refuse(object.name, "it reaches beyond the end of the file");
    tensor.begin = static_cast<std::size_t>(offsets[0]);
    tensor.end = static_cast<std::size_t>(offsets[1]);
    return tensor;
}

/// The format wants tensors without gaps between them: what is hidden there could be anything.
void requireGapless(std::vector<Described>& all, std::size_t bytes) {
    std::sort(all.begin(), all.end(),
              [](const Described& a, const Described& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    std::size_t at = 0;
    for (const Described& tensor : all) {
        if (tensor.begin < at) refuse(tensor.name, "it overlaps another tensor");
        if (tensor.begin > at) refuse(tensor.name, "there are bytes in front of it that belong to no tensor");
        at = tensor.end;
    }
    if (at != bytes) throw InputError("The file has " + std::to_string(bytes - at) + " bytes behind its tensors.");
}

Element elementOf(const Described& tensor) {
    if (tensor.type == "F64") return Element::F64;
    if (tensor.type == "F32") return Element::F32;
    if (tensor.type == "F16") return Element::F16;
    if (tensor.type == "BF16") return Element::BF16;
    refuse(tensor.name, "it holds " + quoted(tensor.type) + "; only F64, F32, F16 and BF16 are supported");
}

}  // namespace

bool looksLikeSafetensors(Bytes file) {
    return file.size() > kLengthBytes && file[kLengthBytes] == '{' && headerLength(file) <= static_cast<double>(file.size() - kLengthBytes);
}

TensorFile readSafetensors(Bytes file) {
    const std::string_view header = headerOf(file);
    const Bytes data = file.subspan(kLengthBytes + header.size());
    TensorFile read;
    std::vector<Described> all;
    for (const FlatObject& object : parseFlatJson(header, kMaxDims)) {
        if (object.name != "__metadata__") {
            all.push_back(described(object, data.size()));
            continue;
        }
        for (const auto& [key, value] : object.members)
            if (const auto* text = std::get_if<std::string>(&value)) read.facts[key] = *text;
    }
    requireGapless(all, data.size());
    for (const Described& tensor : all)
        if (!isPassedOver(tensor.name))
            addTensor(read, tensor.name, tensor.dims,
                      {elementOf(tensor), false, false, data.subspan(tensor.begin, tensor.end - tensor.begin)});
    return read;
}

}  // namespace kappaflow

#pragma once
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kappaflow {

/// safetensors and npz files written byte by byte, so that a test can also write wrong ones.
namespace tensor_files {

using Bytes = std::vector<unsigned char>;
using Json = nlohmann::ordered_json;
using Facts = std::vector<std::pair<std::string, std::string>>;

inline void add(Bytes& to, std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) to.push_back(static_cast<unsigned char>(value >> (8 * i)));
}
inline void add(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }
inline void add(Bytes& to, const std::string& text) { to.insert(to.end(), text.begin(), text.end()); }

inline Bytes doubles(const std::vector<double>& values) {
    Bytes bytes(8 * values.size());
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}
inline Bytes whole64(const std::vector<std::int64_t>& values) {
    Bytes bytes;
    for (const std::int64_t value : values) add(bytes, static_cast<std::uint64_t>(value), 8);
    return bytes;
}

/// The header's length, the header, the numbers.
inline Bytes safetensorsOf(const std::string& header, const Bytes& data) {
    Bytes file;
    add(file, header.size(), 8);
    add(file, header);
    add(file, data);
    return file;
}

struct Tensor {
    std::string name;
    std::vector<std::int64_t> dims;
    std::vector<double> values;
};
/// Tensors of F64.
inline Bytes safetensors(const std::vector<Tensor>& tensors, const Facts& facts = {}) {
    Json header = Json::object();
    for (const auto& [key, value] : facts) header["__metadata__"][key] = value;
    Bytes data;
    for (const Tensor& tensor : tensors) {
        const std::size_t begin = data.size();
        add(data, doubles(tensor.values));
        header[tensor.name] = {{"dtype", "F64"}, {"shape", tensor.dims}, {"data_offsets", {begin, data.size()}}};
    }
    return safetensorsOf(header.dump(), data);
}

/// A .npy file of version 1.0 whose header is this.
inline Bytes npyWith(const std::string& header, const Bytes& data) {
    Bytes file;
    add(file, std::string("\x93NUMPY\x01"));
    add(file, 0, 1);
    add(file, header.size(), 2);
    add(file, header);
    add(file, data);
    return file;
}
inline Bytes npy(const std::string& type, const std::vector<std::int64_t>& dims, const Bytes& data, bool columnsFirst = false) {
    std::string shape;
    for (const std::int64_t dim : dims) shape += std::to_string(dim) + ",";
    return npyWith("{'descr': '" + type + "', 'fortran_order': " + (columnsFirst ? "True" : "False") + ", 'shape': (" + shape + "), }",
                   data);
}

inline std::uint32_t slowCrc32(const Bytes& bytes) {
    std::uint32_t crc = 0xFFFFFFFFu;
    for (const unsigned char byte : bytes)
        for (int bit = 0; bit < 8; ++bit) crc = ((crc ^ byte >> bit) & 1 ? 0xEDB88320u : 0u) ^ crc >> 1;
    return ~crc;
}

/// An entry of an archive, and what its directory says of it where that is to be something else.
struct Entry {
    std::string name;
    Bytes data;
    int method = 0;
    std::uint32_t size = 0;  ///< of the unpacked file; 0: of the data
    std::uint32_t crc = 0;   ///< 0: of the data
    int flags = 0;
    std::optional<std::uint32_t> place = {}, packed = {};  ///< where it begins, and its bytes there
    Bytes extra = {};                                      ///< fields behind its name, such as those of ZIP64
};
/// And what its end says.
struct End {
    std::optional<std::size_t> count = {};  ///< of entries
    int part = 0;
    std::optional<std::uint32_t> start = {}, length = {};  ///< of the directory
};
inline Bytes npz(const std::vector<Entry>& entries, const End& end = {}) {
    Bytes file, directory;
    for (const Entry& entry : entries) {
        const std::size_t place = file.size();
        const auto head = [&](Bytes& to, bool local) {
            add(to, 20, 2);
            add(to, static_cast<std::uint64_t>(entry.flags), 2);
            add(to, static_cast<std::uint64_t>(entry.method), 2);
            add(to, 0, 4);
            add(to, entry.crc ? entry.crc : slowCrc32(entry.data), 4);
            add(to, entry.packed.value_or(static_cast<std::uint32_t>(entry.data.size())), 4);
            add(to, entry.size ? entry.size : entry.data.size(), 4);
            add(to, entry.name.size(), 2);
            add(to, local ? 0 : entry.extra.size(), 2);
            if (!local) add(to, 0, 2);
        };
        add(file, std::string("PK\x03\x04"));
        head(file, true);
        add(file, entry.name);
        add(file, entry.data);
        add(directory, std::string("PK\x01\x02"));
        add(directory, 20, 2);
        head(directory, false);
        add(directory, 0, 8);
        add(directory, entry.place.value_or(static_cast<std::uint32_t>(place)), 4);
        add(directory, entry.name);
        add(directory, entry.extra);
    }
    const std::size_t start = file.size();
    add(file, directory);
    add(file, std::string("PK\x05\x06"));
    add(file, static_cast<std::uint64_t>(end.part), 2);
    add(file, 0, 2);
    add(file, entries.size(), 2);
    add(file, end.count.value_or(entries.size()), 2);
    add(file, end.length.value_or(static_cast<std::uint32_t>(directory.size())), 4);
    add(file, end.start.value_or(static_cast<std::uint32_t>(start)), 4);
    add(file, 0, 2);
    return file;
}

}  // namespace tensor_files
}  // namespace kappaflow

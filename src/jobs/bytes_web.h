#pragma once
#include <emscripten/val.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace kappaflow {

/// Copies the bytes of a Uint8Array from `at` on.
inline void copyFrom(const emscripten::val& array, std::size_t at, unsigned char* to, std::size_t size) {
    const auto part = array.call<emscripten::val>("subarray", static_cast<unsigned>(at), static_cast<unsigned>(at + size));
    emscripten::val(emscripten::typed_memory_view(size, to)).call<void>("set", part);
}

/// The bytes of a Uint8Array. Not by a vector's resize, which writes its zeros one by one: 3 ms a megabyte.
inline std::vector<unsigned char> bytesIn(const emscripten::val& array) {
    constexpr std::size_t kPiece = 1 << 18;
    const auto size = array["length"].as<std::size_t>();
    const std::unique_ptr<unsigned char[]> piece(new unsigned char[std::min(size, kPiece)]);
    std::vector<unsigned char> bytes;
    bytes.reserve(size);
    for (std::size_t at = 0; at < size; at = bytes.size()) {
        const std::size_t count = std::min(size - at, kPiece);
        copyFrom(array, at, piece.get(), count);
        bytes.insert(bytes.end(), piece.get(), piece.get() + count);
    }
    return bytes;
}

}  // namespace kappaflow

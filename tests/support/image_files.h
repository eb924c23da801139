#pragma once
#include <cstdint>
#include <vector>

namespace kappaflow {

using ImageBytes = std::vector<unsigned char>;

inline void appendBigEndian(ImageBytes& bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<unsigned char>(number >> shift));
}

inline ImageBytes idxHeader(std::uint32_t magic, std::vector<std::uint32_t> sizes) {
    ImageBytes bytes;
    appendBigEndian(bytes, magic);
    for (const auto size : sizes) appendBigEndian(bytes, size);
    return bytes;
}

/// Pixel p of image i is (7 i + p) mod 256.
inline ImageBytes idxFile(std::uint32_t count, std::uint32_t side) {
    ImageBytes bytes = idxHeader(0x803, {count, side, side});
    for (std::uint32_t i = 0; i < count; ++i)
        for (std::uint32_t p = 0; p < side * side; ++p) bytes.push_back(static_cast<unsigned char>(7 * i + p));
    return bytes;
}

/// Labels i mod 10 (and i mod 20 before them in CIFAR-100); red of pixel p of image i is p + i, green 2 p, blue 255 − p, all mod 256.
inline ImageBytes cifarFile(std::size_t count, std::size_t labels = 1) {
    ImageBytes bytes;
    for (std::size_t i = 0; i < count; ++i) {
        if (labels == 2) bytes.push_back(static_cast<unsigned char>(i % 20));
        bytes.push_back(static_cast<unsigned char>(i % 10));
        for (std::size_t p = 0; p < 1024; ++p) bytes.push_back(static_cast<unsigned char>(p + i));
        for (std::size_t p = 0; p < 1024; ++p) bytes.push_back(static_cast<unsigned char>(2 * p));
        for (std::size_t p = 0; p < 1024; ++p) bytes.push_back(static_cast<unsigned char>(255 - p % 256));
    }
    return bytes;
}

/// Labels i mod 10 of `count` images.
inline ImageBytes labelFile(std::uint32_t count) {
    ImageBytes bytes = idxHeader(0x801, {count});
    for (std::uint32_t i = 0; i < count; ++i) bytes.push_back(static_cast<unsigned char>(i % 10));
    return bytes;
}

inline ImageBytes joined(ImageBytes first, const ImageBytes& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

inline ImageBytes cut(ImageBytes bytes, std::size_t length) {
    bytes.resize(length);
    return bytes;
}

}  // namespace kappaflow

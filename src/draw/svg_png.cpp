#include "draw/svg_png.h"

#include <algorithm>
#include <cmath>

namespace kappaflow {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append(Bytes& to, std::string_view text) { to.insert(to.end(), text.begin(), text.end()); }

void appendBigEndian(Bytes& to, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<std::uint8_t>(value >> shift));
}

// CRC-32 of PNG's annex, bit by bit: the files are small.
std::uint32_t crc(std::span<const std::uint8_t> bytes) {
    std::uint32_t rest = 0xFFFFFFFF;
    for (const std::uint8_t byte : bytes) {
        rest ^= byte;
        for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ (rest & 1 ? 0xEDB88320u : 0);
    }
    return ~rest;
}

std::uint32_t adler(std::span<const std::uint8_t> bytes) {
    std::uint32_t a = 1, b = 0;
    for (const std::uint8_t byte : bytes) {
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

void appendChunk(Bytes& to, std::string_view kind, const Bytes& data) {
    appendBigEndian(to, static_cast<std::uint32_t>(data.size()));
    const std::size_t begin = to.size();
    append(to, kind);
    to.insert(to.end(), data.begin(), data.end());
    appendBigEndian(to, crc(std::span(to).subspan(begin)));
}

Bytes header(const PaletteImage& image) {
    Bytes data;
    appendBigEndian(data, static_cast<std::uint32_t>(image.cols));
    appendBigEndian(data, static_cast<std::uint32_t>(image.rows));
    for (const std::uint8_t byte : {8, 3, 0, 0, 0}) data.push_back(byte);  // 8 bits, palette
    return data;
}

// Rows with PNG's filter byte, in stored blocks of a zlib stream (RFC 1950, 1951).
Bytes storedRows(const PaletteImage& image) {
    Bytes rows;
    for (std::size_t row = 0; row < image.rows; ++row) {
        rows.push_back(0);
        const auto begin = image.pixels.begin() + static_cast<std::ptrdiff_t>(row * image.cols);
        rows.insert(rows.end(), begin, begin + static_cast<std::ptrdiff_t>(image.cols));
    }
    Bytes stream{0x78, 0x01};
    for (std::size_t at = 0; at < rows.size();) {
        const std::size_t count = std::min<std::size_t>(rows.size() - at, 0xFFFF);
        const auto length = static_cast<std::uint16_t>(count), complement = static_cast<std::uint16_t>(~length);
        stream.push_back(at + count == rows.size());
        for (const std::uint16_t part : {length, complement}) {
            stream.push_back(static_cast<std::uint8_t>(part));
            stream.push_back(static_cast<std::uint8_t>(part >> 8));
        }
        stream.insert(stream.end(), rows.begin() + static_cast<std::ptrdiff_t>(at), rows.begin() + static_cast<std::ptrdiff_t>(at + count));
        at += count;
    }
    appendBigEndian(stream, adler(rows));
    return stream;
}

std::uint8_t channel(float value) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0f, 1.0f))); }

}  // namespace

Bytes pngOf(const PaletteImage& image) {
    Bytes colors, alphas;
    for (const Color& color : image.palette) {
        for (const float part : {color.r, color.g, color.b}) colors.push_back(channel(part));
        alphas.push_back(channel(color.a));
    }
    Bytes file;
    append(file, "\x89PNG\r\n\x1a\n");
    appendChunk(file, "IHDR", header(image));
    appendChunk(file, "PLTE", colors);
    appendChunk(file, "tRNS", alphas);
    appendChunk(file, "IDAT", storedRows(image));
    appendChunk(file, "IEND", {});
    return file;
}

std::string base64(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
        unsigned triple = 0;
        for (std::size_t i = 0; i < 3; ++i) triple = triple << 8 | (i < count ? bytes[at + i] : 0u);
        for (std::size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[triple >> (18 - 6 * i) & 63] : '=';
    }
    return text;
}

}  // namespace kappaflow

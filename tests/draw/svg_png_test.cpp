#include "draw/svg_text.h"

#include <doctest/doctest.h>

#include <string>

#include "draw/random.h"
#include "support/svg.h"

using namespace kappaflow;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytesOf(std::string_view text) { return {text.begin(), text.end()}; }

unsigned bigEndian(const Bytes& bytes, std::size_t at) {
    return static_cast<unsigned>(bytes.at(at)) << 24 | static_cast<unsigned>(bytes.at(at + 1)) << 16 |
           static_cast<unsigned>(bytes.at(at + 2)) << 8 | bytes.at(at + 3);
}

/// CRC-32 as polynomial division on a list of bits.
unsigned slowCrc(const Bytes& bytes) {
    std::vector<int> bits;
    for (const std::uint8_t byte : bytes)
        for (int i = 0; i < 8; ++i) bits.push_back(byte >> i & 1);
    bits.resize(bits.size() + 32, 0);
    for (int i = 0; i < 32; ++i) bits[i] ^= 1;
    for (std::size_t at = 0; at + 32 < bits.size(); ++at)
        if (bits[at])
            for (const int power : {32, 26, 23, 22, 16, 12, 11, 10, 8, 7, 5, 4, 2, 1, 0}) bits[at + 32 - power] ^= 1;
    unsigned rest = 0;
    for (int i = 0; i < 32; ++i) rest |= static_cast<unsigned>(bits[bits.size() - 32 + i]) << i;
    return ~rest;
}

struct Chunk {
    std::string kind;
    Bytes data;
};

std::vector<Chunk> chunksOf(const Bytes& file) {
    REQUIRE(Bytes(file.begin(), file.begin() + 8) == bytesOf("\x89PNG\r\n\x1a\n"));
    std::vector<Chunk> chunks;
    for (std::size_t at = 8; at < file.size();) {
        const std::size_t length = bigEndian(file, at);
        REQUIRE(at + 12 + length <= file.size());
        const Bytes checked(file.begin() + static_cast<long>(at + 4), file.begin() + static_cast<long>(at + 8 + length));
        if (length < 2000) CHECK(slowCrc(checked) == bigEndian(file, at + 8 + length));
        chunks.push_back({std::string(checked.begin(), checked.begin() + 4), Bytes(checked.begin() + 4, checked.end())});
        at += 12 + length;
    }
    return chunks;
}

/// A zlib stream of stored blocks.
Bytes inflated(const Bytes& stream) {
    REQUIRE(stream.size() > 6);
    CHECK((stream[0] * 256 + stream[1]) % 31 == 0);
    Bytes data;
    std::size_t at = 2;
    for (bool last = false; !last;) {
        last = stream.at(at);
        REQUIRE(stream[at] <= 1);
        const unsigned length = stream.at(at + 1) | stream.at(at + 2) << 8, complement = stream.at(at + 3) | stream.at(at + 4) << 8;
        REQUIRE((length ^ complement) == 0xFFFF);
        data.insert(data.end(), stream.begin() + static_cast<long>(at + 5), stream.begin() + static_cast<long>(at + 5 + length));
        at += 5 + length;
    }
    unsigned long a = 1, b = 0;
    for (const std::uint8_t byte : data) a += byte, b += a % 65521;
    CHECK(bigEndian(stream, at) == (b % 65521 << 16 | a % 65521));
    CHECK(at + 4 == stream.size());
    return data;
}

}  // namespace

TEST_CASE("a PNG gives back its pixels and colours, whatever its size") {
    Random random(8);
    for (const auto& [rows, cols] : {std::pair{1, 1}, {3, 5}, {1, 65534}, {7, 65535}, {300, 513}}) {
        PaletteImage image{static_cast<std::size_t>(rows), static_cast<std::size_t>(cols), {}, {}};
        for (int i = 0; i < 200; ++i) image.palette.push_back({i / 255.0f, 1 - i / 255.0f, 0.5f, i / 255.0f});
        for (int i = 0; i < rows * cols; ++i) image.pixels.push_back(static_cast<std::uint8_t>(200 * random.uniform()));
        const auto chunks = chunksOf(pngOf(image));
        REQUIRE(chunks.size() == 5);
        CHECK(chunks[0].kind == "IHDR");
        CHECK(bigEndian(chunks[0].data, 0) == static_cast<unsigned>(cols));
        CHECK(bigEndian(chunks[0].data, 4) == static_cast<unsigned>(rows));
        CHECK(Bytes(chunks[0].data.begin() + 8, chunks[0].data.end()) == Bytes{8, 3, 0, 0, 0});
        CHECK(chunks[1].kind == "PLTE");
        CHECK(chunks[2].kind == "tRNS");
        for (std::size_t i = 0; i < 200; ++i) {
            CHECK(chunks[1].data.at(3 * i) == i);
            CHECK(chunks[1].data.at(3 * i + 1) == 255 - i);
            CHECK(chunks[2].data.at(i) == i);
        }
        CHECK(chunks[3].kind == "IDAT");
        const Bytes data = inflated(chunks[3].data);
        Bytes pixels;
        for (int row = 0; row < rows; ++row) {
            const auto begin = data.begin() + row * (cols + 1);
            CHECK(*begin == 0);
            pixels.insert(pixels.end(), begin + 1, begin + cols + 1);
        }
        CHECK(pixels == image.pixels);
        CHECK(chunks[4].kind == "IEND");
    }
}

TEST_CASE("base64 is that of RFC 4648") {
    const std::pair<const char*, const char*> known[] = {
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, coded] : known) CHECK(base64(bytesOf(plain)) == coded);
    Bytes all;
    for (int i = 0; i < 256; ++i) all.push_back(static_cast<std::uint8_t>(i));
    CHECK(fromBase64(base64(all)) == all);
}

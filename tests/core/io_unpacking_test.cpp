#include <doctest/doctest.h>

#include "core/base/rng.h"
#include "core/io/zip.h"
#include "support/base64.h"
#include "support/sentence.h"
#include "support/tensor_files.h"
#include "testData.h"

using namespace kappaflow;

namespace {

using Packed = std::vector<unsigned char>;

nlohmann::json zlibStreams() {
    const auto bytes = testData("tensor_files.json");
    return nlohmann::json::parse(bytes.begin(), bytes.end())["streams"];
}

nlohmann::json zeroMegabyte() {
    const auto bytes = testData("tensor_files.json");
    return nlohmann::json::parse(bytes.begin(), bytes.end())["zeros"];
}

std::string inflateRefusal(const Packed& stream, std::size_t size) {
    return refusal([&] { inflated(stream, size); });
}

/// Stored blocks, each with its length and the length's complement.
Packed storedBlocks(const std::vector<std::size_t>& lengths) {
    Packed stream;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        stream.push_back(i + 1 == lengths.size() ? 1 : 0);
        tensor_files::add(stream, lengths[i], 2);
        tensor_files::add(stream, lengths[i] ^ 0xFFFF, 2);
        for (std::size_t k = 0; k < lengths[i]; ++k) stream.push_back(static_cast<unsigned char>(k));
    }
    return stream;
}

}  // namespace

TEST_CASE("what zlib packs at any level and strategy comes back, and its checksum is zlib's") {
    const auto streams = zlibStreams();
    CHECK(streams.size() > 50);
    for (const auto& s : streams) {
        const Packed stream = bytesOfBase64(s["stream"].get<std::string>());
        const auto size = s["size"].get<std::size_t>();
        const Packed data = inflated(stream, size);
        CHECK(data.size() == size);
        CHECK(checksum(data) == s["crc"].get<std::uint32_t>());
        CHECK(checksum(data) == tensor_files::slowCrc32(data));
    }
}

TEST_CASE("a stream that is cut off anywhere, or holds more or fewer bytes than promised, is refused") {
    for (const auto& s : zlibStreams()) {
        const Packed stream = bytesOfBase64(s["stream"].get<std::string>());
        const auto size = s["size"].get<std::size_t>();
        CHECK(inflateRefusal(stream, size + 1).find("fewer than the") != std::string::npos);
        if (size > 0) CHECK(inflateRefusal(stream, size - 1).find("more than the") != std::string::npos);
        for (std::size_t cut = 0; cut < std::min<std::size_t>(stream.size(), 60); ++cut)
            CHECK(inflateRefusal(Packed(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(cut)), size) != "");
    }
}

TEST_CASE("blocks that no writer makes are refused at their byte") {
    CHECK(inflateRefusal({}, 0) == "The compressed data makes no sense at byte 0 of 0.");
    CHECK(inflateRefusal({0x07}, 0) == "The compressed data makes no sense at byte 1 of 1.");                 // block type 3
    CHECK(inflateRefusal({0x01, 1, 0, 1, 0, 9}, 1) == "The compressed data makes no sense at byte 5 of 6.");  // lengths disagree
    CHECK(inflateRefusal({0x03, 0x02, 0x00}, 300) != "");                                                     // a copy of nothing
    CHECK(inflated(storedBlocks({65535, 0, 7}), 65542).size() == 65542);
    CHECK(inflateRefusal(storedBlocks({65535, 7}), 65541) == "The compressed data holds more than the 65541 bytes that it should.");
}

TEST_CASE("a thousandfold stream is unpacked as far as was promised, and no further") {
    const nlohmann::json zeros = zeroMegabyte();
    const Packed stream = bytesOfBase64(zeros["stream"].get<std::string>());
    const auto size = zeros["size"].get<std::size_t>();
    CHECK(size == 1 << 20);
    CHECK(stream.size() < 1100);
    CHECK(inflated(stream, size) == Packed(size, 0));
    CHECK(inflateRefusal(stream, 5) == "The compressed data holds more than the 5 bytes that it should.");
    CHECK(inflateRefusal(stream, 4000000000) == "The compressed data holds fewer than the 4000000000 bytes that it should.");
}

TEST_CASE("what is unpacked is allocated once, and never for more than the stream can hold") {
    for (const auto& s : zlibStreams()) {
        const Packed stream = bytesOfBase64(s["stream"].get<std::string>());
        const auto size = s["size"].get<std::size_t>();
        CHECK(inflated(stream, size).capacity() == std::min(size, 1032 * stream.size()));
    }
}

TEST_CASE("blocks without content are refused before they cost time") {
    // Ten bits a block: not the last, fixed codes, and seven zeros for its end.
    const auto empty = [](std::size_t blocks) {
        Packed stream;
        unsigned held = 0, count = 0;
        const auto bits = [&](unsigned value, unsigned width) {
            held |= value << count;
            for (count += width; count >= 8; count -= 8, held >>= 8) stream.push_back(static_cast<unsigned char>(held));
        };
        for (std::size_t i = 0; i + 1 < blocks; ++i) bits(2, 10);
        bits(3, 10);
        bits(0, 7);
        return stream;
    };
    CHECK(inflated(empty(1000), 0).empty());
    const std::string sentence = inflateRefusal(empty(10000000), 0);
    CHECK(sentence == "The compressed data makes no sense at byte 1283 of 12500000.");
    CHECK(inflateRefusal(storedBlocks(std::vector<std::size_t>(3000, 0)), 0).find("makes no sense") != std::string::npos);
    CHECK(inflated(storedBlocks(std::vector<std::size_t>(3000, 100)), 300000).size() == 300000);
}

TEST_CASE("streams changed at random are unpacked to the promised size or refused in a sentence") {
    Rng rng(5, Purpose::Data);
    const auto streams = zlibStreams();
    int unpackedOnes = 0;
    for (int i = 0; i < 3000; ++i) {
        const auto& s = streams[rng.below(streams.size())];
        Packed stream = bytesOfBase64(s["stream"].get<std::string>());
        if (stream.size() > 800) continue;
        for (std::uint64_t changes = 1 + rng.below(3); changes > 0; --changes)
            stream[rng.below(stream.size())] ^= static_cast<unsigned char>(1u << rng.below(8));
        const auto size = s["size"].get<std::size_t>();
        try {
            const Packed data = inflated(stream, size);
            CHECK(data.size() == size);
            ++unpackedOnes;
        } catch (const InputError& error) {
            CHECK(isOneSentence(error.what()));
        }
    }
    CHECK(unpackedOnes > 20);
}

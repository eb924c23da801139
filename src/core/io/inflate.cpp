#include "core/io/zip.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

constexpr int kMaxBits = 15, kLiterals = 288, kDistances = 32;
/// A copy of 258 bytes takes two bits at least.
constexpr std::size_t kMostFromByte = 1032;
/// Blocks that may be as short as they like, and bytes that each beyond them must bring: an empty one takes ten bits, and a code of its own
/// microseconds. Writers begin one for every ten thousand bytes or more.
constexpr std::size_t kFreeBlocks = 1024, kBytesOfBlock = 64;

/// Bits of a stream, the lowest of each byte first.
class BitStream {
public:
    explicit BitStream(std::span<const unsigned char> bytes) : bytes_(bytes) {}

    unsigned bits(int count) {
        while (held_ < count) {
            if (at_ >= bytes_.size()) fail();
            buffer_ |= static_cast<std::uint32_t>(bytes_[at_++]) << held_;
            held_ += 8;
        }
        const unsigned value = buffer_ & ((1u << count) - 1);
        buffer_ >>= count;
        held_ -= count;
        return value;
    }
    /// Whole bytes from the next byte on.
    std::span<const unsigned char> bytes(std::size_t count) {
        if (count > bytes_.size() - at_) fail();
        at_ += count;
        return bytes_.subspan(at_ - count, count);
    }
    // Never more than seven bits are held at the end of a field: no whole byte is lost.
    void toNextByte() {
        buffer_ = 0;
        held_ = 0;
    }
    [[noreturn]] void fail() const {
        throw InputError("The compressed data makes no sense at byte " + std::to_string(at_) + " of " + std::to_string(bytes_.size()) +
                         ".");
    }

private:
    std::span<const unsigned char> bytes_;
    std::size_t at_ = 0;
    std::uint32_t buffer_ = 0;
    int held_ = 0;
};

/// A canonical Huffman code: how many codes each length has, and the symbols in the order of their codes.
class Huffman {
public:
    /// False when there are more codes than lengths have room for, or fewer and more than one code: no writer makes those.
    bool set(const unsigned char* lengths, int symbols) {
        counts_.fill(0);
        for (int s = 0; s < symbols; ++s) ++counts_[lengths[s]];
        const int used = symbols - counts_[0];
        counts_[0] = 0;
        int left = 1;
        std::array<int, kMaxBits + 2> offsets{};
        for (int length = 1; length <= kMaxBits; ++length) {
            left = 2 * left - counts_[static_cast<std::size_t>(length)];
            if (left < 0) return false;
            offsets[static_cast<std::size_t>(length) + 1] =
                offsets[static_cast<std::size_t>(length)] + counts_[static_cast<std::size_t>(length)];
        }
        for (int s = 0; s < symbols; ++s)
            if (lengths[s] != 0) symbols_[static_cast<std::size_t>(offsets[lengths[s]]++)] = static_cast<std::uint16_t>(s);
        return left == 0 || used <= 1;
    }
    // Bit by bit: a file of 64 MB takes a second, and tables would be most of this file.
    unsigned symbol(BitStream& in) const {
        int code = 0, first = 0, index = 0;
        for (int length = 1; length <= kMaxBits; ++length) {
            code |= static_cast<int>(in.bits(1));
            const int count = counts_[static_cast<std::size_t>(length)];
            if (code - first < count) return symbols_[static_cast<std::size_t>(index + code - first)];
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        in.fail();
    }

private:
    std::array<int, kMaxBits + 1> counts_{};
    std::array<std::uint16_t, kLiterals> symbols_{};
};

Huffman codeOf(const unsigned char* lengths, int symbols) {
    Huffman code;
    code.set(lengths, symbols);
    return code;
}

class Inflater {
public:
    Inflater(std::span<const unsigned char> stream, std::size_t size) : in_(stream), size_(size) {
        out_.reserve(std::min(size, stream.size() > size / kMostFromByte ? size : kMostFromByte * stream.size()));
    }

    std::vector<unsigned char> all() {
        bool last = false;
        for (std::size_t blocks = 1; !last; ++blocks) {
            last = in_.bits(1) == 1;
            if (blocks > kFreeBlocks + out_.size() / kBytesOfBlock) in_.fail();
            switch (in_.bits(2)) {
                case 0:
                    stored();
                    break;
                case 1:
                    fixedCodes();
                    break;
                case 2:
                    dynamicCodes();
                    break;
                default:
                    in_.fail();
            }
        }
        if (out_.size() != size_) wrongSize("fewer");
        return std::move(out_);
    }

private:
    [[noreturn]] void wrongSize(const char* than) const {
        throw InputError("The compressed data holds " + std::string(than) + " than the " + std::to_string(size_) +
                         " bytes that it should.");
    }
    void requireRoom(std::size_t more) const {
        if (more > size_ - out_.size()) wrongSize("more");
    }
    void stored() {
        in_.toNextByte();
        const auto header = in_.bytes(4);
        const unsigned length = header[0] | header[1] << 8, check = header[2] | header[3] << 8;
        if (length != (check ^ 0xFFFFu)) in_.fail();
        requireRoom(length);
        const auto piece = in_.bytes(length);
        out_.insert(out_.end(), piece.begin(), piece.end());
    }
    void fixedCodes() {
        static const Huffman literals = [] {
            std::array<unsigned char, kLiterals> lengths;
            for (int s = 0; s < kLiterals; ++s)
                lengths[static_cast<std::size_t>(s)] = static_cast<unsigned char>(s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8);
            return codeOf(lengths.data(), kLiterals);
        }();
        static const Huffman distances = [] {
            std::array<unsigned char, kDistances> fives;
            fives.fill(5);
            return codeOf(fives.data(), kDistances);
        }();
        codes(literals, distances);
    }
    void dynamicCodes() {
        static constexpr std::array<unsigned char, 19> kOrder{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
        const int literals = static_cast<int>(in_.bits(5)) + 257, distances = static_cast<int>(in_.bits(5)) + 1;
        const std::size_t given = in_.bits(4) + 4;
        if (literals > 286 || distances > 30) in_.fail();
        std::array<unsigned char, kLiterals + kDistances> lengths{};
        for (std::size_t i = 0; i < given; ++i) lengths[kOrder[i]] = static_cast<unsigned char>(in_.bits(3));
        Huffman code;
        if (!code.set(lengths.data(), 19)) in_.fail();
        readLengths(code, lengths.data(), literals + distances);
        if (lengths[256] == 0) in_.fail();
        Huffman literalCode, distanceCode;
        if (!literalCode.set(lengths.data(), literals) || !distanceCode.set(lengths.data() + literals, distances)) in_.fail();
        codes(literalCode, distanceCode);
    }
    void readLengths(const Huffman& code, unsigned char* lengths, int count) {
        for (int at = 0; at < count;) {
            const unsigned symbol = code.symbol(in_);
            if (symbol < 16) {
                lengths[at++] = static_cast<unsigned char>(symbol);
                continue;
            }
            if (symbol == 16 && at == 0) in_.fail();
            const unsigned char repeated = symbol == 16 ? lengths[at - 1] : 0;
            const int times = static_cast<int>(symbol == 16 ? 3 + in_.bits(2) : symbol == 17 ? 3 + in_.bits(3) : 11 + in_.bits(7));
            if (times > count - at) in_.fail();
            std::fill_n(lengths + at, times, repeated);
            at += times;
        }
    }
    void codes(const Huffman& literals, const Huffman& distances) {
        for (;;) {
            const unsigned symbol = literals.symbol(in_);
            if (symbol == 256) return;
            if (symbol > 256) {
                copy(symbol - 257, distances);
                continue;
            }
            requireRoom(1);
            out_.push_back(static_cast<unsigned char>(symbol));
        }
    }
    void copy(unsigned lengthCode, const Huffman& distances) {
        static constexpr std::uint16_t kLengths[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                     31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
        static constexpr std::uint16_t kStarts[] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                                    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
        if (lengthCode >= std::size(kLengths)) in_.fail();
        const int lengthBits = lengthCode < 8 || lengthCode == 28 ? 0 : static_cast<int>(lengthCode / 4) - 1;
        const std::size_t length = kLengths[lengthCode] + in_.bits(lengthBits);
        const unsigned distanceCode = distances.symbol(in_);
        if (distanceCode >= std::size(kStarts)) in_.fail();
        const std::size_t distance = kStarts[distanceCode] + in_.bits(distanceCode < 4 ? 0 : static_cast<int>(distanceCode / 2) - 1);
        if (distance > out_.size()) in_.fail();
        requireRoom(length);
        for (std::size_t i = 0; i < length; ++i) out_.push_back(out_[out_.size() - distance]);
    }

    BitStream in_;
    std::size_t size_;
    std::vector<unsigned char> out_;
};

}  // namespace

std::vector<unsigned char> inflated(std::span<const unsigned char> stream, std::size_t size) { return Inflater(stream, size).all(); }

}  // namespace kappaflow

#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/errors.h"

namespace kappaflow {

// The two wasm modules and the native program exchange bytes with themselves only; all of them are little-endian.
static_assert(std::endian::native == std::endian::little);

/// Appends numbers, texts and lists to a message; lists and texts start with their length as 32 bits.
class ByteWriter {
public:
    template <typename Number>
    void number(Number value) {
        raw(&value, sizeof value);
    }
    void flag(bool value) { number<std::uint8_t>(value ? 1 : 0); }
    void count(std::size_t value) { number(static_cast<std::uint32_t>(value)); }
    void text(std::string_view value) {
        count(value.size());
        raw(value.data(), value.size());
    }
    void doubles(const std::vector<double>& values) {
        count(values.size());
        raw(values.data(), values.size() * sizeof(double));
    }
    void raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
    std::vector<unsigned char> take() const {
        std::vector<unsigned char> bytes(bytes_.size());
        std::memcpy(bytes.data(), bytes_.data(), bytes.size());
        return bytes;
    }

private:
    // A string, because its append copies blocks, where the web's vector goes byte by byte (2 ms for a report of 260 kB).
    std::string bytes_;
};

/// Reads what ByteWriter wrote; every length is checked against the bytes that are left before anything is allocated.
class ByteReader {
public:
    explicit ByteReader(std::span<const unsigned char> bytes) : bytes_(bytes) {}

    template <typename Number>
    Number number() {
        Number value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    bool flag() { return enumeration(1) == 1; }
    /// A small whole number that must not exceed `last`.
    unsigned enumeration(unsigned last) {
        const unsigned value = number<std::uint8_t>();
        if (value > last) fail();
        return value;
    }
    /// Length of a list whose entries take at least `entrySize` bytes each.
    std::size_t count(std::size_t entrySize) {
        const std::size_t value = number<std::uint32_t>();
        if (value > bytes_.size() / entrySize) fail();
        return value;
    }
    std::string text() {
        const auto bytes = take(count(1));
        return {bytes.begin(), bytes.end()};
    }
    std::vector<double> doubles() {
        std::vector<double> values(count(sizeof(double)));
        const auto bytes = take(values.size() * sizeof(double));
        if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    std::vector<unsigned char> blob() {
        const auto bytes = take(count(1));
        return {bytes.begin(), bytes.end()};
    }
    void end() const {
        if (!bytes_.empty()) fail();
    }
    [[noreturn]] static void fail() { throw InputError("The message between page and worker is damaged."); }

private:
    std::span<const unsigned char> take(std::size_t size) {
        if (size > bytes_.size()) fail();
        const auto front = bytes_.first(size);
        bytes_ = bytes_.subspan(size);
        return front;
    }
    std::span<const unsigned char> bytes_;
};

}  // namespace kappaflow

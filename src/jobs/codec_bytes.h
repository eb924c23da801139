#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
    /// In 32 bits each when all of them are whole numbers that fit: indices and counts are most of a large report.
    void doubles(const std::vector<double>& values) {
        const bool small = narrows(values);
        flag(small);
        count(values.size());
        if (small)
            raw(narrow_.data(), values.size() * sizeof(std::int32_t));
        else
            raw(values.data(), values.size() * sizeof(double));
    }
    void blob(const std::vector<unsigned char>& bytes) {
        count(bytes.size());
        raw(bytes.data(), bytes.size());
    }
    // Grown and copied into as a block: the web's vector inserts byte by byte (2 ms for 260 kB).
    void raw(const void* data, std::size_t size) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + size);
        if (size > 0) std::memcpy(bytes_.data() + at, data, size);
    }
    void expect(std::size_t size) { bytes_.reserve(bytes_.size() + size); }
    std::vector<unsigned char> take() { return std::move(bytes_); }

private:
    /// Whether all of them are whole numbers of 32 bits; then they stand in `narrow_`.
    bool narrows(const std::vector<double>& values) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double value = values[i];
            if (!(value >= -2147483648.0 && value <= 2147483647.0)) return false;
            const auto whole = static_cast<std::int32_t>(value);
            if (whole != value || (whole == 0 && std::signbit(value))) return false;
            if (i >= narrow_.size()) narrow_.resize(values.size());
            narrow_[i] = whole;
        }
        return true;
    }
    std::vector<unsigned char> bytes_;
    std::vector<std::int32_t> narrow_;
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
        if (!flag()) return values<double>();
        const std::vector<std::int32_t> narrow = values<std::int32_t>();
        return {narrow.begin(), narrow.end()};
    }
    template <typename Number>
    std::vector<Number> values() {
        std::vector<Number> numbers(count(sizeof(Number)));
        const auto bytes = take(numbers.size() * sizeof(Number));
        if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
        return numbers;
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

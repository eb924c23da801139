#include "jobs/export_json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/detail/conversions/to_chars.hpp>

namespace kappaflow {
namespace {

/// Bytes of the character that starts at `at`; negative: that many bytes make none (the beginning of one that breaks off counts as
/// one mistake, RFC 3629).
int characterLength(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead > 0xF4) return -1;
    const int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    // No second way to write a character, no halves of surrogate pairs, nothing above U+10FFFF.
    const unsigned lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80, highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < lowest || byte(1) > highest) return -1;
    for (int i = 2; i < length; ++i)
        if ((byte(static_cast<std::size_t>(i)) & 0xC0) != 0x80) return -i;
    return length;
}

void appendEscaped(std::string& out, unsigned char c) {
    static constexpr std::string_view kSpecial = "\b\f\n\r\t\"\\", kLetters = "bfnrt\"\\";
    static constexpr char kHex[] = "0123456789abcdef";
    const auto special = kSpecial.find(static_cast<char>(c));
    if (special != kSpecial.npos)
        (out += '\\') += kLetters[special];
    else if (c < 0x20)
        ((out += "\\u00") += kHex[c >> 4]) += kHex[c & 15];
    else
        out += static_cast<char>(c);
}

}  // namespace

void JsonText::breakLine() {
    if (indented_) text_.append("\n").append(2 * depth_, ' ');
}

void JsonText::separate() {
    if (named_) {
        named_ = false;
        return;
    }
    if (!first_) text_ += ',';
    first_ = false;
    if (depth_ > 0) breakLine();
}

JsonText& JsonText::open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
    ++depth_;
    return *this;
}

JsonText& JsonText::close(char bracket) {
    --depth_;
    if (!first_) breakLine();
    text_ += bracket;
    first_ = false;
    return *this;
}

JsonText& JsonText::name(std::string_view key) {
    text(key);
    text_ += indented_ ? ": " : ":";
    named_ = true;
    return *this;
}

JsonText& JsonText::text(std::string_view value) {
    separate();
    text_ += '"';
    for (std::size_t at = 0; at < value.size();) {
        const int length = characterLength(value, at);
        const auto bytes = static_cast<std::size_t>(std::abs(length));
        if (length == 1)
            appendEscaped(text_, static_cast<unsigned char>(value[at]));
        else
            text_ += length > 0 ? value.substr(at, bytes) : "\xEF\xBF\xBD";
        at += bytes;
    }
    text_ += '"';
    return *this;
}

JsonText& JsonText::number(double x) {
    separate();
    if (!std::isfinite(x)) {
        text_ += "null";
        return *this;
    }
    // JSON needs no ".0"; minus zero keeps its sign by it.
    if (x == std::floor(x) && std::abs(x) < 1e15 && !(x == 0 && std::signbit(x))) {
        text_ += std::to_string(static_cast<std::int64_t>(x));
        return *this;
    }
    // Grisu2: up to three times as fast as trying printf with 15, 16 and 17 digits, and arrays have millions of numbers.
    char digits[64];
    text_.append(digits, nlohmann::detail::to_chars(digits, digits + sizeof digits, x));
    return *this;
}

JsonText& JsonText::flag(bool value) {
    separate();
    text_ += value ? "true" : "false";
    return *this;
}

JsonText& JsonText::numbers(const std::vector<double>& values) {
    open('[');
    for (const double value : values) number(value);
    return close(']');
}

JsonText& JsonText::texts(const std::vector<std::string>& values) {
    open('[');
    for (const auto& value : values) text(value);
    return close(']');
}

std::string JsonText::take() && { return std::move(text_ += '\n'); }

}  // namespace kappaflow

#include "core/io/printable.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace kappaflow {
namespace {

constexpr std::size_t kMaxCharacters = 60;

bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// Bytes of the valid UTF-8 character that `text` starts with; 0 when it is none: stray, cut off, overlong, a surrogate or too large.
std::size_t characterLength(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
    std::uint32_t code = lead & (0xFF >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if (!continues(byte(i))) return 0;
        code = code << 6 | (byte(i) & 0x3F);
    }
    constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < kSmallest[length] || surrogate || code > 0x10FFFF ? 0 : length;
}

// C0, DEL, and C1, which is two bytes in UTF-8.
bool isControl(std::string_view character) {
    const auto lead = static_cast<unsigned char>(character[0]);
    return lead < 0x20 || lead == 0x7F || (lead == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

}  // namespace

std::string validText(std::string_view text) {
    std::string valid;
    while (!text.empty()) {
        const std::size_t length = characterLength(text);
        valid += length == 0 ? "\uFFFD" : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return valid;
}

std::string printable(std::string_view text) {
    std::string shown;
    for (std::size_t characters = 0; !text.empty(); ++characters) {
        if (characters == kMaxCharacters) return shown + "…";
        const std::size_t length = characterLength(text);
        if (length == 0 || isControl(text.substr(0, length)))
            shown += "\uFFFD";
        else
            shown += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return shown;
}

std::string quoted(std::string_view text) { return "\"" + printable(text) + "\""; }

void appendUtf8(std::string& text, std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
        add(0xC0 | code >> 6);
    } else if (code < 0x10000) {
        add(0xE0 | code >> 12);
        add(0x80 | (code >> 6 & 63));
    } else {
        add(0xF0 | code >> 18);
        add(0x80 | (code >> 12 & 63));
        add(0x80 | (code >> 6 & 63));
    }
    add(0x80 | (code & 63));
}

std::string whole(double number) {
    std::string text(400, ' ');  // the largest double has 309 digits
    text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.0f", number)));
    return text;
}

std::string withFileName(const std::string& sentence, std::string_view name) {
    for (const std::string_view start : {"The file", "The model"}) {
        if (sentence.rfind(start, 0) != 0) continue;
        const std::string rest = sentence.substr(start.size());
        // "The file's header" → `In the file "a.npz" the header`.
        if (rest.rfind("'s ", 0) == 0) return "In the file " + quoted(name) + " the " + rest.substr(3);
        return std::string(start) + " " + quoted(name) + rest;
    }
    return sentence;
}

}  // namespace kappaflow

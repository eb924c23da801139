#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace kappaflow {

/// Bytes of a base64 text (RFC 4648, padded), as files are kept in JSON.
inline std::vector<unsigned char> bytesOfBase64(const std::string& text) {
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<unsigned char> bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (char letter : text) {
        if (letter == '=') break;
        const std::size_t value = alphabet.find(letter);
        if (value == std::string::npos) throw std::invalid_argument("not base64");
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        if ((count += 6) < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<unsigned char>(bits >> count));
    }
    return bytes;
}

}  // namespace kappaflow

#include "draw/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace kappaflow {
namespace {

const std::string kMinus = "−";

std::string printed(const char* format, int precision, double value) {
    char text[400];
    std::snprintf(text, sizeof text, format, precision, value);
    return text;
}

void dropTrailingZeros(std::string& text) {
    if (text.find('.') == std::string::npos) return;
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
}

}  // namespace

std::string fixedText(double value, int decimals) {
    const std::string digits = printed("%.*f", decimals, std::abs(value));
    const bool zero = digits.find_first_not_of("0.") == std::string::npos;
    return std::signbit(value) && !zero ? kMinus + digits : digits;
}

std::string powerOfTenText(int exponent) { return "10^{" + (exponent < 0 ? kMinus : "") + std::to_string(std::abs(exponent)) + "}"; }

std::string numberText(double value, int digits) {
    if (std::isnan(value)) return "–";
    const std::string sign = value < 0 ? kMinus : "";
    if (std::isinf(value)) return sign + "∞";
    if (value == 0) return "0";
    // Let printf round: 9.9996 with four digits is 10.00, a power of ten further up.
    const std::string scientific = printed("%.*e", digits - 1, std::abs(value));
    const std::size_t e = scientific.find('e');
    const int exponent = std::stoi(scientific.substr(e + 1));
    if (exponent >= 5 || exponent < -3) {
        std::string mantissa = scientific.substr(0, e);
        dropTrailingZeros(mantissa);
        return sign + (mantissa == "1" ? "" : mantissa + "·") + powerOfTenText(exponent);
    }
    std::string text = printed("%.*f", std::max(0, digits - 1 - exponent), std::abs(value));
    dropTrailingZeros(text);
    return sign + text;
}

}  // namespace kappaflow

#include "scene/param.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "core/base/decimal.h"
#include "core/base/errors.h"

namespace kappaflow {
namespace {

constexpr std::size_t kMaxQuoted = 40;

/// Digits "12345" and exponent of the first one from "1.2345e+67".
struct Decimal {
    bool negative = false;
    std::string digits;
    int exponent = 0;
};

Decimal fewestDigits(double x) {
    char text[40];
#ifdef __cpp_lib_to_chars
    *std::to_chars(text, text + sizeof text, x, std::chars_format::scientific).ptr = 0;
#else
    // Up to 15 digits every decimal survives the way through a double, so trying fewer finds nothing that dropping zeros does not.
    for (int precision = 15; precision <= 17; ++precision) {
        std::snprintf(text, sizeof text, "%.*e", precision - 1, x);
        if (decimalNumber(text) == x) break;
    }
#endif
    Decimal decimal;
    const char* p = text;
    if (*p == '-') decimal.negative = true, ++p;
    for (; *p && *p != 'e'; ++p)
        if (*p != '.') decimal.digits += *p;
    decimal.exponent = std::atoi(p + 1);
    while (decimal.digits.size() > 1 && decimal.digits.back() == '0') decimal.digits.pop_back();
    return decimal;
}

std::string write(const Decimal& decimal) {
    const int count = static_cast<int>(decimal.digits.size()), exponent = decimal.exponent;
    std::string text = decimal.digits;
    if (exponent < -5 || exponent > 15) {
        if (count > 1) text.insert(1, ".");
        text += "e" + std::to_string(exponent);
    } else if (exponent < 0) {
        text = "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + text;
    } else if (count <= exponent + 1) {
        text += std::string(static_cast<std::size_t>(exponent + 1 - count), '0');
    } else {
        text.insert(static_cast<std::size_t>(exponent) + 1, ".");
    }
    return (decimal.negative ? "-" : "") + text;
}

std::optional<double> readNumber(std::string_view text) {
    // A reader of numbers alone would also take blanks, hexadecimal, "nan" and "infinity".
    if (text.find_first_not_of("0123456789+-.eE") != text.npos) return std::nullopt;
    const double x = decimalNumber(std::string(text));
    if (!std::isfinite(x)) return std::nullopt;
    return x + 0.0;  // -0 becomes 0
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string formatList(const std::vector<double>& values, const char* between = ",") {
    std::string text;
    for (double value : values) text += (text.empty() ? "" : between) + formatNumber(value);
    return text;
}

std::string plainText(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* number = std::get_if<double>(&value)) return formatNumber(*number);
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return formatList(std::get<std::vector<double>>(value));
}

[[noreturn]] void refuse(const Param& param, std::string_view text) {
    throw InputError(std::string(param.key) + " takes " + admissible(param) + ", not " + quote(text) + ".");
}

bool isNumeric(Kind kind) { return kind == Kind::Number || kind == Kind::Integer || kind == Kind::Seed; }

std::pair<double, double> rangeOf(const Param& param) {
    double lo = param.min, hi = param.max;
    if (param.odd) {
        if (std::fmod(lo, 2) == 0) ++lo;
        if (std::fmod(hi, 2) == 0) --hi;
    }
    return {lo, hi};
}

std::string clampWarning(const std::string& key, double from, double to) {
    const bool lowered = to < from;
    return key + " was " + (lowered ? "lowered" : "raised") + " from " + formatNumber(from) + " to " + formatNumber(to) + ", the " +
           (lowered ? "largest" : "smallest") + " it takes.";
}

ParsedValue admitNumber(const Param& param, double x) {
    if (!std::isfinite(x)) refuse(param, formatNumber(x));
    x += 0.0;
    for (const auto& name : param.options)
        if (name.number == x) return {x, ""};
    if (param.kind != Kind::Number && x != std::floor(x)) refuse(param, formatNumber(x));
    if (param.odd && std::fmod(x, 2) == 0) refuse(param, formatNumber(x));
    const auto [lo, hi] = rangeOf(param);
    const double clamped = std::clamp(x, lo, hi);
    return {clamped, clamped == x ? "" : clampWarning(param.key, x, clamped)};
}

/// Scales a profile down to its largest admissible peak; the others are clamped one by one, with one warning for all.
std::string bringIntoRange(const Param& param, std::vector<double>& values) {
    if (param.kind == Kind::Profile) {
        const double peak = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
        if (!(peak > param.max)) return "";
        for (double& value : values) value = value / peak * param.max;
        return std::string(param.key) + " was scaled down so that its peak is " + formatNumber(param.max) + "; only its shape counts.";
    }
    std::string warning;
    for (double& value : values) {
        const double clamped = std::clamp(value, param.min, param.max);
        if (clamped != value && warning.empty()) warning = clampWarning(std::string("A number in ") + param.key, value, clamped);
        value = clamped;
    }
    return warning;
}

ParsedValue admitList(const Param& param, std::vector<double> values) {
    const auto* standard = std::get_if<std::vector<double>>(&param.standard);
    if (values.empty() && !(standard && standard->empty())) refuse(param, "");
    if (values.size() > static_cast<std::size_t>(param.maxLength))
        throw InputError(std::string(param.key) + " takes at most " + std::to_string(param.maxLength) + " numbers, not " +
                         std::to_string(values.size()) + ".");
    const bool widths = param.kind == Kind::Architecture;
    if (widths && values.size() < 2) refuse(param, formatList(values, "-"));
    for (double& value : values) {
        const bool wrong = (param.kind == Kind::Profile && value < 0) || (widths && value != std::floor(value));
        if (!std::isfinite(value) || wrong) refuse(param, formatNumber(value));
        value += 0.0;
    }
    std::string warning = bringIntoRange(param, values);
    return {std::move(values), std::move(warning)};
}

ParsedValue parseList(const Param& param, std::string_view text) {
    const char between = param.kind == Kind::Architecture ? '-' : ',';
    std::vector<double> values;
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto comma = rest.find(between);
        const auto number = readNumber(trimmed(rest.substr(0, comma)));
        if (!number || comma == rest.size() - 1) refuse(param, text);
        values.push_back(*number);
        rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 1);
    }
    return admitList(param, std::move(values));
}

ParsedValue parseKey(const Param& param, std::string_view text) {
    const bool known = std::any_of(param.options.begin(), param.options.end(), [&](const OptionRow& option) { return option.key == text; });
    const bool implied = (text.empty() && param.kind == Kind::Network) || (text == "file" && takesFile(param.kind));
    if (!known && !implied) refuse(param, text);
    return {std::string(text), ""};
}

std::string alternatives(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return text;
}

}  // namespace

const Value& Values::at(std::string_view key) const {
    const auto found = values_.find(key);
    assert(found != values_.end() && "only declared params are read");
    return found->second;
}

std::string formatNumber(double x) {
    if (!std::isfinite(x)) return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
    return write(fewestDigits(x));
}

double parseNumber(std::string_view text) {
    const auto number = readNumber(text);
    if (!number) throw InputError(quote(text) + " is not a number.");
    return *number;
}

std::string quote(std::string_view text) {
    std::string line(text.substr(0, kMaxQuoted));
    if (text.size() > kMaxQuoted) {
        // A cut character loses its first bytes too: continuation bytes are 10xxxxxx.
        std::size_t end = kMaxQuoted;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
        line = line.substr(0, end) + "…";
    }
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return "\"" + line + "\"";
}

std::string admissible(const Param& param) {
    const auto [lo, hi] = rangeOf(param);
    const std::string range = "from " + formatNumber(lo) + " to " + formatNumber(hi);
    std::vector<std::string> words;
    switch (param.kind) {
        case Kind::Number:
            words = {"a number " + range};
            break;
        case Kind::Integer:
        case Kind::Seed:
            words = {(param.odd ? "an odd whole number " : "a whole number ") + range};
            break;
        case Kind::Boolean:
            return "true or false";
        case Kind::List:
            return "up to " + std::to_string(param.maxLength) + " numbers " + range + " by commas";
        case Kind::Profile:
            return "up to " + std::to_string(param.maxLength) + " numbers from 0 up by commas";
        case Kind::Architecture:
            return "2 to " + std::to_string(param.maxLength) + " widths " + range + " by dashes";
        case Kind::Network:
        case Kind::Data:
            words = {"file"};
            break;
        case Kind::Choice:
            break;
    }
    for (const auto& option : param.options)
        if (*option.key && !option.isFile()) words.emplace_back(option.key);
    return alternatives(words);
}

Value named(const Param& param, const Value& value) {
    if (const auto* number = std::get_if<double>(&value); number && isNumeric(param.kind))
        for (const auto& option : param.options)
            if (option.number == *number) return std::string(option.key);
    return value;
}

std::string formatValue(const Param& param, const Value& value) {
    const auto* widths = param.kind == Kind::Architecture ? std::get_if<std::vector<double>>(&value) : nullptr;
    return widths ? formatList(*widths, "-") : plainText(named(param, value));
}

ParsedValue parseValue(const Param& param, std::string_view text) {
    switch (param.kind) {
        case Kind::Boolean:
            if (text != "true" && text != "false") refuse(param, text);
            return {text == "true", ""};
        case Kind::Choice:
        case Kind::Network:
        case Kind::Data:
            return parseKey(param, text);
        case Kind::List:
        case Kind::Profile:
        case Kind::Architecture:
            return parseList(param, text);
        case Kind::Number:
        case Kind::Integer:
        case Kind::Seed:
            break;
    }
    for (const auto& name : param.options)
        if (name.key == text) return {name.number, ""};
    const auto number = readNumber(text);
    if (!number) refuse(param, text);
    return admitNumber(param, *number);
}

ParsedValue admitValue(const Param& param, const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return parseValue(param, *text);
    if (const auto* number = std::get_if<double>(&value); number && isNumeric(param.kind)) return admitNumber(param, *number);
    if (std::holds_alternative<bool>(value) && param.kind == Kind::Boolean) return {value, ""};
    const auto* list = std::get_if<std::vector<double>>(&value);
    if (list && (param.kind == Kind::List || param.kind == Kind::Profile || param.kind == Kind::Architecture))
        return admitList(param, *list);
    refuse(param, plainText(value));
}

}  // namespace kappaflow

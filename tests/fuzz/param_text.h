#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "scene/param.h"

namespace kappaflow::fuzz {

/// A value for a param from four bytes: small ones more often than large ones, which are refused for their cost.
inline std::string textOf(const Param& param, std::uint32_t raw) {
    const auto number = [&](std::uint32_t bits, double most) {
        const double share = bits / 4294967296.0, value = param.min + (std::min(most, param.max) - param.min) * std::pow(share, 4);
        return formatNumber(param.kind == Kind::Number || param.kind == Kind::List ? value : std::round(value));
    };
    const auto several = [&](std::size_t most, double largest, const char* between) {
        std::string text;
        for (std::size_t i = 0, n = 1 + raw % most; i < n; ++i) {
            raw = raw * 1664525u + 1013904223u;
            text += (i ? between : "") + number(raw, largest);
        }
        return text;
    };
    const auto longest = static_cast<std::size_t>(std::max(1, param.maxLength));
    switch (param.kind) {
        case Kind::Boolean:
            return raw % 2 ? "true" : "false";
        case Kind::List:
        case Kind::Profile:
            return several(std::min<std::size_t>(longest, 6), param.max, ",");
        case Kind::Architecture:
            return number(raw, param.min + 4) + "-" + several(std::min<std::size_t>(longest - 1, 4), param.min + 6, "-");
        case Kind::Choice:
        case Kind::Network:
        case Kind::Data:
            return param.options.empty() ? "file" : param.options[raw % param.options.size()].key;
        default:
            return param.options.empty() || raw % 8 ? number(raw, param.max) : param.options[raw / 8 % param.options.size()].key;
    }
}

}  // namespace kappaflow::fuzz

#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "scene/state.h"

namespace kappaflow {

/// Values a param takes that stand at its borders: both ends of a range, every option, every name, the longest list.
inline std::vector<Value> extremesOf(const Param& param) {
    std::vector<Value> values{param.standard};
    for (const auto& option : param.options) {
        if (option.isFile() && takesFile(param.kind)) continue;  // needs the file itself
        if (param.kind == Kind::Choice || takesFile(param.kind))
            values.emplace_back(std::string(option.key));
        else
            values.emplace_back(option.number);
    }
    const auto length = static_cast<std::size_t>(param.maxLength);
    switch (param.kind) {
        case Kind::Boolean:
            values.insert(values.end(), {Value(true), Value(false)});
            break;
        case Kind::Number:
        case Kind::Integer:
            values.insert(values.end(), {Value(param.min), Value(param.max)});
            break;
        case Kind::Seed:
            values.insert(values.end(), {Value(0.0), Value(4294967295.0)});
            break;
        case Kind::List:
            values.insert(values.end(), {Value(std::vector<double>{param.min}), Value(std::vector<double>(length, param.max))});
            break;
        case Kind::Architecture:
            values.insert(values.end(), {Value(std::vector<double>{param.min, param.min}), Value(std::vector<double>(length, param.max))});
            break;
        case Kind::Profile:
            values.insert(values.end(), {Value(std::vector<double>{1.0}), Value(std::vector<double>(length, 1.0))});
            break;
        case Kind::Choice:
        case Kind::Network:
        case Kind::Data:
            break;
    }
    return values;
}

inline Value randomValue(const Param& param, Rng& rng) {
    const auto extremes = extremesOf(param);
    if (rng.below(2) == 0) return extremes[rng.below(extremes.size())];
    switch (param.kind) {
        case Kind::Number:
            return std::min(param.max, param.min + (param.max - param.min) * rng.uniform());
        case Kind::Integer: {
            const double whole = param.min + static_cast<double>(rng.below(static_cast<std::uint64_t>(param.max - param.min) + 1));
            return param.odd && std::fmod(whole, 2) == 0 ? (whole + 1 <= param.max ? whole + 1 : whole - 1) : whole;
        }
        case Kind::Seed:
            return static_cast<double>(rng.below(std::uint64_t{1} << 32));
        case Kind::Profile:
        case Kind::List: {
            std::vector<double> list(1 + rng.below(std::min<std::uint64_t>(20, static_cast<std::uint64_t>(param.maxLength))));
            for (double& entry : list) entry = std::max(0.0, param.min) + rng.uniform();
            return list;
        }
        case Kind::Architecture: {
            std::vector<double> widths(2 + rng.below(static_cast<std::uint64_t>(param.maxLength) - 1));
            for (double& width : widths)
                width = param.min + static_cast<double>(rng.below(static_cast<std::uint64_t>(param.max - param.min) + 1));
            return widths;
        }
        default:
            return extremes[rng.below(extremes.size())];
    }
}

inline State randomState(const Declaration& declaration, Rng& rng) {
    State state = initialState(declaration.id);
    // What depends on other values comes after them, within the range they leave it.
    for (const bool dependent : {false, true})
        for (const auto& param : declaration.params) {
            if ((param.beside != nullptr) != dependent) continue;
            const Param here = adapted(param, state.params);
            state.params.set(param.key, rng.below(3) > 0 ? randomValue(here, rng) : here.standard);
        }
    const std::vector<std::string> plots{"profile", "spread √L", "a&b=c#d?e%25+", "\xF0\x9D\x92\x9F", "."};
    for (const auto& plot : plots)
        if (rng.below(4) == 0)
            state.zooms[plot] = {rng.gaussian(), 5 + rng.uniform(), -1e300 * rng.uniform(), std::numeric_limits<double>::denorm_min()};
    return state;
}

}  // namespace kappaflow

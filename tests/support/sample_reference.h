#pragma once
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testData.h"

namespace kappaflow {

/// What tests/reference/sample_capacity.py computed of the sample networks without our code; the fields are told there.
inline nlohmann::json sampleReference() {
    const auto bytes = testData("sample_capacity.json");
    return nlohmann::json::parse(bytes.begin(), bytes.end())["networks"];
}

/// Fractional part of (i + 1) times the golden ratio: numbers that tell every unit from every other.
inline double golden(std::size_t i) { return std::fmod(static_cast<double>(i + 1) * 0.6180339887498949, 1); }

/// The sum that a permutation of the units would change.
inline double goldenChecksum(const std::vector<double>& units) {
    double sum = 0;
    for (std::size_t i = 0; i < units.size(); ++i) sum += golden(i) * units[i];
    return sum;
}

/// The output units' capacity in a case of the reference: all in unit `top`, or the same in each.
inline std::vector<double> referenceTop(const nlohmann::json& top, std::size_t outputs) {
    std::vector<double> held(outputs, top.is_number() ? 0.0 : 1.0 / static_cast<double>(outputs));
    if (top.is_number()) held[top.get<std::size_t>()] = 1;
    return held;
}

}  // namespace kappaflow

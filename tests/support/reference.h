#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "testData.h"

namespace kappaflow {

/// A reference file of tests/data; keep the result in a variable while walking through it.
inline nlohmann::json reference(const std::string& file) {
    const auto bytes = testData(file);
    return nlohmann::json::parse(bytes.begin(), bytes.end());
}

}  // namespace kappaflow

#pragma once
#include <cstdlib>
#include <string_view>

namespace kappaflow {

/// Whether tests go over all presets, options and draws (KAPPAFLOW_COMPLETE=1), not over what shows each claim once.
inline bool completeSet() {
    const char* asked = std::getenv("KAPPAFLOW_COMPLETE");
    return asked && std::string_view(asked) == "1";
}

}  // namespace kappaflow

#pragma once
#include <string_view>

namespace kappaflow {

#ifndef KAPPAFLOW_ROOM
#define KAPPAFLOW_ROOM ""
#endif

/// Whether this program has a room's scenes: all of them natively and in the page, a single room's where KAPPAFLOW_ROOM names one.
/// Asked under `if constexpr`, so that nothing refers to the scenes left out and the linker drops them.
constexpr bool hasRoom(std::string_view room) {
    constexpr std::string_view only = KAPPAFLOW_ROOM;
    return only.empty() || room == only;
}

}  // namespace kappaflow

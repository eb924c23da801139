#pragma once
#include <string_view>

namespace kappaflow {

#ifndef KAPPAFLOW_BUNDLE
#define KAPPAFLOW_BUNDLE ""
#endif

/// Whether this program has a bundle's scenes: all of them natively and in the page, a single bundle's where KAPPAFLOW_BUNDLE names one.
/// Asked under `if constexpr`, so that nothing refers to the scenes left out and the linker drops them.
constexpr bool hasBundle(std::string_view bundle) {
    constexpr std::string_view only = KAPPAFLOW_BUNDLE;
    return only.empty() || bundle == only;
}

}  // namespace kappaflow

#pragma once
#include <emscripten/val.h>

#include <string>

namespace kappaflow {

/// run(id, params, {network, data, withNetwork, onProgress, onPartial}): the report, or {error}. Synchronous; onProgress(fraction)
/// and onPartial(report) are called on the way, the latter at most every 100 ms.
emscripten::val run(const std::string& scene, const emscripten::val& params, const emscripten::val& options);
/// [{id, label, about}] of the networks that come with the program.
emscripten::val exampleNetworks();

}  // namespace kappaflow

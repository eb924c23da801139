#pragma once
#include <string>
#include <vector>

#include "cli/commands.h"
#include "scene/scene.h"
#include "scene/state.h"

namespace kappaflow {

/// The scene and values meant by SCENE, --state and --set together, and what a reader should know about them.
struct Meant {
    State state;
    Request request;  ///< filled by readRequest
    std::vector<std::string> warnings;
};

/// The scene's id, "" when neither SCENE nor --state names one. Throws InputError when they disagree or name none there is.
std::string meantScene(const CommandOptions&);
/// Throws InputError for what --set gets wrong; what the link gets wrong becomes warnings.
Meant readState(const std::string& scene, const CommandOptions&);
/// The same with the request, its files read. Throws InputError when no scene is named; the sentence begins with `command`.
Meant readRequest(const CommandOptions&, const std::string& command);

}  // namespace kappaflow

#pragma once
#include <cstdlib>
#include <span>

#include "scene/scene.h"

namespace kappaflow {

/// The scenes that a test over all scenes goes through: where KAPPAFLOW_SCENE names one, as `make check SCENE=…` does, that one alone.
inline std::span<const Declaration> testedScenes() {
    const char* scene = std::getenv("KAPPAFLOW_SCENE");
    return scene ? std::span(&requireDeclaration(scene), 1) : std::span(declarations());
}

}  // namespace kappaflow

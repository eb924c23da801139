#include <cassert>

#include "scene/scene.h"
#include "scenes/bundles.h"

namespace kappaflow {

#define SCENE(bundle, name) Model name##_model();
#include "scenes/scenes.def"
#undef SCENE

std::span<const Model> models() {
    static const std::vector<Model> all = [] {
        std::vector<Model> found;
#define SCENE(bundle, name) \
    if constexpr (hasBundle(#bundle)) found.push_back(name##_model());
#include "scenes/scenes.def"
#undef SCENE
        return found;
    }();
    return all;
}

const Model& modelOf(std::string_view id) {
    for (const auto& model : models())
        if (model.scene == id) return model;
    assert(false && "every declared scene has a model");
    return models().front();
}

}  // namespace kappaflow

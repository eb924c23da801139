#include <cassert>

#include "scenes/scene.h"

namespace kappaflow {

#define SCENE(name) Model name##_model();
#include "scenes/scenes.def"
#undef SCENE

std::span<const Model> models() {
    static const std::vector<Model> all = {
#define SCENE(name) name##_model(),
#include "scenes/scenes.def"
#undef SCENE
    };
    return all;
}

const Model& modelOf(std::string_view id) {
    for (const auto& model : models())
        if (model.scene == id) return model;
    assert(false && "every declared scene has a model");
    return models().front();
}

}  // namespace kappaflow

#include "scenes/scene.h"

namespace kappaflow {

#define SCENE(name) Declaration name##_declaration();
#include "scenes/scenes.def"
#undef SCENE

const std::vector<Declaration>& declarations() {
    static const std::vector<Declaration> all = {
#define SCENE(name) name##_declaration(),
#include "scenes/scenes.def"
#undef SCENE
    };
    return all;
}

const Declaration* findDeclaration(std::string_view id) {
    for (const auto& declaration : declarations())
        if (declaration.id == id) return &declaration;
    return nullptr;
}

}  // namespace kappaflow

#include "scene/scene.h"
#include "scenes/bundles.h"

namespace kappaflow {

#define SCENE(bundle, name) Declaration name##_declaration();
#include "scenes/scenes.def"
#undef SCENE

const std::vector<Declaration>& declarations() {
    static const std::vector<Declaration> all = [] {
        std::vector<Declaration> declared;
        const auto add = [&](const char* bundle, Declaration declaration) {
            declaration.bundle = bundle;
            declared.push_back(std::move(declaration));
        };
#define SCENE(bundle, name) \
    if constexpr (hasBundle(#bundle)) add(#bundle, name##_declaration());
#include "scenes/scenes.def"
#undef SCENE
        return declared;
    }();
    return all;
}

const Declaration* findDeclaration(std::string_view id) {
    for (const auto& declaration : declarations())
        if (declaration.id == id) return &declaration;
    return nullptr;
}

}  // namespace kappaflow

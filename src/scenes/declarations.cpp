#include "scene/scene.h"
#include "scenes/rooms.h"

namespace kappaflow {

#define SCENE(room, name) Declaration name##_declaration();
#include "scenes/scenes.def"
#undef SCENE

const std::vector<Declaration>& declarations() {
    static const std::vector<Declaration> all = [] {
        std::vector<Declaration> declared;
        const auto add = [&](const char* room, Declaration declaration) {
            declaration.room = room;
            declared.push_back(std::move(declaration));
        };
#define SCENE(room, name) \
    if constexpr (hasRoom(#room)) add(#room, name##_declaration());
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

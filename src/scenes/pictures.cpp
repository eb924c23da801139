#include "scenes/picture.h"

namespace kappaflow {

#define SCENE(bundle, name) PictureEntry name##_picture();
#include "scenes/scenes.def"
#undef SCENE

std::unique_ptr<Picture> makePicture(std::string_view scene) {
    static const std::vector<PictureEntry> all = {
#define SCENE(bundle, name) name##_picture(),
#include "scenes/scenes.def"
#undef SCENE
    };
    for (const auto& entry : all)
        if (entry.scene == scene) return entry.make();
    return nullptr;
}

}  // namespace kappaflow

#pragma once
#include "scene/scene.h"
#include "scenes/picture.h"

namespace kappaflow {

Declaration guide_scene_declaration();
Model guide_scene_model();
PictureEntry guide_scene_picture();

}  // namespace kappaflow

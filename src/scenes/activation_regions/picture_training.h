#pragma once
#include "scenes/activation_regions/picture_view.h"

namespace kappaflow::regions {

/// The data points, over the partition.
void drawSamples(PictureFrame&, const Stage&);
/// Loss against training step with the handle that scrubs it, in place of the growth plot; false: nothing is trained.
bool drawTraining(PictureFrame&, Rect panel);

}  // namespace kappaflow::regions

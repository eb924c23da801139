#pragma once
#include "scenes/capacity_flow/capacity_diffusion/picture_grid.h"

namespace kappaflow::diffusion {

/// The picture of a diffusion over layers with rows and columns: the stack of layers, the current one from above, a section through all
/// of them, and the widths along both axes.
class GridPicture {
public:
    /// False, and nothing drawn, when the report is not of this kind.
    bool draw(PictureFrame&);

private:
    GridReport report_;
};

}  // namespace kappaflow::diffusion

#pragma once
#include "scenes/picture_support.h"

namespace kappaflow::augmented {

/// What the report says, and how far the layer is redrawn.
struct View {
    const Array *sigmaTilde, *capacity, *direct, *copies, *features, *weights, *sample, *eta;
    std::size_t inputs = 0, units = 0;
    double spread = 0;    ///< 0: inputs as they are, 1: repeated, a copy for every unit
    double carried = 0;   ///< 0: η sits at the units, 1: at the copies
    double gathered = 0;  ///< 0: nothing, 1: the copies' capacities are back at the inputs
};
View readView(const PictureFrame&);

/// The colour of a unit, its edges and its copies.
Color colorOf(const PictureFrame&, std::size_t unit);

/// P1 Fig 1: inputs, their copies, units and the map above, between the layer as it is and its augmented form. Inputs are dragged.
void drawRedrawing(PictureFrame&, const View&, Rect);
/// P1 Fig 2: Σ as one block, then repeated, then Σ̃.
void drawCovariance(PictureFrame&, const View&, Vec2 at, double side);
/// Capacity per input as the sum of its copies', and of the linear layer by the direct route.
void drawCapacities(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::augmented

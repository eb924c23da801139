#pragma once
#include "scenes/picture.h"

namespace kappaflow::decoupling {

/// The decoupling scale (P1 Fig 3, Eq 15): a rail from ν = 1 to ν = 0 with every activation on it, and under it, where there is room,
/// the same by the other two definitions; a line joins the chosen activation's three places. Names choose an activation; the chosen
/// one's mark is dragged along the rail, as a leaky ReLU of the slope that has that ν.
struct Placement {
    const Array *energy, *independent, *correlation;
    std::vector<double> chosen;  ///< ν by energy, independence and correlation, as they are shown
    bool diverges = false;       ///< the first definition has no value
};
void drawScale(PictureFrame&, const Placement&, Rect);
/// Height that suits a width.
double scaleHeight(const PictureFrame&, double width, double room);

/// α with (1 + α)²/(2 (1 + α²)) = ν, of |α| <= 1.
double slopeOf(double nu);
/// Changes that make the activation a leaky ReLU of a slope.
void askForSlope(PictureFrame&, double slope);

}  // namespace kappaflow::decoupling

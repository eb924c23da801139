#pragma once
#include <string_view>
#include <vector>

#include "scenes/picture_support.h"

/// The image of a curve in the layers of a network, as pictures draw it.
namespace kappaflow::curve_image {

/// Colour of a point a share of the way along the curve.
Color alongColor(const Theme&, double share);

/// Points on the screen between two layers' images (`image` [layer, point, 2]), each as large as the rectangle lets it: what is compared
/// is their shape.
std::vector<Vec2> mixedImage(const Array& image, const Between& layers, Rect);

/// The curve, coloured along its way.
void drawColored(PictureFrame&, std::string_view id, const std::vector<Vec2>& points, double width);
/// Its two ends.
void drawEnds(PictureFrame&, const std::vector<Vec2>& points);
/// Pixels of a curve that is so many times as long as the input's.
double widthOf(double times);

}  // namespace kappaflow::curve_image

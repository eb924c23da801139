#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scenes/picture.h"

namespace kappaflow {

/// Corners of a line drawn by hand come and go: a double click or tap on the line puts one there, on a corner takes it away; the keyboard
/// changes their number, on the longest stretch and at the end. Two stay, and no more come than the list `key` (x and y in turn) takes.
/// `screen`: the corners on the screen; coordinates are kept to 1/`perUnit`. After the corners' own handles: they lie above the line.
/// True when a click was meant for the line.
bool offerCornerChanges(PictureFrame&, const char* key, std::span<const Vec2> screen, double perUnit);

namespace curve_image {

/// The image of a curve in the layers of a network, as pictures draw it.

/// Colour of a point a share of the way along the curve.
Color alongColor(const Theme&, double share);

/// Pixels of a unit of length, the same for all layers (`image` [layer][point][2]): their images fit into the rectangle, but for what
/// is more than six times as large as the median.
double scaleOf(std::span<const double> image, std::size_t points, Rect);
/// Points on the screen between two layers' images on that scale, the middle of each in the middle of the rectangle.
std::vector<Vec2> mixedImage(std::span<const double> image, std::size_t points, const Between& layers, Rect);

/// A bar of a round length at the right end of the rectangle's bottom, and the length; no taller than 20 pixels.
void drawScaleBar(PictureFrame&, double pixelsPerUnit, Rect);
/// The curve, coloured along its way.
void drawColored(PictureFrame&, std::string_view id, const std::vector<Vec2>& points, double width);
/// Its two ends.
void drawEnds(PictureFrame&, const std::vector<Vec2>& points);
/// Pixels of a curve that is so many times as long as the input's.
double widthOf(double times);

}  // namespace curve_image

namespace learning_curve {

/// What pictures of networks in training share.

/// A run's loss and accuracy [step], and where the network that is shown stands; no loss: it is beyond all numbers.
struct Training {
    const std::vector<double>&steps, &loss, &accuracy;
    double made;
    std::optional<double> lossNow;
    double accuracyNow;
};
/// Loss and accuracy against training step with the handle that scrubs the param `step`.
void drawTraining(PictureFrame&, const Training&, Rect panel);

}  // namespace learning_curve
}  // namespace kappaflow

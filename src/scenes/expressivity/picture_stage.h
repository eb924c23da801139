#pragma once
#include <vector>

#include "scenes/picture_support.h"

namespace kappaflow::region_mesh {

/// The square on the screen and the window of the plane it shows, as the state has it (params `centre` and `half`): a report's mesh may
/// still be of another one.
struct Stage {
    Rect square;
    Vec2 centre;
    double half = 1;
    Vec2 toScreen(Vec2 plane) const {
        const double scale = square.width() / (2 * half);
        return square.centre() + Vec2{(plane.x - centre.x) * scale, (centre.y - plane.y) * scale};
    }
    Vec2 toPlane(Vec2 screen) const {
        const double scale = 2 * half / square.width();
        return centre + Vec2{(screen.x - square.centre().x) * scale, (square.centre().y - screen.y) * scale};
    }
    /// A point of the plane after the pointer has moved by so much on the screen.
    Vec2 dragged(Vec2 plane, Vec2 moved) const { return toPlane(toScreen(plane) + moved); }
    /// Where a window with this centre and half side, whose mesh's coordinates are −1 … 1, comes to lie.
    PlanePlace placeOf(Vec2 otherCentre, double otherHalf) const;
    /// Six digits of the window's own size: a link need not carry more.
    double rounded(double value) const;
};
Stage stageOf(const PictureFrame&, Rect square);

/// The pointer where no handle is: dragging moves the window, the wheel and two fingers zoom about it, a double click puts it back.
void moveFreely(PictureFrame&, const Stage&);
/// For keyboard and touch: a knob in the corner that zooms, and handles that move the window.
void offerWindow(PictureFrame&, const Stage&);

/// Colour of a class, far from the others. Where regions are filled by the output, positive values are orange: so is the class that they
/// speak for, the second of two, the first of more. Without a class (below 0): grey.
Color classColor(const Theme&, double c, bool two);
/// The data points of the arrays `samplePoints` [sample, xy] and `sampleClass`; no more than some thousands are drawn.
void drawSamples(PictureFrame&, const Stage&);

/// Round coordinates along the left and the lower side, where they are clear of the corners and of each other, and the frame.
void drawFrame(PictureFrame&, const Stage&);

}  // namespace kappaflow::region_mesh

#pragma once
#include <string>
#include <vector>

#include "scenes/picture.h"

namespace kappaflow {

/// Index of an axis, between two of its values: below <= at <= above, at = below + fraction.
struct Between {
    std::size_t below = 0, above = 0;
    double fraction = 0;
};
Between between(double at, std::size_t last);

/// Row of an array at a fractional index of its first axis: the two neighbouring rows mixed; NaN where either is.
std::vector<double> rowAt(const Array&, double index);
/// The part of a row that is defined: up to the first NaN at its end.
std::vector<double> definedRow(const Array&, std::size_t index);
double largest(const std::vector<double>&, double atLeast);
/// 0, 1, … n-1.
std::vector<double> countUp(std::size_t n);
/// Index along ascending values, between them as well; their ends outside.
double indexAlong(const std::vector<double>& ascending, double value);

/// The reader's zoom of a plot, and the plot's end: its axes, and the reader's new zoom as a change.
Plot::Zoom zoomOf(const PictureFrame&, const std::string& plot);
void finishPlot(PictureFrame&, Plot&, const std::string& id, std::string_view title);

/// A box with a short text beside the pointer, kept inside `area`.
void tooltip(PictureFrame&, Vec2 at, const std::vector<std::string>& lines);

/// Ink of capacity where it stands alone, without a ramp.
Color capacityColor(const Theme&);

/// The square around a knob that can be touched.
Rect knobRect(Vec2 at);
/// The knob of a handle; a kept figure has none.
void drawKnob(PictureFrame&, std::string_view id, Vec2 at, const Handles::Grip&);

/// Draws one sentence in the middle of the area: a report without what the picture needs.
void emptyPicture(PictureFrame&, std::string_view sentence);

}  // namespace kappaflow

#pragma once
#include <string>
#include <vector>

#include "scenes/picture.h"

namespace kappaflow::wide {

/// Where the timeline stands: `at` between two of the axis's values, and the one that words and numbers speak of.
struct Step {
    std::vector<double> values;
    Between between;
    std::size_t nearest = 0;
    double place() const { return static_cast<double>(between.below) + between.fraction; }
    double value() const { return values[between.below] + (values[between.above] - values[between.below]) * between.fraction; }
};
/// Of an array's first axis, or of another one. Only the first `known` values count.
Step stepOf(const PictureFrame&, const Axis&, std::size_t known);

/// Two numbers mixed as the step stands; what is not defined counts as 0.
double mixed(const Step&, double below, double above);

/// Lags 0 … n − 1, newest at the right, as in P2's figures.
AxisSpec lagAxis(std::size_t n, bool named = true);
std::vector<double> lagsOf(std::size_t n);

/// The first sentence that fits into the row.
void drawHeadline(PictureFrame&, const std::vector<std::string>& sentences, Rect);

/// Capacity of every lag in parts that are stacked: components of the input, or functions of it.
struct Stack {
    std::vector<std::vector<double>> parts;  ///< [part][lag], at the step
    std::vector<Color> colors;               ///< [part]
    double ceiling = 1;                      ///< largest capacity of a lag at the step
    double top = 1;                          ///< the same over all steps: the axis's end
};

/// A colour for each of `count` things that have an order.
Color orderedColor(const PictureFrame&, std::size_t index, std::size_t count);

/// Names of the axes and titles of a stack and of the field below it, which has a row for each part.
struct StackWords {
    std::string capacity, part, stack, field;
};
/// A sentence, and below it at the left the stack over its field (above, on narrow screens). What remains is for the scene's own panels:
/// of no height where there is no room.
Rect drawStacked(PictureFrame&, const std::vector<std::string>& sentences, const Stack&, const StackWords&);

/// Exact totals against the timeline's axis beside what bounds them, with the line that moves along it.
struct Totals {
    const Array *total, *bound, *parameters;
    std::string axis, bounds;  ///< names of the axis and of the bound
    const char *id, *label;    ///< of the handle
    bool logarithmic = false;
};
void drawTotals(PictureFrame&, const Step&, const Totals&, Rect);

/// The upright line of the step in a plot over the timeline's axis: the handle that moves it from one value to the next.
void offerStep(PictureFrame&, const Step&, Plot&, const char* id, const char* label);

/// Dots, one for each whole number from 1 to `most`, with a knob on `value`; the new number when the reader moved it, else 0.
double offerDots(PictureFrame&, const char* id, const std::string& name, Vec2 last, double value, double most);

}  // namespace kappaflow::wide

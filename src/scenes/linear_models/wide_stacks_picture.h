#pragma once
#include <string>
#include <vector>

#include "scenes/panels.h"

namespace kappaflow::linear {

/// Where the timeline stands among the models that are known so far.
struct Place {
    std::vector<double> steps;  ///< values of its axis; none: no model is known yet
    double index = 0;           ///< between two of them as well

    std::size_t nearest() const { return static_cast<std::size_t>(index + 0.5); }
    double value() const { return rowAt(steps, 1, index)[0]; }
};
/// `known`: NaN for the models to come.
Place placeOf(const std::vector<double>& steps, const std::vector<double>& known, double at);
/// What stands in the place of the picture until a model is known.
Layout waiting(PictureFrame&);

/// The row at a fractional index, mixed of its neighbours; a value that is undefined counts as 0.
std::vector<double> definedRowAt(std::vector<double> rows, std::size_t length, double index);

/// Lags 0 … n − 1, newest at the right, as in P2's figures.
AxisSpec lagAxis(std::size_t n, bool named = true);

/// A row for the first sentence that fits into it.
Layout headline(PictureFrame&, std::vector<std::string> sentences);

/// Capacity of every lag in parts: components of the input, or functions of it.
struct Parts {
    std::vector<std::vector<double>> values;  ///< [part][lag]
    std::vector<Color> colors;                ///< [part]
    double ceiling = 1;                       ///< largest capacity of a lag
    double ceilingTold = 1;                   ///< that of the nearest model
    double top = 1;                           ///< largest ceiling of all models: the axis's end
};
/// A colour for each of `count` things that have an order.
Color orderedColor(const PictureFrame&, std::size_t index, std::size_t count);
/// The parts as bars on top of each other, under the ceiling.
void drawStack(PictureFrame&, const Parts&, const std::string& capacity, const std::string& title, Rect);
/// The parts as a heat map with a row for each.
void drawRows(PictureFrame&, const Parts&, const std::string& part, const std::string& title, Rect);

/// Exact capacity, its bound and the weights of each model against the timeline's axis.
struct Totals {
    const std::vector<double>&steps, &capacity, &bound, &parameters;
    AxisSpec axis;
    std::string bounds;  ///< name of the bound
    const char* handle;  ///< id of the line that scrubs the timeline
    Place place;
};
Curves totalsPlot(const PictureFrame&, const Totals&);

}  // namespace kappaflow::linear

#pragma once
#include <string>
#include <vector>

#include "scenes/linear_models/wide_stacks.h"
#include "scenes/panels.h"

namespace kappaflow::linear {

/// Where the timeline stands among the models that are known so far.
struct Place {
    std::vector<double> steps;  ///< values of its axis; none: no model is known yet
    double index = 0;           ///< between two of them as well

    std::size_t nearest() const { return static_cast<std::size_t>(index + 0.5); }
    double value() const { return rowAt(steps, 1, index)[0]; }
    /// The index with a rest of half a step at every model.
    double resting() const;
};
/// `known`: NaN for the models to come.
Place placeOf(const std::vector<double>& steps, const std::vector<double>& known, double at);
/// What stands in the place of the picture until a model is known.
Layout waiting(PictureFrame&);

/// The row at a fractional index, mixed of its neighbours; a value that is undefined counts as 0.
std::vector<double> definedRowAt(std::vector<double> rows, std::size_t length, double index);

/// Lags 0 … n − 1, newest at the right, as in P2's figures.
AxisSpec lagAxis(std::size_t n);

/// A row for the first sentence that fits into it.
Layout headline(PictureFrame&, std::vector<std::string> sentences);

/// Models that grow along the timeline, each of which holds the capacity of a lag in parts of at most one unit: components of the
/// input, or functions of it.
struct Stacked {
    const GrowingResult& r;
    const std::vector<double>& steps;      ///< of the timeline
    AxisSpec axis;                         ///< of the timeline
    const char *handle, *counted, *bound;  ///< id of the line that scrubs it, "channel", "inputs *nd*"
    std::vector<double> counts, ceilings;  ///< [step]: how many channels or functions, and parts
    std::vector<double> inputs;            ///< [step]: what no total exceeds
    const std::vector<double>& capacity;   ///< [step] and, as the strides say, lag and part
    std::size_t lags, lagStride, partStride;
    std::vector<std::string> parts;  ///< names, from the axis upwards
    double at;                       ///< where the timeline stands
    int picked;                      ///< the part, counted from 1, that stands on the axis; 0: all in their order
    Place place{};
};
Color partColor(const PictureFrame&, std::size_t part, std::size_t parts);
/// Bars of the parts over the lags; the totals, a curve for every step passed, and another panel.
Layout stackedLayout(PictureFrame&, Stacked, Layout other);

}  // namespace kappaflow::linear

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
    Place place;
    const std::vector<double>&steps, &totals, &parameters;  ///< [step]: of the timeline, and of the models
    std::vector<double> inputs;                             ///< [step]: what no total exceeds
    const char* bound;                                      ///< its name
    AxisSpec axis;                                          ///< of the timeline
    const char* handle;                                     ///< id of the line that scrubs it
    const std::vector<double>& capacity;                    ///< [step] and, as the strides say, lag and part
    std::size_t lags, lagStride, partStride;
    std::vector<double> counts, ceilings;  ///< [step]: how many channels or functions; number of parts
    const char* counted;                   ///< "channel"
    int picked;                            ///< the part, counted from 1, that stands on the axis; 0: all in their order
    bool ordered;                          ///< parts come in an order, which a ramp of colours shows
    std::vector<std::string> parts{};      ///< names, from the axis upwards
};
/// A colour for each of `count` things that have an order.
Color orderedColor(const PictureFrame&, std::size_t index, std::size_t count);
/// Bars of the parts over the lags; the totals, a curve for every step passed, and another panel.
Layout stackedLayout(PictureFrame&, const Stacked&, Layout other);

}  // namespace kappaflow::linear

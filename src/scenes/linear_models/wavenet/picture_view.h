#pragma once
#include <string>
#include <vector>

#include "scenes/linear_models/picture_wide.h"

namespace kappaflow::wavenet {

/// What the report says, in the shapes the picture needs.
struct View {
    const Array *grown, *total, *meanLag, *optimality, *dilations, *paths, *inputs, *parameters;
    wide::Step step;                ///< over the repeats whose capacities are known
    std::size_t lags = 0, lit = 0;  ///< inputs of all repeats; the lag whose paths are lit
    std::size_t repeats = 0, block = 0;

    std::size_t arrangements() const { return grown->axes[0].size(); }
    const std::string& key(std::size_t a) const { return grown->axes[0].keys[a]; }
    /// Of [arrangement, repeats], at the nearest number of repeats.
    double of(const Array& array, std::size_t a) const { return array.row(a)[step.nearest]; }
    /// Capacity of every lag as the step stands; NaN beyond what any of the two stacks reaches.
    std::vector<double> capacity(std::size_t a) const;
};
bool readView(const PictureFrame&, View&);

Color colorOf(const PictureFrame&, const View&, std::size_t arrangement);
/// Sentences over the picture, the longest first.
std::vector<std::string> headlines(const View&);

/// Capacity of every lag for both arrangements with the line of the lit lag; the caller finishes the plot.
void drawCurves(PictureFrame&, const View&, Plot&);
std::string litWords(const View&);

/// Where a tree stands: its inputs over the abscissae of the plot below it.
struct Ground {
    const Plot* plot;
    double top, bottom;
};
/// The stack as a tree from the output at the top right down to the inputs, the paths of the lit lag strong; `handle`: its output can be
/// pulled up and down.
void drawTree(PictureFrame&, const View&, std::size_t arrangement, const Ground&, bool handle);

}  // namespace kappaflow::wavenet

#pragma once
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// Output positions of a window on an axis of `in` cells: ⌊(in + before + after − dilation·(size − 1) − 1) / stride⌋ + 1, in double
/// because the sum may overflow; below 1 when the window does not fit.
double windowOutputs(int in, const Window&, int axis);

/// Where padded cell i of an axis, −before <= i < in + after, takes its value from; −1 for a cell of zeros.
int paddedSource(int i, int in, Padding);

/// A layer's input with its padding around it, so that inner loops run over whole rows without a branch.
struct PaddedGrid {
    int channels = 0, height = 0, width = 0;
    std::vector<double> cells;  ///< [channel][y][x]
    double* row(int channel, int y) { return &cells[(static_cast<std::size_t>(channel) * height + y) * width]; }
    const double* row(int channel, int y) const { return &cells[(static_cast<std::size_t>(channel) * height + y) * width]; }
};
PaddedGrid zeroGrid(const Layer&);
PaddedGrid padded(const Layer&, const std::vector<double>& input);
/// The transpose of `padded`: every padded cell is added to the cell it was copied from.
std::vector<double> folded(const Layer&, const PaddedGrid&);

}  // namespace kappaflow

#pragma once
#include <string>
#include <vector>

#include "scenes/picture_support.h"

namespace kappaflow::capacity_sweep {

/// What the panels read.
struct View {
    const Array *capacity, *rank, *parameters, *loss, *optimal, *converged, *optimality, *descent;
    std::vector<double> channels, iterations;
    double step = 0;         ///< where the iteration shown lies on its axis, an index
    std::size_t chosen = 0;  ///< number of channels looked at
    double rounding = 0, length = 0;
    bool random = false, recurrent = false;

    std::size_t last() const { return channels.size() - 1; }
    double iteration() const;
    /// Loss of one number of channels at the iteration shown; its last one after the end.
    double lossNow(std::size_t channel) const;
};
bool readView(const PictureFrame&, View&);

/// Losses that are rounding lie on one line.
double shownLoss(const View&, double loss);

void drawCounts(PictureFrame&, const View&, Rect);
void drawLosses(PictureFrame&, const View&, Rect);
void drawAgainstCounts(PictureFrame&, const View&, Rect);
void drawDescents(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::capacity_sweep

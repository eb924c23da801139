#pragma once
#include <string>
#include <vector>

#include "scenes/picture.h"

namespace kappaflow::trajectory_length {

/// What the panels read.
struct View {
    const Array *image, *length, *planeShare;
    const Array *meanField, *upperBound;                                                    ///< null for networks that are not random
    const Array *theoremBase, *exactLength, *pieces, *growth;                               ///< null where there is none
    const Array *sweep, *sweepMeanField, *sweepUpperBound, *sweepTheoremBase, *sweepExact;  ///< null where there is none
    double at = 0;                                                                          ///< layer shown
    std::size_t layers = 0;

    Between between() const { return kappaflow::between(at, layers); }
    /// The layer shown, or the nearer one of two.
    std::size_t layer() const { return static_cast<std::size_t>(at + 0.5); }
};
bool readView(const PictureFrame&, View&);

void drawImage(PictureFrame&, const View&, Rect);
/// The input plane with the trajectory in it, whose ends or corners can be dragged.
void drawInput(PictureFrame&, Rect);
void drawLengths(PictureFrame&, const View&, Rect);
void drawGrowthByWidth(PictureFrame&, const View&, Rect);
void drawGrowthByVariance(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::trajectory_length

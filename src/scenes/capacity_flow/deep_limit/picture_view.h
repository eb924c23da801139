#pragma once
#include <string>
#include <vector>

#include "scenes/picture.h"

namespace kappaflow::deep_limit {

/// What the panels read.
struct View {
    const Array *chain, *flow, *gaussian, *toFlow, *toGaussian, *variance, *mean, *spreads, *kernel, *step;
    const Array *toFlowPredicted, *forward, *forwardSquares, *forwardPredicted, *forwardGrowth, *forwardGrowthPredicted, *forwardDraws,
        *check, *checkPredicted, *checkVariance, *checkVariancePredicted;  ///< null where there is none
    std::vector<double> depths;
    double index = 0;  ///< where the depth shown lies among them
    double v = 0, diffusion = 0, gaussianGap = 0, slope = 0;
    bool differential = false, critical = false;

    std::size_t last() const { return depths.size() - 1; }
    double depth() const;
    /// "40", or the nearer one of two while the picture is between them.
    std::string depthName() const;
    /// Value of a [depth] array at the depth shown.
    double now(const Array&) const;
};
bool readView(const PictureFrame&, View&);

void drawProfiles(PictureFrame&, const View&, Rect);
void drawKernel(PictureFrame&, const View&, Rect);
void drawReadings(PictureFrame&, const View&, Rect);
void drawDistances(PictureFrame&, const View&, Rect);
void drawScaling(PictureFrame&, const View&, Rect);
void drawForward(PictureFrame&, const View&, Rect);
void drawCheck(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::deep_limit

#pragma once
#include "scenes/picture_support.h"

namespace kappaflow::dichotomies {

/// What the panels read.
struct View {
    const Array *dichotomies, *flips, *flipsPredicted, *flipsMeanField, *widths, *depths, *start, *labelFlips, *offsets, *changes,
        *distinct, *changesOffsets, *running;
    std::size_t curves = 0, samples = 0, shownCurve = 0;
    std::size_t deepest = 0;  ///< remaining depths with strips: 0 … deepest
    std::size_t shown = 0;    ///< the one drawn
    double angle = 0, cap = 1;
    bool everyLayer = false;

    /// Angles at which a sample of the drawn strips flips.
    std::span<const double> flipsOf(std::size_t sample) const;
    /// Changes of the whole label vector in the drawn strips, and what has been met by then.
    std::span<const double> changeAngles() const { return changesIn(*changes); }
    std::span<const double> metAfter() const { return changesIn(*distinct); }
    /// Distinct label vectors met up to an angle.
    double metAt(double angle) const;
    std::string curveName(std::size_t curve) const;

private:
    std::span<const double> changesIn(const Array&) const;
};
bool readView(const PictureFrame&, View&);

/// Strips of all samples above the running count of label vectors, with one playhead through both.
void drawStrips(PictureFrame&, const View&, Rect);
void drawGrowth(PictureFrame&, const View&, Rect);
void drawReadings(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::dichotomies

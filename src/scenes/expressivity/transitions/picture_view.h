#pragma once
#include "scenes/picture_support.h"

namespace kappaflow::transitions {

/// What the panels read.
struct View {
    const Array *image, *pair, *turnTransitions, *turnCrossings, *offsets, *length, *transitions, *predicted, *saturations,
        *saturationsPredicted, *pieces, *piecesPredicted;
    const Array *widths, *variances;     ///< null of a given network
    bool hardTanh = false;               ///< drawn here with it: units pass ±1
    std::size_t curves = 0, layers = 0;  ///< layers of the charts
    double at = 0;                       ///< layer shown, at most the drawn network's last
    double last = 0;                     ///< of the drawn network's images
    std::size_t turn = 0;

    std::size_t nearest() const { return static_cast<std::size_t>(at + 0.5); }
    double turnAngle() const { return turnTransitions->axes[1].values[turn]; }
    /// t of the sign changes of the unit as it is turned, in the nearest layer.
    std::span<const double> crossings() const;
};
bool readView(const PictureFrame&, View&);

/// The curve as a unit of the next layer sees it: the unit's pre-activation across, so that its zero is one upright line.
void drawCurve(PictureFrame&, const View&, Rect);
/// Crossings of that line while the unit turns.
void drawTurns(PictureFrame&, const View&, Rect);
/// Transitions against length, all curves.
void drawProportion(PictureFrame&, const View&, Rect);
/// Transitions, passages of ±1 and patterns layer by layer, beside their predictions.
void drawLayers(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::transitions

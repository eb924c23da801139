#pragma once
#include "scenes/picture_support.h"

namespace kappaflow::remaining_depth {

/// What the panels read.
struct View {
    const Array *train, *test;
    std::size_t layers = 0, epochs = 0;  ///< trained layers, last epoch of the run
    std::size_t known = 0, now = 0;      ///< last epoch that all layers have, the one that stands out
    double weightLayer(std::size_t layer) const { return train->axes[0].values[layer]; }
};
bool readView(const PictureFrame&, View&);

/// From the lowest trained layer to the highest.
Color layerColor(const Theme&, std::size_t layer, std::size_t layers);

/// One curve a trained layer, over the epochs.
void drawEpochs(PictureFrame&, const View&, const Array&, const char* id, const char* title, Rect);
/// Both accuracies against the trained layer, at the epoch that stands out.
void drawOrder(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::remaining_depth

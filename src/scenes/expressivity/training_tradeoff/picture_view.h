#pragma once
#include "scenes/picture_support.h"

namespace kappaflow::training_tradeoff {

/// What the panels read.
struct View {
    const Array *samples, *random;  ///< lengths, or transitions
    const Array *learnt, *held;     ///< curves over the steps
    bool transitions = false;
    std::size_t looks = 0, now = 0, layers = 0;  ///< steps looked at, the one that stands out, hidden layers
    double last = 1;                             ///< step that the run goes to

    double step(std::size_t look) const { return samples->axes[0].values[look]; }
    double stepNow() const { return step(now); }
};
bool readView(const PictureFrame&, View&);

/// From red before training to purple at its end, evenly in the logarithm of the step; legible on either ground.
Color stepColor(const Theme&, double step, double last);

/// Every step's lengths or transitions layer by layer.
void drawLayerCurves(PictureFrame&, const View&, const Array&, const char* id, const char* title, Rect);
/// Accuracy over the steps, whose points are the key to the colours; the step that stands out can be dragged.
void drawAccuracy(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::training_tradeoff

#pragma once
#include <string>

#include "scenes/panels.h"

namespace kappaflow::random_nets {

/// Where the timeline stands in a plot over layers.
struct StepMark {
    std::string plot, handle;  ///< ids: of the marks, and of the handle
    std::string text;          ///< "layer 3"
    double at, first, last;
};
/// An upright line with the knob that moves it from `first` to `last`; without a knob where there is nowhere to go.
void offerStep(PictureFrame&, Plot&, const StepMark&);

}  // namespace kappaflow::random_nets

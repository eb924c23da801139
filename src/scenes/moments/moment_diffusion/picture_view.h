#pragma once
#include <string>

#include "scenes/picture_support.h"

namespace kappaflow::moment_diffusion {

/// What the panels read.
struct View {
    const Array *histogramSignal, *histogramNoise, *meanLog, *varLog, *meanLogNoise, *varLogNoise, *meanTheory, *varTheory;
    double at = 1;      ///< layer shown
    double layers = 1;  ///< the last one
    double width = 1;

    std::size_t nearest() const { return static_cast<std::size_t>(at + 0.5); }
    std::vector<double> layerValues() const { return countUp(static_cast<std::size_t>(layers) + 1); }
};
bool readView(const PictureFrame&, View&);

/// A curve over the layers.
struct Curve {
    const char* array;
    Color color;
    Dash dash = Dash::Solid;
    const char* label = "";
};
/// Curves of the report over layers 0 … L, with the line of the layer shown, which is also the handle that scrubs.
struct LayerPanel {
    const char *id, *name, *title;
    Scale scale = Scale::Linear;
    double lo, hi;        ///< always in sight
    double most = 1e300;  ///< never beyond
};
void drawLayerPanel(PictureFrame&, const View&, Rect, const LayerPanel&, const std::vector<Curve>&);

/// Histograms of the layer shown, outlines of others, gaussian fit and the law of one line of inputs.
void drawHistogram(PictureFrame&, const View&, Rect, bool noise);
/// What the param `show` asks for, one panel below the other; the first alone where there is little room.
void drawBeside(PictureFrame&, const View&, Rect);
/// Share of pre-activations over t standard deviations, in the layer shown.
void drawTails(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::moment_diffusion

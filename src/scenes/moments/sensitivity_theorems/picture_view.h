#pragma once
#include <string>

#include "scenes/picture_support.h"

namespace kappaflow::sensitivity_theorems {

/// What the panels read.
struct View {
    std::string net;    ///< key of the network
    double layers = 1;  ///< L
    double at = 1;      ///< layer shown

    std::size_t nearest() const { return static_cast<std::size_t>(at + 0.5); }
    bool residual() const { return net == "resnet" || net == "resnet-plain"; }
    bool normalised() const { return net == "batch-norm" || net == "resnet"; }
    /// "layer", or "unit" of a ResNet.
    const char* step() const { return residual() ? "unit" : "layer"; }
    std::string theorem() const { return net == "vanilla" ? "Theorem 2" : net == "batch-norm" ? "Theorem 3" : "dilution law"; }
};
bool readView(const PictureFrame&, View&);

/// Values over layers 0 … L; empty where the report has none.
std::vector<double> curveOf(const PictureFrame&, const char* name);
/// The upright line of the layer shown, which is also the handle that scrubs.
void offerLayer(PictureFrame&, const View&, Plot&, const std::string& id);

void drawIncrements(PictureFrame&, const View&, Rect);
void drawCumulative(PictureFrame&, const View&, Rect);
/// Variance of every unit's branch: what Theorem 4 supposes to be bounded.
void drawBranches(PictureFrame&, const View&, Rect);
/// How the units of the layer shown share in the theorem's mean.
void drawSwitching(PictureFrame&, const View&, Rect);
/// In words: how well measurement and theorem agree, and where the theorem's weights come from.
void drawBadge(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::sensitivity_theorems

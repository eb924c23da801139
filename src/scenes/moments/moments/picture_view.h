#pragma once
#include <string>
#include <vector>

#include "scenes/moments/moments/declaration.h"
#include "scenes/picture.h"

namespace kappaflow::moments {

/// What the panels read.
struct View {
    const Report* report = nullptr;
    std::string net;                ///< key of the network asked for
    std::vector<std::string> nets;  ///< keys of those shown, the one asked for first
    double layers = 0;              ///< L
    double reached = 0;             ///< last layer with a cloud of any network, at least 1
    double at = 0;                  ///< layer shown, at most `reached`
    double noise = 0.1;             ///< of the input over its signal
    bool inSize = false;            ///< clouds in units of the signal's size

    bool given() const { return net == kGivenNet; }
    bool comparing() const { return nets.size() > 1; }
    bool normalised() const { return net == "batch-norm" || net == "resnet"; }
    bool residual() const { return net == "resnet" || net == "resnet-plain"; }
    std::size_t nearest() const { return static_cast<std::size_t>(at + 0.5); }
    /// Values over layers of an array of the network asked for, or of one of those compared; empty where the report has none.
    std::vector<double> curve(const std::string& name) const;
    std::vector<double> compared(const std::string& name, std::size_t net) const;
    /// "layer 3", of a given network with what it is: "layer 3 (pool)".
    std::string layerName(std::size_t layer) const;
    /// "one-dimensional signal", or "" before it can be told.
    std::string pathologyOf(std::size_t net) const;
};
bool readView(const PictureFrame&, View&);

const char* shortNameOf(const std::string& net);
Color colorOfNet(const PictureFrame&, const std::string& net);
/// The first of the texts that is at most so wide in a heading, else the last.
std::string fitting(PictureFrame&, const std::vector<std::string>& texts, double width);

/// A curve with its band.
struct Drawn {
    std::vector<double> mean, low, high;
    Color color;
    std::string label;
    Dash dash = Dash::Solid;
};
/// What axes must hold: of means, and of bands where they are no more than three times as wide.
struct Range {
    double lo = 1e300, hi = -1e300;
    void include(const Drawn&);
    void include(double value);
    AxisSpec linear(std::string label, double room) const;
    AxisSpec logarithmic(std::string label) const;
};
AxisSpec layerAxis(const View&, bool logarithmic);
void drawCurve(PictureFrame&, Plot&, const std::string& id, const Drawn&);
/// Dots of a given network: on a curve that is known for single layers only, or where a layer is an activation.
void drawDots(Plot&, const View&, const std::string& id, const Drawn&);
/// The upright line of the layer shown; a handle that scrubs where `scrubs`.
void drawLayerShown(PictureFrame&, const View&, Plot&, const std::string& id, bool scrubs);

/// Cloud of one of the networks shown.
void drawCloud(PictureFrame&, const View&, Rect, std::size_t net);
void drawSensitivity(PictureFrame&, const View&, Rect);
void drawIncrements(PictureFrame&, const View&, Rect);
void drawRanks(PictureFrame&, const View&, Rect);
/// Tails of what the activation reads beside batch norm, else what is left of the signal's variance.
void drawSigns(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::moments

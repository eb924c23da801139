#pragma once
#include "scenes/picture_support.h"

namespace kappaflow::signal_and_noise {

/// What the panels read, at the layer shown: between two layers curves are mixed.
struct View {
    const Array *curves, *rescalings, *firstOrders, *noises, *outputs, *densities, *flat, *chi, *chiFromJacobian, *chiActual, *densityIn,
        *chiByGain;  ///< the last one null for the deep net
    bool deep = false;
    double at = 0, last = 1;
    std::vector<double> curve, firstOrder, noise, bins, density;
    double rescaling = 1;                     ///< slope of Ψ
    double separation = 2, spread = 0.2;      ///< of the report
    double probe = 0, sigma = 0.1, gain = 1;  ///< as the reader has them now

    const std::vector<double>& x() const { return densityIn->axes[0].values; }
    std::size_t nearest() const { return static_cast<std::size_t>(at + 0.5); }
    double chiShown() const { return chi->values[nearest()]; }
    /// Inputs that count: within so many spreads of a centre.
    double reach(double spreads) const { return separation / 2 + spreads * spread; }
    double curveAt(double input) const { return valueAt(curve, input); }
    double slopeAt(double input) const;
    double valueAt(const std::vector<double>& values, double input) const;
};
bool readView(const PictureFrame&, View&);

/// Inputs drawn: the same whatever the mixture, so that pulling its knobs moves nothing else.
inline constexpr double kPicturedInputs = 3.2;

/// Φ beside Ψ, the noise of one input followed through it, and the densities of input and output along the axes.
void drawMap(PictureFrame&, const View&, Rect);
/// χ against the gain of one layer, or layer by layer.
void drawChi(PictureFrame&, const View&, Rect);
/// Noise that comes out, as it is and to first order, against the input.
void drawNoise(PictureFrame&, const View&, Rect);
void drawReadings(PictureFrame&, const View&, Rect);

}  // namespace kappaflow::signal_and_noise

#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "scene/table.h"

namespace kappaflow::signal_and_noise {

enum class Net { Layer, Linear, BatchNorm };
enum class Phi { Tanh, Relu, Abs, HardTanh, Sigmoid };

struct Params {
    Net net = Net::Layer;
    Phi activation = Phi::Tanh;
    double gain = 2, separation = 2, spread = 0.2, noise = 0.1;
    int layers = 12, width = 64;
    double share = 0.5, probe = 0.6;
    std::uint64_t seed = 1;
    double at = 20;
    bool play = true;
};

struct Result : Findings {
    std::vector<double> layers, inputs, bins, gains;  ///< axes; layer 0 is the input
    std::vector<std::string> activations;             ///< "identity", "tanh", …

    std::vector<double> curve, rescaling, densityIn, noiseFirstOrder, noiseActual;    ///< [input], of the last layer
    std::vector<double> chiByGain;                                                    ///< [activation][gain]
    std::vector<double> layerCurve, layerFirstOrder, layerNoise;                      ///< [layer][input]
    std::vector<double> outputs, densityOut;                                          ///< [layer][bin]
    std::vector<double> layerRescaling, flat, layerChi, layerChords, layerChiActual;  ///< [layer]

    std::optional<double> chi, snrOut, snrOutActual, noiseFactor;
    double chiFromJacobian = 1, chiActual = 1, snrIn = 1;
};

/// What a layer does to noise: −1 reduces, 0 neither, 1 amplifies. χ to three digits decides, in words and pictures alike; undefined χ: 0.
inline int effectOf(double chi) { return std::abs(chi - 1) < 1e-3 || std::isnan(chi) ? 0 : chi < 1 ? -1 : 1; }

/// Ratios of signal to noise beyond this are rounding.
inline constexpr double kMostDecibels = 200;

extern const SceneTable kScene;

}  // namespace kappaflow::signal_and_noise

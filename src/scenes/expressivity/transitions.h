#pragma once
#include <string>
#include <vector>

#include "scenes/expressivity/curve_networks.h"

namespace kappaflow::transitions {

enum class Path { Circle, Line };
enum class Axes { Logarithmic, Linear };

struct Params {
    std::string network;  ///< "": drawn here
    int width = 64, layers = 10;
    double weightVariance = 4;
    Path trajectory = Path::Circle;
    Axes axes = Axes::Logarithmic;
    std::vector<double> widths{16, 64}, weightVariances{4, 16};
    CurveActivation activation = CurveActivation::HardTanh;
    double slope = 0.2, biasVariance = 0.01;
    int draws = 1, pieces = 10000;
    std::uint64_t seed = 1;
    double at = 9;
    bool play = true;
    int turn = 6;
};

struct Result : Findings {
    std::vector<double> layers, curves;                                                      ///< axes
    std::vector<double> drawnLayers, places, coordinates, units, turns, crossings, entries;  ///< axes of the drawn network

    // The drawn network.
    std::vector<double> image, pair;                          ///< [drawn layer][point][coordinate], […][unit]
    std::vector<double> planeShare, turnTransitions;          ///< [drawn layer], [drawn layer][turn]
    std::vector<double> turnCrossings, turnCrossingsOffsets;  ///< [crossing], [entry]

    // All curves, the drawn network's first.
    std::vector<double> curveWidth, curveWeightVariance, exactLayers;      ///< [curve]
    Estimates length, transitions, saturations, pieces;                    ///< [curve][layer]
    std::vector<double> predicted, saturationsPredicted, piecesPredicted;  ///< as these
    std::vector<double> slopes, slopesPredicted;                           ///< [curve]
    std::optional<double> slope, slopePredicted, r2;
};

extern const SceneTable kScene;

}  // namespace kappaflow::transitions

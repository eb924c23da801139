#pragma once
#include <string>
#include <vector>

#include "scenes/expressivity/curve_networks.h"

namespace kappaflow::trajectory_length {

enum class Path { Circle, Line, Drawn };
/// What the charts of many networks show.
enum class Charts { Growth, Lengths, Saturation };

struct Params {
    std::string network;  ///< "": drawn here
    int width = 100, layers = 15;
    double weightVariance = 4;
    CurveActivation activation = CurveActivation::HardTanh;
    double slope = 0.2;
    Path trajectory = Path::Circle;
    double start = 0, span = 360;
    double biasVariance = 0.01;
    std::vector<double> path{1, 0, 0.9, 0.9, -0.2, 0.8, -0.3, -0.6, 0.7, -0.5, 0.4, 0.4};
    int draws = 1;
    std::vector<double> sweepWidths{4, 16, 64}, sweepVariances{1, 2, 4, 8, 16, 64};
    int sweepDraws = 24;
    Charts charts = Charts::Growth;
    int pieces = 10000;
    double precision = 0.02;
    int points = 0;  ///< 0: adaptive
    std::uint64_t seed = 1;
    std::vector<double> ends;
    double at = 0;
    bool play = true;
};

struct Result : Findings {
    std::vector<double> layers, points, widths, variances, sweepLayers;  ///< axes
    std::vector<std::string> coordinates;                                ///< "x", "y"
    double draws = 0;                                                    ///< behind the lengths; not reported

    std::vector<double> image, place, planeShare;  ///< [layer][point][coordinate], [point], [layer]
    Estimates length, growth;                      ///< [layer]
    std::vector<double> pieces, transitions;       ///< [layer]
    double exactLayers = 0, sampledPoints = 0, lengthRatio = 0, growthPerLayer = 0;
    std::optional<double> lostDraws;

    // Theory of random networks.
    std::vector<double> theoremBase, meanField, upperBound, exactLength;  ///< [layer]
    std::optional<double> base, meanFieldGrowth, exactGrowth, heGrowth;

    // Growth of a layer at many widths and weight variances.
    Estimates sweepGrowth;                                         ///< [width][variance]
    std::vector<double> sweepDrawn, sweepTheoremBase, sweepExact;  ///< as these
    std::vector<double> sweepTheoremTwo, sweepSaturated;           ///< as these
    std::vector<double> sweepMeanField, sweepUpperBound;           ///< [variance]
    Estimates sweepStretch;                                        ///< [width][variance][sweepLayer]
    std::vector<double> sweepStretchMeanField;                     ///< [variance][sweepLayer]
};

extern const SceneTable kScene;

}  // namespace kappaflow::trajectory_length

#pragma once
#include <string>
#include <vector>

#include "scene/table.h"

namespace kappaflow::capacity_diffusion {

enum class Space { Ring, Line, Grid, Dense };
enum class LayerType { Plain, Residual, Differential };
enum class Kernel { Uniform, Random, Triangle };
enum class Top { Dirac, Block, Uniform, Painted };
enum class Filter { Square, Cross };
enum class Edges { Periodic, Zero };
enum class Activation { Relu, Identity, LeakyRelu, Abs, Tanh, HardTanh, Sigmoid, Relu6, HardSigmoid, PseudoRandom };
enum class DrawnAs { Automatic, Graph, Field };
enum class Colors { Linear, Logarithmic };
enum class Section { AlongX, AlongY, Off };

struct Params {
    std::string network;  ///< empty: drawn from the params
    Space space = Space::Ring;
    LayerType layer = LayerType::Plain;
    Kernel kernel = Kernel::Uniform;
    int layers = 24;
    double epsilon = 0.1;
    Top top = Top::Dirac;
    bool shared = true;
    int extent = 65, taps = 3, channels = 1, stride = 1;
    int dilation = 1;  ///< 0: doubling
    Filter filter = Filter::Square;
    Edges edges = Edges::Periodic;
    int channel = -1;   ///< −1: none
    int topIndex = -1;  ///< −1: the centre
    int blockWidth = 9;
    std::vector<double> profile{0, 0, 0, 1, 2, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0};
    int draws = 1;
    bool gradient = false;
    Activation activation = Activation::Relu;
    double slope = 0.2;
    int gradientSamples = 64;
    std::uint64_t seed = 1;
    DrawnAs show = DrawnAs::Automatic;
    Colors colors = Colors::Linear;
    double orbit = -35, tilt = 25, zoom = 1;  ///< of the camera on the stack of planes
    Section section = Section::AlongX;
    int sectionAt = -1;  ///< −1: the centre
    double at = 0;
    bool play = true;
};

struct Result : Findings {
    std::vector<double> layers, weightLayers, networks;
    std::vector<double> positions;  ///< widest layer's; in a plane y and x in their place
    std::vector<double> y, x, topPositions, topY, topX, taps, tapsY, tapsX;
    std::vector<std::string> sides;  ///< in a plane "y", "x"
    std::vector<double> edges, shareIndices, parcelNumbers;

    Estimates capacity;                                                        ///< [layer][position], undefined beyond the layer's own
    std::vector<double> total, unattributed, heights, widths;                  ///< [layer]
    std::vector<double> channelCounts, channelCapacity;                        ///< [layer], [layer][y][x]
    std::vector<double> start;                                                 ///< [top position]
    Estimates mean, variance, within, deviation;                               ///< [layer], in a plane [layer][side]
    Estimates deviationWithin, wanderByLayer;                                  ///< [layer]
    std::vector<double> centres;                                               ///< [network][layer]
    Estimates covariance;                                                      ///< [layer]
    std::vector<double> deviationFitted;                                       ///< [layer][side]
    Estimates gradient;                                                        ///< [layer][position]
    std::vector<double> gaussian;                                              ///< [layer][position]
    std::vector<double> meanPredicted, variancePredicted, deviationPredicted;  ///< [layer], in a plane [layer][side]
    std::vector<double> covariancePredicted;                                   ///< [layer]
    std::vector<double> driftByLayer, diffusionByLayer;                        ///< [weight layer], in a plane [weight layer][side]
    std::vector<double> kernelShares;                                          ///< [weight layer][tap]
    std::vector<double> flowFrom, flowTo, flowAmount;                          ///< [edge]
    std::vector<double> flowOffsets, flowBinSize;                              ///< [layer]
    std::vector<double> parcels;                                               ///< [parcel][layer]
    std::vector<double> shares, sharesOffsets, sharesRows, sharesColumns;      ///< [share], [layer], [weight layer]

    std::optional<double> inputRows;
    std::optional<double> drift, diffusion, driftY, diffusionY, fittedGrowth, fittedGrowthY, totalVariation, gradientTotalVariation;
    std::optional<Estimate> spread, spreadY, wander, wanderY;
};

extern const SceneTable kScene;

/// States have rows and columns.
inline bool isPlane(const Result& r) { return !r.y.empty(); }

}  // namespace kappaflow::capacity_diffusion

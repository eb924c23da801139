#pragma once
#include <string>
#include <vector>

#include "scene/table.h"

namespace kappaflow::network_lens {

enum class HiddenLayers { Dense, Convolutions, Residual };
enum class Bend { Relu, LeakyRelu, Abs, HardTanh, Tanh, Sigmoid, PseudoRandom };
enum class Initialisation { He, LeCun, Gaussian, Orthogonal };
enum class Rule { Adam, Momentum };
enum class LossKind { CrossEntropy, MeanSquare };
enum class CurveKind { Line, Arc };
enum class EditKind { None, Insert, Remove, Widen, Rescale, Freeze, Skip };
enum class Lens { Capacity, Regions, Trajectory, Sensitivity, Measured };
enum class LensShown { All, Capacity, Regions, Trajectory, Sensitivity, Measured };

struct Params {
    std::string network{};
    std::vector<double> widths{16, 16, 16};
    HiddenLayers layers = HiddenLayers::Dense;
    Bend activation = Bend::Relu;
    double slope = 0.1;
    Initialisation initialisation = Initialisation::He;
    double weightVariance = 1, biasVariance = 0.01;

    std::string data = "moons";
    int samples = 200;
    double noise = 0.08;
    int inputs = 10, outputs = 3;

    int steps = 300;
    double learningRate = 0.02;
    Rule optimiser = Rule::Adam;
    LossKind loss = LossKind::CrossEntropy;
    int batch = 32, step = 300;

    int unit = 0;
    CurveKind trajectory = CurveKind::Line;
    int pointA = -1, pointB = -1, pointC = -1;
    double half = 1.2;
    std::vector<double> centre{0, 0};
    int budget = 20000;
    std::uint64_t seed = 1;

    EditKind edit = EditKind::None;
    int editLayer = 2;
    double editAmount = 0.5;
    bool editAll = false;

    double at = 3;  ///< the last hidden layer of the opening network
    bool play = true;
    LensShown lens = LensShown::All;
};

/// Whether the network is drawn here, and whether it is trained.
inline bool isDrawn(const Params& p) { return p.network.empty(); }
inline bool isTrained(const Params& p) { return p.data != "gaussian" && p.steps > 0; }

struct Result : Findings {
    // Axes.
    std::vector<double> states, shownStates, editedStates,
        curveStates;  ///< before an edit, of the network that is shown, edited, exact or not
    std::vector<double> unitNumbers, editedUnitNumbers, flowEdges, depths, vertexNumbers, corners, regionNumbers, meshEdges, segments;
    std::vector<double> points, places, samples, inputs, trainingSteps;
    std::vector<std::string> xy{"x", "y"}, ends{"from", "to"}, segmentEnds{"x0", "y0", "x1", "y1"}, windowCorners{"low", "high"},
        roles{"A", "B", "C"};

    // Of the network that is shown, by state.
    std::vector<double> units, channels, heights, columns, parameters;

    // Capacity, of the network before an edit.
    std::vector<double> capacity, total, holders;  ///< [state][unit], [state]
    std::vector<double> flowFrom, flowTo, flowAmount, flowOffsets;
    std::optional<double> flowBin, capacityStep, parameterCapacity;

    // Of the edited network.
    std::vector<double> editedUnits, editedParameters, editedCapacity, editedTotal, editedHolders, stateBefore;
    std::optional<double> editedParameterCapacity, moved, functionChange;

    // Regions of the window.
    std::vector<double> regionsByDepth, unitsByDepth, stateOfDepth, insideOfDepth;  ///< [depth]
    std::vector<double> vertices, polygons, polygonEnds, edges, edgeLayer, pattern, output, vertexOutput, decisionBoundary, window;
    std::optional<double> regions, exactThrough, bendingLayers, regionBudget, certificate, regionsStep;

    // The curve from sample A to sample B.
    Estimates length;  ///< [state]
    std::vector<double> growth, transitions, pieces, image, place, planeShare, curve;
    std::optional<double> lengthRatio, exactLayers, lengthStep;

    // Noise on the samples.
    Estimates chi;  ///< [state]
    std::vector<double> rankSignal, rankNoise;
    std::optional<double> sensitivitySamples, noiseDraws, sensitivityStep;

    // Capacity measured on samples, of the units of every state up to the one that the outputs read.
    std::vector<double> measuredStates, measuredUnits, gateLayers;
    Estimates measured;                      ///< [state][unit]
    std::vector<double> decoupled, channel;  ///< the same
    Estimates toDecoupled, toChannel;        ///< [state]
    std::vector<double> nu, overlap;         ///< [layer with gates]
    std::optional<double> measuredSamples, measuredStep;

    // Data and training.
    std::vector<double> samplePoints, sampleClass, chosen, chosenPoints, chosenInputs, loss, accuracy;
    std::optional<double> sampleCount, trainedSteps, trainingLoss, trainingAccuracy;
};

extern const SceneTable kScene;

}  // namespace kappaflow::network_lens

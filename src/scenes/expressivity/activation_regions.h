#pragma once
#include <string>
#include <vector>

#include "scene/table.h"

namespace kappaflow::activation_regions {

enum class Bend { Relu, LeakyRelu, Abs, HardTanh, Relu6 };
enum class Rule { Adam, Momentum };
enum class Penalty { CrossEntropy, MeanSquare };
enum class PlaneBy { Turned, Given, Points };
enum class Fill { Output, Pattern, Layer, Gradient };
enum class Path { None, Circle, Drawn };

struct Params {
    std::string network;  ///< "": drawn here
    std::vector<double> widths{4, 4, 4};
    Bend activation = Bend::Relu;
    double slope = 0.1, weightVariance = 2, biasVariance = 0.01;
    int inputs = 2;

    std::string data = "none";
    double learningRate = 0.02;
    Rule optimiser = Rule::Adam;
    Penalty loss = Penalty::CrossEntropy;
    int batch = 32, samples = 200;
    double noise = 0.02;
    int steps = 600, step = 600;

    PlaneBy plane = PlaneBy::Turned;
    double azimuth = 0, tilt = 0, shift = 0;
    std::vector<double> origin, direction1, direction2, corners;

    double half = 1;
    std::vector<double> centre{0, 0};
    std::uint64_t seed = 1;
    int budget = 200000, outputIndex = 0;

    Fill colour = Fill::Output;
    double depth = 24;
    bool unfold = false;
    double orbit = 30, lean = 28;
    bool play = true;
    std::vector<double> pin, chosen{1, 0, -1};
    bool below = false;

    Path path = Path::None;
    std::vector<double> pathCentre{0, 0};
    double pathRadius = 0.6;
    std::vector<double> drawn{-0.7, -0.5, -0.2, 0.6, 0.3, -0.6, 0.7, 0.5};
    std::vector<double> edits;
};

struct Result : Findings {
    // Axes.
    std::vector<double> depths, layers, vertex, corner, region, edge, segment, point, piece, input, column, weight, sample, stepAxis;
    std::vector<std::string> xy{"x", "y"}, ends{"from", "to"}, coordinates{"x0", "y0", "x1", "y1"}, windowCorners{"low", "high"},
        vectors{"origin", "first", "second"};

    std::vector<double> regionsByDepth, edgesByDepth, verticesByDepth, unitsByDepth, typicalByDepth, boundByDepth;  ///< [depth]
    double regions = 0, vertexCount = 0, edgeCount = 0, areaSum = 0, euler = 0, affinePieces = 0, typicalCount = 0, exactThrough = 0,
           certificate = 0;
    std::optional<double> pathPieces, nextLine;
    std::optional<std::vector<double>> nextPoint;  ///< [xy]

    std::vector<double> vertices, polygons, polygonEnds;             ///< [vertex][xy], [corner], [region]
    std::vector<double> edges, edgeLayer, edgeUnit;                  ///< [edge][end], [edge]
    std::vector<double> area, firstCut, pattern, states;             ///< [region], [depth][region], [layer][region]
    std::vector<double> output, vertexOutput, gradient;              ///< [region], [vertex], [region]
    std::optional<std::vector<double>> decisions;                    ///< [segment][coordinate]
    std::optional<std::vector<double>> pathBreaks;                   ///< [piece]
    std::vector<double> path, window, plane;                         ///< [point][xy], [window corner][xy], [vector][input]
    std::vector<double> widths;                                      ///< [column]
    std::vector<double> weights, weightLayer, weightTo, weightFrom;  ///< [weight]

    // Of a training.
    std::vector<double> samplePoints, sampleClass, loss, accuracy;  ///< [sample][xy], [sample], [step]
    std::optional<double> trainedSteps, trainingLoss, trainingAccuracy;

    double allDepths = 0;  ///< of the network, those that were not cut included; not in the report
};

extern const SceneTable kScene;

}  // namespace kappaflow::activation_regions

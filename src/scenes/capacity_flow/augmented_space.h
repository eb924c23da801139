#pragma once
#include "scenes/capacity_flow/activations.h"

namespace kappaflow::augmented_space {

enum class Form { Exact, Eq14 };

struct Params {
    ScaleActivation activation = ScaleActivation::Identity;
    double slope = 0.2;
    int inputs = 3, features = 4;
    InputCovariance covariance = InputCovariance::Identity;
    bool normalised = true;
    int free = 2;
    Form form = Form::Exact;
    std::vector<double> sample, weights;
    std::uint64_t seed = 1;
    double at = 2;
    bool play = true;
};

struct Result : Findings {
    std::vector<double> rows, columns, inputs, features, stages;

    std::vector<double> sigmaTilde;                ///< [row][column]
    std::vector<double> capacity, capacityDirect;  ///< [input]
    std::vector<double> copies, weights;           ///< [feature][input]
    std::vector<double> featureCapacity, norms;    ///< [feature]
    std::vector<double> sample;                    ///< [input]
    std::vector<double> eta, output;               ///< [feature]
    std::vector<double> width;                     ///< [stage]
    double difference = 0, outputDifference = 0, total = 0, totalDirect = 0, nu = 1;
    std::optional<double> repetition;  ///< of linear layers
};

extern const SceneTable kScene;

}  // namespace kappaflow::augmented_space

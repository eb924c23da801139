#pragma once
#include "scenes/capacity_flow/activations.h"

namespace kappaflow::decoupling {

enum class Compare { One, Four };

struct Params {
    ScaleActivation activation = ScaleActivation::LeakyRelu;
    double slope = 0.2;
    Compare compare = Compare::One;
    double sigma = 1;
    int draws = 100000;
    double stopAt = 0.001;
    int inputs = 4, features = 4;
    InputCovariance covariance = InputCovariance::Ar1;
    std::uint64_t seed = 1;
    double at = 1e7;
    bool play = true;
};

struct Result : Findings {
    std::vector<std::string> activations;
    std::vector<double> z, rows, columns, draws;

    std::vector<double> energy, independent, correlation;  ///< [activation] ν by three definitions
    std::vector<double> curve, eta, density;               ///< [z]
    double nuIndependent = 0, nuEnergy = 0, nuCorrelation = 0;
    std::optional<double> meanEta;  ///< none where E η² diverges: then all that follows is missing

    Estimates measured;                              ///< [row][column]
    std::vector<double> approximate, exact;          ///< [row][column]; exact: of two slopes
    std::vector<double> measuredByDraws;             ///< [draws][row][column]
    std::vector<double> fromApproximate, fromExact;  ///< [draws]
    std::vector<double> noise, largestError;         ///< [draws]
    std::optional<double> relativeError, relativeErrorExact, standardError, drawsMade;

    // The activations of Fig 3, where they are compared.
    std::vector<std::string> four;                         ///< axis: their keys
    std::vector<double> fourNu, fourCurve, fourEta;        ///< [four], [four][z]
    std::vector<double> fourByDraws, fourFromApproximate;  ///< [draws][four][row][column], [draws][four]
};

extern const SceneTable kScene;

}  // namespace kappaflow::decoupling

#pragma once
#include "scenes/capacity_flow/activations.h"

namespace kappaflow::nu_continuum {

enum class Kernel { Dense, Ring3, Tree };
enum class Filter { Uniform, Centred, Random };

struct Params {
    double nu = 0.2;
    Kernel kernel = Kernel::Dense;
    int inputs = 5, features = 4, layers = 1, free = 1;
    InputCovariance covariance = InputCovariance::Identity;
    Filter filter = Filter::Uniform;
    int channels = 2, extent = 33;
    double alpha = 0.5;
    int nuPoints = 21;
    std::uint64_t seed = 23;  ///< of the networks of five inputs one where most paths cancel
    bool play = true;
};

/// What is not computed yet is NaN.
struct Result : Findings {
    std::vector<double> nu, inputs, features, layerIndices, units;

    std::vector<double> capacity;                ///< [nu][input]
    std::vector<double> total, variance, share;  ///< [nu]
    std::vector<double> coherence;               ///< [nu]
    std::vector<double> diffused, linear;        ///< [input]
    std::vector<double> amplitude;               ///< [input][feature]
    std::vector<double> layerCapacity;           ///< [nu][layer][unit], narrower layers padded
    std::optional<double> crossover, predictedCrossover, varianceDiffused, varianceLinear, equation25Gap;
};

extern const SceneTable kScene;

}  // namespace kappaflow::nu_continuum

#pragma once
#include <array>
#include <string>
#include <vector>

#include "scene/table.h"
#include "scenes/moments/random_nets.h"

namespace kappaflow::moments {

enum class CloudUnit { Spread, Size };
enum class Axes { Fitting, Linear, Logarithmic, Double };

struct Params : random_nets::NetParams {
    Params() { draws = 10; }

    double noise = 0.1;
    CloudUnit cloud = CloudUnit::Spread;
    Axes axes = Axes::Fitting;
    double at = 0;
    bool play = true;
};

/// What is measured layer by layer.
enum class Quantity {
    Chi,
    DeltaChi,
    DeltaInner,
    DeltaBatchNorm,
    DeltaActivation,
    RankSignal,
    RankNoise,
    RankSignalInner,
    RankNoiseInner,
    Kurtosis,
    Nu1,
    VarianceRatio,
    Coactivation,
    LogNu2,
    LogMu2Noise,
};
inline constexpr std::size_t kQuantities = 15;

/// A mean over draws with its 16–84 % band.
struct Banded {
    Estimates mean;
    std::vector<double> low, high;
};

/// Codes of `pathology`, and of `layerKind`.
inline constexpr const char* kPathologies[] = {"well-behaved", "zero-dimensional signal", "one-dimensional signal", "exploding sensitivity",
                                               "undecided at this width"};
inline constexpr int kCannotTell = 4;
inline constexpr const char* kLayerKinds[] = {"input",   "dense",    "convolution", "activation", "batch norm", "pool",
                                              "flatten", "residual", "layer norm",  "routing",    "softmax",    "block"};
inline constexpr double kActivationKind = 3;

/// What many draws of one kind of network have in common, over the draws that reach a layer; all [layer].
struct Means {
    std::array<Banded, kQuantities> curves;
    std::vector<double> chiTheory, deltaChiTheory, batchNormTheory, activationTheory;  ///< what Theorems 2–4 say of the layers drawn
    std::vector<double> chiMedian, alive;
};

/// What all draws of one network say as numbers; empty where there are too few layers or draws for it.
struct Fits {
    std::optional<Estimate> rate, rateLate;          ///< slope of log χ over l, l >= 1 and l >= L/2
    std::optional<Estimate> exponent, exponentLate;  ///< slope of log χ over log l, l >= 1 and l >= L/5
    std::optional<Estimate> predicted;               ///< ½(⟨δχ^{l,1}⟩^{2H} − 1)
    std::optional<Estimate> stretch;                 ///< slope of log χ over √l, l >= L/5; where mean field has one too
    std::optional<double> stretchPredicted;          ///< that of mean field
    std::optional<double> pathology;                 ///< index of kPathologies
};

/// What a summary tells of one kind of network.
struct Drawn {
    random_nets::Net net = random_nets::Net::Vanilla;
    std::size_t draws = 0, collapsed = 0;  ///< whole ones; of these, that ended before the last layer
    std::string collapse;                  ///< why the first of these did
    std::size_t last = 0;                  ///< deepest layer that half of the draws reach
    std::optional<double> pathology;       ///< index of kPathologies
};

struct Result : Findings {
    std::vector<std::string> nets;                         ///< axis: keys of the networks, the one asked for first
    std::vector<double> layers, shownPoints, coordinates;  ///< axes; layer 0 is the input
    std::vector<Drawn> drawn;                              ///< [net]

    Means means;                                                  ///< of the network asked for, as what follows where no [net] is
    std::array<Banded, kQuantities> compared;                     ///< [net][layer]
    std::vector<double> powerLaw, layerKind, meanField;           ///< [layer]; meanField: χ of an infinitely wide tanh ResNet
    std::vector<double> cloudSignal, cloudNoise;                  ///< [net][layer][point][coordinate]
    std::vector<double> cloudNoiseSize, cloudSpread, cloudShare;  ///< [net][layer]
    std::vector<double> rates, exponents, pathologies;            ///< [net]
    Fits fits;
    std::optional<double> plateau, kurtosisCeiling, fittedLayers;
    double points = 0;

    const Banded& of(Quantity q) const { return means.curves[static_cast<std::size_t>(q)]; }
    const Banded& comparedOf(Quantity q) const { return compared[static_cast<std::size_t>(q)]; }
};

extern const SceneTable kScene;

}  // namespace kappaflow::moments

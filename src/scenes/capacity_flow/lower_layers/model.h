#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/capacity/lower_layers.h"
#include "core/net/network.h"
#include "scene/scene.h"

namespace kappaflow::lower {

/// What a request asks for, as the core takes it.
struct Setup {
    std::vector<int> widths;  ///< units of each layer, input first; a convolution's channels, with 1 at both ends
    bool convolution = false;
    int taps = 2;
    double slope = 0.2, deviation = 1;
    std::size_t inputs = 3000;  ///< how many inputs are tried
    std::uint64_t seed = 1;
    std::vector<Activation> activations;
    std::vector<std::string> warnings;

    std::size_t layers() const { return widths.size() - 1; }
    double parameters() const;
    double hiddenUnits() const;
    double paths() const;
    /// The leaky ReLU of slope 1 counts as linear.
    bool isLinear(Activation) const;
};

Setup readSetup(const Values&);

/// The network with one of the activations; all share the same weights. Throws InputError when it has more than 512 weights.
Network networkOf(const Setup&, Activation);

/// What theory says the total capacity of all weights is, from the widths alone. Two slopes: parameters − hidden units (P1 App. A).
/// tanh, hard tanh, sigmoid: parameters. Linear: the dimension of what the product of the layers can be, for dense layers that of the
/// matrices of rank at most r = the smallest width, r (inputs + outputs − r), for a dilated tree the tensor train's.
double predictedRank(const Setup&, Activation);

/// Factors a unit's incoming weights are multiplied by and its outgoing ones divided by: 1/4 … 4 in steps of √2, from products and square
/// roots alone, so that they are the same bits everywhere.
std::vector<double> scaleFactors();
inline constexpr std::size_t kFactors = 9, kWhole = 4;  ///< factor kWhole is 1
inline constexpr std::size_t kPlaces = 41;              ///< inputs along the line x(t) = a + t·u, t = −3 … 3

/// What the network's first output does along a line of inputs while one hidden unit is scaled.
struct ScaledUnit {
    std::vector<double> output;  ///< [factor][place]
    double change = 0;           ///< largest |y_s − y_1| over outputs, factors and places, over the largest |y_1|
};

/// For every hidden unit in the order of scaleDirections. The line is drawn once: a and u Gaussian times `deviation`, stream (seed, Data).
/// Cost: units · 9 · 41 forward passes.
std::vector<ScaledUnit> scaleUnits(const Network&, double deviation, std::uint64_t seed);

/// Hidden units whose argument met a single linear piece of its activation over the first `inputs` inputs of FunctionJacobian's stream:
/// always on one side of zero, or for the hard tanh never beyond ±1 or always. All of them for the identity; NaN for smooth ones.
double onePieceUnits(const Network&, std::size_t inputs, double deviation, std::uint64_t seed);

/// Different combinations of linear pieces, of all hidden units together, that those inputs meet: without biases sectors of the input
/// space, on each of which the network is linear; NaN for smooth activations. Cost: `inputs` forward passes.
double sectorsMet(const Network&, std::size_t inputs, double deviation, std::uint64_t seed);

/// One activation's network, and what sampling its Jacobian has found so far.
struct SampledNetwork {
    Activation activation;
    Network network;
    FunctionJacobian jacobian;
    std::vector<ScaledUnit> units;       ///< in the order of scaleDirections
    double onePiece = 0;                 ///< see onePieceUnits
    double sectors = 0;                  ///< see sectorsMet
    std::vector<std::size_t> rankAt;     ///< after each of the looks so far
    std::vector<double> singularValues;  ///< at the last look, the largest 1

    SampledNetwork(const Setup&, Activation);
    /// Goes on to so many inputs in all, and at a look decides the rank.
    void sampleTo(std::size_t inputs, bool look);
};

/// When to stop and look at the rank: often while it grows, up to about 1.6 times as many rows as parameters, and at the end; between
/// the last two stops no more than a few milliseconds of samples each.
struct Stop {
    std::size_t inputs;
    bool look;
};
std::vector<Stop> stopsOf(const Setup&);

/// What the paths say, knowing nothing of how the network runs.
struct PathRanks {
    double paths = 0;
    std::size_t generic = 0, linear = 0;  ///< modulo 2³¹ − 1; linear: paths with the same ends added up
    std::size_t atWeights = 0;            ///< at the drawn weights, by singular values
    std::vector<double> singularValues;   ///< of the path Jacobian at the drawn weights, the largest 1
};
PathRanks pathRanks(const Setup&);

/// How many of the tried inputs tell whether a unit stays on one piece of its activation.
inline constexpr std::size_t kInputsForPieces = 3000;

struct Findings {
    const Setup& setup;
    const PathRanks& paths;
    const std::vector<std::unique_ptr<SampledNetwork>>& runs;
    const std::vector<Stop>& stops;
    std::size_t rounds;  ///< stops that all networks have passed
    bool withNetwork;
};
/// Everything but the status.
Report reportOf(const Findings&);

}  // namespace kappaflow::lower

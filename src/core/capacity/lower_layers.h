#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/net/network.h"

namespace kappaflow {

// Small networks without biases, whose every weight is learned (P1 App. A).

inline constexpr double kMaxSmallParameters = 512;

/// Dense layers of these widths, input first, the activation between them, random weights N(0, 1/fan-in) from `seed`. Throws InputError
/// for fewer than two widths, widths below 1 or more than kMaxSmallParameters weights.
Network smallDenseNetwork(const std::vector<int>& widths, Activation, double slope, std::uint64_t seed);

/// Dilated convolutions whose last output is one number: layer l has taps[l] taps of that dilation, hidden layers `channels` channels
/// (one entry a hidden layer), as many inputs as the output sees. Throws as above and when the lists' lengths disagree.
Network smallConvNetwork(const std::vector<int>& taps, const std::vector<int>& dilations, const std::vector<int>& channels, Activation,
                         double slope, std::uint64_t seed);

/// All weights, layer after layer in each layer's own order, and back.
std::vector<double> allWeights(const Network&);
void setAllWeights(Network&, const std::vector<double>&);

/// Hidden units of dense layers, hidden channels of convolutions: what a scale can be taken out of and put back in after.
struct HiddenUnit {
    std::size_t layer = 0;  ///< 1 … hidden layers
    std::size_t unit = 0;
    /// The direction in weight space that multiplies what comes in by 1 − t and what goes out by 1 + t: incoming −w, outgoing +w,
    /// [parameters]. To first order the output of a network with f(c z) = c f(z), c > 0, does not change (P1 App. A).
    std::vector<double> direction;
};
std::vector<HiddenUnit> scaleDirections(const Network&);

/// f′(z) = f(z)/z wherever f has a derivative: two slopes, and the pseudo-random activation. Then a small change of the weights moves
/// no η, and parameters − hidden units is the rule; else (tanh, sigmoid) no scale is redundant and the capacity is all parameters.
bool derivativeIsEta(Activation);

/// The paths from inputs to outputs of a network of dense layers and convolutions without biases: which weight (numbered as in
/// allWeights) each takes in every layer. Its coefficient is their product; activations stand in the augmented variable (P1 Eq 5).
struct NetworkPaths {
    std::size_t parameters = 0, layers = 0;
    std::vector<std::uint32_t> weights;        ///< [path][layer], input first
    std::vector<std::uint32_t> input, output;  ///< [path] units at both ends
    std::size_t count() const { return input.size(); }
};
inline constexpr double kMaxNetworkPaths = 20000;

/// Throws InputError for layers of another kind and for more than kMaxNetworkPaths paths. Cost: paths · layers.
NetworkPaths networkPaths(const Network&);

/// ∂(path coefficient)/∂W, [paths][parameters]: the product of the path's other weights.
Matrix pathJacobian(const NetworkPaths&, const std::vector<double>& weights);

/// Rank of that Jacobian for weights in general position, exactly: random residues modulo 2³¹ − 1 (stream (seed, Weights)) and
/// elimination. Where f′ = η is piecewise constant this is the total capacity of all weights (P1 App. A): parameters − hidden units.
std::size_t genericPathRank(const NetworkPaths&, std::uint64_t seed);
/// The same with the paths that join the same input and output added up: a network without activations.
std::size_t genericLinearRank(const NetworkPaths&, std::uint64_t seed);

/// Rank of ∂y(x)/∂W over sampled inputs of the network as it runs, activations and all: the dimension of what its weights can change to
/// first order. It knows nothing of paths. Inputs N(0, inputDeviation²) come from the stream (seed, Inputs, 0), whatever the slices.
/// Only R of the QR decomposition of the rows so far is kept, never JᵀJ, whose square root of the rounding would hide small values.
class FunctionJacobian {
public:
    /// Throws InputError for layers other than dense, 1-D unpadded convolutions and activations, and for more than 512 weights.
    FunctionJacobian(Network network, double inputDeviation, std::uint64_t seed);

    /// Cost a sample: a forward pass, a backward pass for each output, 2·outputs·parameters² operations.
    void add(std::size_t samples);
    double samples() const { return samples_; }

    /// Singular values of the rows so far with columns scaled to norm 1 (which no rank depends on), descending.
    std::vector<double> singularValues() const;
    NumericalRank rank(double threshold = kRankThreshold) const { return numericalRank(singularValues(), threshold); }

private:
    void appendRows(const std::vector<double>& input, double* rows) const;
    Network network_;
    double deviation_, samples_ = 0;
    std::size_t parameters_ = 0;
    Rng rng_;
    Matrix factor_;  ///< R, at most [parameters][parameters]
};

/// Capacity of all weights and biases of a chain of dense layers and convolutions with an activation behind each: their number, less one
/// for every hidden unit (hidden channel of a shared kernel) whose scale can be taken out of what comes in and put back into what goes
/// out. That takes f(cz) = c f(z), c > 0, so that tanh and the like lose nothing, and learned weights on both sides: a layer that is frozen
/// brings no parameters, and its neighbours keep their scales (P1 App. A). `frozen` is one a layer of the network, or empty.
/// Nothing for other networks (pooling, batch norm and blocks have symmetries of their own; without an activation between them two layers
/// share more than scales).
std::optional<double> parameterCapacity(const Network&, const std::vector<bool>& frozen = {});

}  // namespace kappaflow

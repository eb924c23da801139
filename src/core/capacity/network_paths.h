#pragma once
#include <cstdint>
#include <vector>

#include "core/linalg/decompositions.h"
#include "core/net/network.h"

namespace kappaflow {

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

/// The rank at given weights, by singular values above 1e-9 of the largest, with the gap behind it.
NumericalRank pathRank(const NetworkPaths&, const std::vector<double>& weights);

}  // namespace kappaflow

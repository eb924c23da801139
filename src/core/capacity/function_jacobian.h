#pragma once
#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/net/network.h"

namespace kappaflow {

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

}  // namespace kappaflow

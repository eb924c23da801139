#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "core/capacity/gated_paths.h"

namespace kappaflow {

/// Where capacity starts: orthonormal directions [units][k] of a state as in `forward`, ψ = Uᵀφ.
struct PathStart {
    std::size_t state = 0;
    Matrix directions;
    std::vector<double> reads = {};  ///< [unit] 1 where paths end, 0 elsewhere; empty: they end in all units
};
/// The state that a network's outputs are read from without gates: behind its last gate, or below its last dense layer or convolution where
/// that comes first from above.
std::size_t startState(const Architecture&);
/// The span of the linear maps of `startState` to these outputs, biases left out; paths end in the units that the outputs are connected to.
/// Throws InputError for an output that is not there, and where all weights are zero.
PathStart startAtOutputs(const Network&, const std::vector<std::size_t>& outputs);

struct MeasureSpec {
    std::vector<std::size_t> states;  ///< whose units' capacities are wanted, each at most the start's
    /// Pairs Y = Y' count: exact for the samples as a population. Without them an estimate for the population they come from, unbiased up
    /// to the division; with them its bias is O(1/N).
    bool diagonal = false;
    std::size_t groups = 40;  ///< of samples, left out in turn (delete-a-group jackknife)
    double mostPairs = 1e18;  ///< beyond it pairs are drawn
    std::uint64_t seed = 0;   ///< of drawn pairs
};

/// Capacities of a state's units. Where the pairs left leave no positive Σ_i G⁽ⁱ⁾ all are NaN.
struct MeasuredProfile {
    std::vector<double> capacity;
    std::vector<std::vector<double>> leftOut;  ///< [group]: the same without a group of samples
};
struct MeasuredCapacity {
    std::vector<MeasuredProfile> profiles;  ///< one a state asked for
    std::size_t rank = 0;                   ///< Σ_i κ_i of the first
    double pairs = 0;                       ///< unordered, of different samples, that were looked at
    double allPairs = 0;
};

/// Capacity that a network's own gates leave its inputs, or the units of a hidden state, on samples, without an assumption on how layers
/// decouple. With a path's augmented input η_{j_L} ⋯ η_{j_1} y_i and ψ = Uᵀφ of the start, K̃_{path,r} = E[η_{j_L} ⋯ η_{j_1} y_i ψ_r];
/// κ_i sums the squared rows of an orthonormal basis of K̃'s columns over the paths of i, Σ_i κ_i = rank. Squares of means are means over
/// pairs of samples, which paths factor in:
///   G⁽ⁱ⁾_rs = E_{Y,Y'}[ψ_r(Y) ψ_s(Y') y_i y_i' B_i(Y,Y')],  κ_i = Tr[(Σ_i G⁽ⁱ⁾)⁺ G⁽ⁱ⁾],
/// B as in GatedPaths, gates above the state alone. Biases act on the gates; no capacity is given to them. Drawn pairs are (s, s + o) mod
/// N for offsets o drawn without replacement, every sample in equally many: samples are to come in random order. `tick` is told the share
/// done. Throws InputError for fewer than three samples, states beyond the start, directions of another size, or sums that overflow.
/// Cost: see measureCost.
MeasuredCapacity measureCapacity(
    const GatedPaths&, const PathStart&, const MeasureSpec&, const std::function<void(double)>& tick = [](double) {});

/// Nanoseconds and bytes of a measurement of so many samples, the forward pass included, known before anything is allocated.
struct MeasureCost {
    double operations = 0, bytes = 0;
};
MeasureCost measureCost(const Architecture&, double samples, double directions, const MeasureSpec&);

/// √((G − 1)/G Σ_g (x_g − mean)²) of a number found without each group in turn; NaN where one is.
double jackknifeError(const std::vector<double>& leftOut);
/// The jackknife error of each unit's capacity.
std::vector<double> standardErrors(const MeasuredProfile&);

/// Statistics of a layer's gates [unit][sample] over pairs of units and pairs of samples.
struct GateStatistics {
    /// C_jk = E[η_j η_k]/√(E η_j² E η_k²), for ReLU the co-activation P(j and k on)/√(P(j on) P(k on)); 0 for a unit that is never on.
    Matrix coactivation;
    double nu = 0;  ///< mean of C_jk, j ≠ k, over units that are ever on: the constant nearest to C off the diagonal; NaN for one unit
    double spread = 0;   ///< root mean square of C_jk − ν over the same
    double overlap = 0;  ///< mean of Λ(Y,Y') over Y ≠ Y' over that of Λ(Y,Y), for ReLU the share of active units that stay active
    std::size_t on = 0;  ///< units that are ever on
};
/// Without its matrix where `numbersOnly`; `tick` is called every four rows of the products or more often then. Cost: units² · samples
/// multiply-adds; without the matrix half of these, or of units · samples² where that is less.
GateStatistics gateStatistics(
    const Matrix& gates, bool numbersOnly = false, const std::function<void()>& tick = [] {});

/// A network of dense layers alone up to a start, as P1 has it: y_{l} = η_l ∘ (P_lᵀ y_{l−1}); batch norm is folded into P, biases are
/// left to the gates.
struct DenseChain {
    std::vector<Matrix> features;      ///< P_l, [units of l − 1][units of l]
    std::vector<Matrix> states;        ///< y_0 … y_L, [unit][sample]
    std::vector<std::size_t> stateOf;  ///< index in `forward` of y_0 … y_L
    std::vector<Matrix> gates;         ///< η_1 … η_L
};
/// Empty where a layer on the way is no dense one, batch norm, activation or flatten.
DenseChain denseChain(const GatedPaths&, std::size_t top);
bool isDenseChain(const Architecture&, std::size_t top);

/// Capacities of the units of every state of a dense chain, for one direction u, where layers decouple from one another but the gates of
/// one layer go together as `grams` says ([layer], C of each):
///   M_L = u uᵀ,  M_{l−1} = P_l (M_l ∘ C_l²) P_lᵀ,  κ^l_i ∝ (Σ_l M_l Σ_l)_ii,  Σ_l = E[y_l y_lᵀ],
/// C² the matrix square, ∘ entry by entry. C = I is the rule D = P∘P of P1 2.4, in which a unit's capacity goes on to its inputs by the
/// squares of its weights, where columns of P have norm 1; norms other than 1 belong to the weights above, so that an input's capacity
/// does not hang on how hidden units are scaled (a hidden layer's own does, as an input's on its unit of measure); C = 11ᵀ is the linear
/// network; C = ν11ᵀ + (1 − ν)I the continuum. Without `diagonal` a sample's own share leaves the product of the two means Σ_l, as it
/// leaves the pairs of measureCapacity. Each κ^l sums to 1. Throws InputError when sizes disagree. Cost: units² (units + samples) a layer.
std::vector<std::vector<double>> channelCapacity(
    const DenseChain&, const std::vector<double>& direction, const std::vector<Matrix>& grams, bool diagonal,
    const std::function<void()>& tick = [] {});

}  // namespace kappaflow

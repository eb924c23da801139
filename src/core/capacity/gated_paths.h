#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "core/net/batch_layers.h"

namespace kappaflow {

/// Gates of an activation layer at pre-activations z [units][samples]: η = (φ(z) − φ(0))/z, at z = 0 the left derivative. ReLU: 0 or 1;
/// leaky ReLU: 1 or its slope; |z|: ±1; tanh: tanh z/z; sigmoid: tanh(z/2)/2z, whose φ(0) = 1/2 acts as a bias of the layer above.
Matrix gatesOf(const Layer& activation, const Batch& z);

/// B of pairs of samples at one place of a network, [unit][pair]; uniform: one row that holds for every unit.
struct PathOverlap {
    bool uniform = true;
    Matrix values;
};

/// A network as the sum over its paths, for samples given as columns: the input of a unit at the bottom of a path comes out times the
/// gates on the way and times the weights. For two samples Y, Y' the products of both gates are summed over all paths that exist:
///   B_top(j) = 1,  B(i) = Σ_{j reads i} η_j(Y) η_j(Y') B(j),
/// every connection with weight 1, so that a convolution is a box sum (one a tap) and mean pooling too; batch norm and flatten pass B
/// on, Route and Concat hand it to where they read, a Sum to all its operands (not one whose scale is 0), and max pooling to the tap that
/// wins in both. A Product is a layer of gates, the values of all factors that are gates (gatePlaces), on the one that is none; so is a
/// MatMul, whose every unit reads a row or column of that one through gates of their own: in softmax attention y_t = Σ_s a_ts v_s they are
/// a_ts. A layer norm's z is what its weights leave of the units less their mean, so that every unit of a set is read by all, and its
/// η = φ/z is 1/√(σ² + epsilon), the same for all of them. In a dense network B is the product of the gating overlaps
/// Λ_l(Y, Y') = Σ_j η_j(Y) η_j(Y').
class GatedPaths {
public:
    /// Runs the samples through; `tick` is called after each layer. The network, which `validate` accepts, must outlive this. Throws
    /// InputError where the inputs do not fit, a state is not finite or capacity has no way through (followedOperands). Cost: a forward
    /// pass; 16 bytes a unit and sample kept.
    GatedPaths(
        const Network&, const Matrix& inputs, const std::function<void()>& tick = [] {});

    std::size_t samples() const { return states_.front().columns; }
    /// State as in `forward`: 0 the input, l behind layer l.
    const Batch& state(std::size_t l) const { return states_[l]; }
    /// Gates of layer l (from 0), which is an activation.
    const Matrix& gates(std::size_t l) const { return parts_[l].gates; }
    const Network& network() const { return network_; }

    /// B of the pairs (first + p, second + p), p < count, just above layer `layer` (of its output) in; just below it out.
    void pull(std::size_t layer, std::size_t first, std::size_t second, std::size_t count, PathOverlap&) const;

private:
    /// What one layer keeps of the samples, and a block of those inside it.
    struct Part {
        Matrix gates;  ///< [unit][sample] of activations and products; of a MatMul's gates; [set][sample] of layer norm
        std::vector<std::uint32_t> winners;  ///< [output][sample], input unit that wins, of max pooling
        std::vector<std::size_t> followed;   ///< operands that B goes down to
        std::vector<Part> inner;
    };
    struct Pairs {
        std::size_t first, second, count;
    };
    /// Of layer l, whose operands stand at `at`; `inside` is what stands in a block.
    static Part partOf(const std::vector<Layer>&, std::size_t l, const std::vector<std::size_t>& followed, const std::vector<Batch>& at,
                       const std::vector<Batch>& inside);
    static void pull(const Layer&, const Part&, Pairs, PathOverlap&);
    static void pullGates(const Part&, Pairs, PathOverlap&);
    static void pullMaxPool(const Layer&, const Part&, Pairs, PathOverlap&);
    static void pullMatMul(const Layer&, const Part&, Pairs, PathOverlap&);
    static void pullLayerNorm(const Layer&, const Part&, Pairs, PathOverlap&);
    static void pullBlock(const Layer&, const Part&, Pairs, PathOverlap&);

    const Network& network_;
    std::vector<Batch> states_;
    std::vector<Part> parts_;
};

/// Multiply-adds of one pair on its way down through these layers, and numbers kept a sample: from the architecture alone, in double.
double pullOperations(const std::vector<Layer>&);
double keptNumbers(const std::vector<Layer>&);

}  // namespace kappaflow

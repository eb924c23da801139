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
/// on, the sides of a residual layer add (not one whose scale is 0), and max pooling passes it to the tap that wins in both. In a dense
/// network B is the product of the gating overlaps Λ_l(Y, Y') = Σ_j η_j(Y) η_j(Y').
class GatedPaths {
public:
    /// Runs the samples through; `tick` is called after each layer. The network, which `validate` accepts, must outlive this. Throws
    /// InputError where the inputs do not fit or a state is not finite. Cost: a forward pass; 16 bytes a unit and sample kept.
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
    /// A part holds what one layer keeps of the samples; that of a residual layer holds the parts of its sides.
    struct Part {
        Matrix gates;                        ///< [unit][sample] of activations
        std::vector<std::uint32_t> winners;  ///< [output][sample], input unit that wins, of max pooling
        std::vector<Part> branch, skip;
    };
    struct Pairs {
        std::size_t first, second, count;
    };
    static Part partOf(const Layer&, const Batch& in, Batch& out);
    static std::vector<Part> partsOf(const std::vector<Layer>&, const Batch& in, Batch& out);
    static void pull(const Layer&, const Part&, Pairs, PathOverlap&);
    static void pull(const std::vector<Layer>&, const std::vector<Part>&, Pairs, PathOverlap&);
    static void pullActivation(const Part&, Pairs, PathOverlap&);
    static void pullMaxPool(const Layer&, const Part&, Pairs, PathOverlap&);
    static void pullResidual(const Layer&, const Part&, Pairs, PathOverlap&);

    const Network& network_;
    std::vector<Batch> states_;
    std::vector<Part> parts_;
};

/// Multiply-adds of one pair on its way down through these layers, and numbers kept a sample: from the architecture alone, in double.
double pullOperations(const std::vector<Layer>&);
double keptNumbers(const std::vector<Layer>&);

}  // namespace kappaflow

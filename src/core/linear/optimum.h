#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "core/linear/input_covariance.h"
#include "core/linear/linear_model.h"

namespace kappaflow {

/// Random: L-BFGS from random weights, as P2 does; from four channels on it stalls orders of magnitude above the optimum.
/// Best: the method that suits the model. Tensor trains with all layers free: truncated singular value decompositions of A* as a start
/// (TT-SVD, Oseledets 2011), then Gauss–Newton steps on the manifold of trains. Recurrent models: unit after unit where it
/// helps most, the gains by projection, Levenberg–Marquardt steps after each. All others, frozen layers included: alternating least
/// squares, each layer in turn, then Levenberg–Marquardt, from random weights; beyond kMaxDampedUnknowns L-BFGS instead.
enum class OptimumStart { Best, Random };

struct OptimumOptions {
    OptimumStart start = OptimumStart::Best;
    std::vector<std::size_t> freeLayers;  ///< 0-based; empty: all. The others keep `weights`.
    std::vector<double> weights;          ///< of the frozen layers, [parameters]; empty: model.randomWeights(seed)
    std::uint64_t seed = 1;               ///< random starts are model.randomWeights(seed, 0), (seed, 1), …
    int restarts = 1;                     ///< random starts, the best of which counts; of no use to the starts that are not random
    int iterations = 1500;                ///< at most, from each start
};

/// Levenberg–Marquardt steps solve dense systems: not for more weights or inputs than this.
inline constexpr std::size_t kMaxDampedUnknowns = 1200;

/// One way down from one start. (What OptimumSearch runs; of use by itself to tests and benchmarks.)
class Descent {
public:
    virtual ~Descent() = default;
    /// One iteration; false when none lowers the loss any more.
    virtual bool step() = 0;
    virtual const std::vector<double>& weights() const = 0;
    virtual double loss() const = 0;
};

/// Looks for the weights of least loss L = (A − A*)ᵀ Σ (A − A*), one iteration a call, so that it can run in slices, be watched and be
/// left at any time. Model and task must outlive it. Deterministic; the same bits natively and in wasm.
class OptimumSearch {
public:
    /// Throws InputError when model and task disagree in size, for a layer that does not exist, a wrong number of weights or restarts
    /// or iterations below 1.
    OptimumSearch(const LinearModel&, const LinearTask&, OptimumOptions = {});
    ~OptimumSearch();
    OptimumSearch(OptimumSearch&&) noexcept;
    OptimumSearch& operator=(OptimumSearch&&) noexcept;

    /// One iteration of the start whose turn it is; false when nothing is left: every start has settled, or had its iterations.
    bool step();
    /// 0 … 1, never falling.
    double progress() const;

    /// The best weights met so far, from the start on.
    const std::vector<double>& weights() const;
    double loss() const;
    /// Losses after 0, 1, 2, … iterations from the start that is best so far; never rising.
    const std::vector<double>& history() const;
    int iterations() const;  ///< of all starts together
    /// The best start ended because no step lowered the loss any more, not because it had used up its iterations.
    bool settled() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

struct Optimum {
    std::vector<double> weights;
    double loss = 0;
    double optimality = 0;  ///< ‖KᵀX‖/‖X‖ at the weights, all layers or the free ones: an optimum has about 1e-7 or less
    std::vector<double> history;
    bool settled = false;
};
/// A search to its end, with the check of its optimum. Throws as OptimumSearch and constraints do.
Optimum findOptimum(const LinearModel&, const LinearTask&, const OptimumOptions& = {});

/// Losses up to this one are rounding, 1e-28 A*ᵀΣA*: searches end there.
double roundingLoss(const LinearTask&);

/// Multiply-adds of a search at most, from sizes alone.
double optimumOperations(const LinearModel&, const OptimumOptions&);

}  // namespace kappaflow

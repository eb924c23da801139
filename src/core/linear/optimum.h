#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_model.h"
#include "core/linear/linear_task.h"

namespace kappaflow {

/// Random: L-BFGS from random weights, as P2 does; from three channels on it stalls above the optimum, with four by orders of magnitude.
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

private:
    struct Point {
        std::vector<double> weights, history;
        double loss;
    };
    void begin();
    bool advance();
    bool isBest() const { return !earlier_ || descent_->loss() <= earlier_->loss; }

    const LinearModel& model_;
    const LinearTask& task_;
    OptimumOptions options_;
    int starts_, start_ = -1;           ///< start_: the one under way
    std::unique_ptr<Descent> descent_;  ///< its
    bool polish_ = false;               ///< damped steps follow, after so many rounds
    int rounds_ = 0, done_ = 0, total_ = 0;
    std::vector<double> history_;
    std::optional<Point> earlier_;  ///< the best of the starts before
    bool finished_ = false;
};

struct Optimum {
    std::vector<double> weights;
    double loss = 0;
    double optimality = 0;  ///< ‖KᵀX‖/‖X‖ at the weights, all layers or the free ones: an optimum has about 1e-7 or less
    std::vector<double> history;
};
/// A search to its end, with the check of its optimum. Throws as OptimumSearch and constraints do.
Optimum findOptimum(const LinearModel&, const LinearTask&, const OptimumOptions& = {});

/// Losses up to this one are rounding, 1e-28 A*ᵀΣA*: searches end there.
double roundingLoss(const LinearTask&);

/// Operations of a search from sizes alone, as measured with five processes and 1 to 40 channels: mostly within a factor of five. A target
/// that needs few of the weights takes far fewer.
double optimumOperations(const LinearModel&, const OptimumOptions&);
/// How many iterations a descent by L-BFGS for the best prediction is likely to take at the most: those of up to 16
/// weights end within some 200, those of up to 8 inputs or of at least inputs²/2 weights within 10·inputs.
double lbfgsIterations(double inputs, double weights, int most);
/// Operations of such a descent. Four searches in ten take all these iterations, the others a tenth of them.
double lbfgsOperations(double inputs, double weights, int iterations);

// The ways down that OptimumSearch chooses from. Model and task must outlive them. `freeLayers` lists the layers that move, all of them
// where it is empty; the others stay as they are in `start`. All throw InputError as the model does.

/// L-BFGS with ten corrections (core/linalg/limited_memory_bfgs.h). Cost of an iteration: one or two responses and gradients, inputs²
/// for each component, and 50 a weight.
std::unique_ptr<Descent> lbfgsDescent(const LinearModel&, const LinearTask&, std::vector<double> start,
                                      const std::vector<std::size_t>& freeLayers = {});

/// Gauss–Newton on the manifold of tensor trains (Steinlechner, Riemannian optimization for high-dimensional tensor completion,
/// SIAM J. Sci. Comput. 38, 2016): steps ξ in the tangent space T at A, (TᵀΣT)ξ = −TᵀΣ(A − A*) by conjugate gradients, then A + Tξ
/// back to a train of the same bonds by TT-SVD. Starts at the train next to A*. Throws InputError unless the shape isTensorTrain.
/// Cost of an iteration: that of the tangent, and about 50 products with Σ and T.
std::unique_ptr<Descent> trainDescent(const HierarchicalModel&, const LinearTask&);

/// TT-SVD (Oseledets, Tensor-train decomposition, SIAM J. Sci. Comput. 33, 2011): weights whose response is next to `response` up to a
/// factor √(L − 1) among all trains of these bonds, exactly it where the bonds allow it. Layers have equal norms; channels beyond
/// bondDimensions stay 0. Throws InputError unless the shape isTensorTrain. Cost: 50·(bond·taps)³ a layer.
std::vector<double> trainWeights(const HierarchicalModel&, const std::vector<double>& response);

/// Recurrent units one after another, each with the recurrent weight that lowers the loss most; after each, Levenberg–Marquardt steps
/// of all recurrent weights, the gains in·out being the best beside them (variable projection, Golub and Pereyra, SIAM J. Numer. Anal.
/// 10, 1973). Units there is no use for, once the loss is rounding, stay silent: out = 0. Cost of an iteration: 20·inputs²·units.
std::unique_ptr<Descent> recurrentDescent(const RecurrentModel&, const LinearTask&);

}  // namespace kappaflow

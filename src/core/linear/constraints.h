#pragma once
#include <vector>

#include "core/linear/linear_model.h"
#include "core/linear/linear_task.h"

namespace kappaflow {

/// The constraints that stationarity of L puts on the error, (Σ J)ᵀ X = 0 with J = ∂A/∂w (P2 Eqs 8–13): K = orth(Σ J). The rank is decided
/// on the canonical Jacobian, never on Σ J (raw products lose constraints), K = orth(Σ T) of an orthonormal basis T of its span.
struct Constraints {
    Matrix basis;          ///< K, [inputs][rank], orthonormal columns
    std::size_t rank = 0;  ///< numerical rank: what the capacities per input sum to
};

/// Of all layers, or of those listed (from 0), the others frozen. Σ must be positive definite, as predictionTask checks. Throws InputError
/// when model and covariance disagree in size or a weight is not finite. Cost: for tensor trains 4·inputs·rank² and no decomposition; else
/// a pivoted QR of the tangent before that; nothing grows with the number of channels but the impulse responses.
Constraints constraints(const LinearModel&, const std::vector<double>& weights, const InputCovariance&,
                        const std::vector<std::size_t>& freeLayers = {});

/// Eigenvalues of K̃ K̃ᵀ, descending, [inputs], with the threshold that separates constraints from noise (P2 Fig 5 left). K̃ = Σ J_l of the
/// canonical Jacobian of all layers; `raw`: of J itself, the paper's way.
struct ConstraintSpectrum {
    std::vector<double> eigenvalues;
    double threshold = 0;  ///< geometric mean of the last kept and the first dropped (0: none dropped)
    std::size_t rank = 0;  ///< number above
};
/// Cost: 2·columns·inputs² + 50·inputs³: for inputs up to a few hundred. Throws InputError as above.
ConstraintSpectrum constraintSpectrum(const LinearModel&, const std::vector<double>& weights, const InputCovariance&, bool raw = false);

/// Σ·(canonical Jacobian of layer l) for every layer: the blocks of CapacityChain (P2 Figs 7, 8).
std::vector<Matrix> layerConstraints(const LinearModel&, const std::vector<double>& weights, const InputCovariance&);

/// ‖KᵀX‖/‖X‖ of X = A − A*: 0 at an optimum, of order 1 elsewhere. 0 as well when ‖X‖ < 1e-13 ‖A*‖, where X is rounding.
double optimality(const Constraints&, const LinearTask&, const std::vector<double>& response);

}  // namespace kappaflow

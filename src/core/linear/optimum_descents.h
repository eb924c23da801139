#pragma once
#include <memory>
#include <vector>

#include "core/linear/hierarchical_model.h"
#include "core/linear/input_covariance.h"
#include "core/linear/optimum.h"
#include "core/linear/recurrent_model.h"

namespace kappaflow {

// The ways down that OptimumSearch chooses from. Model and task must outlive them. `freeLayers` lists the layers that move, all of them
// where it is empty; the others stay as they are in `start`. All throw InputError as the model does.

/// L-BFGS with ten corrections (core/linalg/limited_memory_bfgs.h). Cost of an iteration: one or two responses and gradients, inputs²
/// for each component, and 50 a weight.
std::unique_ptr<Descent> lbfgsDescent(const LinearModel&, const LinearTask&, std::vector<double> start,
                                      const std::vector<std::size_t>& freeLayers = {});

/// Levenberg–Marquardt (damped_steps.h) on the residual Cᵀ(A − A*), Σ = C Cᵀ. Cost of an iteration: that of the Jacobian, inputs²·weights,
/// and a QR decomposition of 2·weights·rank².
std::unique_ptr<Descent> dampedDescent(const LinearModel&, const LinearTask&, std::vector<double> start,
                                       const std::vector<std::size_t>& freeLayers = {});

/// Alternating least squares: A is linear in each layer (as long as the model has no weights to themselves, recurrent ones have), so
/// that the best values of one layer beside the others are a linear least-squares problem; each iteration solves one, from the
/// first layer to the last and again. Never raises the loss.
std::unique_ptr<Descent> alternatingDescent(const LinearModel&, const LinearTask&, std::vector<double> start,
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

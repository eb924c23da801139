#pragma once
#include "core/linalg/matrix.h"
#include "scenes/linear_models/subspace/model_descent.h"

namespace kappaflow::subspace {

/// What P2 Section 3 says at one point of the descent. Parts are the axes, then S.
struct Reading {
    Point weights{}, error{};
    Matrix constraints;                             ///< K, [n][κ], columns in the direction of the step before
    std::vector<double> capacity, share, expected;  ///< [part]: κ, squared error over ‖X‖² (NaN where X = 0), Eq 6's share
    double residual = 0;                            ///< ‖KᵀX‖/‖X‖, 0 where X = 0
    std::array<Point, 2> sets{};                    ///< unit vectors that span 𝒦₁ and 𝒦₂
    std::array<std::vector<double>, 2> separate;    ///< [part] κ of 𝒦₁ and of 𝒦₂ alone
    std::vector<double> joint;                      ///< [part] κ of 𝒦₁ + 𝒦₂
};

/// Everything beside the weights that a reading needs.
struct Question {
    Task task;
    Matrix subspace;    ///< S, [n][n_S]
    double apart = 45;  ///< degrees from 𝒦₁ to 𝒦₂, for manifolds of one parameter
    double dimensionOf(std::size_t part) const { return part < task.manifold.dimension() ? 1 : static_cast<double>(subspace.columns); }
};
Question questionOf(const Values&);

std::vector<Reading> readingsOf(const Question&, const Descent&);

/// Errors below this are none: their direction would be rounding.
inline constexpr double kNoError = 1e-9;

/// κ(S) once more from other bases of both spaces (Property 1).
double capacityFromOtherBases(const Matrix& constraints, const Matrix& subspace);
/// max over unit vectors s of κ_1(s) + κ_2(s) − κ_{1+2}(s): the cosine of the angle between two lines, 0 only when orthogonal.
double largestExcess(const Reading&, std::size_t dimension);

}  // namespace kappaflow::subspace

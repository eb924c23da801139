#pragma once
#include <vector>

#include "core/base/rng.h"
#include "core/linalg/matrix.h"

namespace kappaflow {

/// Dense differential layers φ(Y) = Y + √ε f(P_lᵀ Y), l = 1 … L, P_l [n][n], and directions U, [n][k], learned above them (P1, later
/// version, 3.3, App. B; the formulas are reconstructed). Inputs independent, Σ = I.
struct DifferentialNetwork {
    std::vector<Matrix> features;
    double epsilon = 0.1;
    Matrix free;
};

/// D_ij = (δ_ij + ε p_ij²)/(1 + ε |p_j|²); for unit columns (I + ε P∘P)/(1 + ε). For unequal norms it gives the capacities of a
/// pseudo-random layer only when U is spanned by units.
Matrix differentialMatrix(const Matrix& features, double epsilon);

/// Capacity of the inputs when every layer has decoupling ν, whatever the norms and U: with s = √(εν), A = I + s P, B = s P,
///   Q_l = (1 + mν) Aᵀ Q A + (1 − ν)(Aᵀ Q B + Bᵀ Q A) + (1 − ν)² ε diag(Pᵀ Q P),  Q_0 = I,  κ_i = Tr[(Uᵀ Q_L U)⁺ Uᵀ Q_L^(i) U],
/// from the path covariance v vᵀ + (1 − ν) diag(0, 1, …, 1), v = (1, √ν, …, √ν), of the unchanged and the m multiplied copies.
/// ν = 0, unit columns: the product of the D above. ν = 1: the span of Π (I + √ε P_l) U. Throws InputError when sizes disagree, ε < 0
/// or ν is outside [0, 1]. Cost: about 10 n³ a layer.
std::vector<double> differentialCapacity(const DifferentialNetwork&, double nu);

/// Two pseudo-random differential layers as they run, on Gaussian inputs: nothing of the theory is put in but the paths. A slice of
/// draws at a time from the stream (seed, MonteCarlo, 1); η = ±1 is the hash of each unit's argument, with a seed for each layer.
class DifferentialSimulation {
public:
    /// Throws InputError unless there are two layers of at most 8 units.
    DifferentialSimulation(DifferentialNetwork, std::uint64_t seed);

    /// Cost: (n (1 + n)²)² multiply-adds a draw.
    void add(std::size_t draws);
    double draws() const { return draws_; }

    /// E[Ỹ Ỹᵀ] of the n(1 + n)² paths, path (a_2, a_1, i) being the product of input i and the η's of the copies a_1, a_2 it goes
    /// through (0: unchanged), numbered a_2-major; the theory says I.
    Matrix pathCovariance() const;
    /// Mean square of a unit after layer 1 and 2, averaged over units, and its standard error; the theory says 1 + ε and (1 + ε)².
    struct Estimate {
        double value = 0, standardError = 0;
    };
    Estimate outputVariance(int layer) const;
    /// Capacities from K = orth(Σ̃ P̃ U) with the measured Σ̃, and their standard errors from sixteen batches of draws, analysed apart.
    struct Capacities {
        std::vector<double> capacity, standardError;
    };
    Capacities capacities() const;

private:
    static constexpr std::size_t kBatches = 16;
    std::vector<double> drawPaths();
    std::vector<double> capacityFrom(const Matrix& covariance) const;
    DifferentialNetwork network_;
    Rng rng_;
    std::uint64_t seed_;
    double draws_ = 0;
    std::vector<Matrix> sums_;                        ///< [batch], on and above the diagonal
    double squareSums_[2] = {}, fourthSums_[2] = {};  ///< of the mean square of a draw, by layer
};

}  // namespace kappaflow

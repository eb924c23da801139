#pragma once
#include <cstdint>
#include <vector>

namespace kappaflow {

/// Rates Δ_k = Δ_{j+k,j} of a translation-invariant generator on the integers, k = −reach … reach, an odd number of them; the entry at
/// k = 0 does not count, Δ_0 = −Σ_{k≠0} Δ_k (P1 Eqs 29–31).
struct LimitKernel {
    std::vector<double> rates;

    int reach() const { return static_cast<int>(rates.size() / 2); }
    double total() const;      ///< Σ_{k≠0} Δ_k
    double drift() const;      ///< v = Σ k Δ_k
    double diffusion() const;  ///< 𝒟 = ½ Σ k² Δ_k
};
/// Δ_{i+1,i} = up, Δ_{i−1,i} = down: v = up − down, 𝒟 = (up + down)/2.
LimitKernel threePointKernel(double up, double down);
/// Δ_k = p_k², of a layer whose weights are p_k times a power of the depth; p has an odd number of entries, the middle one k = 0.
LimitKernel kernelOfWeights(const std::vector<double>& p);

/// Masses at first, first + 1, …
struct LatticeDistribution {
    int first = 0;
    std::vector<double> mass{1.0};

    double at(int x) const {
        return x < first || x >= first + static_cast<int>(mass.size()) ? 0 : mass[static_cast<std::size_t>(x - first)];
    }
    double total() const;
    double mean() const;
    double variance() const;
};

/// Share of capacity that one of L layers moves when its weights are p_k L^{−exponent} (P1, later version, 3.3): residual layers D = I + ε
/// Δ, ε = L^{−2·exponent}, so step = ε; differential layers D = (I + ε P∘P)/(1 + ε |p|²), step = ε/(1 + ε |p|²), |p|² with the middle
/// weight. Exponent 1/2 is the only one whose L steps neither vanish nor blow up.
double residualStep(int layers, double exponent);
double differentialStep(int layers, double exponent, double squaredNorm);

/// D^layers of a Dirac at 0, D = I + step·Δ: mean layers·step·v, variance layers·(2·step·𝒟 − step² v²), exactly. Masses below 1e-40 at
/// the ends are dropped. Throws InputError when step·Σ Δ_k > 1 (an entry of D would be negative), a rate is negative or the cost
/// exceeds 3e9. Cost: layers · spread · taps, spread at most layers · (2·reach).
LatticeDistribution latticeChain(const LimitKernel&, double step, int layers);

/// π(t) = e^{tΔ} of a Dirac at 0, the solution of π′ = Δ π (P1 Eq 30), by uniformisation: a Poisson mixture, of mean t·ΣΔ_k, of the
/// powers of I + Δ/ΣΔ_k; nothing is discretised. Mean vt, variance 2𝒟t. Throws as above.
LatticeDistribution kolmogorovFlow(const LimitKernel&, double time);

/// Normal density of mean vt and variance 2𝒟t (P1 Eq 32 of a Dirac), integrated over the cells x − 1/2 … x + 1/2 of the integers within
/// ten standard deviations: it sums to 1, and its variance is 2𝒟t + 1/12. Without variance, 1 at the nearest integer.
LatticeDistribution limitGaussian(const LimitKernel&, double time);

/// ½ Σ |a − b| over all integers.
double totalVariation(const LatticeDistribution& a, const LatticeDistribution& b);

/// lim L·TV(chain of L layers, flow at t = 1) for steps 1/L − s/L² + …: log(I + step Δ)^L = Δ − (s Δ + Δ²/2)/L, hence
/// ½ ‖(s Δ + Δ²/2) e^Δ δ‖₁. s = 0 for residual layers, |p|² for differential ones.
double totalVariationSlope(const LimitKernel&, double secondOrder);

/// Differential layers on a ring as a difference equation (P1, later version, Eqs 34–36): Y ← Y + √ε η∘(Pᵀ Y), whose
/// deep limit is dY_x = (Pᵀ Y)_x dB_x. Weights p_k, an odd number of them, unit x reads x + k; √ε stands for the layer's scaling.
/// The paper's explicit link between this equation's coefficient and the diffusion of capacity is not recoverable: no factor is
/// claimed. Taps may meet on one unit of a short ring.
struct ForwardEquation {
    std::vector<double> weights;
    double epsilon = 0.01;
    int layers = 100;
};

/// One solution, [layer 0 … layers][position]: η = ±1, independent between units and layers, from the stream (seed, Signs, draw).
/// Throws InputError for an even number of weights, an empty start or more than 1e8 numbers. Cost: layers · positions · taps.
std::vector<std::vector<double>> forwardDraw(const ForwardEquation&, const std::vector<double>& start, std::uint64_t seed,
                                             std::uint64_t draw);

}  // namespace kappaflow

#pragma once
#include <cstddef>
#include <vector>

namespace kappaflow {

/// The scalar input of P3 Fig 1: `share`·N(−separation/2, spread²) + (1 − share)·N(separation/2, spread²).
struct ScalarMixture {
    double separation = 2, spread = 0.2, share = 0.5;

    double mean() const;
    double variance() const;
    double density(double x) const;
    /// Probability of [a, b].
    double mass(double a, double b) const;
};
/// Throws InputError unless separation >= 0, spread > 0 and 0 <= share <= 1, all finite.
void validate(const ScalarMixture&);

/// Even steps over all of the mixture that counts, symmetric about 0: a stratified sample of it whose points weigh what the density says.
/// The trapezoidal rule on a step of at most a quarter of the spread integrates what is smooth to rounding.
struct ScalarGrid {
    std::vector<double> x, weight;  ///< weights sum to 1; the same bits on every platform
    double step() const { return x[1] - x[0]; }
    std::size_t size() const { return x.size(); }
};
/// From −r to r with r = separation/2 + 5·spread + margin; `points` odd, at least 3.
ScalarGrid scalarGrid(const ScalarMixture&, double margin, std::size_t points);

/// Nodes and weights of Gauss and Legendre, panel by panel, for means over the mixture. Panels end at `breaks`, where the integrand or a
/// derivative jumps, so that these cost no accuracy: relative error below 1e-12 for integrands that vary over no less than a tenth of the
/// spread between them.
struct ScalarNodes {
    std::vector<double> x, weight;
};
ScalarNodes mixtureNodes(const ScalarMixture&, const std::vector<double>& breaks);

}  // namespace kappaflow

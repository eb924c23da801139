#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kappaflow {

/// Slope of the least-squares line through points. Throws InputError unless there are two with different x, all finite, as many x as y.
double fitSlope(std::span<const double> x, std::span<const double> y);

/// Over layers from … to of a curve that starts at layer 0: d log χ/dl, and the log–log slope d log χ/d log l (from >= 1). `to` is cut to
/// the curve's end. Throws InputError when fewer than two layers are left.
double exponentialRate(std::span<const double> logChi, std::size_t from, std::size_t to);
double powerLaw(std::span<const double> logChi, std::size_t from, std::size_t to);
/// C of C·l^τ for a given τ, least squares over layers 1 …: Σ χ^l l^τ/Σ l^{2τ}.
double powerLawAmplitude(std::span<const double> chi, double tau);

/// NaN of none; the standard error of the mean of independent values, NaN of fewer than two.
double meanOf(std::span<const double> values);
double errorOfMean(std::span<const double> values);
/// The `share` percentile of values, between neighbours by a straight line; NaN of none.
double quantile(std::vector<double> values, double share);
double median(std::vector<double> values);

/// Mean over draws with its standard error, and the 16th and 84th percentiles: the band of the paper's figures.
struct DrawBand {
    double mean = 0, standardError = 0, low = 0, high = 0;
    std::size_t draws = 0;
};
DrawBand drawBand(std::span<const double> values);

/// P3's pathologies (Sec. 4) as numbers say: what must tend to a limit is told from its value and its rate over the second half of the
/// layers.
///   zero-dimensional signal   μ₂/ν₂ below 1e-4 in the end, or below 0.05 and falling by more than e^{−0.05} a layer
///   one-dimensional signal    r_eff below 1.25 over the last tenth of the layers
///   exploding sensitivity     log χ grows by more than 0.03 a layer over the second half, and at no less than 3/4 of its rate over the
///                             quarter before, which a power law halves
/// A sign that is nearer to its limit than kMarginErrors standard errors is uncertain: other draws might say the opposite.
struct Pathologies {
    bool zeroDimensional = false, oneDimensional = false, exploding = false;
    bool zeroUncertain = false, oneUncertain = false, explodingUncertain = false;
};
inline constexpr double kMarginErrors = 2.5;
/// Standard errors of what the signs are read from: log μ₂/ν₂ in the end and its rate, the rank, the rate of log χ, and that rate less 3/4
/// of the earlier one.
struct SignErrors {
    double logRatio = 0, ratioRate = 0, rank = 0, rate = 0, rateOverEarlier = 0;
};
/// From the curves of all draws up to one layer, at least eight: the larger of the spread of each sign over draws and, for rates of log χ,
/// what its increments leave to chance if layers are independent, 1.2·variance/layers for a fitted slope. One draw has the latter alone.
SignErrors errorsOfSigns(std::span<const std::vector<double>> logVarianceRatio, std::span<const std::vector<double>> rank,
                         std::span<const std::vector<double>> logChi, std::size_t last);
/// From curves over layers 0 …, means or medians over draws; `rank` may be empty. Throws InputError for fewer than 8 layers, which tell no
/// trend, or numbers that are not finite (μ₂/ν₂ must be positive).
Pathologies namePathologies(std::span<const double> varianceRatio, std::span<const double> rank, std::span<const double> logChi,
                            const SignErrors& = {});

}  // namespace kappaflow

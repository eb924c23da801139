#include "core/moments/moment_fits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/errors.h"

namespace kappaflow {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double slopeOverLayers(std::span<const double> logChi, std::size_t from, std::size_t to, bool logarithmic) {
    to = std::min(to, logChi.empty() ? 0 : logChi.size() - 1);
    if (from >= to || (logarithmic && from == 0)) throw InputError("A fit needs at least two layers of the range that it was asked for.");
    std::vector<double> x;
    for (std::size_t l = from; l <= to; ++l) x.push_back(logarithmic ? std::log(static_cast<double>(l)) : static_cast<double>(l));
    return fitSlope(x, logChi.subspan(from, x.size()));
}

}  // namespace

double fitSlope(std::span<const double> x, std::span<const double> y) {
    if (x.size() != y.size() || x.size() < 2) throw InputError("A line needs two points or more.");
    const double mx = meanOf(x), my = meanOf(y);
    double xx = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
    if (!(xx > 0) || !std::isfinite(xx + xy)) throw InputError("A line needs finite points, two of them beside each other.");
    return xy / xx;
}

double exponentialRate(std::span<const double> logChi, std::size_t from, std::size_t to) {
    return slopeOverLayers(logChi, from, to, false);
}
double powerLaw(std::span<const double> logChi, std::size_t from, std::size_t to) { return slopeOverLayers(logChi, from, to, true); }

double powerLawAmplitude(std::span<const double> chi, double tau) {
    if (chi.size() < 2) throw InputError("An amplitude needs a layer beyond the input.");
    double top = 0, bottom = 0;
    for (std::size_t l = 1; l < chi.size(); ++l) {
        const double power = std::pow(static_cast<double>(l), tau);
        top += chi[l] * power, bottom += power * power;
    }
    return top / bottom;
}

double meanOf(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? kNone : sum / static_cast<double>(values.size());
}

double errorOfMean(std::span<const double> values) {
    const double mean = meanOf(values), n = static_cast<double>(values.size());
    double square = 0;
    for (const double value : values) square += (value - mean) * (value - mean);
    return n > 1 ? std::sqrt(square / (n * (n - 1))) : kNone;
}

double quantile(std::vector<double> values, double share) {
    if (values.empty()) return kNone;
    std::sort(values.begin(), values.end());
    const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const double part = at - static_cast<double>(below);
    return part > 0 ? values[below] + part * (values[below + 1] - values[below]) : values[below];
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

DrawBand drawBand(std::span<const double> values) {
    const std::vector<double> all(values.begin(), values.end());
    return {meanOf(values), errorOfMean(values), quantile(all, 0.16), quantile(all, 0.84), values.size()};
}

namespace {

/// How far a number lies on the side that makes a sign, in standard errors; infinite without an error.
double margin(double over, double error) { return over / std::max(error, 1e-300); }

/// Variance that independent increments from layer `from` to `to` leave to the slope of their sum.
double slopeVariance(std::span<const double> curve, std::size_t from, std::size_t to) {
    std::vector<double> steps;
    for (std::size_t l = from + 1; l <= to; ++l) steps.push_back(curve[l] - curve[l - 1]);
    const double error = errorOfMean(steps);
    return std::isfinite(error) ? 1.2 * error * error : 0;
}

double errorOver(const std::vector<double>& values) { return values.size() > 1 ? errorOfMean(values) : 0; }

}  // namespace

SignErrors errorsOfSigns(std::span<const std::vector<double>> logVarianceRatio, std::span<const std::vector<double>> rank,
                         std::span<const std::vector<double>> logChi, std::size_t last) {
    std::vector<double> ratios, ratioRates, ranks, rates, overEarlier;
    double within = 0, withinEarlier = 0;
    const std::size_t tenth = std::max<std::size_t>(1, last / 10);
    const double draws = static_cast<double>(logChi.size());
    for (std::size_t d = 0; d < logChi.size(); ++d) {
        const auto chi = std::span(logChi[d]).first(last + 1), ratio = std::span(logVarianceRatio[d]).first(last + 1);
        ratios.push_back(ratio[last]);
        ratioRates.push_back(exponentialRate(ratio, last / 2, last));
        if (!rank.empty()) ranks.push_back(meanOf(std::span(rank[d]).subspan(last + 1 - tenth, tenth)));
        rates.push_back(exponentialRate(chi, last / 2, last));
        overEarlier.push_back(rates.back() - 0.75 * exponentialRate(chi, last / 4, last / 2));
        within += slopeVariance(chi, last / 2, last) / (draws * draws);
        withinEarlier += slopeVariance(chi, last / 4, last / 2) / (draws * draws);
    }
    return {errorOver(ratios), errorOver(ratioRates), errorOver(ranks), std::max(errorOver(rates), std::sqrt(within)),
            std::max(errorOver(overEarlier), std::sqrt(within + 0.5625 * withinEarlier))};
}

Pathologies namePathologies(std::span<const double> varianceRatio, std::span<const double> rank, std::span<const double> logChi,
                            const SignErrors& errors) {
    const std::size_t L = logChi.empty() ? 0 : logChi.size() - 1;
    if (L < 8 || varianceRatio.size() != L + 1 || (!rank.empty() && rank.size() != L + 1))
        throw InputError("A pathology is a trend, which needs at least eight layers to show.");
    std::vector<double> logRatio;
    for (const double ratio : varianceRatio) logRatio.push_back(std::log(ratio));
    const double ratio = logRatio[L], ratioRate = exponentialRate(logRatio, L / 2, L), rate = exponentialRate(logChi, L / 2, L),
                 over = rate - 0.75 * exponentialRate(logChi, L / 4, L / 2),
                 meanRank = rank.empty() ? kNone : meanOf(rank.last(std::max<std::size_t>(1, L / 10)));
    const double faint = std::log(1e-4), small = std::log(0.05);
    Pathologies p;
    p.zeroDimensional = ratio < faint || (ratio < small && ratioRate < -0.05);
    p.oneDimensional = meanRank < 1.25;
    p.exploding = rate > 0.03 && over >= 0;
    const double falling = std::min(margin(small - ratio, errors.logRatio), margin(-0.05 - ratioRate, errors.ratioRate)),
                 explosion = std::min(margin(rate - 0.03, errors.rate), margin(over, errors.rateOverEarlier));
    p.zeroUncertain = std::abs(std::max(margin(faint - ratio, errors.logRatio), falling)) < kMarginErrors;
    p.explodingUncertain = std::abs(explosion) < kMarginErrors;
    p.oneUncertain = std::abs(margin(1.25 - meanRank, errors.rank)) < kMarginErrors;
    return p;
}

}  // namespace kappaflow

#include "core/capacity/diffusion_theory.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace kappaflow {
namespace {

/// Index 0 … period − 1 of an integer, in double because offsets of deep strided networks are long.
std::size_t folded(double x, int period) {
    const double rest = x - period * std::floor(x / period);
    return static_cast<std::size_t>(rest) % static_cast<std::size_t>(period);
}

double imageSum(double d, double variance, int period) {
    // Nine standard deviations: what is left out is below 1e-17 of the peak.
    const double reach = 9 * std::sqrt(variance);
    double sum = 0;
    for (double n = std::ceil((-reach - d) / period); d + n * period <= reach; ++n) {
        const double x = d + n * period;
        sum += std::exp(-0.5 * x * x / variance);
    }
    return sum / std::sqrt(2 * std::numbers::pi * variance);
}

double waveSum(double d, double variance, int period) {
    const double step = 2 * std::numbers::pi / period;
    double sum = 1;
    for (int q = 1; 0.5 * step * step * q * q * variance < 40; ++q)
        sum += 2 * std::exp(-0.5 * step * step * q * q * variance) * std::cos(step * q * d);
    return sum / period;
}

}  // namespace

std::vector<double> wrappedNormal(double mean, double variance, int period) {
    std::vector<double> density(static_cast<std::size_t>(period));
    if (variance <= 0) {
        density[folded(std::round(mean), period)] = 1;
        return density;
    }
    // The images nearest to the mean first: d within half a period of it.
    const double turns = std::floor(mean / period), rest = mean - turns * period;
    const bool wide = variance > 0.1 * period * period;
    for (int d = 0; d < period; ++d)
        density[static_cast<std::size_t>(d)] = wide ? waveSum(d - rest, variance, period) : imageSum(d - rest, variance, period);
    return density;
}

std::vector<double> convolved(const std::vector<double>& start, double scale, const std::vector<double>& density, bool ring) {
    std::vector<double> unfolded(density.size());
    for (std::size_t y = 0; y < start.size(); ++y) {
        if (start[y] == 0) continue;
        const std::size_t n = density.size(), shift = folded(scale * static_cast<double>(y), static_cast<int>(n));
        for (std::size_t x = shift; x < n; ++x) unfolded[x] += start[y] * density[x - shift];
        for (std::size_t x = 0; x < shift; ++x) unfolded[x] += start[y] * density[x + n - shift];
    }
    if (ring) return unfolded;
    // Reflecting ends: position x of the line also gathers what would be at −1 − x.
    std::vector<double> row(unfolded.size() / 2);
    for (std::size_t x = 0; x < row.size(); ++x) row[x] = unfolded[x] + unfolded[unfolded.size() - 1 - x];
    return row;
}

std::vector<double> diffused(const std::vector<double>& start, double scale, double mean, double variance, int width, bool ring) {
    return convolved(start, scale, wrappedNormal(mean, variance, ring ? width : 2 * width), ring);
}

double totalVariation(const std::vector<double>& a, const std::vector<double>& b) {
    assert(a.size() == b.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
    return sum / 2;
}

}  // namespace kappaflow

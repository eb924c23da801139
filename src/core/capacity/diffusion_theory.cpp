#include "core/capacity/diffusion_theory.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "core/linalg/matrix.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// Index 0 … period − 1 of an integer, in double because offsets of deep strided networks are long.
Size folded(double x, double period) { return static_cast<Size>(x - period * std::floor(x / period)) % static_cast<Size>(period); }

double imageSum(double d, double variance, int period) {
    // Nine standard deviations: what is left out is below 1e-17 of the whole.
    const double reach = 9 * std::sqrt(variance) + 0.5;
    double sum = 0;
    for (double n = std::ceil((-reach - d) / period); d + n * period <= reach; ++n) sum += normalOnCell(d + n * period, variance);
    return sum;
}

/// Mean of exp(ikx) over a cell, x from −1/2 to 1/2.
double waveOnCell(double k) { return k == 0 ? 1 : std::sin(k / 2) / (k / 2); }

double waveSum(double d, double variance, int period) {
    const double step = 2 * std::numbers::pi / period;
    double sum = 1;
    for (int q = 1; 0.5 * step * step * q * q * variance < 40; ++q)
        sum += 2 * waveOnCell(step * q) * std::exp(-0.5 * step * step * q * q * variance) * std::cos(step * q * d);
    return sum / period;
}

}  // namespace

double normalOnCell(double x, double variance) {
    const double scale = std::sqrt(2 * variance), from = (std::abs(x) - 0.5) / scale, to = (std::abs(x) + 0.5) / scale;
    return from > 0 ? (std::erfc(from) - std::erfc(to)) / 2 : (std::erf(to) - std::erf(from)) / 2;
}

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
        const std::size_t n = density.size(), shift = folded(scale * static_cast<double>(y), static_cast<double>(n));
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
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double gap = std::abs(a[i] - b[i]);
        if (!(gap <= 1e-14 * std::max(std::abs(a[i]), std::abs(b[i])))) sum += gap;
    }
    return sum / 2;
}

namespace {

/// Waves weaker than exp(−40) do not reach the last bit.
constexpr double kFaintest = 40;
constexpr double kNarrowest = 0.01;

struct ComplexMatrix {
    Size columns;
    std::vector<double> re, im;
};

ComplexMatrix zeroMatrix(Size rows, Size columns) {
    return {columns, std::vector<double>(rows * columns), std::vector<double>(rows * columns)};
}

ComplexMatrix product(const ComplexMatrix& A, const ComplexMatrix& B) {
    auto C = zeroMatrix(A.re.size() / A.columns, B.columns), D = C;
    matrixProduct(A.re, B.re, A.columns, C.re);
    matrixProduct(A.im, B.im, A.columns, D.re);
    matrixProduct(A.re, B.im, A.columns, C.im);
    matrixProduct(A.im, B.re, A.columns, D.im);
    for (Size i = 0; i < C.re.size(); ++i) C.re[i] -= D.re[i], C.im[i] += D.im[i];
    return C;
}

/// exp(sign·2πi j q/n), [j][q].
ComplexMatrix waves(Size n, double sign) {
    auto E = zeroMatrix(n, n);
    for (Size j = 0; j < n; ++j)
        for (Size q = 0; q < n; ++q) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(j * q % n) / static_cast<double>(n);
            E.re[j * n + q] = std::cos(angle);
            E.im[j * n + q] = sign * std::sin(angle);
        }
    return E;
}

PlaneNormal resolved(PlaneNormal g) {
    const double half = (g.varianceY - g.varianceX) / 2, narrowest = (g.varianceY + g.varianceX) / 2 - std::hypot(half, g.covariance);
    const double wider = std::max(0.0, kNarrowest - narrowest);
    g.varianceY += wider;
    g.varianceX += wider;
    return g;
}

/// Fourier coefficients of what the density has on the cells of a torus, folded to the waves the torus tells apart.
ComplexMatrix densityWaves(const PlaneNormal& g, Size height, Size width) {
    auto waves = zeroMatrix(height, width);
    const double dy = 2 * std::numbers::pi / static_cast<double>(height), dx = 2 * std::numbers::pi / static_cast<double>(width);
    const double vy = g.varianceY, vx = g.varianceX, c = g.covariance;
    const double last = std::floor(std::sqrt(2 * kFaintest * vx / (vy * vx - c * c)) / dy);
    for (double qy = -last; qy <= last; ++qy) {
        const double ky = qy * dy, root = std::sqrt(std::max(0.0, c * c * ky * ky - vx * (vy * ky * ky - 2 * kFaintest)));
        for (double qx = std::ceil((-c * ky - root) / vx / dx); qx <= (-c * ky + root) / vx / dx; ++qx) {
            const double kx = qx * dx, density = std::exp(-0.5 * (vy * ky * ky + 2 * c * ky * kx + vx * kx * kx));
            const double size = waveOnCell(ky) * waveOnCell(kx) * density;
            const Size at = folded(qy, static_cast<double>(height)) * width + folded(qx, static_cast<double>(width));
            const double phase = ky * g.meanY + kx * g.meanX;
            waves.re[at] += size * std::cos(phase);
            waves.im[at] -= size * std::sin(phase);
        }
    }
    return waves;
}

/// The start on the torus, its positions scaled.
ComplexMatrix placed(const PlaneProfile& start, double scale, Size height, Size width) {
    auto torus = zeroMatrix(height, width);
    for (Size s = 0; s < start.values.size(); ++s) {
        const auto y = static_cast<double>(s / static_cast<Size>(start.width)), x = static_cast<double>(s % static_cast<Size>(start.width));
        torus.re[folded(scale * y, static_cast<double>(height)) * width + folded(scale * x, static_cast<double>(width))] += start.values[s];
    }
    return torus;
}

std::vector<double> correlatedTorus(const PlaneProfile& start, double scale, const PlaneNormal& normal, Size height, Size width) {
    const auto density = densityWaves(resolved(normal), height, width);
    auto spectrum = product(product(waves(height, -1), placed(start, scale, height, width)), waves(width, -1));
    for (Size i = 0; i < spectrum.re.size(); ++i) {
        const double re = spectrum.re[i], im = spectrum.im[i];
        spectrum.re[i] = re * density.re[i] - im * density.im[i];
        spectrum.im[i] = re * density.im[i] + im * density.re[i];
    }
    auto plane = product(product(waves(height, 1), spectrum), waves(width, 1)).re;
    // Far out rounding may leave less than nothing.
    for (double& p : plane) p = std::max(0.0, p / static_cast<double>(height * width));
    return plane;
}

PlaneProfile correlated(const PlaneProfile& start, double scale, const PlaneNormal& normal, int height, int width, bool periodic) {
    const auto h = static_cast<Size>(height), w = static_cast<Size>(width), times = static_cast<Size>(periodic ? 1 : 2);
    const auto torus = correlatedTorus(start, scale, normal, times * h, times * w);
    if (periodic) return {height, width, torus};
    PlaneProfile plane{height, width, std::vector<double>(h * w)};
    for (Size y = 0; y < 2 * h; ++y)
        for (Size x = 0; x < 2 * w; ++x) plane.values[std::min(y, 2 * h - 1 - y) * w + std::min(x, 2 * w - 1 - x)] += torus[y * 2 * w + x];
    return plane;
}

/// Along x in every row of the start, then along y in every column.
PlaneProfile separable(const PlaneProfile& start, double scale, const PlaneNormal& g, int height, int width, bool periodic) {
    const auto h = static_cast<Size>(height), w = static_cast<Size>(width), top = static_cast<Size>(start.height);
    const auto alongX = wrappedNormal(g.meanX, g.varianceX, periodic ? width : 2 * width);
    const auto alongY = wrappedNormal(g.meanY, g.varianceY, periodic ? height : 2 * height);
    std::vector<double> rows;
    for (Size y = 0; y < top; ++y) {
        const auto first = start.values.begin() + static_cast<std::ptrdiff_t>(y) * start.width;
        const auto row = convolved({first, first + start.width}, scale, alongX, periodic);
        rows.insert(rows.end(), row.begin(), row.end());
    }
    PlaneProfile plane{height, width, std::vector<double>(h * w)};
    std::vector<double> column(top);
    for (Size x = 0; x < w; ++x) {
        for (Size y = 0; y < top; ++y) column[y] = rows[y * w + x];
        const auto spread = convolved(column, scale, alongY, periodic);
        for (Size y = 0; y < h; ++y) plane.values[y * w + x] = spread[y];
    }
    return plane;
}

}  // namespace

PlaneProfile diffusedPlane(const PlaneProfile& start, double scale, const PlaneNormal& normal, int height, int width, bool periodic) {
    const bool independent = std::abs(normal.covariance) <= 1e-12 * std::sqrt(normal.varianceY * normal.varianceX);
    return (independent ? separable : correlated)(start, scale, normal, height, width, periodic);
}

double diffusedPlaneWork(int height, int width, bool periodic, bool isCorrelated) {
    const double times = periodic ? 1 : 2, h = times * height, w = times * width;
    if (!isCorrelated) return 2.0 * height * width * (height + width) + 120 * (h + w);
    // Two sines a wave and axis, the products, and some ten waves folded into each for a spread of one position.
    return 16.0 * h * w * (h + w) + 60 * (h * h + w * w) + 600 * h * w;
}

}  // namespace kappaflow

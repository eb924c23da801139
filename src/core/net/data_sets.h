#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

/// Labelled points: of the plane, images, signals.
struct LabelledPoints {
    Matrix points;                     ///< [2, pixels or values][samples]
    std::vector<int> labels;           ///< 0 … classes − 1
    std::vector<std::string> classes;  ///< their names
};

/// Images that a reader dropped, values as in the file; `extent` pixels a side.
struct ImageSet {
    std::size_t count = 0, extent = 0, channels = 0;
    std::vector<unsigned char> pixels;  ///< [image][y][x][channel]
};

/// Two classes of the plane, equally many of each (the first has one more of an odd number), taking turns:
///   Spirals       two arms of one and a half turns, points evenly spread over the area of the disc;
///   Moons         two half circles that reach into each other;
///   Circles       a ring of half the radius inside another;
///   Checkerboard  4 × 4 squares, points uniform in the squares of their colour.
/// `noise` is the standard deviation of a gaussian shift, in units of the outermost radius (of half the side of the board).
enum class DataSet { Spirals, Moons, Circles, Checkerboard };
std::string_view dataSetKey(DataSet);      ///< "spirals"
DataSet dataSetFromKey(std::string_view);  ///< throws InputError

/// Most samples a set may have, drawn or read.
inline constexpr std::size_t kMaxSamples = 20000;

/// Sample i is drawn from Rng(seed, Data, i), so that more samples keep the earlier ones, and is standardised. The same bits on every
/// platform. Throws InputError unless 2 <= samples <= kMaxSamples and noise is from 0 to 10.
LabelledPoints drawDataSet(DataSet, std::size_t samples, double noise, std::uint64_t seed);

/// Shifts and scales every coordinate to mean 0 and standard deviation 1; one that is the same for all samples becomes 0.
void standardise(Matrix& points);

/// x_t = first·x_{t−1} + second·x_{t−2} + noise.
struct Autoregression {
    double first = 0, second = 0;
};

/// Stationary when |second| < 1 and |first| < 1 − second.
bool isStationary(const Autoregression&);
/// ρ_0 = 1, ρ_1 … ρ_{lags−1} of the stationary process: ρ_1 = first/(1 − second), ρ_k = first·ρ_{k−1} + second·ρ_{k−2}.
std::vector<double> autocorrelation(const Autoregression&, std::size_t lags);

/// One-dimensional signals [length][samples], a class for each process, taking turns: gaussian, stationary from the first value on,
/// variance 1. Sample i comes from Rng(seed, Data, i): the same bits on every platform. Throws InputError unless there are two processes
/// or more, all stationary, 2 <= samples <= kMaxSamples and 2 <= length <= 4096.
LabelledPoints autoregressiveSignals(const std::vector<Autoregression>& processes, std::size_t samples, std::size_t length,
                                     std::uint64_t seed);

/// Side of a digit's image, in pixels; a sample has kDigitSide² of them, row by row from the top.
inline constexpr std::size_t kDigitSide = 28;

/// Ten classes of digits as a hand writes them, sample i of digit i mod 10: a skeleton of strokes (one of two or three ways to write the
/// digit) whose points wobble, turned, sheared, scaled and shifted, drawn by a pen of random width with soft edges, then pixel noise and
/// sometimes a stray dash. Points [784][samples], `standardised`: mean 0 and variance 1 over all pixels of all samples, so that a quarter
/// circle between two of them is about 40 long. Sample i comes from Rng(seed, Data, i) and + - * / sqrt alone: the same bits on every
/// platform. Throws InputError unless 10 <= samples <= kMaxSamples.
/// Cost: about 3000 pixels of strokes and 784 gaussians a sample.
LabelledPoints strokeDigits(std::size_t samples, std::uint64_t seed, const std::function<void()>& tick = {});

}  // namespace kappaflow

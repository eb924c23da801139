#pragma once
#include <cstdint>
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

}  // namespace kappaflow

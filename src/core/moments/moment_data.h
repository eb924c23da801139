#pragma once
#include <cstddef>
#include <cstdint>

#include "core/moments/moment_net.h"
#include "core/net/data_sets.h"

namespace kappaflow {

/// Inputs of P3's networks made here:
///   White     iid N(0, 1), as many channels as the network takes, no stem
///   Contrast  white × exp(g/2), one g ~ N(0, 1) a sample: spread norms
///   LowRank   gaussian, channel k = 1, 2, … with standard deviation ∝ 1/k, the mean of the variances 1
///   Images    smooth random periodic fields of 3 colours, standardised per colour, then a stem: one LeCun convolution of 3 taps a
///             dimension and stride 2 from the colours to the network's inputs, which the noise goes through as well (dense: one LeCun
///             layer from all pixels)
enum class MomentData { White, Contrast, LowRank, Images };

/// Where images go: a square of `extent` pixels a side, or with one dimension a line.
struct ImageGrid {
    int dimensions = 2;
    std::size_t extent = 1;
};
/// What a net's stem reads: lines of a net of one dimension, squares of others; twice the positions a dimension, so that stride 2 leaves
/// these, and 16 for a dense net.
ImageGrid imageGrid(const MomentNet&);
/// Operations of drawing one image with its noise: waves of half a plane, at every pixel.
double imageOperations(const ImageGrid&);
/// Colour fields made here, or `samples` of a reader's images without replacement, others each draw; standardised per channel. A reader's
/// images of another side are brought to the grid's by means over areas; a line is the one in their middle. Throws InputError when there
/// are fewer images than samples, or when every pixel of them has the same value.
PointValues drawImages(const ImageGrid&, const ImageSet*, std::size_t samples, std::uint64_t seed, std::uint64_t draw);
/// Mean 0 and variance 1 of every channel over all points; a channel that is the same everywhere becomes 0. Throws InputError when all are.
void standardiseChannels(PointValues& images);

/// The stem of draw `draw`: LeCun weights N(0, 1/fan-in), no bias; keyed apart from the layers' weights.
MomentWeights drawStem(const MomentNet&, const PointValues& images, std::uint64_t seed, std::uint64_t draw);

/// The input of layer 1 of draw `draw`: fresh samples, noise N(0, 1) and stem each draw; of Images a reader's where there are some. Sample
/// s hangs on seed, draw and s alone, but for the standardisation of images. The same bits on every platform. Cost: a dozen operations a
/// value; images: 30 a pixel and colour, and the stem 4·points·fan-in·inputs. Throws InputError unless 1 <= samples < 2³².
SignalAndNoise drawMomentInput(const MomentNet&, MomentData, std::size_t samples, std::uint64_t seed, std::uint64_t draw,
                               const ImageSet* = nullptr);

}  // namespace kappaflow

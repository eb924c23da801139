#include "core/moments/network_input.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace kappaflow {
namespace {

using Size = std::size_t;

/// Images that fit an input, and their channels; a line where the grid has one row or column.
struct FittingImages {
    ImageGrid grid;
    Size channels = 1;
};
FittingImages imagesFor(const Network& network) {
    const Shape& in = network.input;
    if (statesOnGrid(network)[0]) {
        const bool line = in.height == 1 || in.width == 1;
        if ((line || in.height == in.width) && (in.channels == 1 || in.channels == 3))
            return {{line ? 1 : 2, static_cast<Size>(std::max(in.height, in.width))}, static_cast<Size>(in.channels)};
    } else {
        for (const Size colours : {Size{1}, Size{3}}) {
            const auto side = static_cast<Size>(std::lround(std::sqrt(static_cast<double>(in.units() / colours))));
            if (side > 1 && colours * side * side == in.units()) return {{2, side}, colours};
        }
    }
    throw InputError("The network takes " + std::to_string(in.channels) + "×" + std::to_string(in.height) + "×" + std::to_string(in.width) +
                     " numbers, which are no square image of one or three colours: choose Gaussian data.");
}

/// Channels in place of colours: all of them, or so many times their mean.
PointValues recoloured(PointValues images, Size channels) {
    const Size colours = images.channels();
    if (colours == channels) return images;
    PointValues out{images.samples, images.dimensions, images.extent, Matrix(images.points(), channels)};
    for (Size p = 0; p < images.points(); ++p) {
        double mean = 0;
        for (Size c = 0; c < colours; ++c) mean += images.values(p, c) / static_cast<double>(colours);
        for (Size c = 0; c < channels; ++c) out.values(p, c) = mean;
    }
    standardiseChannels(out);
    return out;
}

NetworkInput withNoise(const PointValues& signal, std::uint64_t seed, std::uint64_t draw) {
    Batch batch = batchOf(signal);
    Batch noise = drawInputNoise(batch.rows, batch.columns, seed, draw);
    return {std::move(batch), std::move(noise)};
}

}  // namespace

NetworkInput drawNetworkInput(const Network& network, MomentData data, Size samples, std::uint64_t seed, std::uint64_t draw) {
    if (data == MomentData::Images) {
        const FittingImages fit = imagesFor(network);
        return withNoise(recoloured(drawImages(fit.grid, samples, seed, draw), fit.channels), seed, draw);
    }
    const Shape& in = network.input;
    MomentNet like;
    like.inputs = in.units();
    if (statesOnGrid(network)[0]) {
        like.dimensions = 1, like.inputs = static_cast<Size>(in.channels);
        like.extent = static_cast<Size>(in.height) * static_cast<Size>(in.width);
    }
    return withNoise(drawMomentInput(like, data, samples, seed, draw).signal, seed, draw);
}

NetworkInput drawNetworkInput(const Network& network, const ImageSet& set, Size samples, std::uint64_t seed, std::uint64_t draw) {
    const FittingImages fit = imagesFor(network);
    return withNoise(recoloured(drawImages(fit.grid, set, samples, seed, draw), fit.channels), seed, draw);
}

}  // namespace kappaflow

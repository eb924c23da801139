#include "core/moments/moment_stem.h"

#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/linalg/ordered_product.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

constexpr Size kTaps = 3, kStride = 2;

/// The cell that output α's tap reads along one dimension of `extent` cells; `extent` itself where it is zero. Only cell −1 lies outside.
Size cellOf(Size alpha, Size tap, Size extent, Padding boundary) {
    const Size shifted = alpha * kStride + tap;  // one more than the cell
    if (shifted > 0) return shifted - 1;
    return boundary == Padding::Periodic ? extent - 1 : boundary == Padding::Reflect ? 1 : extent;
}

/// What every output reads, one row a point: [point][tap…][colour]. Zero cells stay 0.
Matrix patches(const MomentNet& net, const PointValues& images) {
    const Size n = net.extent, e = images.extent, colours = images.channels();
    const bool plane = net.dimensions == 2;
    const Size rows = plane ? n : 1, rowTaps = plane ? kTaps : 1;
    Matrix all(images.samples * net.positions(), rowTaps * kTaps * colours);
    double* out = all.values.data();
    for (Size s = 0; s < images.samples; ++s)
        for (Size y = 0; y < rows; ++y)
            for (Size x = 0; x < n; ++x)
                for (Size ky = 0; ky < rowTaps; ++ky)
                    for (Size kx = 0; kx < kTaps; ++kx, out += colours) {
                        const Size cellY = plane ? cellOf(y, ky, e, net.boundary) : 0, cellX = cellOf(x, kx, e, net.boundary);
                        if (cellX == e || cellY == e) continue;
                        const Size cell = plane ? (s * e + cellY) * e + cellX : s * e + cellX;
                        std::copy_n(images.values.row(cell), colours, out);
                    }
    return all;
}

}  // namespace

MomentWeights drawStem(const MomentNet& net, const PointValues& images, std::uint64_t seed, std::uint64_t draw) {
    MomentWeights stem;
    Size window = 1;
    if (net.dimensions == 0) {
        stem.in = images.channels() * images.points() / images.samples;
    } else {
        stem.taps = kTaps, stem.stride = kStride, stem.in = images.channels();
        window = net.dimensions == 2 ? kTaps * kTaps : kTaps;
    }
    stem.out = net.inputs;
    Rng rng(seed, Purpose::Weights, ~draw);
    const double scale = 1 / std::sqrt(static_cast<double>(window * stem.in));
    stem.values.resize(window * stem.in * stem.out);
    for (double& weight : stem.values) weight = drawWeight(rng, scale);
    return stem;
}

PointValues throughStem(const MomentNet& net, const PointValues& images, const MomentWeights& stem) {
    PointValues out{images.samples, net.dimensions, net.extent, Matrix(images.samples * net.positions(), stem.out)};
    const MatrixView weights(stem.values.data(), stem.values.size() / stem.out, stem.out);
    if (net.dimensions == 0)
        orderedProduct({images.values.values.data(), images.samples, weights.rows}, weights, out.values.values.data());
    else
        orderedProduct(patches(net, images), weights, out.values.values.data());
    return out;
}

}  // namespace kappaflow

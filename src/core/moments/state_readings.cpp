#include "core/moments/state_readings.h"

#include <cmath>

#include "core/moments/layer_moments.h"

namespace kappaflow {
namespace {

/// What a layer says of the states beside it: positions that are points, units of a vector, or nothing.
enum class Reading { Grid, Vector, None };

Reading readingOf(const Layer& layer, bool first);

/// Of the first of the layers that says anything, or of the last.
Reading readingOf(const std::vector<Layer>& layers, bool first) {
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (const Reading r = readingOf(layers[first ? i : layers.size() - 1 - i], first); r != Reading::None) return r;
    return Reading::None;
}

Reading readingOf(const Layer& layer, bool first) {
    switch (layer.kind) {
        case LayerKind::Conv:
        case LayerKind::MaxPool:
        case LayerKind::AveragePool:
        case LayerKind::GlobalAveragePool:
            return Reading::Grid;
        case LayerKind::Dense:
        case LayerKind::Flatten:
            return Reading::Vector;
        case LayerKind::Residual: {
            const Reading branch = readingOf(layer.branch, first);
            return branch == Reading::None ? readingOf(layer.skip, first) : branch;
        }
        default:
            return Reading::None;
    }
}

}  // namespace

/// What made a state or what reads it runs over positions.
std::vector<bool> statesOnGrid(const Network& network) {
    const std::size_t L = network.layers.size();
    std::vector<bool> onGrid(L + 1);
    Reading made = Reading::None;
    for (std::size_t l = 0; l <= L; ++l) {
        if (l > 0)
            if (const Reading r = readingOf(network.layers[l - 1], false); r != Reading::None) made = r;
        if (made == Reading::Grid) onGrid[l] = true;
    }
    Reading read = Reading::None;
    for (std::size_t l = L + 1; l-- > 0;) {
        if (l < L)
            if (const Reading r = readingOf(network.layers[l], true); r != Reading::None) read = r;
        if (read == Reading::Grid) onGrid[l] = true;
    }
    return onGrid;
}

Batch batchOf(const PointValues& t) {
    const std::size_t cells = t.points() / t.samples;
    Batch batch(t.channels() * cells, t.samples);
    for (std::size_t p = 0; p < t.points(); ++p)
        for (std::size_t c = 0; c < t.channels(); ++c) batch(c * cells + p % cells, p / cells) = t.values(p, c);
    return batch;
}

std::size_t cellsPerSample(const Shape& shape, bool onGrid) {
    return onGrid ? static_cast<std::size_t>(shape.height) * static_cast<std::size_t>(shape.width) : 1;
}

PointValues pointsOf(const Batch& batch, const Shape& shape, bool onGrid) {
    const std::size_t cells = cellsPerSample(shape, onGrid);
    const std::size_t features = batch.rows / cells, points = cells * batch.columns;
    PointValues values{points, 0, 1, Matrix(points, features)};
    for (std::size_t unit = 0; unit < batch.rows; ++unit)
        for (std::size_t s = 0; s < batch.columns; ++s) values.values(s * cells + unit % cells, unit / cells) = batch(unit, s);
    return values;
}

double logReadings(const Batch& batch, const Shape& shape) {
    const ChannelMoments grid = channelVariances(pointsOf(batch, shape, true)), vector = channelVariances(pointsOf(batch, shape, false));
    const auto varies = [](const ChannelMoments& m) { return m.mu2 > kRoundingOfVariance * m.nu2; };
    return varies(grid) && varies(vector) ? std::log(grid.mu2 / vector.mu2) / 2 : kUndefined;
}

}  // namespace kappaflow

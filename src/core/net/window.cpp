#include "core/net/window.h"

#include <cmath>
#include <cstddef>

namespace kappaflow {
namespace {

std::vector<int> sources(int in, const Window& window, int axis) {
    std::vector<int> source;
    for (int i = -window.before[axis]; i < in + window.after[axis]; ++i) source.push_back(paddedSource(i, in, window.padding));
    return source;
}

/// Calls visit(padded row, input row's offset, sources along x) for every padded row that is not all zeros.
template <class Visit>
void forEachRow(const Layer& layer, Visit visit) {
    const std::vector<int> ys = sources(layer.in.height, layer.window, 0), xs = sources(layer.in.width, layer.window, 1);
    for (int c = 0; c < layer.in.channels; ++c)
        for (std::size_t y = 0; y < ys.size(); ++y)
            if (ys[y] >= 0) visit(c, static_cast<int>(y), (static_cast<std::size_t>(c) * layer.in.height + ys[y]) * layer.in.width, xs);
}

}  // namespace

double windowOutputs(int in, const Window& window, int axis) {
    const double reach = static_cast<double>(window.dilation[axis]) * (window.size[axis] - 1.0) + 1;
    return std::floor((static_cast<double>(in) + window.before[axis] + window.after[axis] - reach) / window.stride[axis]) + 1;
}

int paddedSource(int i, int in, Padding padding) {
    if (i >= 0 && i < in) return i;
    switch (padding) {
        case Padding::Zero:
            return -1;
        case Padding::Periodic:
            return (i % in + in) % in;
        case Padding::Reflect:
            return i < 0 ? -i : 2 * (in - 1) - i;
    }
    return -1;
}

PaddedGrid zeroGrid(const Layer& layer) {
    const Window& w = layer.window;
    PaddedGrid grid{layer.in.channels, layer.in.height + w.before[0] + w.after[0], layer.in.width + w.before[1] + w.after[1], {}};
    grid.cells.assign(static_cast<std::size_t>(grid.channels) * grid.height * grid.width, 0.0);
    return grid;
}

PaddedGrid padded(const Layer& layer, const std::vector<double>& input) {
    PaddedGrid grid = zeroGrid(layer);
    forEachRow(layer, [&](int channel, int y, std::size_t offset, const std::vector<int>& xs) {
        double* row = grid.row(channel, y);
        for (std::size_t x = 0; x < xs.size(); ++x)
            if (xs[x] >= 0) row[x] = input[offset + xs[x]];
    });
    return grid;
}

std::vector<double> folded(const Layer& layer, const PaddedGrid& grid) {
    std::vector<double> input(layer.in.units(), 0.0);
    forEachRow(layer, [&](int channel, int y, std::size_t offset, const std::vector<int>& xs) {
        const double* row = grid.row(channel, y);
        for (std::size_t x = 0; x < xs.size(); ++x)
            if (xs[x] >= 0) input[offset + xs[x]] += row[x];
    });
    return input;
}

}  // namespace kappaflow

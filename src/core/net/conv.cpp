#include "core/linalg/linalg.h"
#include "core/net/layers.h"
#include "core/net/window.h"

namespace kappaflow {
namespace {

/// One tap of one output channel over one row of outputs: in shared kernels a weight meets a whole row of cells.
struct RowTap {
    std::size_t weight;     ///< index of the shared weight
    std::size_t outputRow;  ///< offset of the row's first output unit
    int channel, y, x;      ///< padded cell that the row's first output reads
};

template <class Visit>
void forEachRowTap(const Layer& layer, Visit visit) {
    const Window& w = layer.window;
    const int inputs = layer.in.channels / layer.groups, outputs = layer.out.channels / layer.groups;
    std::size_t weight = 0;
    for (int o = 0; o < layer.out.channels; ++o)
        for (int i = 0; i < inputs; ++i)
            for (int ky = 0; ky < w.size[0]; ++ky)
                for (int kx = 0; kx < w.size[1]; ++kx, ++weight)
                    for (int y = 0; y < layer.out.height; ++y)
                        visit(RowTap{weight, (static_cast<std::size_t>(o) * layer.out.height + y) * layer.out.width,
                                     o / outputs * inputs + i, y * w.stride[0] + ky * w.dilation[0], kx * w.dilation[1]});
}

/// Calls visit(output unit, weight index, padded row, column) for every use of a weight of its own.
template <class Visit>
void forEachOwnWeight(const Layer& layer, Visit visit) {
    const Window& w = layer.window;
    const int inputs = layer.in.channels / layer.groups, outputs = layer.out.channels / layer.groups;
    const std::size_t positions = static_cast<std::size_t>(layer.out.height) * layer.out.width;
    std::size_t weight = 0;
    for (std::size_t position = 0; position < positions; ++position) {
        const int top = static_cast<int>(position) / layer.out.width * w.stride[0];
        const int left = static_cast<int>(position) % layer.out.width * w.stride[1];
        for (int o = 0; o < layer.out.channels; ++o)
            for (int i = 0; i < inputs; ++i)
                for (int ky = 0; ky < w.size[0]; ++ky)
                    for (int kx = 0; kx < w.size[1]; ++kx, ++weight)
                        visit(o * positions + position, weight, o / outputs * inputs + i, top + ky * w.dilation[0],
                              left + kx * w.dilation[1]);
    }
}

std::vector<double> biases(const Layer& layer) {
    std::vector<double> y(layer.out.units(), 0.0);
    const std::size_t positions = static_cast<std::size_t>(layer.out.height) * layer.out.width;
    for (std::size_t i = 0; i < y.size() && !layer.bias.empty(); ++i) y[i] = layer.bias[i / positions];
    return y;
}

}  // namespace

std::vector<double> applyConv(const Layer& layer, const std::vector<double>& x) {
    const PaddedGrid grid = padded(layer, x);
    std::vector<double> out = biases(layer);
    if (layer.shared)
        forEachRowTap(layer, [&](const RowTap& tap) {
            addScaled(&out[tap.outputRow], 1, grid.row(tap.channel, tap.y) + tap.x, layer.window.stride[1],
                      static_cast<std::size_t>(layer.out.width), layer.weights[tap.weight]);
        });
    else
        forEachOwnWeight(layer, [&](std::size_t unit, std::size_t weight, int channel, int y, int column) {
            out[unit] += layer.weights[weight] * grid.row(channel, y)[column];
        });
    return out;
}

std::vector<double> pullConv(const Layer& layer, const std::vector<double>& g) {
    PaddedGrid grid = zeroGrid(layer);
    if (layer.shared)
        forEachRowTap(layer, [&](const RowTap& tap) {
            addScaled(grid.row(tap.channel, tap.y) + tap.x, layer.window.stride[1], &g[tap.outputRow], 1,
                      static_cast<std::size_t>(layer.out.width), layer.weights[tap.weight]);
        });
    else
        forEachOwnWeight(layer, [&](std::size_t unit, std::size_t weight, int channel, int y, int column) {
            grid.row(channel, y)[column] += layer.weights[weight] * g[unit];
        });
    return folded(layer, grid);
}

}  // namespace kappaflow

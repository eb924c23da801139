#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/net/window.h"
#include "core/regions/linear_map.h"

namespace kappaflow {
namespace {

using Entries = std::vector<LinearMap::Entry>;

/// In the order of inputs, repeats (a ring wound twice) added up.
Entries sorted(Entries row) {
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.input < b.input; });
    Entries merged;
    for (const auto& entry : row) {
        if (!merged.empty() && merged.back().input == entry.input)
            merged.back().weight += entry.weight;
        else
            merged.push_back(entry);
    }
    return merged;
}

/// Calls visit(tap, row and column of the cell it reads) for the taps of the window at output (y, x) that read a cell.
template <class Visit>
void forEachTap(const Layer& layer, int y, int x, Visit visit) {
    const Window& w = layer.window;
    for (int ky = 0; ky < w.size[0]; ++ky)
        for (int kx = 0; kx < w.size[1]; ++kx) {
            const int sy = paddedSource(y * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding);
            const int sx = paddedSource(x * w.stride[1] + kx * w.dilation[1] - w.before[1], layer.in.width, w.padding);
            if (sy >= 0 && sx >= 0) visit(static_cast<std::size_t>(ky) * w.size[1] + kx, sy, sx);
        }
}

std::uint32_t unitAt(const Shape& shape, int channel, int y, int x) {
    return static_cast<std::uint32_t>((static_cast<std::size_t>(channel) * shape.height + y) * shape.width + x);
}

LinearMap convolution(const Layer& layer) {
    const std::size_t inputs = static_cast<std::size_t>(layer.in.channels / layer.groups);
    const int outputs = layer.out.channels / layer.groups;
    const std::size_t taps = static_cast<std::size_t>(layer.window.size[0]) * layer.window.size[1];
    std::vector<Entries> rows;
    std::vector<double> bias;
    for (int o = 0; o < layer.out.channels; ++o)
        for (int y = 0; y < layer.out.height; ++y)
            for (int x = 0; x < layer.out.width; ++x) {
                const std::size_t position = layer.shared ? 0 : static_cast<std::size_t>(y) * layer.out.width + x;
                const std::size_t kernel = (position * layer.out.channels + o) * inputs;
                Entries row;
                for (std::size_t i = 0; i < inputs; ++i)
                    forEachTap(layer, y, x, [&](std::size_t tap, int sy, int sx) {
                        const int channel = o / outputs * static_cast<int>(inputs) + static_cast<int>(i);
                        row.push_back({unitAt(layer.in, channel, sy, sx), layer.weights[(kernel + i) * taps + tap]});
                    });
                rows.push_back(sorted(std::move(row)));
                bias.push_back(layer.bias.empty() ? 0 : layer.bias[static_cast<std::size_t>(o)]);
            }
    return {layer.in.units(), rows, std::move(bias)};
}

LinearMap batchNorm(const Layer& layer) {
    const std::size_t run = layer.in.units() / layer.weights.size();
    std::vector<Entries> rows;
    std::vector<double> bias;
    for (std::size_t i = 0; i < layer.in.units(); ++i) {
        const std::size_t s = i / run;
        const double slope = layer.weights[s] / std::sqrt(layer.variance[s] + layer.batchNormEpsilon);
        rows.push_back({{static_cast<std::uint32_t>(i), slope}});
        bias.push_back((layer.bias.empty() ? 0 : layer.bias[s]) - slope * layer.mean[s]);
    }
    return {layer.in.units(), rows, std::move(bias)};
}

LinearMap averagePool(const Layer& layer) {
    const double counted = static_cast<double>(layer.window.size[0]) * layer.window.size[1];
    std::vector<Entries> rows;
    for (const auto& window : poolingWindows(layer)) {
        const double share = 1 / (layer.countsPadding ? counted : static_cast<double>(window.size()));
        Entries row;
        for (std::uint32_t unit : window) row.push_back({unit, share});
        rows.push_back(sorted(std::move(row)));
    }
    return {layer.in.units(), rows, {}};
}

LinearMap globalAveragePool(const Layer& layer) {
    const std::size_t positions = layer.in.units() / layer.out.units();
    std::vector<Entries> rows(layer.out.units());
    for (std::size_t i = 0; i < layer.in.units(); ++i)
        rows[i / positions].push_back({static_cast<std::uint32_t>(i), 1 / static_cast<double>(positions)});
    return {layer.in.units(), rows, {}};
}

}  // namespace

std::vector<std::vector<std::uint32_t>> poolingWindows(const Layer& layer) {
    std::vector<std::vector<std::uint32_t>> windows;
    for (int c = 0; c < layer.out.channels; ++c)
        for (int y = 0; y < layer.out.height; ++y)
            for (int x = 0; x < layer.out.width; ++x) {
                windows.emplace_back();
                forEachTap(layer, y, x, [&](std::size_t, int sy, int sx) { windows.back().push_back(unitAt(layer.in, c, sy, sx)); });
            }
    return windows;
}

LinearMap linearMap(const Layer& layer) {
    switch (layer.kind) {
        case LayerKind::Dense:
            return {layer.in.units(), layer.out.units(), layer.weights, layer.bias};
        case LayerKind::Conv:
            return convolution(layer);
        case LayerKind::BatchNorm:
            return batchNorm(layer);
        case LayerKind::AveragePool:
            return averagePool(layer);
        case LayerKind::GlobalAveragePool:
            return globalAveragePool(layer);
        default: {
            assert(layer.kind == LayerKind::Flatten || layer.kind == LayerKind::Activation);
            std::vector<Entries> rows;
            for (std::uint32_t i = 0; i < layer.in.units(); ++i) rows.push_back({{i, 1.0}});
            return {layer.in.units(), rows, {}};
        }
    }
}

double linearMapBytes(const Layer& layer) {
    const double in = static_cast<double>(layer.in.units()), out = static_cast<double>(layer.out.units());
    const double taps = static_cast<double>(layer.window.size[0]) * layer.window.size[1];
    switch (layer.kind) {
        case LayerKind::Dense:
            return 8 * in * (out + 16);
        case LayerKind::Conv:
            // Rows as they are made and the map itself.
            return out * (64 + 32 * taps * layer.in.channels / layer.groups);
        case LayerKind::AveragePool:
        case LayerKind::MaxPool:
            return out * (64 + 40 * taps);
        case LayerKind::GlobalAveragePool:
            return 32 * in + 64 * out;
        default:
            return 128 * in;
    }
}

}  // namespace kappaflow

#include "core/net/layers.h"
#include "core/net/window.h"

namespace kappaflow {
namespace {

/// Calls visit(output unit, input units under its window in the order of taps); padded zeros are left out.
template <class Visit>
void forEachWindow(const Layer& layer, Visit visit) {
    const Window& w = layer.window;
    std::size_t output = 0;
    std::vector<std::size_t> cells;
    for (int c = 0; c < layer.out.channels; ++c)
        for (int y = 0; y < layer.out.height; ++y)
            for (int x = 0; x < layer.out.width; ++x, ++output) {
                cells.clear();
                for (int ky = 0; ky < w.size[0]; ++ky)
                    for (int kx = 0; kx < w.size[1]; ++kx) {
                        const int sy = paddedSource(y * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding);
                        const int sx = paddedSource(x * w.stride[1] + kx * w.dilation[1] - w.before[1], layer.in.width, w.padding);
                        if (sy >= 0 && sx >= 0) cells.push_back((static_cast<std::size_t>(c) * layer.in.height + sy) * layer.in.width + sx);
                    }
                visit(output, cells);
            }
}

std::size_t firstLargest(const std::vector<double>& x, const std::vector<std::size_t>& cells) {
    std::size_t best = cells.front();
    for (std::size_t cell : cells)
        if (x[cell] > x[best]) best = cell;
    return best;
}

/// What the sum over a window with `cells` cells inside the input is divided by.
double divisorOf(const Layer& layer, std::size_t cells) {
    return layer.countsPadding ? static_cast<double>(layer.window.size[0]) * layer.window.size[1] : static_cast<double>(cells);
}

}  // namespace

std::vector<double> applyMaxPool(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y(layer.out.units());
    forEachWindow(layer, [&](std::size_t unit, const std::vector<std::size_t>& cells) { y[unit] = x[firstLargest(x, cells)]; });
    return y;
}

std::vector<double> pullMaxPool(const Layer& layer, const std::vector<double>& x, const std::vector<double>& g) {
    std::vector<double> pulled(x.size(), 0.0);
    forEachWindow(layer, [&](std::size_t unit, const std::vector<std::size_t>& cells) { pulled[firstLargest(x, cells)] += g[unit]; });
    return pulled;
}

std::vector<double> applyAveragePool(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y(layer.out.units());
    forEachWindow(layer, [&](std::size_t unit, const std::vector<std::size_t>& cells) {
        double sum = 0;
        for (std::size_t cell : cells) sum += x[cell];
        y[unit] = sum / divisorOf(layer, cells.size());
    });
    return y;
}

std::vector<double> pullAveragePool(const Layer& layer, const std::vector<double>& g) {
    std::vector<double> pulled(layer.in.units(), 0.0);
    forEachWindow(layer, [&](std::size_t unit, const std::vector<std::size_t>& cells) {
        for (std::size_t cell : cells) pulled[cell] += g[unit] / divisorOf(layer, cells.size());
    });
    return pulled;
}

std::vector<double> applyGlobalAveragePool(const Layer& layer, const std::vector<double>& x) {
    std::vector<double> y(layer.out.units(), 0.0);
    const std::size_t positions = x.size() / y.size();
    for (std::size_t i = 0; i < x.size(); ++i) y[i / positions] += x[i] / static_cast<double>(positions);
    return y;
}

std::vector<double> pullGlobalAveragePool(const Layer& layer, const std::vector<double>& g) {
    std::vector<double> pulled(layer.in.units());
    const std::size_t positions = pulled.size() / g.size();
    for (std::size_t i = 0; i < pulled.size(); ++i) pulled[i] = g[i / positions] / static_cast<double>(positions);
    return pulled;
}

}  // namespace kappaflow

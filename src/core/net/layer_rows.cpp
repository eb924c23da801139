#include "core/net/layer_rows.h"

#include <cmath>

namespace kappaflow {

Window windowOf(const Layer& layer) {
    if (layer.kind != LayerKind::GlobalAveragePool) return layer.window;
    Window all;
    all.size = {layer.in.height, layer.in.width};
    return all;
}

void findCells(const Layer& layer, std::size_t position, std::vector<TapCell>& cells) {
    const Window w = windowOf(layer);
    const bool global = layer.kind == LayerKind::GlobalAveragePool;
    const int y = global ? 0 : static_cast<int>(position) / layer.out.width, x = global ? 0 : static_cast<int>(position) % layer.out.width;
    cells.clear();
    std::size_t tap = 0;
    for (int ky = 0; ky < w.size[0]; ++ky) {
        const int sy = paddedSource(y * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding);
        for (int kx = 0; kx < w.size[1]; ++kx, ++tap) {
            const int sx = paddedSource(x * w.stride[1] + kx * w.dilation[1] - w.before[1], layer.in.width, w.padding);
            if (sy >= 0 && sx >= 0)
                cells.push_back(
                    {static_cast<std::size_t>(sy) * static_cast<std::size_t>(layer.in.width) + static_cast<std::size_t>(sx), tap});
        }
    }
}

double poolDivisor(const Layer& layer, std::size_t cells) {
    return static_cast<double>(layer.countsPadding ? tapsOf(layer.window) : cells);
}

double batchNormScale(const Layer& norm, std::size_t unit) {
    const std::size_t scale = norm.shared ? unit / cellsOf(norm.in) : unit;
    return norm.weights[scale] / std::sqrt(norm.variance[scale] + norm.batchNormEpsilon);
}

double LinearRows::bias(std::size_t unit) const {
    if (layer_.kind == LayerKind::BatchNorm) {
        const std::size_t scale = layer_.shared ? unit / cellsOf(layer_.in) : unit;
        return (layer_.bias.empty() ? 0 : layer_.bias[scale]) - batchNormScale(layer_, unit) * layer_.mean[scale];
    }
    if (layer_.bias.empty()) return 0;
    return layer_.bias[layer_.kind == LayerKind::Conv ? unit / cellsOf(layer_.out) : unit];
}

}  // namespace kappaflow

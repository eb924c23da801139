#include "core/net/layer_rows.h"

#include <cmath>

namespace kappaflow {

Window windowOf(const Layer& layer) {
    if (const auto* conv = layer.getIf<Conv>()) return conv->window;
    if (const auto* pooling = layer.getIf<Pooling>()) return pooling->window;
    Window all;
    all.size = {layer.in.height, layer.in.width};
    return all;
}

void findCells(const Layer& layer, std::size_t position, std::vector<TapCell>& cells) {
    const Window w = windowOf(layer);
    const bool global = layer.is<GlobalAveragePool>();
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
    const auto* mean = layer.getIf<AveragePool>();
    return static_cast<double>(mean && mean->countsPadding ? tapsOf(mean->window) : cells);
}

std::size_t scaleIndex(const Layer& layer, std::size_t unit) { return layer.as<Norm>().shared ? unit / cellsOf(layer.in) : unit; }

double batchNormScale(const Layer& layer, std::size_t unit) {
    const auto& norm = layer.as<BatchNorm>();
    const std::size_t scale = scaleIndex(layer, unit);
    return norm.weights[scale] / std::sqrt(norm.variance[scale] + norm.epsilon);
}

double LinearRows::bias(std::size_t unit) const {
    const std::vector<double>& bias = weightsOf(layer_).bias;
    if (const auto* norm = layer_.getIf<BatchNorm>()) {
        const std::size_t scale = scaleIndex(layer_, unit);
        return (bias.empty() ? 0 : bias[scale]) - batchNormScale(layer_, unit) * norm->mean[scale];
    }
    if (bias.empty()) return 0;
    return bias[layer_.is<Conv>() ? unit / cellsOf(layer_.out) : unit];
}

}  // namespace kappaflow

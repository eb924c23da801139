#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// Every layer kind as its definition reads, one output unit at a time, no word about speed: what the core's layers are checked against.
namespace slow {

std::vector<double> outputOf(const Layer& layer, const std::vector<double>& x);

/// The input cell behind position i of an axis of n cells, walked to step by step; -1: a zero.
inline int cellAt(int i, int n, Padding padding) {
    if (padding == Padding::Zero) return i >= 0 && i < n ? i : -1;
    if (padding == Padding::Periodic) {
        while (i < 0) i += n;
        while (i >= n) i -= n;
        return i;
    }
    int at = 0, step = 1;
    for (int walked = 0; walked < std::abs(i); ++walked) {
        if (at + step >= n || at + step < 0) step = -step;
        at += step;
    }
    return at;  // the mirror about cell 0 makes both directions alike
}

/// Calls visit(ky, kx, y, x) for every tap of output (oy, ox); y or x is -1 in zero padding.
template <class Visit>
void forEachTap(const Layer& layer, const Window& w, int oy, int ox, Visit visit) {
    for (int ky = 0; ky < w.size[0]; ++ky)
        for (int kx = 0; kx < w.size[1]; ++kx)
            visit(ky, kx, cellAt(oy * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding),
                  cellAt(ox * w.stride[1] + kx * w.dilation[1] - w.before[1], layer.in.width, w.padding));
}

inline double cell(const Layer& layer, const std::vector<double>& x, int c, int y, int column) {
    return x.at(static_cast<std::size_t>((c * layer.in.height + y) * layer.in.width + column));
}

inline double conv(const Layer& layer, const Conv& op, const std::vector<double>& x, int o, int oy, int ox) {
    const int inputs = layer.in.channels / op.groups, group = o / (layer.out.channels / op.groups);
    const int kernel = op.window.size[0] * op.window.size[1];
    double sum = op.bias.empty() ? 0 : op.bias.at(static_cast<std::size_t>(o));
    for (int i = 0; i < inputs; ++i)
        forEachTap(layer, op.window, oy, ox, [&](int ky, int kx, int y, int column) {
            if (y < 0 || column < 0) return;
            int weight = (o * inputs + i) * kernel + ky * op.window.size[1] + kx;
            if (!op.shared) weight += (oy * layer.out.width + ox) * layer.out.channels * inputs * kernel;
            sum += op.weights.at(static_cast<std::size_t>(weight)) * cell(layer, x, group * inputs + i, y, column);
        });
    return sum;
}

inline double pool(const Layer& layer, const Window& window, const std::vector<double>& x, int c, int oy, int ox) {
    double sum = 0, largest = -std::numeric_limits<double>::infinity();
    int count = 0;
    forEachTap(layer, window, oy, ox, [&](int, int, int y, int column) {
        if (y < 0 || column < 0) return;
        ++count;
        sum += cell(layer, x, c, y, column);
        largest = std::max(largest, cell(layer, x, c, y, column));
    });
    if (layer.is<MaxPool>()) return largest;
    return sum / (layer.as<AveragePool>().countsPadding ? window.size[0] * window.size[1] : count);
}

inline double globalAverage(const Layer& layer, const std::vector<double>& x, int c) {
    double sum = 0;
    for (int y = 0; y < layer.in.height; ++y)
        for (int column = 0; column < layer.in.width; ++column) sum += cell(layer, x, c, y, column);
    return sum / (layer.in.height * layer.in.width);
}

inline double batchNorm(const BatchNorm& op, double x, std::size_t s) {
    return op.weights.at(s) * (x - op.mean.at(s)) / std::sqrt(op.variance.at(s) + op.epsilon) + op.bias.at(s);
}

inline double layerNorm(const Layer& layer, const LayerNorm& op, const std::vector<double>& x, std::size_t unit, int c, int y, int column) {
    std::vector<double> together;
    for (int other = 0; other < layer.in.channels; ++other)
        for (int row = 0; row < layer.in.height; ++row)
            for (int at = 0; at < layer.in.width; ++at) {
                const int each = layer.in.channels / op.groups;
                if (op.eachPosition ? row == y && at == column : other / each == c / each)
                    together.push_back(cell(layer, x, other, row, at));
            }
    double mean = 0, variance = 0;
    for (const double value : together) mean += value / static_cast<double>(together.size());
    for (const double value : together) variance += (value - mean) * (value - mean) / static_cast<double>(together.size());
    const std::size_t s = op.shared ? static_cast<std::size_t>(c) : unit;
    return op.weights.at(s) * (x.at(unit) - mean) / std::sqrt(variance + op.epsilon) + (op.bias.empty() ? 0 : op.bias.at(s));
}

inline double activation(const Layer& layer, const Pointwise& f, double x, std::size_t unit, int channel) {
    double slope = f.slope;
    if (f.slopes.size() == static_cast<std::size_t>(layer.in.channels))
        slope = f.slopes[static_cast<std::size_t>(channel)];
    else if (!f.slopes.empty())
        slope = f.slopes.at(unit);
    if (f.activation == Activation::HardSigmoid) return std::min(1.0, std::max(0.0, f.gain * x + f.offset));
    return activate(f.activation, x, slope, f.seed);
}

inline double joined(const Layer& layer, const std::vector<std::vector<double>>& operands, std::size_t unit, int c, int y, int column) {
    double value = layer.is<Product>() ? 1 : 0;
    std::size_t first = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const std::vector<double>& x = operands[k];
        if (layer.is<Sum>()) value += layer.as<Sum>().scales.at(k) * x.at(unit);
        if (layer.is<Product>()) value *= x.at(unit);
        if (layer.is<Concat>() && unit >= first && unit < first + x.size()) value = x.at(unit - first);
        first += x.size();
    }
    const int inner = layer.in.width;
    for (int i = 0; layer.is<MatMul>() && i < inner; ++i)
        value += operands[0].at(static_cast<std::size_t>((c * layer.out.height + y) * inner + i)) *
                 operands[1].at(static_cast<std::size_t>((c * inner + i) * layer.out.width + column));
    return value;
}

/// What a block makes, and all inside it.
inline std::vector<std::vector<double>> inside(const Layer& block, const std::vector<double>& x) {
    std::vector<std::vector<double>> made;
    for (const Layer& layer : block.as<Block>().inner) {
        std::vector<std::vector<double>> operands;
        for (const int from : layer.reads) operands.push_back(from < 0 ? x : made.at(static_cast<std::size_t>(from)));
        made.push_back(operands.size() == 1 ? outputOf(layer, operands[0]) : std::vector<double>());
        for (int c = 0; operands.size() > 1 && c < layer.out.channels; ++c)
            for (int y = 0; y < layer.out.height; ++y)
                for (int column = 0; column < layer.out.width; ++column)
                    made.back().push_back(joined(layer, operands, made.back().size(), c, y, column));
    }
    return made;
}

inline std::vector<double> chain(const std::vector<Layer>& layers, std::vector<double> x) {
    for (const Layer& layer : layers) x = outputOf(layer, x);
    return x;
}

inline double softmax(const Layer& layer, const std::vector<double>& x, std::size_t unit) {
    const std::size_t width = static_cast<std::size_t>(layer.in.width), first = unit / width * width;
    double total = 0;
    for (std::size_t i = first; i < first + width; ++i) total += std::exp(x.at(i));
    return std::exp(x.at(unit)) / total;
}

/// Output unit `unit`, which is position (y, column) of channel c.
inline double unitOf(const Layer& layer, const std::vector<double>& x, std::size_t unit, int c, int y, int column) {
    return layer.visit(
        [&](const Dense& op) {
            double sum = op.bias.empty() ? 0 : op.bias.at(unit);
            for (std::size_t j = 0; j < x.size(); ++j) sum += op.weights.at(unit * x.size() + j) * x[j];
            return sum;
        },
        [&](const Conv& op) { return conv(layer, op, x, c, y, column); },
        [&](const Pooling& op) { return pool(layer, op.window, x, c, y, column); },
        [&](const GlobalAveragePool&) { return globalAverage(layer, x, c); },
        [&](const BatchNorm& op) { return batchNorm(op, x.at(unit), op.shared ? static_cast<std::size_t>(c) : unit); },
        [&](const LayerNorm& op) { return layerNorm(layer, op, x, unit, c, y, column); },
        [&](const Pointwise& f) { return activation(layer, f, x.at(unit), unit, c); }, [&](const Flatten&) { return x.at(unit); },
        [&](const Route& op) { return op.route.at(unit) < 0 ? 0 : x.at(static_cast<std::size_t>(op.route.at(unit))); },
        [&](const Softmax&) { return softmax(layer, x, unit); }, [](const Join&) { return 0.0; }, [](const Block&) { return 0.0; });
}

inline std::vector<double> outputOf(const Layer& layer, const std::vector<double>& x) {
    if (layer.is<Block>()) return inside(layer, x).back();
    std::vector<double> out;
    for (int c = 0; c < layer.out.channels; ++c)
        for (int y = 0; y < layer.out.height; ++y)
            for (int column = 0; column < layer.out.width; ++column) out.push_back(unitOf(layer, x, out.size(), c, y, column));
    return out;
}

}  // namespace slow
}  // namespace kappaflow

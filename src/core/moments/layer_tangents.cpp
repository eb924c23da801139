#include "core/moments/network_moments.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/linalg/matrix.h"
#include "core/net/network.h"

namespace kappaflow {
namespace {

std::size_t cellsOf(const Shape& shape) { return static_cast<std::size_t>(shape.height) * static_cast<std::size_t>(shape.width); }

/// A place in the padding.
constexpr std::ptrdiff_t kPadded = -1;

/// Cells that output position `position` reads, in the order of taps.
std::vector<std::ptrdiff_t> cellsUnder(const Layer& layer, std::size_t position) {
    const Window& w = layer.window;
    const int y = static_cast<int>(position) / layer.out.width, x = static_cast<int>(position) % layer.out.width;
    std::vector<std::ptrdiff_t> cells;
    for (int ky = 0; ky < w.size[0]; ++ky)
        for (int kx = 0; kx < w.size[1]; ++kx) {
            const int sy = paddedSource(y * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding);
            const int sx = paddedSource(x * w.stride[1] + kx * w.dilation[1] - w.before[1], layer.in.width, w.padding);
            cells.push_back(sy >= 0 && sx >= 0 ? static_cast<std::ptrdiff_t>(sy) * layer.in.width + sx : kPadded);
        }
    return cells;
}

Batch denseProduct(const Layer& layer, const Batch& x) {
    Batch y(layer.out.units(), x.columns);
    orderedProduct(MatrixView(layer.weights.data(), y.rows, x.rows), x, y.values.data());
    return y;
}

/// One position and group at a time: its receptive fields [tap of every channel][sample] times the kernel.
Batch convolutionProduct(const Layer& layer, const Batch& x) {
    const std::size_t S = x.columns, positions = cellsOf(layer.out), inCells = cellsOf(layer.in);
    const auto groups = static_cast<std::size_t>(layer.groups), outputs = static_cast<std::size_t>(layer.out.channels) / groups;
    const std::size_t inputs = static_cast<std::size_t>(layer.in.channels) / groups;
    Batch y(layer.out.units(), S);
    std::vector<double> fields, sums(outputs * S);
    for (std::size_t position = 0; position < positions; ++position) {
        const std::vector<std::ptrdiff_t> cells = cellsUnder(layer, position);
        const std::size_t R = inputs * cells.size();
        for (std::size_t g = 0; g < groups; ++g) {
            fields.assign(R * S, 0.0);
            for (std::size_t r = 0; r < R; ++r)
                if (const std::ptrdiff_t cell = cells[r % cells.size()]; cell != kPadded)
                    std::memcpy(&fields[r * S], x.row((g * inputs + r / cells.size()) * inCells + static_cast<std::size_t>(cell)),
                                S * sizeof(double));
            const std::size_t kernel = (layer.shared ? 0 : position * groups) + g;
            orderedProduct(MatrixView(layer.weights.data() + kernel * outputs * R, outputs, R), MatrixView(fields.data(), R, S),
                           sums.data());
            for (std::size_t o = 0; o < outputs; ++o)
                std::memcpy(y.row((g * outputs + o) * positions + position), &sums[o * S], S * sizeof(double));
        }
    }
    return y;
}

void addBiases(const Layer& layer, Batch& y) {
    if (layer.bias.empty()) return;
    const std::size_t each = y.rows / layer.bias.size();
    for (std::size_t i = 0; i < y.rows; ++i)
        for (std::size_t s = 0; s < y.columns; ++s) y(i, s) += layer.bias[i / each];
}

ValuesAndTangents linear(const Layer& layer, const ValuesAndTangents& in) {
    const auto product = layer.kind == LayerKind::Dense ? denseProduct : convolutionProduct;
    ValuesAndTangents out{product(layer, in.values), product(layer, in.tangents)};
    addBiases(layer, out.values);
    return out;
}

ValuesAndTangents normalisedByLayer(const Layer& layer, ValuesAndTangents t) {
    const std::size_t each = t.values.rows / layer.weights.size();
    for (std::size_t i = 0; i < t.values.rows; ++i) {
        const std::size_t c = i / each;
        const double slope = layer.weights[c] / std::sqrt(layer.variance[c] + layer.batchNormEpsilon);
        const double shift = layer.bias.empty() ? 0 : layer.bias[c];
        for (std::size_t s = 0; s < t.values.columns; ++s) t.values(i, s) = slope * (t.values(i, s) - layer.mean[c]) + shift;
        for (std::size_t s = 0; s < t.tangents.columns; ++s) t.tangents(i, s) *= slope;
    }
    return t;
}

ValuesAndTangents activated(const Layer& layer, const ValuesAndTangents& in) {
    ValuesAndTangents out;
    applyBatch(layer, in.values, out.values);
    // The Jacobian is diagonal: its transpose is itself.
    if (in.tangents.columns == in.values.columns) {
        pullBatch(layer, in.values, in.tangents, out.tangents);
        return out;
    }
    Batch ones(in.values.rows, in.values.columns), slopes;
    std::fill(ones.values.begin(), ones.values.end(), 1.0);
    pullBatch(layer, in.values, ones, slopes);
    const std::size_t each = in.tangents.columns / in.values.columns;
    out.tangents = in.tangents;
    for (std::size_t i = 0; i < slopes.rows; ++i)
        for (std::size_t c = 0; c < out.tangents.columns; ++c) out.tangents(i, c) *= slopes(i, c / each);
    return out;
}

/// Row of the first largest value under a window, sample by sample.
void takeLargest(const std::vector<std::size_t>& rows, const ValuesAndTangents& in, std::size_t to, ValuesAndTangents& out) {
    const std::size_t each = in.tangents.columns / in.values.columns;
    for (std::size_t s = 0; s < in.values.columns; ++s) {
        std::size_t best = rows.front();
        for (const std::size_t row : rows)
            if (in.values(row, s) > in.values(best, s)) best = row;
        out.values(to, s) = in.values(best, s);
        std::copy_n(in.tangents.row(best) + s * each, each, out.tangents.row(to) + s * each);
    }
}

void takeMean(const std::vector<std::size_t>& rows, double divisor, const Batch& in, std::size_t to, Batch& out) {
    for (std::size_t s = 0; s < in.columns; ++s) {
        double sum = 0;
        for (const std::size_t row : rows) sum += in(row, s);
        out(to, s) = sum / divisor;
    }
}

/// Cells of the input that are pooled into one position.
std::vector<std::ptrdiff_t> pooledCells(const Layer& layer, std::size_t position) {
    std::vector<std::ptrdiff_t> cells;
    if (layer.kind == LayerKind::GlobalAveragePool)
        for (std::size_t i = 0; i < cellsOf(layer.in); ++i) cells.push_back(static_cast<std::ptrdiff_t>(i));
    else
        cells = cellsUnder(layer, position);
    return cells;
}

ValuesAndTangents pooled(const Layer& layer, const ValuesAndTangents& in) {
    const std::size_t positions = cellsOf(layer.out), inCells = cellsOf(layer.in);
    ValuesAndTangents out{Batch(layer.out.units(), in.values.columns), Batch(layer.out.units(), in.tangents.columns)};
    for (std::size_t position = 0; position < positions; ++position) {
        std::vector<std::ptrdiff_t> cells = pooledCells(layer, position);
        const std::size_t taps = cells.size();
        cells.erase(std::remove(cells.begin(), cells.end(), kPadded), cells.end());
        const auto divisor = static_cast<double>(layer.countsPadding ? taps : cells.size());
        for (std::size_t c = 0; c < static_cast<std::size_t>(layer.in.channels); ++c) {
            std::vector<std::size_t> rows;
            for (const std::ptrdiff_t cell : cells) rows.push_back(c * inCells + static_cast<std::size_t>(cell));
            const std::size_t to = c * positions + position;
            if (layer.kind == LayerKind::MaxPool) {
                takeLargest(rows, in, to, out);
            } else {
                takeMean(rows, divisor, in.values, to, out.values);
                takeMean(rows, divisor, in.tangents, to, out.tangents);
            }
        }
    }
    return out;
}

ValuesAndTangents throughAll(const std::vector<Layer>& layers, ValuesAndTangents t) {
    for (const Layer& layer : layers) t = withTangents(layer, t);
    return t;
}

void addScaledBranch(const Layer& layer, Batch& skip, const Batch& branch) {
    for (std::size_t i = 0; i < skip.values.size(); ++i)
        skip.values[i] = layer.skipScale * skip.values[i] + layer.branchScale * branch.values[i];
}

ValuesAndTangents residualSum(const Layer& layer, const ValuesAndTangents& in) {
    ValuesAndTangents sum = throughAll(layer.skip, in);
    const ValuesAndTangents branch = throughAll(layer.branch, in);
    addScaledBranch(layer, sum.values, branch.values);
    addScaledBranch(layer, sum.tangents, branch.tangents);
    return sum;
}

}  // namespace

ValuesAndTangents withTangents(const Layer& layer, const ValuesAndTangents& in) {
    assert(in.values.rows == layer.in.units() && in.tangents.rows == in.values.rows && in.tangents.columns % in.values.columns == 0);
    switch (layer.kind) {
        case LayerKind::Dense:
        case LayerKind::Conv:
            return linear(layer, in);
        case LayerKind::BatchNorm:
            return normalisedByLayer(layer, in);
        case LayerKind::Activation:
            return activated(layer, in);
        case LayerKind::MaxPool:
        case LayerKind::AveragePool:
        case LayerKind::GlobalAveragePool:
            return pooled(layer, in);
        case LayerKind::Flatten:
            return in;
        case LayerKind::Residual:
            return residualSum(layer, in);
    }
    return in;
}

LayerCost costOfTangents(const Layer& layer) {
    const double units = std::max<double>(static_cast<double>(layer.in.units()), static_cast<double>(layer.out.units()));
    const double taps = static_cast<double>(layer.window.size[0]) * layer.window.size[1], outputs = static_cast<double>(layer.out.units());
    switch (layer.kind) {
        case LayerKind::Dense:
            return {static_cast<double>(layer.in.units()) * outputs, units};
        case LayerKind::Conv: {
            const double field = taps * layer.in.channels / layer.groups;
            return {field * outputs, units + field};
        }
        case LayerKind::MaxPool:
        case LayerKind::AveragePool:
            return {3 * taps * outputs, units};  // looked at one by one
        case LayerKind::Residual: {
            LayerCost sum{outputs, units};
            for (const std::vector<Layer>* path : {&layer.branch, &layer.skip})
                for (const Layer& inner : *path) {
                    const LayerCost one = costOfTangents(inner);
                    sum.uses += one.uses, sum.units = std::max(sum.units, one.units);
                }
            return {sum.uses, 2 * sum.units};
        }
        default:
            return {units, units};
    }
}

}  // namespace kappaflow

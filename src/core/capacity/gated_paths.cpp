#include "core/capacity/gated_paths.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/base/portable_math.h"

namespace kappaflow {
namespace {

using Size = std::size_t;

/// [units][columns] of the one row that held for all units.
void spread(PathOverlap& b, Size units) {
    if (!b.uniform) return;
    Matrix all(units, b.values.columns);
    for (Size i = 0; i < units; ++i) std::copy_n(b.values.row(0), all.columns, all.row(i));
    b = {false, std::move(all)};
}

void addRow(double* sum, const double* row, Size count, double scale = 1) {
    for (Size p = 0; p < count; ++p) sum[p] += scale * row[p];
}

/// Σ_j B(j) over all units, which every input unit receives.
void pullDense(const Layer& layer, PathOverlap& b) {
    Matrix sum(1, b.values.columns);
    const double times = b.uniform ? static_cast<double>(layer.out.units()) : 1;
    for (Size j = 0; j < b.values.rows; ++j) addRow(sum.row(0), b.values.row(j), sum.columns, times);
    b = {true, std::move(sum)};
}

/// Sum over rows [from, to) of runs of `run` rows each: channels of a grid joined.
void joinChannels(const Matrix& b, Size from, Size to, Size run, Matrix& sum, Size at) {
    for (Size c = from; c < to; ++c)
        for (Size x = 0; x < run; ++x) addRow(sum.row(at * run + x), b.row(c * run + x), b.columns);
}

/// With all weights 1 the input channels of a group receive the same from its joined output channels.
void pullConv(const Layer& layer, PathOverlap& b) {
    spread(b, layer.out.units());
    const auto groups = static_cast<Size>(layer.groups), ins = static_cast<Size>(layer.in.channels) / groups,
               outs = static_cast<Size>(layer.out.channels) / groups;
    const Size outRun = layer.out.units() / static_cast<Size>(layer.out.channels),
               inRun = layer.in.units() / static_cast<Size>(layer.in.channels);
    Layer box = layer;
    box.shared = true;
    box.in.channels = box.out.channels = layer.groups;
    box.bias.clear();
    box.weights.assign(groups * static_cast<Size>(layer.window.size[0]) * static_cast<Size>(layer.window.size[1]), 1);
    Matrix joined(groups * outRun, b.values.columns), pulled(groups * inRun, b.values.columns), all(layer.in.units(), b.values.columns);
    for (Size g = 0; g < groups; ++g) joinChannels(b.values, g * outs, (g + 1) * outs, outRun, joined, g);
    pullConvBatch(box, joined, pulled);
    for (Size i = 0; i < all.rows; ++i) std::copy_n(pulled.row(i / (ins * inRun) * inRun + i % inRun), all.columns, all.row(i));
    b.values = std::move(all);
}

/// Calls visit(output unit, input unit) for every cell under a window, zero padding left out.
template <class Visit>
void forEachCell(const Layer& layer, Visit visit) {
    const Window& w = layer.window;
    Size output = 0;
    for (int c = 0; c < layer.out.channels; ++c)
        for (int y = 0; y < layer.out.height; ++y)
            for (int x = 0; x < layer.out.width; ++x, ++output)
                for (int ky = 0; ky < w.size[0]; ++ky)
                    for (int kx = 0; kx < w.size[1]; ++kx) {
                        const int sy = paddedSource(y * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding);
                        const int sx = paddedSource(x * w.stride[1] + kx * w.dilation[1] - w.before[1], layer.in.width, w.padding);
                        if (sy >= 0 && sx >= 0) visit(output, static_cast<Size>((c * layer.in.height + sy) * layer.in.width + sx));
                    }
}

void pullMean(const Layer& layer, PathOverlap& b) {
    spread(b, layer.out.units());
    Matrix all(layer.in.units(), b.values.columns);
    if (layer.kind == LayerKind::GlobalAveragePool) {
        const Size run = all.rows / b.values.rows;
        for (Size i = 0; i < all.rows; ++i) addRow(all.row(i), b.values.row(i / run), all.columns);
    } else {
        forEachCell(layer, [&](Size output, Size input) { addRow(all.row(input), b.values.row(output), all.columns); });
    }
    b.values = std::move(all);
}

/// First of equal ones, as the forward pass has it.
std::vector<std::uint32_t> winnersOf(const Layer& layer, const Batch& in) {
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::vector<std::uint32_t> winners(layer.out.units() * in.columns, kNone);
    forEachCell(layer, [&](Size output, Size input) {
        std::uint32_t* const best = &winners[output * in.columns];
        for (Size s = 0; s < in.columns; ++s)
            if (best[s] == kNone || in(input, s) > in(best[s], s)) best[s] = static_cast<std::uint32_t>(input);
    });
    return winners;
}

/// tanh z/z; near 0 its series, since a quotient of small numbers has lost its digits.
double tanhOver(double z) { return std::abs(z) < 1e-4 ? 1 - z * z / 3 : portableTanh(z) / z; }

}  // namespace

Matrix gatesOf(const Layer& activation, const Batch& z) {
    Batch gates, zeros(z.rows, 1), atZero, slope, ones(z.rows, 1);
    std::fill(ones.values.begin(), ones.values.end(), 1);
    applyBatch(activation, z, gates);
    applyBatch(activation, zeros, atZero);
    pullBatch(activation, zeros, ones, slope);
    for (Size j = 0; j < z.rows; ++j)
        for (Size s = 0; s < z.columns; ++s) {
            const double at = z(j, s);
            if (activation.activation == Activation::Tanh)
                gates(j, s) = tanhOver(at);
            else if (activation.activation == Activation::Sigmoid)
                gates(j, s) = tanhOver(at / 2) / 4;
            else
                gates(j, s) = at == 0 ? slope(j, 0) : (gates(j, s) - atZero(j, 0)) / at;
        }
    return gates;
}

GatedPaths::GatedPaths(const Network& network, const Matrix& inputs, const std::function<void()>& tick) : network_(network) {
    if (inputs.rows != network.input.units()) throw InputError("The samples have not as many numbers as the network has inputs.");
    if (inputs.columns == 0) throw InputError("Capacity is measured on samples, and there is none.");
    states_.push_back(inputs);
    for (const Layer& layer : network.layers) {
        states_.emplace_back();
        Batch out;
        parts_.push_back(partOf(layer, states_[states_.size() - 2], out));
        states_.back() = std::move(out);
        tick();
    }
    for (const double value : states_.back().values)
        if (!std::isfinite(value)) throw InputError("The network's outputs are not finite for these samples.");
}

GatedPaths::Part GatedPaths::partOf(const Layer& layer, const Batch& in, Batch& out) {
    Part part;
    if (layer.kind == LayerKind::Residual) {
        Batch side;
        part.skip = partsOf(layer.skip, in, side);
        part.branch = partsOf(layer.branch, in, out);
        for (Size i = 0; i < out.values.size(); ++i) out.values[i] = layer.skipScale * side.values[i] + layer.branchScale * out.values[i];
        return part;
    }
    // Its centring joins every unit to all others, and its scale is no gate of a unit: it is on no path.
    if (layer.kind == LayerKind::LayerNorm)
        throw InputError((layer.name.empty() ? "A layer norm" : "The layer norm \"" + layer.name + "\"") +
                         " has no gates of its own, so that no capacity is measured through it; capacity-diffusion takes it.");
    if (layer.kind == LayerKind::Activation) part.gates = gatesOf(layer, in);
    if (layer.kind == LayerKind::MaxPool) part.winners = winnersOf(layer, in);
    applyBatch(layer, in, out);
    return part;
}

std::vector<GatedPaths::Part> GatedPaths::partsOf(const std::vector<Layer>& layers, const Batch& in, Batch& out) {
    std::vector<Part> parts;
    out = in;
    for (const Layer& layer : layers) {
        Batch next;
        parts.push_back(partOf(layer, out, next));
        out = std::move(next);
    }
    return parts;
}

void GatedPaths::pullActivation(const Part& part, Pairs pairs, PathOverlap& b) {
    Matrix all(part.gates.rows, pairs.count);
    for (Size j = 0; j < all.rows; ++j) {
        const double *above = b.values.row(b.uniform ? 0 : j), *one = part.gates.row(j) + pairs.first,
                     *other = part.gates.row(j) + pairs.second;
        double* const to = all.row(j);
        for (Size p = 0; p < pairs.count; ++p) to[p] = one[p] * other[p] * above[p];
    }
    b = {false, std::move(all)};
}

void GatedPaths::pullMaxPool(const Layer& layer, const Part& part, Pairs pairs, PathOverlap& b) {
    spread(b, layer.out.units());
    Matrix all(layer.in.units(), pairs.count);
    const Size samples = part.winners.size() / layer.out.units();
    for (Size w = 0; w < b.values.rows; ++w) {
        const std::uint32_t *one = &part.winners[w * samples + pairs.first], *other = &part.winners[w * samples + pairs.second];
        for (Size p = 0; p < pairs.count; ++p)
            if (one[p] == other[p]) all(one[p], p) += b.values(w, p);
    }
    b.values = std::move(all);
}

void GatedPaths::pullResidual(const Layer& layer, const Part& part, Pairs pairs, PathOverlap& b) {
    PathOverlap skip = b;
    pull(layer.skip, part.skip, pairs, skip);
    pull(layer.branch, part.branch, pairs, b);
    if (layer.branchScale == 0) std::fill(b.values.values.begin(), b.values.values.end(), 0);
    if (layer.skipScale == 0) std::fill(skip.values.values.begin(), skip.values.values.end(), 0);
    if (b.uniform != skip.uniform) spread(b, layer.in.units()), spread(skip, layer.in.units());
    for (Size i = 0; i < b.values.values.size(); ++i) b.values.values[i] += skip.values.values[i];
}

void GatedPaths::pull(const Layer& layer, const Part& part, Pairs pairs, PathOverlap& b) {
    switch (layer.kind) {
        case LayerKind::Dense:
            return pullDense(layer, b);
        case LayerKind::Conv:
            return pullConv(layer, b);
        case LayerKind::Activation:
            return pullActivation(part, pairs, b);
        case LayerKind::MaxPool:
            return pullMaxPool(layer, part, pairs, b);
        case LayerKind::AveragePool:
        case LayerKind::GlobalAveragePool:
            return pullMean(layer, b);
        case LayerKind::Residual:
            return pullResidual(layer, part, pairs, b);
        case LayerKind::BatchNorm:
        case LayerKind::LayerNorm:  // refused by partOf
        case LayerKind::Flatten:
            return;
    }
}

void GatedPaths::pull(const std::vector<Layer>& layers, const std::vector<Part>& parts, Pairs pairs, PathOverlap& b) {
    for (Size l = layers.size(); l-- > 0;) pull(layers[l], parts[l], pairs, b);
}

void GatedPaths::pull(Size layer, Size first, Size second, Size count, PathOverlap& b) const {
    pull(network_.layers[layer], parts_[layer], {first, second, count}, b);
}

double pullOperations(const std::vector<Layer>& layers) {
    double work = 0;
    for (const Layer& layer : layers) {
        const double in = static_cast<double>(layer.in.units()), out = static_cast<double>(layer.out.units());
        const double taps = 1.0 * layer.window.size[0] * layer.window.size[1];
        work += 2 * out;
        if (layer.kind == LayerKind::Conv) work += 4 * in + 2 * taps * out / layer.out.channels * layer.groups;
        if (layer.kind == LayerKind::MaxPool || layer.kind == LayerKind::GlobalAveragePool) work += 2 * in;
        if (layer.kind == LayerKind::AveragePool) work += taps * out;
        work += pullOperations(layer.branch) + pullOperations(layer.skip);
    }
    return work;
}

double keptNumbers(const std::vector<Layer>& layers) {
    double kept = 0;
    for (const Layer& layer : layers)
        kept += 2 * static_cast<double>(layer.out.units()) + keptNumbers(layer.branch) + keptNumbers(layer.skip);
    return kept;
}

}  // namespace kappaflow

#include "core/capacity/gated_paths.h"

#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "core/base/portable_math.h"
#include "core/capacity/gates.h"
#include "core/net/joins.h"
#include "core/net/layer_norm.h"
#include "core/net/layer_rows.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Vector = std::vector<double>;

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
    const auto& conv = layer.as<Conv>();
    const auto groups = static_cast<Size>(conv.groups), ins = static_cast<Size>(layer.in.channels) / groups,
               outs = static_cast<Size>(layer.out.channels) / groups;
    const Size outRun = layer.out.units() / static_cast<Size>(layer.out.channels),
               inRun = layer.in.units() / static_cast<Size>(layer.in.channels);
    Layer box{layer.in, layer.out, Conv{{Vector(groups * tapsOf(conv.window), 1)}, conv.window, conv.groups}};
    box.in.channels = box.out.channels = conv.groups;
    Matrix joined(groups * outRun, b.values.columns), pulled(groups * inRun, b.values.columns), all(layer.in.units(), b.values.columns);
    for (Size g = 0; g < groups; ++g) joinChannels(b.values, g * outs, (g + 1) * outs, outRun, joined, g);
    pullConvBatch(box, joined, pulled);
    for (Size i = 0; i < all.rows; ++i) std::copy_n(pulled.row(i / (ins * inRun) * inRun + i % inRun), all.columns, all.row(i));
    b.values = std::move(all);
}

void pullMean(const Layer& layer, PathOverlap& b) {
    spread(b, layer.out.units());
    Matrix all(layer.in.units(), b.values.columns);
    forEachPool(layer, [&](Size output, const std::vector<Size>& units) {
        for (const Size unit : units) addRow(all.row(unit), b.values.row(output), all.columns);
    });
    b.values = std::move(all);
}

/// [window][sample], as the forward pass has them.
std::vector<std::uint32_t> winnersOf(const Layer& layer, const Batch& in) {
    std::vector<std::uint32_t> winners(layer.out.units() * in.columns);
    std::vector<Size> largest;
    forEachPool(layer, [&](Size output, const std::vector<Size>& units) {
        findLargest(in, units, largest);
        std::copy(largest.begin(), largest.end(), winners.begin() + static_cast<std::ptrdiff_t>(output * in.columns));
    });
    return winners;
}

/// tanh z/z; near 0 its series, since a quotient of small numbers has lost its digits.
double tanhOver(double z) { return std::abs(z) < 1e-4 ? 1 - z * z / 3 : portableTanh(z) / z; }

}  // namespace

Matrix gatesOf(const Layer& layer, const Batch& z) {
    const Activation activation = layer.as<Pointwise>().activation;
    Batch gates, zeros(z.rows, 1), atZero, slope, ones(z.rows, 1);
    std::fill(ones.values.begin(), ones.values.end(), 1);
    applyBatch(layer, z, gates);
    applyBatch(layer, zeros, atZero);
    pullBatch(layer, zeros, ones, slope);
    for (Size j = 0; j < z.rows; ++j)
        for (Size s = 0; s < z.columns; ++s) {
            const double at = z(j, s);
            if (activation == Activation::Tanh)
                gates(j, s) = tanhOver(at);
            else if (activation == Activation::Sigmoid)
                gates(j, s) = tanhOver(at / 2) / 4;
            else
                gates(j, s) = at == 0 ? slope(j, 0) : (gates(j, s) - atZero(j, 0)) / at;
        }
    return gates;
}

namespace {

/// Values of a product's factors that are gates, multiplied.
Matrix productOf(const std::vector<Layer>& layers, Size l, Size without, const std::vector<Batch>& at) {
    Matrix gates;
    for (Size k = 0; k < layers[l].reads.size(); ++k) {
        if (k == without) continue;
        const Batch& factor = at[operandOf(layers, l, k)];
        if (gates.rows == 0)
            gates = factor;
        else
            for (Size i = 0; i < gates.values.size(); ++i) gates.values[i] *= factor.values[i];
    }
    return gates;
}

/// 1/√(σ² + epsilon) of every set, [set][sample]; 0 where all its units are equal and epsilon is 0.
Matrix inverseDeviations(const Layer& layer, const Batch& x) {
    const auto sets = normalisedSets(layer);
    const double epsilon = layer.as<LayerNorm>().epsilon;
    Matrix gates(sets.size(), x.columns);
    for (Size g = 0; g < sets.size(); ++g)
        for (Size s = 0; s < x.columns; ++s) {
            const double n = static_cast<double>(sets[g].count);
            double mean = 0, variance = 0;
            for (Size k = 0; k < sets[g].count; ++k) mean += x(sets[g].first + k * sets[g].stride, s) / n;
            for (Size k = 0; k < sets[g].count; ++k) {
                const double off = x(sets[g].first + k * sets[g].stride, s) - mean;
                variance += off * off / n;
            }
            const double scale = std::sqrt(variance + epsilon);
            gates(g, s) = scale > 0 ? 1 / scale : 0;
        }
    return gates;
}

}  // namespace

GatedPaths::GatedPaths(const Network& network, const Matrix& inputs, const std::function<void()>& tick) : network_(network) {
    if (inputs.rows != network.input.units()) throw InputError("The samples have not as many numbers as the network has inputs.");
    if (inputs.columns == 0) throw InputError("Capacity is measured on samples, and there is none.");
    const auto followed = followedOperands(network.layers, CapacityRule::Measured);
    states_.push_back(inputs);
    for (Size l = 0; l < network.layers.size(); ++l) {
        const Layer& layer = network.layers[l];
        BatchStates inside;
        Batch out;
        if (const auto* block = layer.getIf<Block>()) {
            inside.at = {states_.back()};
            applyChain(block->inner, inside);
            out = inside.at.back();
        } else {
            applyBatch(layer, states_.back(), out);
        }
        states_.push_back(std::move(out));
        parts_.push_back(partOf(network.layers, l, followed[l], states_, inside.at));
        tick();
    }
    for (const double value : states_.back().values)
        if (!std::isfinite(value)) throw InputError("The network's outputs are not finite for these samples.");
}

GatedPaths::Part GatedPaths::partOf(const std::vector<Layer>& layers, Size l, const std::vector<Size>& followed,
                                    const std::vector<Batch>& at, const std::vector<Batch>& inside) {
    Part part;
    part.followed = followed;
    if (followed.empty()) return part;
    const Layer& layer = layers[l];
    const Batch& in = at[operandOf(layers, l)];
    if (layer.is<Pointwise>()) part.gates = gatesOf(layer, in);
    if (layer.is<MaxPool>()) part.winners = winnersOf(layer, in);
    if (layer.is<LayerNorm>()) part.gates = inverseDeviations(layer, in);
    if (layer.is<Product, MatMul>()) part.gates = productOf(layers, l, followed[0], at);
    if (const auto* block = layer.getIf<Block>()) {
        const auto within = followedOperands(block->inner, CapacityRule::Measured);
        for (Size i = 0; i < block->inner.size(); ++i) part.inner.push_back(partOf(block->inner, i, within[i], inside, {}));
    }
    return part;
}

void GatedPaths::pullGates(const Part& part, Pairs pairs, PathOverlap& b) {
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

void GatedPaths::pullMatMul(const Layer& layer, const Part& part, Pairs pairs, PathOverlap& b) {
    spread(b, layer.out.units());
    PathOverlap both{true, Matrix(1, pairs.count)};
    std::fill(both.values.values.begin(), both.values.values.end(), 1);
    pullGates(part, pairs, both);
    const Size k = part.followed[0];
    const Size height = static_cast<Size>(k == 0 ? layer.in.height : layer.in.width),
               width = static_cast<Size>(k == 0 ? layer.in.width : layer.out.width);
    Matrix pulled(static_cast<Size>(layer.in.channels) * height * width, pairs.count);
    const MatrixView own(pulled), gates(both.values);
    const MatrixView operands[] = {k == 0 ? own : gates, k == 0 ? gates : own};
    pullJoin(layer, operands, k, b.values.values.data(), pulled.values.data());
    b.values = std::move(pulled);
}

void GatedPaths::pullLayerNorm(const Layer& layer, const Part& part, Pairs pairs, PathOverlap& b) {
    const auto sets = normalisedSets(layer);
    Matrix all(layer.in.units(), pairs.count), sum(1, pairs.count);
    for (Size g = 0; g < sets.size(); ++g) {
        const double *one = part.gates.row(g) + pairs.first, *other = part.gates.row(g) + pairs.second;
        std::fill(sum.values.begin(), sum.values.end(), 0);
        const auto unit = [&](Size k) { return sets[g].first + k * sets[g].stride; };
        for (Size k = 0; k < sets[g].count; ++k) addRow(sum.row(0), b.values.row(b.uniform ? 0 : unit(k)), pairs.count);
        for (Size p = 0; p < pairs.count; ++p) sum(0, p) *= one[p] * other[p];
        for (Size k = 0; k < sets[g].count; ++k) std::copy_n(sum.row(0), pairs.count, all.row(unit(k)));
    }
    b = {false, std::move(all)};
}

void GatedPaths::pullBlock(const Layer& block, const Part& part, Pairs pairs, PathOverlap& b) {
    const std::vector<Layer>& layers = block.as<Block>().inner;
    std::vector<PathOverlap> at(layers.size() + 1);
    at.back() = std::move(b);
    const auto unitsAt = [&](Size place) { return place == 0 ? block.in.units() : layers[place - 1].out.units(); };
    const auto gather = [&](Size place, PathOverlap more) {
        PathOverlap& sum = at[place];
        if (sum.values.rows == 0) return void(sum = std::move(more));
        if (sum.uniform != more.uniform) spread(sum, unitsAt(place)), spread(more, unitsAt(place));
        for (Size i = 0; i < sum.values.values.size(); ++i) sum.values.values[i] += more.values.values[i];
    };
    for (Size l = layers.size(); l-- > 0;) {
        PathOverlap above = std::move(at[l + 1]);
        at[l + 1] = {};
        if (above.values.rows == 0) continue;
        if (layers[l].is<Concat>() && !above.uniform) {
            for (Size k = 0, first = 0; k < layers[l].reads.size(); ++k) {
                const Size place = operandOf(layers, l, k), count = unitsAt(place);
                const double* const from = above.values.row(first);
                gather(place, {false, Matrix(count, pairs.count, Vector(from, from + count * pairs.count))});
                first += count;
            }
            continue;
        }
        if (!layers[l].is<Join>() || layers[l].is<Product, MatMul>()) pull(layers[l], part.inner[l], pairs, above);
        for (const Size k : part.inner[l].followed) gather(operandOf(layers, l, k), above);
    }
    // Where every way is closed by a scale of 0 nothing comes down.
    b = at[0].values.rows > 0 ? std::move(at[0]) : PathOverlap{true, Matrix(1, pairs.count)};
}

void GatedPaths::pull(const Layer& layer, const Part& part, Pairs pairs, PathOverlap& b) {
    if (layer.is<Dense>()) return pullDense(layer, b);
    if (layer.is<Conv>()) return pullConv(layer, b);
    if (layer.is<Pointwise, Product>()) return pullGates(part, pairs, b);
    if (layer.is<MaxPool>()) return pullMaxPool(layer, part, pairs, b);
    if (layer.is<AveragePool, GlobalAveragePool>()) return pullMean(layer, b);
    if (layer.is<LayerNorm>()) return pullLayerNorm(layer, part, pairs, b);
    if (layer.is<MatMul>()) return pullMatMul(layer, part, pairs, b);
    if (layer.is<Block>()) return pullBlock(layer, part, pairs, b);
    if (!layer.is<Route>())
        return;  // batch norms, flattenings, sums and concatenations hand on what comes; followedOperands refuses softmax
    spread(b, layer.out.units());
    b.values = pullRoute(layer, b.values);
}

void GatedPaths::pull(Size layer, Size first, Size second, Size count, PathOverlap& b) const {
    pull(network_.layers[layer], parts_[layer], {first, second, count}, b);
}

double pullOperations(const std::vector<Layer>& layers) {
    double work = 0;
    eachLayer(layers, [&](const Layer& layer) {
        const double in = static_cast<double>(layer.in.units()), out = static_cast<double>(layer.out.units());
        const double taps = static_cast<double>(tapsOf(windowOf(layer)));
        work += 2 * out * static_cast<double>(std::max<Size>(1, layer.reads.size()));
        if (const auto* conv = layer.getIf<Conv>()) work += 4 * in + 2 * taps * out / layer.out.channels * conv->groups;
        if (layer.is<MaxPool, GlobalAveragePool>()) work += 2 * in;
        if (layer.is<AveragePool>()) work += taps * out;
        if (layer.is<MatMul>()) work += out * layer.in.width;
    });
    return work;
}

double keptNumbers(const std::vector<Layer>& layers) {
    double kept = 0;
    eachLayer(layers, [&](const Layer& layer) { kept += 2 * static_cast<double>(layer.out.units()); });
    return kept;
}

}  // namespace kappaflow

#include "core/net/layer_tangents.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/linalg/matrix.h"
#include "core/net/joins.h"
#include "core/net/layer_norm.h"
#include "core/net/layer_rows.h"
#include "core/net/network.h"

namespace kappaflow {
namespace {

/// Sample by sample the first largest value under every window, with its tangents.
ValuesAndTangents largestOf(const Layer& layer, const ValuesAndTangents& in) {
    ValuesAndTangents out{Batch(layer.out.units(), in.values.columns), Batch(layer.out.units(), in.tangents.columns)};
    const std::size_t each = in.tangents.columns / in.values.columns;
    std::vector<std::size_t> largest;
    forEachPool(layer, [&](std::size_t to, const std::vector<std::size_t>& units) {
        findLargest(in.values, units, largest);
        for (std::size_t s = 0; s < largest.size(); ++s) {
            out.values(to, s) = in.values(largest[s], s);
            std::copy_n(in.tangents.row(largest[s]) + s * each, each, out.tangents.row(to) + s * each);
        }
    });
    return out;
}

/// An activation's Jacobian is diagonal: pulled ones are its slopes.
Batch activatedTangents(const Layer& layer, const ValuesAndTangents& in) {
    Batch ones(in.values.rows, in.values.columns), slopes, tangents = in.tangents;
    std::fill(ones.values.begin(), ones.values.end(), 1.0);
    pullBatch(layer, in.values, ones, slopes);
    const std::size_t each = tangents.columns / in.values.columns;
    for (std::size_t i = 0; i < tangents.rows; ++i)
        for (std::size_t c = 0; c < tangents.columns; ++c) tangents(i, c) *= slopes(i, c / each);
    return tangents;
}

/// The layer's product without its biases.
Batch linearTangents(const Layer& layer, const Batch& tangents) {
    Batch out(layer.out.units(), tangents.columns);
    if (const auto* dense = layer.getIf<Dense>()) {
        orderedProduct(MatrixView(dense->weights.data(), out.rows, tangents.rows), tangents, out.values.data());
    } else if (layer.as<Conv>().bias.empty()) {
        applyConvBatch(layer, tangents, out);
    } else {
        Layer unbiased = layer;
        unbiased.as<Conv>().bias.clear();
        applyConvBatch(unbiased, tangents, out);
    }
    return out;
}

/// A join's change is the sum of those with each operand's change alone.
ValuesAndTangents joinedTangents(const Layer& layer, const std::vector<const ValuesAndTangents*>& operands) {
    std::vector<MatrixView> values;
    values.reserve(operands.size());
    for (const ValuesAndTangents* x : operands) values.emplace_back(x->values);
    ValuesAndTangents out{Batch(layer.out.units(), values[0].columns), Batch(layer.out.units(), operands[0]->tangents.columns)};
    applyJoin(layer, values, out.values.values.data());
    for (std::size_t k = 0; k < operands.size(); ++k) addJoinTangents(layer, values, k, operands[k]->tangents, out.tangents);
    return out;
}

/// By place, 0 being the input: the last layer of a block that reads what stands there.
std::vector<std::size_t> lastReaders(const std::vector<Layer>& inner) {
    std::vector<std::size_t> last(inner.size() + 1, inner.size());
    for (std::size_t l = 0; l < inner.size(); ++l)
        for (std::size_t k = 0; k < inner[l].reads.size(); ++k) last[operandOf(inner, l, k)] = l;
    return last;
}

ValuesAndTangents throughBlock(const std::vector<Layer>& inner, const ValuesAndTangents& in) {
    std::vector<ValuesAndTangents> made(inner.size());
    const std::vector<std::size_t> last = lastReaders(inner);
    for (std::size_t l = 0; l < inner.size(); ++l) {
        std::vector<const ValuesAndTangents*> operands;
        const std::size_t count = inner[l].reads.size();
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t at = operandOf(inner, l, k);
            operands.push_back(at == 0 ? &in : &made[at - 1]);
        }
        made[l] = inner[l].is<Join>() ? joinedTangents(inner[l], operands) : withTangents(inner[l], *operands[0]);
        for (std::size_t k = 0; k < count; ++k)
            if (const std::size_t at = operandOf(inner, l, k); at > 0 && last[at] == l) made[at - 1] = {};
    }
    return std::move(made.back());
}

/// Most numbers a sample that stand in a block at once.
double widestOf(const Shape& in, const std::vector<Layer>& inner) {
    std::vector<std::size_t> last = lastReaders(inner);
    double now = static_cast<double>(in.units()), most = now;
    for (std::size_t l = 0; l < inner.size(); ++l) {
        most = std::max(most, now += static_cast<double>(inner[l].out.units()));
        for (std::size_t k = 0; k < inner[l].reads.size(); ++k) {
            const std::size_t at = operandOf(inner, l, k);
            if (at == 0 || std::exchange(last[at], inner.size()) != l) continue;
            now -= static_cast<double>(inner[at - 1].out.units());
        }
    }
    return most;
}

}  // namespace

ValuesAndTangents withTangents(const Layer& layer, const ValuesAndTangents& in) {
    assert(in.values.rows == layer.in.units() && in.tangents.rows == in.values.rows && in.tangents.columns % in.values.columns == 0);
    if (const auto* block = layer.getIf<Block>()) return throughBlock(block->inner, in);
    if (layer.is<MaxPool>()) return largestOf(layer, in);
    ValuesAndTangents out;
    applyBatch(layer, in.values, out.values);
    if (layer.is<Pointwise>())
        out.tangents = activatedTangents(layer, in);
    else if (layer.is<BatchNorm>())
        pullBatch(layer, in.tangents, in.tangents, out.tangents);  // a diagonal Jacobian is its own transpose
    else if (layer.is<LayerNorm>())
        out.tangents = layerNormTangents(layer, in.values, in.tangents);
    else if (layer.is<Softmax>())
        out.tangents = softmaxTangents(layer, in.values, in.tangents);
    else if (hasTrainableWeights(layer))
        out.tangents = linearTangents(layer, in.tangents);
    else
        applyBatch(layer, in.tangents, out.tangents);  // means, routes and flattenings are linear
    return out;
}

LayerCost costOfTangents(const Layer& layer) {
    const double units = std::max<double>(static_cast<double>(layer.in.units()), static_cast<double>(layer.out.units()));
    if (layer.is<Conv>()) return {inputsRead(layer), units + inputsRead(layer) / static_cast<double>(layer.out.units())};
    if (layer.is<Pooling>()) return {3 * inputsRead(layer), units};  // looked at one by one
    if (layer.is<MatMul>()) return {2 * inputsRead(layer), units};
    const auto* block = layer.getIf<Block>();
    if (!block) return {inputsRead(layer), units};
    LayerCost sum{0, units};
    for (const Layer& inner : block->inner) {
        const LayerCost one = costOfTangents(inner);
        sum.uses += one.uses, sum.units = std::max(sum.units, one.units);
    }
    // A layer's units count twice, before and behind it.
    return {sum.uses, std::max(2 * sum.units, widestOf(layer.in, block->inner) / 2)};
}

}  // namespace kappaflow

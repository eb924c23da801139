#include "core/capacity/capacity_graph.h"

#include <algorithm>
#include <cmath>

#include "core/capacity/capacity_network.h"
#include "core/net/layer_rows.h"

namespace kappaflow {

using Size = std::size_t;
using Vector = std::vector<double>;

CapacityGraph::CapacityGraph(const Layer& block)
    : layers_(block.as<Block>().inner),
      inputs_(block.in.units()),
      followed_(followedOperands(layers_, CapacityRule::Squares)),
      parts_(foldedLayers(layers_)),
      norms_(layers_.size() + 1) {
    findNorms();
}

void CapacityGraph::findNorms() {
    std::vector<bool> needed(layers_.size() + 1);
    const auto passesOn = [&](Size l) { return !parts_[l].layer || layers_[l].is<Route, BatchNorm>(); };
    for (Size l = layers_.size(); l-- > 0;)
        if ((layers_[l].is<Sum>() && !followed_[l].empty()) || (needed[l + 1] && passesOn(l)))
            for (const Size k : followed_[l]) needed[operandOf(layers_, l, k)] = true;
    if (needed[0]) norms_[0].assign(inputs_, 1);
    for (Size l = 0; l < layers_.size(); ++l)
        if (needed[l + 1]) norms_[l + 1] = normsBehind(l);
}

Vector CapacityGraph::normsBehind(Size l) const {
    const Layer& layer = layers_[l];
    const auto below = [&](Size k) -> const Vector& { return norms_[operandOf(layers_, l, k)]; };
    Vector norms;
    if (const auto* sum = layer.getIf<Sum>()) {
        norms.assign(layer.out.units(), 0);
        for (Size k = 0; k < layer.reads.size(); ++k)
            for (Size j = 0; j < norms.size(); ++j) norms[j] = std::hypot(norms[j], sum->scales[k] * below(k)[j]);
        return norms;
    }
    if (layer.is<Concat>()) {
        for (Size k = 0; k < layer.reads.size(); ++k) norms.insert(norms.end(), below(k).begin(), below(k).end());
        return norms;
    }
    if (const auto* op = layer.getIf<Route>()) {
        for (const int from : op->route) norms.push_back(from < 0 ? 0 : below(0)[static_cast<Size>(from)]);
        return norms;
    }
    if (layer.is<MaxPool>()) return Vector(layer.out.units(), 1);
    if (!parts_[l].layer) return below(followed_[l][0]);
    if (layer.is<BatchNorm>()) {
        norms = below(0);
        for (Size j = 0; j < norms.size(); ++j) norms[j] *= std::abs(batchNormScale(layer, j));
        return norms;
    }
    Layer scratch;
    return columnNorms(parts_[l].withNorms(scratch), parts_[l].zeros);
}

std::vector<Vector> CapacityGraph::sharesOf(Size sum) const {
    const Layer& layer = layers_[sum];
    const Vector& scales = layer.as<Sum>().scales;
    std::vector<Vector> shares(layer.reads.size(), Vector(layer.out.units()));
    for (Size j = 0; j < layer.out.units(); ++j) {
        double largest = 0, total = 0;
        for (Size k = 0; k < shares.size(); ++k)
            largest = std::max(largest, shares[k][j] = std::abs(scales[k]) * norms_[operandOf(layers_, sum, k)][j]);
        for (Vector& share : shares) total += share[j] = largest > 0 ? (share[j] / largest) * (share[j] / largest) : 0;
        for (Vector& share : shares) share[j] = largest > 0 ? share[j] / total : 0;
    }
    return shares;
}

}  // namespace kappaflow

#include "core/capacity/flow_edges.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace kappaflow {
namespace {

double estimatedEdges(const FlowGeometry& g, int size) {
    const double ins = (g.inWidth + size - 1) / size, outs = (g.outWidth + size - 1) / size;
    // Seen from a bin, a tap covers as many positions below as the bin maps to, hence up to ratio + 1 bins (+1 where a ring closes);
    // and all taps together never more than their window.
    const double ratio = static_cast<double>(g.inWidth) / g.outWidth;
    const double reach = size == 1 ? g.reach : std::min((std::ceil(ratio) + 1) * g.reach, g.span / size + ratio + 2) + 1;
    return outs * std::min(ins, reach);
}

}  // namespace

int flowBinSize(const std::vector<FlowGeometry>& layers, double limit) {
    int widest = 1;
    for (const auto& g : layers) widest = std::max({widest, g.inWidth, g.outWidth});
    for (int size = 1; size < widest; size += 1 + size / 16) {
        double edges = 0;
        for (const auto& g : layers) edges += estimatedEdges(g, size);
        if (edges <= limit) return size;
    }
    return widest;
}

FlowLayer::FlowLayer(int binSize, int inWidth) : binSize_(binSize), binBelow_(static_cast<std::size_t>(inWidth)) {
    for (std::size_t x = 0; x < binBelow_.size(); ++x) binBelow_[x] = static_cast<std::uint32_t>(x) / static_cast<std::uint32_t>(binSize);
    amount_.resize(binBelow_.back() + std::size_t{1});
    touched_.resize(amount_.size());
}

void FlowLayer::add(int from, int to, double amount) {
    if (from != from_) {
        assert(from > from_);
        from_ = from;
        const auto bin = static_cast<std::uint32_t>(from / binSize_);
        if (bin != bin_) closeBin();
        bin_ = bin;
    }
    const auto below = binBelow_[static_cast<std::size_t>(to)];
    if (!touched_[below]) {
        touched_[below] = 1;
        order_.push_back(below);
    }
    amount_[below] += amount;
}

void FlowLayer::closeBin() {
    for (const auto below : order_) {
        edges_.from.push_back(bin_);
        edges_.to.push_back(below);
        edges_.amount.push_back(amount_[below]);
        amount_[below] = 0;
        touched_[below] = 0;
    }
    order_.clear();
}

LayerEdges FlowLayer::finish() {
    closeBin();
    return std::move(edges_);
}

}  // namespace kappaflow

#include "core/capacity/flow_edges.h"

#include <algorithm>
#include <cassert>

namespace kappaflow {
namespace {

double estimatedEdges(const FlowGeometry& g, int size) {
    const double ins = (g.inWidth + size - 1) / size, outs = (g.outWidth + size - 1) / size;
    // A bin reaches at most the taps of all its positions, each spread over two bins, and never more than its window covers.
    const double reach =
        size == 1 ? g.reach : std::min(2 * g.reach, g.span / size + (g.outWidth > 0 ? static_cast<double>(g.inWidth) / g.outWidth : 1) + 2);
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

void FlowLayer::add(int from, int to, double amount) {
    const auto bin = static_cast<std::uint32_t>(from / binSize_), below = static_cast<std::uint32_t>(to / binSize_);
    if (bin != bin_) {
        assert(bin > bin_);
        closeBin();
        bin_ = bin;
    }
    if (!touched_[below]) {
        touched_[below] = 1;
        order_.push_back(below);
    }
    amount_[below] += amount;
}

void FlowLayer::closeBin() {
    for (const auto below : order_) {
        from_.push_back(bin_);
        to_.push_back(below);
        amounts_.push_back(amount_[below]);
        amount_[below] = 0;
        touched_[below] = 0;
    }
    order_.clear();
}

void FlowLayer::finish(std::vector<std::uint32_t>& from, std::vector<std::uint32_t>& to, std::vector<double>& amount) {
    closeBin();
    from.insert(from.end(), from_.begin(), from_.end());
    to.insert(to.end(), to_.begin(), to_.end());
    amount.insert(amount.end(), amounts_.begin(), amounts_.end());
}

}  // namespace kappaflow

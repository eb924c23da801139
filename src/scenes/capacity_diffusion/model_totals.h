#pragma once
#include "core/capacity/ensemble_mean.h"
#include "scenes/capacity_diffusion/model_chain.h"

namespace kappaflow::diffusion {

/// What one network's descent leaves: rows of capacity by position, moments of the offset, edges of the flow.
struct Descent {
    OffsetMoments state;                                     ///< of the layer reached
    std::vector<double> capacity;                            ///< [layer, position], NaN-padded
    std::vector<double> total, unattributed, first, second;  ///< [layer]; first, second: moments of the offset over the layer's capacity
    std::vector<std::vector<double>> kernelShares, shares;   ///< [weight layer]
    std::vector<LayerEdges> flow;                            ///< [weight layer]
};

/// Sums over the networks drawn so far.
class Totals {
public:
    Totals(const Setup&, const Chain&);

    Descent begin() const;
    /// One layer down, from l to l − 1.
    void descend(Chain&, int l, std::uint64_t draw, Descent&);
    void add(Descent&&);
    /// One network's mean squared gradient, rows by position scaled to a total of 1, and its own standard error (used while it is
    /// the only network).
    void addGradient(const std::vector<double>& gradient, std::vector<double> sampleError);

    std::size_t rows() const { return widths_.size(); }
    std::size_t width() const { return width_; }
    /// Row l of a [layer, position] array: its defined part.
    std::vector<double> rowOf(const std::vector<double>& array, std::size_t l) const;

    EnsembleMean capacity, total, unattributed, gradient;
    std::vector<double> gradientSampleError;
    std::vector<std::vector<double>> first, second;         ///< [draw][layer]
    std::vector<std::vector<double>> kernelShares, shares;  ///< [weight layer], sums over draws
    std::vector<LayerEdges> flow;                           ///< [weight layer], amounts are sums over draws
    int binSize = 1;                                        ///< positions in one bin of the flow
    bool wantsShares = false;

private:
    void storeRow(Descent&, std::size_t l, double unattributed) const;
    std::vector<int> widths_;
    std::size_t width_ = 1;
    bool local_;
    std::vector<double> topUnits_, topOffset_;
};

}  // namespace kappaflow::diffusion

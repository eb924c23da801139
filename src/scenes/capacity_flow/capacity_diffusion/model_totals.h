#pragma once
#include "core/capacity/ensemble_mean.h"
#include "scenes/capacity_flow/capacity_diffusion/model_moments.h"

namespace kappaflow::diffusion {

/// What one network's descent leaves: rows of capacity by position, moments of the offset, edges of the flow.
struct Descent {
    ChainState state;                                       ///< of the layer reached
    std::vector<double> capacity, channel;                  ///< [layer, position], NaN-padded; channel: of the chosen one, or empty
    std::vector<double> total, unattributed;                ///< [layer]
    std::vector<LayerMoments> moments;                      ///< [layer] of the offset
    std::vector<std::vector<double>> kernelShares, shares;  ///< [weight layer]
    std::vector<LayerEdges> flow;                           ///< [weight layer]
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

    std::size_t rows() const { return shape_.units.size(); }
    /// Positions of a row, NaN-padded to the widest (in a plane: row by row, to the tallest and widest).
    std::size_t width() const { return height_ * width_; }
    /// Row l of a [layer, position] array: its defined part.
    std::vector<double> rowOf(const std::vector<double>& array, std::size_t l) const;
    /// Puts that part into the array.
    void setRow(std::vector<double>& array, std::size_t l, const std::vector<double>& values) const;
    /// [layer, position], undefined everywhere.
    std::vector<double> undefinedRows() const;
    std::size_t tallest() const { return height_; }
    std::size_t widest() const { return width_; }

    EnsembleMean capacity, channel, total, unattributed, gradient;
    std::vector<double> gradientSampleError;
    std::vector<std::vector<LayerMoments>> moments;         ///< [draw][layer]
    std::vector<std::vector<double>> kernelShares, shares;  ///< [weight layer], sums over draws
    std::vector<LayerEdges> flow;                           ///< [weight layer], amounts are sums over draws
    int binSize = 1;                                        ///< positions in one bin of the flow
    bool wantsShares = false;

private:
    void storeRow(Descent&, std::size_t l, double unattributed) const;
    const Setup& setup_;
    const ChainShape shape_;
    Tracking tracking_;
    std::size_t height_ = 1, width_ = 1;
    ChainState top_;
};

}  // namespace kappaflow::diffusion

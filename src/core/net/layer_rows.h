#pragma once
#include <cstddef>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

// These functions list the inputs that a layer's units read, for poolings, regions, tangents and capacity. Convolutions of mini-batches
// list them themselves, tap by tap (batch_windows.cpp).

/// Returns the window of a convolution or pooling; a global pooling's is the whole grid.
Window windowOf(const Layer&);
inline std::size_t tapsOf(const Window& w) { return static_cast<std::size_t>(w.size[0]) * static_cast<std::size_t>(w.size[1]); }
/// Number of a channel's positions.
inline std::size_t cellsOf(const Shape& shape) { return static_cast<std::size_t>(shape.height) * static_cast<std::size_t>(shape.width); }

/// A cell that an output position reads: its index in a channel's plane, and the tap that reads it.
struct TapCell {
    std::size_t cell, tap;
};
/// Replaces `cells` by those that the output position reads, in the order of taps; cells of zero padding are left out.
void findCells(const Layer&, std::size_t position, std::vector<TapCell>& cells);

/// Returns the divisor of an average pooling at a window with `cells` cells inside the input.
double poolDivisor(const Layer&, std::size_t cells);

/// Calls visit(output unit, input units under its window in the order of taps) for every window of a pooling; a channel's in rising order.
template <class Visit>
void forEachPool(const Layer& layer, Visit visit) {
    const auto channels = static_cast<std::size_t>(layer.in.channels);
    const std::size_t positions = layer.out.units() / channels, plane = cellsOf(layer.in);
    std::vector<TapCell> cells;
    std::vector<std::size_t> units;
    for (std::size_t position = 0; position < positions; ++position) {
        findCells(layer, position, cells);
        units.resize(cells.size());
        for (std::size_t c = 0; c < channels; ++c) {
            for (std::size_t i = 0; i < cells.size(); ++i) units[i] = c * plane + cells[i].cell;
            visit(c * positions + position, units);
        }
    }
}

/// Index of the unit's scale among a norm's weights.
std::size_t scaleIndex(const Layer& norm, std::size_t unit);
/// Returns γ/√(σ² + ε) of the unit's channel, or of the unit where it has a scale of its own.
double batchNormScale(const Layer& batchNorm, std::size_t unit);

/// Lists rows of a linear layer's matrix W, output = W·input + bias. Linear are Dense, Conv, BatchNorm, the poolings (a maximum as a mean),
/// Route, and the identity of Flatten and of an activation.
class LinearRows {
public:
    explicit LinearRows(const Layer& layer) : layer_(layer) {}
    /// Calls visit(input unit, tap, weight) for everything that the unit reads: by input channels, then by taps. Inputs may repeat.
    template <class Visit>
    void visit(std::size_t unit, Visit visit);
    double bias(std::size_t unit) const;

private:
    const Layer& layer_;
    std::vector<TapCell> cells_;  // room
};

template <class Visit>
void LinearRows::visit(std::size_t unit, Visit visit) {
    if (const auto* dense = layer_.getIf<Dense>()) {
        const std::size_t inputs = layer_.in.units();
        for (std::size_t i = 0; i < inputs; ++i) visit(i, std::size_t{0}, dense->weights[unit * inputs + i]);
    } else if (const auto* conv = layer_.getIf<Conv>()) {
        const std::size_t positions = cellsOf(layer_.out), plane = cellsOf(layer_.in), taps = tapsOf(conv->window);
        const std::size_t out = unit / positions, position = unit % positions;
        const auto outputs = static_cast<std::size_t>(layer_.out.channels), groups = static_cast<std::size_t>(conv->groups);
        const std::size_t inputs = static_cast<std::size_t>(layer_.in.channels) / groups, first = out / (outputs / groups) * inputs;
        const std::size_t kernel = (conv->shared ? out : position * outputs + out) * inputs * taps;
        findCells(layer_, position, cells_);
        for (std::size_t i = 0; i < inputs; ++i)
            for (const TapCell& c : cells_) visit((first + i) * plane + c.cell, c.tap, conv->weights[kernel + i * taps + c.tap]);
    } else if (layer_.is<Pooling, GlobalAveragePool>()) {
        const std::size_t positions = layer_.out.units() / static_cast<std::size_t>(layer_.in.channels);
        findCells(layer_, unit % positions, cells_);
        const double share = 1 / poolDivisor(layer_, cells_.size());
        for (const TapCell& c : cells_) visit(unit / positions * cellsOf(layer_.in) + c.cell, c.tap, share);
    } else if (layer_.is<BatchNorm>()) {
        visit(unit, std::size_t{0}, batchNormScale(layer_, unit));
    } else if (const auto* route = layer_.getIf<Route>()) {
        if (route->route[unit] >= 0) visit(static_cast<std::size_t>(route->route[unit]), std::size_t{0}, 1.0);
    } else {
        visit(unit, std::size_t{0}, 1.0);
    }
}

}  // namespace kappaflow

#pragma once
#include <functional>
#include <span>

#include "core/capacity/capacity_network.h"

namespace kappaflow {

/// Called with an output unit, the entries of its column of D (none: a dead unit) and the norm of its weights.
using ColumnVisitor = std::function<void(std::size_t unit, std::span<const CapacityLayer::Entry>, double norm)>;

/// The columns of a layer that is no residual block, unit by unit, without keeping them.
void visitColumns(const Layer&, const ColumnVisitor&);

}  // namespace kappaflow

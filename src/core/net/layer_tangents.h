#pragma once
#include "core/net/batch_layers.h"

namespace kappaflow {

/// A mini-batch [units][samples] and, beside every number, its first-order change, or several: [units][sample, change].
struct ValuesAndTangents {
    Batch values, tangents;
};

/// A layer's output and its exact Jacobian times the tangents, for every kind of layer: derivatives at kinks as `activationDerivative` has
/// them, a maximum hands on the first of equal ones, batch norm's statistics are the stored constants. Sums run in a fixed order and
/// exponentials are the portable ones: the same bits on every platform. Expects a layer that `validate` accepts, with weights. Cost: one
/// multiply-add a weight use and column of values or tangents.
ValuesAndTangents withTangents(const Layer&, const ValuesAndTangents& in);

/// Multiply-adds of the above for one sample, and units of the largest state on the way.
struct LayerCost {
    double uses = 0, units = 0;
};
LayerCost costOfTangents(const Layer&);

}  // namespace kappaflow

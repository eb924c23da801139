#pragma once
#include <cstddef>
#include <span>

#include "core/net/batch_layers.h"
#include "core/net/network.h"

namespace kappaflow {

// Layers that read several values, and those that only move units: of mini-batches, [units][samples]. g = ∂loss/∂output. Sums run in a
// fixed order and exponentials are the portable ones: the same bits on every platform.

/// y [out units][samples] of a Sum, Product, Concat or MatMul; operands row-major, one for each of the layer's `reads`.
/// Cost: an operation an operand's unit and sample; of MatMul n·k·m a channel and sample.
void applyJoin(const Layer&, std::span<const MatrixView> operands, double* y);
/// pulled = ∂loss/∂(operand k), [its units][samples].
void pullJoin(const Layer&, std::span<const MatrixView> operands, std::size_t k, const double* g, double* pulled);
/// The change of the output with operand k's change alone; change [its units][samples × n], those of a sample side by side. Adds to
/// `sum`, [out units][samples × n].
void addJoinTangents(const Layer&, std::span<const MatrixView> operands, std::size_t k, const Matrix& change, Matrix& sum);

Batch applyRoute(const Layer&, const Batch& x);
Batch pullRoute(const Layer&, const Batch& g);

/// s_i = e^(x_i − max x)/Σ; its Jacobian is diag(s) − s sᵀ, its own transpose.
Batch applySoftmax(const Layer&, const Batch& x);
Batch pullSoftmax(const Layer&, const Batch& x, const Batch& g);
/// Jacobian times tangents [units][samples × n], those of a sample side by side.
Batch softmaxTangents(const Layer&, const Batch& x, const Batch& tangents);

}  // namespace kappaflow

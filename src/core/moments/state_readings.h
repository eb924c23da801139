#pragma once
#include <vector>

#include "core/moments/point_values.h"
#include "core/net/batch_layers.h"

namespace kappaflow {

// How a state of a given network is taken as points with features: every position of a grid that convolutions or pools make or read is a
// point, and its channels are the features; what dense layers make or read has one point a sample, and its units are the features.

/// Variances below this share of the second moment are rounding, as in moment_propagation.cpp.
inline constexpr double kRoundingOfVariance = 1e-24;

/// Of every state, whether its positions are points.
std::vector<bool> statesOnGrid(const Network&);
/// [sample, position][channel] as a network takes it, [channel, position][sample].
Batch batchOf(const PointValues&);
/// Points that a sample gives.
std::size_t cellsPerSample(const Shape&, bool onGrid);
/// One row a point; every position stands for a sample of its own.
PointValues pointsOf(const Batch&, const Shape&, bool onGrid);
/// log of χ of a state whose units are features over χ of the same state whose positions are points: ½ log of their μ₂, grid over vector.
/// Undefined where either is rounding.
double logReadings(const Batch&, const Shape&);

}  // namespace kappaflow

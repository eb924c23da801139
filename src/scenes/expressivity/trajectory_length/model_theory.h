#pragma once
#include <vector>

#include "scenes/expressivity/trajectory_length/model_setup.h"

namespace kappaflow::trajectory_length {

/// Lengths of layers 0 … n that theory gives a trajectory of length 1: mean over the trajectory of ∏√χ, since χ depends on how far from the
/// origin the input lies.
std::vector<double> meanFieldLengths(const Setup&);
/// first, first·base, first·base², …
std::vector<double> powers(double first, double base, std::size_t layers);
/// ReLU and |h|: mean growth of a layer at this width and weight variance; 0 for others.
double exactGrowth(const GrowthSetting&);
/// Theorem 1's base, or its line for ReLU; 0 for activations it says nothing about.
double theoremBase(const GrowthSetting&);

}  // namespace kappaflow::trajectory_length

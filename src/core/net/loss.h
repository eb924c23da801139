#pragma once
#include <cstddef>
#include <vector>

#include "core/linalg/matrix.h"

namespace kappaflow {

/// What training makes small, a mean over the samples s with outputs y_s and targets t_s:
///   MeanSquare    ½ |y_s − t_s|²;
///   CrossEntropy  one output: ln(1 + e^y) − t y, the logistic loss, t in [0, 1] the probability of the second class;
///                 several: −Σ_i t_i ln softmax_i(y), t a distribution over the classes.
enum class Loss { MeanSquare, CrossEntropy };

/// The loss of a mini-batch, outputs and targets [outputs][samples]; unless null, `gradient` becomes ∂loss/∂outputs. From + - * / in a
/// fixed order: the same bits on every platform. Cost: an exponential or two an output.
double lossOf(Loss, const Matrix& outputs, const Matrix& targets, Matrix* gradient = nullptr);

/// Share of samples whose largest output is that of their largest target (the first of equal ones); with one output, whose y > 0 where
/// the target says the second class.
double accuracyOf(Loss, const Matrix& outputs, const Matrix& targets);

/// Targets [outputs][labels.size()] of class labels 0 … classes − 1. One output tells two classes apart: −1 and 1 for MeanSquare, 0 and
/// 1 for CrossEntropy; several: 1 at the label's output. Throws InputError when the outputs do not fit the classes or a label is none.
Matrix classTargets(Loss, const std::vector<int>& labels, int classes, std::size_t outputs);

}  // namespace kappaflow

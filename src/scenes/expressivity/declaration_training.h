#pragma once
#include <vector>

#include "scene/declare.h"

namespace kappaflow {
namespace training_runs {

/// The params of a training on points beside its length: learningRate, optimiser, loss and batch.
std::vector<Param> runParams(bool (*visible)(const Values&), double largestBatch, Text serves);

}  // namespace training_runs

}  // namespace kappaflow

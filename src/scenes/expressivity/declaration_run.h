#pragma once
#include <vector>

#include "scene/declare.h"

namespace kappaflow::training_runs {

/// The params of a training on points beside its length: learningRate, optimiser, loss and batch.
std::vector<Param> runParams(bool (*visible)(const Values&), double largestBatch, Text serves);

}  // namespace kappaflow::training_runs

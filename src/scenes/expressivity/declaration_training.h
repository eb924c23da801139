#pragma once
#include <vector>

#include "scene/declare.h"

namespace kappaflow {
namespace training_runs {

/// The params of a training on points beside its length: learningRate, optimiser, loss and batch.
std::vector<Param> runParams(bool (*visible)(const Values&), double largestBatch, Text serves);

}  // namespace training_runs

namespace digit_training {

/// What scenes that train deep nets on images have in common, with their own defaults: data, samples, held-out ones, batch, rate, steps.
Param dataParam(Text serves);
Param samplesParam(double standard, Text serves);
Param batchParam(double standard, Text serves);
Param rateParam(double standard, Text serves);
Param varianceParam(double standard, Text help, Text serves);
Param biasParam(Text serves);

}  // namespace digit_training
}  // namespace kappaflow

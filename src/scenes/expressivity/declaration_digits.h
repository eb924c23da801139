#pragma once
#include "scene/declare.h"

namespace kappaflow::digit_training {

/// What scenes that train deep nets on images have in common, with their own defaults: data, samples, held-out ones, batch, rate, steps.
Param dataParam(Text serves);
Param samplesParam(double standard, Text serves);
Param batchParam(double standard, Text serves);
Param rateParam(double standard, Text serves);
Param varianceParam(double standard, Text help, Text serves);
Param biasParam(Text serves);

}  // namespace kappaflow::digit_training

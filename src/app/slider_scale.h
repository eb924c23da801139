#pragma once
#include <string>

#include "scene/param.h"

namespace kappaflow {

/// Where a number param's value stands on its slider, 0 … 1 (equal ratios when it is logarithmic), and back: rounded to what
/// the kind admits, and to no more digits than a drag can mean.
double sliderPosition(const Param&, double value);
double sliderValue(const Param&, double position);

/// A number as a control shows it: the name of a named value, whole numbers in full, others to four digits.
std::string valueLabel(const Param&, double value);

}  // namespace kappaflow

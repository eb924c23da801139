#pragma once
#include "scene/scene.h"

namespace kappaflow {

/// Params and fields as declarations write them down; what is not given here is set on the result.
Param param(Kind, Text key, Text symbol, Text label, Value standard, Text help, Text serves);
/// The first option is the default.
Param choiceParam(Text key, Text label, std::vector<Option> options, Text help, Text serves);
/// A Kind::Integer.
Param wholeParam(Text key, Text symbol, Text label, double standard, double min, double max, Text help, Text serves);
Param seedParam(Text help, Text serves);
/// Where the timeline stands (the newest layer reached, up to `max`) and whether it plays; no controls of their own.
std::vector<Param> timelineParams(double max, Text help, Text serves);

Param inRange(Param, double min, double max);
Param logarithmic(Param);
Param oddOnly(Param);
/// A name for one value of a number, inside its range or not.
Param named(Param, Text name, double value);
Param underMore(Param);
Param visibleWhen(bool (*visible)(const Values&), Param);

Field theoryField(Text name, Text symbol, std::initializer_list<const char*> axes, Text about);
Field theoryField(Text name, Text symbol, std::vector<std::string> axes, Text about);

}  // namespace kappaflow

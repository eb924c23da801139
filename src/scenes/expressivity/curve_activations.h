#pragma once
#include "scene/table.h"

namespace kappaflow {

/// The activations of networks that curves are sent through; all but tanh, the last, are piecewise linear.
enum class CurveActivation { HardTanh, Relu, LeakyRelu, Abs, Tanh };

inline constexpr OptionRow kCurveActivations[] = {{"hard-tanh"}, {"relu", "ReLU"}, {"leaky-relu", "leaky ReLU"}, {"abs", "|h|"}, {"tanh"}};
inline constexpr std::span kPiecewiseActivations = std::span(kCurveActivations).first<4>();

inline const char* keyOf(CurveActivation activation) { return kCurveActivations[static_cast<std::size_t>(activation)].key; }

}  // namespace kappaflow

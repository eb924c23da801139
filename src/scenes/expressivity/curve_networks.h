#pragma once
#include "scene/table.h"

namespace kappaflow {

/// The activations of networks that curves are sent through; all but tanh, the last, are piecewise linear.
enum class CurveActivation { HardTanh, Relu, LeakyRelu, Abs, Tanh };

inline constexpr OptionRow kCurveActivations[] = {{"hard-tanh"}, {"relu", "ReLU"}, {"leaky-relu", "leaky ReLU"}, {"abs", "|h|"}, {"tanh"}};
inline constexpr std::span kPiecewiseActivations = std::span(kCurveActivations).first<4>();

inline const char* keyOf(CurveActivation activation) { return kCurveActivations[static_cast<std::size_t>(activation)].key; }

inline constexpr OptionRow kCurveNetworks[] = {
    {"", "drawn here"}, {"shapes-classifier", "trained classifier (64-32-24-16-10)"}, {"file", "your own file"}};

/// The param of the network that a trajectory goes through.
template <auto member>
constexpr ParamRow curveNetwork(const char* serves) {
    return table::costly(table::network<member>(
        "network", kCurveNetworks,
        "What the trajectory goes through: random layers, as the theory has them, a trained network that comes with the program, or a file "
        "with a network of dense layers.",
        serves));
}

}  // namespace kappaflow

#pragma once
#include "scene/table.h"

namespace kappaflow {

/// The activations that P1 places on its decoupling scale and those whose place is to be found, with P1's first.
enum class ScaleActivation { Identity, LeakyRelu, Relu, Abs, Tanh, HardTanh, Sigmoid, PseudoRandom };
inline constexpr OptionRow kScaleActivations[] = {{"identity"}, {"leaky-relu", "leaky ReLU"}, {"relu", "ReLU"}, {"abs", "|z|"},
                                                  {"tanh"},     {"hard-tanh", "hard tanh"},   {"sigmoid"},      {"pseudo-random"}};
/// Of the Gaussian inputs, in the order of the core's Covariance.
enum class InputCovariance { Identity, Ar1, Random };
inline constexpr OptionRow kInputCovariances[] = {{"identity", "independent"}, {"ar1", "neighbours alike"}, {"random"}};

namespace table {

constexpr ParamRow symbol(const char* symbol, ParamRow row) { return row.symbol = symbol, row; }

template <class Params>
constexpr ParamRow activationRow(const char* help, const char* serves) {
    return symbol("f", choice<&Params::activation>("activation", "activation", kScaleActivations, help, serves));
}
template <class Params>
constexpr ParamRow slopeRow() {
    return number<&Params::slope>("slope", "α", "slope", {-1, 1},
                                  "Slope of the leaky ReLU for negative z: 1 is the identity, 0 a ReLU, −1 the absolute value.",
                                  "P1 Eq 12") |
           when<[](const Params& p) { return p.activation == ScaleActivation::LeakyRelu; }>;
}
template <class Params>
constexpr ParamRow covarianceRow() {
    return symbol("Σ",
                  choice<&Params::covariance>("covariance", "inputs' covariance", kInputCovariances,
                                              "Σ of the Gaussian inputs: the identity, 0.6 to the power of their distance, or drawn at "
                                              "random with ones on the diagonal.",
                                              "P1 Eqs 8, 10"));
}

}  // namespace table
}  // namespace kappaflow

#pragma once
#include "scene/declare.h"

namespace kappaflow {

/// The activations that P1 places on its decoupling scale and those whose place is to be found, with P1's first.
inline std::vector<Option> decouplingActivations() {
    return {{"identity", "identity"}, {"leaky-relu", "leaky ReLU"}, {"relu", "ReLU"},       {"abs", "|z|"},
            {"tanh", "tanh"},         {"hard-tanh", "hard tanh"},   {"sigmoid", "sigmoid"}, {"pseudo-random", "pseudo-random"}};
}

inline Param activationParam(const char* standard, Text help, Text serves) {
    Param p = choiceParam("activation", "activation", decouplingActivations(), help, serves);
    p.standard = std::string(standard);
    p.symbol = "f";
    return p;
}

inline Param slopeParam() {
    return visibleWhen(
        [](const Values& v) { return v.is("activation", "leaky-relu"); },
        inRange(param(Kind::Number, "slope", "α", "slope", 0.2,
                      "Slope of the leaky ReLU for negative z: 1 is the identity, 0 a ReLU, −1 the absolute value.", "P1 Eq 12"),
                -1, 1));
}

inline Param covarianceParam(const char* standard) {
    Param p =
        choiceParam("covariance", "inputs' covariance", {{"identity", "independent"}, {"ar1", "neighbours alike"}, {"random", "random"}},
                    "Σ of the Gaussian inputs: the identity, 0.6 to the power of their distance, or drawn at random with ones on the "
                    "diagonal.",
                    "P1 Eqs 8, 10");
    p.symbol = "Σ";
    p.standard = std::string(standard);
    return p;
}

inline Param countParam(Text key, Text symbol, Text label, double standard, double max, Text help, Text serves) {
    return inRange(param(Kind::Integer, key, symbol, label, standard, help, serves), 1, max);
}

}  // namespace kappaflow

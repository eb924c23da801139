#include "core/net/linear_pieces.h"

namespace kappaflow {

bool isPiecewiseLinear(Activation activation) {
    return activation != Activation::Tanh && activation != Activation::Sigmoid && activation != Activation::PseudoRandom;
}

LinearPieces piecewiseLinear(Activation activation, double slope) {
    switch (activation) {
        case Activation::Identity:
            return {};
        case Activation::Relu:
            return {{0}, {0, 1}, {0, 0}};
        case Activation::LeakyRelu:
            return {{0}, {slope, 1}, {0, 0}};
        case Activation::Abs:
            return {{0}, {-1, 1}, {0, 0}};
        case Activation::HardTanh:
            return {{-1, 1}, {0, 1, 0}, {-1, 0, 1}};
        case Activation::Relu6:
            return {{0, 6}, {0, 1, 0}, {0, 0, 6}};
        case Activation::HardSigmoid:
            return {{-2.5, 2.5}, {0, 0.2, 0}, {0, 0.5, 1}};
        default:
            throw InputError("The activation " + std::string(activationKey(activation)) +
                             " has no linear pieces: exact trajectories need relu, leaky-relu, abs, hard-tanh, relu6 or hard-sigmoid.");
    }
}

}  // namespace kappaflow

#include <doctest/doctest.h>

#include <cmath>

#include "core/base/rng.h"
#include "core/net/network.h"

using namespace kappaflow;

namespace {

constexpr Activation kAll[] = {
    Activation::Identity, Activation::Relu,  Activation::LeakyRelu,   Activation::Abs,          Activation::Tanh,   Activation::HardTanh,
    Activation::Sigmoid,  Activation::Relu6, Activation::HardSigmoid, Activation::PseudoRandom, Activation::Elu,    Activation::Selu,
    Activation::Softplus, Activation::Gelu,  Activation::GeluTanh,    Activation::Silu,         Activation::Mish,   Activation::HardSwish,
    Activation::Exp,      Activation::Log,   Activation::Sqrt,        Activation::Reciprocal,   Activation::Square, Activation::Erf,
    Activation::Sin,      Activation::Cos};

}  // namespace

TEST_CASE("activations have their values") {
    CHECK(activate(Activation::Identity, -3, 0) == -3);
    CHECK(activate(Activation::Relu, -3, 0) == 0);
    CHECK(activate(Activation::Relu, 3, 0) == 3);
    CHECK(activate(Activation::LeakyRelu, -3, 0.25) == -0.75);
    CHECK(activate(Activation::LeakyRelu, 3, 0.25) == 3);
    CHECK(activate(Activation::Abs, -3, 0) == 3);
    CHECK(activate(Activation::Tanh, 0.5, 0) == doctest::Approx(0.46211715726000975));
    CHECK(activate(Activation::HardTanh, -3, 0) == -1);
    CHECK(activate(Activation::HardTanh, 0.3, 0) == 0.3);
    CHECK(activate(Activation::Sigmoid, std::log(3.0), 0) == doctest::Approx(0.75));
    CHECK(activate(Activation::Sigmoid, -800, 0) == 0);
    CHECK(activate(Activation::Sigmoid, 800, 0) == 1);
    CHECK(activate(Activation::Relu6, 7, 0) == 6);
    CHECK(activate(Activation::Relu6, -7, 0) == 0);
    CHECK(activate(Activation::HardSigmoid, 1, 0) == doctest::Approx(0.7));
    CHECK(activate(Activation::HardSigmoid, -3, 0) == 0);
    CHECK(activate(Activation::HardSigmoid, 3, 0) == 1);
}

TEST_CASE("smooth activations are their definitions, and keep to them far out") {
    for (double z = -30; z <= 30; z += 0.37) {
        const auto near = [](double value) { return doctest::Approx(value).epsilon(1e-12).scale(1); };
        const double sigmoid = 1 / (1 + std::exp(-z)), softplus = std::log1p(std::exp(z));
        CHECK(activate(Activation::Elu, z, 0.7) == near(z > 0 ? z : 0.7 * std::expm1(z)));
        CHECK(activate(Activation::Selu, z, 0) == near(1.0507009873554805 * (z > 0 ? z : 1.6732632423543772 * std::expm1(z))));
        CHECK(activate(Activation::Softplus, z, 0) == near(softplus));
        CHECK(activate(Activation::Gelu, z, 0) == near(z / 2 * std::erfc(-z / std::sqrt(2.0))));
        CHECK(activate(Activation::GeluTanh, z, 0) ==
              near(z / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (z + 0.044715 * z * z * z)))));
        CHECK(activate(Activation::Silu, z, 0) == near(z * sigmoid));
        CHECK(activate(Activation::Mish, z, 0) == near(z * std::tanh(softplus)));
        CHECK(activate(Activation::HardSwish, z, 0) == near(z * std::min(std::max(z + 3, 0.0), 6.0) / 6));
    }
    for (Activation a : {Activation::Softplus, Activation::Gelu, Activation::GeluTanh, Activation::Silu, Activation::Mish,
                         Activation::HardSwish, Activation::Elu})
        for (const double far : {1e4, 1e150, 1e300}) {
            CAPTURE(activationKey(a));
            CHECK(activate(a, far, 1) == far);
            CHECK(activationDerivative(a, far, 1) == 1);
            CHECK(std::abs(activate(a, -far, 1)) <= 1);
            CHECK(activationDerivative(a, -far, 1) == 0);
        }
}

TEST_CASE("functions without a name of their own are those of the library, and finite everywhere") {
    for (double z = 0.01; z < 20; z *= 1.3) {
        CHECK(activate(Activation::Exp, -z, 0) == doctest::Approx(std::exp(-z)).epsilon(1e-13));
        CHECK(activate(Activation::Log, z, 0) == std::log(z));
        CHECK(activate(Activation::Sqrt, z, 0) == std::sqrt(z));
        CHECK(activate(Activation::Reciprocal, -z, 0) == 1 / -z);
        CHECK(activate(Activation::Square, -z, 0) == z * z);
        CHECK(activate(Activation::Erf, z, 0) == doctest::Approx(std::erf(z)).epsilon(1e-13));
        CHECK(activate(Activation::Sin, z, 0) == std::sin(z));
        CHECK(activate(Activation::Cos, z, 0) == std::cos(z));
    }
    for (const Activation a : {Activation::Exp, Activation::Log, Activation::Sqrt, Activation::Reciprocal})
        for (const double z : {0.0, -0.0, 1e-30, -1e-30, 1e-300, -1.0, 88.0, 89.0, 1e30, -1e30}) {
            CAPTURE(activationKey(a));
            CAPTURE(z);
            CHECK(std::abs(activate(a, z, 0)) < 3e38);
            CHECK(std::abs(activationDerivative(a, z, 0)) < 3e38);
        }
}

TEST_CASE("a smooth activation has no linear pieces") {
    for (Activation a : kAll) {
        const bool straight = isPiecewiseLinear(a);
        if (!straight) CHECK_THROWS_AS(piecewiseLinear(a), InputError);
    }
    CHECK_FALSE(isPiecewiseLinear(Activation::HardSwish));
    CHECK(isPiecewiseLinear(Activation::HardSigmoid));
}

TEST_CASE("derivatives are those of the values, away from kinks") {
    Rng rng(1, Purpose::MonteCarlo);
    for (Activation activation : kAll) {
        if (activation == Activation::PseudoRandom) continue;
        CAPTURE(activationKey(activation));
        for (int i = 0; i < 300; ++i) {
            const double z = 8 * (2 * rng.uniform() - 1), h = 1e-5;
            bool kink = false;
            for (double at : {0.0, -1.0, 1.0, 6.0, -2.5, 2.5, -3.0, 3.0}) kink = kink || std::abs(z - at) < 2 * h;
            const bool steep = activation == Activation::Log || activation == Activation::Sqrt || activation == Activation::Reciprocal;
            if (kink || (steep && std::abs(z) < 0.1)) continue;
            const double measured = (activate(activation, z + h, 0.2) - activate(activation, z - h, 0.2)) / (2 * h);
            CHECK(activationDerivative(activation, z, 0.2) == doctest::Approx(measured).epsilon(1e-7).scale(1));
        }
    }
}

TEST_CASE("at a kink the derivative is the left one") {
    CHECK(activationDerivative(Activation::Relu, 0, 0) == 0);
    CHECK(activationDerivative(Activation::LeakyRelu, 0, 0.2) == 0.2);
    CHECK(activationDerivative(Activation::Abs, 0, 0) == -1);
    CHECK(activationDerivative(Activation::HardTanh, -1, 0) == 0);
    CHECK(activationDerivative(Activation::HardTanh, 1, 0) == 1);
    CHECK(activationDerivative(Activation::Relu6, 0, 0) == 0);
    CHECK(activationDerivative(Activation::Relu6, 6, 0) == 1);
    CHECK(activationDerivative(Activation::HardSigmoid, -2.5, 0) == 0);
    CHECK(activationDerivative(Activation::HardSigmoid, 2.5, 0) == 0.2);
}

TEST_CASE("far out the sigmoid's derivative underflows to a positive number, not to a difference of ones") {
    CHECK(activationDerivative(Activation::Sigmoid, 50, 0) == doctest::Approx(std::exp(-50.0)).epsilon(1e-10));
    CHECK(activationDerivative(Activation::Sigmoid, -50, 0) == doctest::Approx(std::exp(-50.0)).epsilon(1e-10));
}

TEST_CASE("the pseudo-random activation flips signs fairly, independently of the input and of the layer") {
    constexpr int kDraws = 40000;
    Rng rng(2, Purpose::MonteCarlo);
    double mean = 0, withSign = 0, withSize = 0, acrossSeeds = 0, acrossUlp = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double z = rng.gaussian(), eta = activationDerivative(Activation::PseudoRandom, z, 0, 7);
        CHECK_UNARY(std::abs(eta) == 1);
        CHECK_UNARY(activate(Activation::PseudoRandom, z, 0, 7) == eta * z);
        mean += eta;
        withSign += eta * (z > 0 ? 1 : -1);
        withSize += eta * z;
        acrossSeeds += eta * activationDerivative(Activation::PseudoRandom, z, 0, 8);
        acrossUlp += eta * activationDerivative(Activation::PseudoRandom, std::nextafter(z, 10.0), 0, 7);
    }
    // Sums of 40000 products of unit variance: standard deviation √40000 = 200; bounds are 4 of them.
    const double bound = 4 * std::sqrt(static_cast<double>(kDraws));
    for (double sum : {mean, withSign, withSize, acrossSeeds, acrossUlp}) CHECK(std::abs(sum) < bound);
}

TEST_CASE("keys and activations are each other's inverse; an unknown key is refused with those that exist") {
    for (Activation activation : kAll) CHECK(activationFromKey(activationKey(activation)) == activation);
    CHECK_THROWS_WITH_AS(activationFromKey("swish"),
                         "Unknown activation \"swish\": it is one of identity, relu, leaky-relu, abs, tanh, hard-tanh, sigmoid, relu6, "
                         "hard-sigmoid, pseudo-random, elu, selu, softplus, gelu, gelu-tanh, silu, mish, hard-swish, "
                         "exp, log, sqrt, reciprocal, square, erf, sin, cos.",
                         InputError);
}

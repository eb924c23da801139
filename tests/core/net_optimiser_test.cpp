#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "core/net/trainer.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

using Numbers = std::vector<double>;

struct Descent {
    OptimiserSpec spec;
    Numbers w, first, second;
    std::uint64_t steps = 0;

    Descent(OptimiserSpec s, Numbers start) : spec(s), w(std::move(start)), first(w.size()), second(w.size()) {}
    void step(const Numbers& g) { updateParameters(spec, ++steps, w, g, first, second); }
};

}  // namespace

TEST_CASE("momentum adds up gradients that fade by mu a step") {
    Descent d({.kind = Optimiser::Momentum, .learningRate = 0.5, .momentum = 0.5}, {10});
    d.step({1});
    CHECK(d.w[0] == 9.5);
    d.step({1});
    CHECK(d.w[0] == 8.75);
    d.step({0});
    CHECK(d.w[0] == 8.375);
}

TEST_CASE("Adam's first step is the learning rate against the gradient's sign, whatever its size") {
    Descent d({.learningRate = 0.125}, {1, 1, 1, 1, 1});
    d.step({3, -1e-3, 1e6, -7, 0});
    const Numbers expected{0.875, 1.125, 0.875, 1.125, 1};
    for (std::size_t i = 0; i < 5; ++i) CHECK(d.w[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    CHECK(d.w[4] == 1);
}

TEST_CASE("Adam follows its published recursion") {
    Descent d({.learningRate = 0.01}, {2});
    double w = 2, m = 0, s = 0;
    for (int t = 1; t <= 200; ++t) {
        const double g = 2 * w + std::sin(t);
        d.step({2 * d.w[0] + std::sin(t)});
        m = 0.9 * m + 0.1 * g;
        s = 0.999 * s + 0.001 * g * g;
        w -= 0.01 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(s / (1 - std::pow(0.999, t))) + 1e-8);
        REQUIRE(std::abs(d.w[0] - w) < 1e-12);
    }
}

TEST_CASE("both come down to the bottom of a bowl") {
    for (const Optimiser kind : {Optimiser::Momentum, Optimiser::Adam}) {
        Descent d({.kind = kind, .learningRate = 0.02}, {3, -2});
        for (int t = 0; t < 3000; ++t) d.step({d.w[0], 10 * d.w[1]});
        CHECK(std::abs(d.w[0]) < 1e-3);
        CHECK(std::abs(d.w[1]) < 1e-3);
    }
}

TEST_CASE("numbers that no optimiser can work with are refused in a sentence") {
    for (const OptimiserSpec& spec :
         {OptimiserSpec{.learningRate = 0}, OptimiserSpec{.learningRate = NAN}, OptimiserSpec{.learningRate = INFINITY},
          OptimiserSpec{.momentum = 1}, OptimiserSpec{.momentum = -0.1}, OptimiserSpec{.beta1 = 1}, OptimiserSpec{.beta2 = NAN},
          OptimiserSpec{.epsilon = 0}})
        CHECK(isOneSentence(refusal([&] { validate(spec); })));
    CHECK(refusal([] { validate(OptimiserSpec{}); }) == "");
}

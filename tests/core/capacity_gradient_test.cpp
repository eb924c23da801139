#include "core/capacity/capacity_network.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/capacity/diffusion_theory.h"
#include "core/capacity/drawn_network.h"
#include "core/capacity/ensemble_mean.h"

using namespace kappaflow;
using Vector = std::vector<double>;

namespace {

DrawnNetwork smallNetwork(Space space, LayerType type) {
    DrawnNetwork n;
    n.space = space;
    n.type = type;
    n.kernel = KernelType::Random;
    n.extent = 12;
    n.layers = 3;
    n.channels = 2;
    n.epsilon = 0.4;
    n.seed = 5;
    return n;
}

// Capacity of the input units by D.
Vector capacityOf(const DrawnNetwork& n, const Vector& top) {
    double unattributed = 0;
    auto state = top;
    for (int l = n.layers; l > 0; --l) {
        const auto weights = layerWeights(n, l, 0);
        const auto D = n.space == Space::Dense ? denseCapacityLayer(n, weights) : explicitLayer(capacityKernel(n, l, weights));
        state = propagate(D, state, unattributed);
    }
    return state;
}

struct Measured {
    EnsembleMean input;
    double top = 0;
};

Measured measure(const DrawnNetwork& n, Activation activation, const Vector& top, int samples) {
    const auto network = runnableNetwork(n, activation, 0.2, 0);
    const auto states = runnableStates(n);
    Measured measured;
    for (int s = 0; s < samples; ++s) {
        Rng rng(3, Purpose::Inputs, static_cast<std::uint64_t>(s));
        const auto squares = squaredGradient(network, top, rng);
        REQUIRE(squares.size() == states.back() + 1);
        measured.input.add(squares[states[0]]);
        measured.top = 0;
        for (const double g : squares[states.back()]) measured.top += g;
    }
    return measured;
}

Vector startOf(const DrawnNetwork& n) {
    Vector top(static_cast<std::size_t>(n.extent * n.channelsAt(0)));
    top[3] = 0.75;
    top[8] = 0.25;
    return top;
}

}  // namespace

TEST_CASE("with a pseudo-random activation the mean squared gradient is the capacity" * doctest::test_suite("long")) {
    for (const Space space : {Space::Dense, Space::Ring})
        for (const LayerType type : {LayerType::Plain, LayerType::Residual, LayerType::Differential}) {
            CAPTURE(static_cast<int>(space));
            CAPTURE(static_cast<int>(type));
            const auto n = smallNetwork(space, type);
            const auto top = startOf(n), capacity = capacityOf(n, top);
            const auto measured = measure(n, Activation::PseudoRandom, top, 8000);
            CHECK(measured.top == doctest::Approx(1));
            const auto error = measured.input.standardError();
            for (std::size_t i = 0; i < capacity.size(); ++i)
                CHECK(std::abs(measured.input.mean()[i] - capacity[i]) < 5 * error[i] + 1e-12);
        }
}

TEST_CASE("with the absolute value it is close to it in a random dense network") {
    auto n = smallNetwork(Space::Dense, LayerType::Plain);
    n.extent = 40;
    const auto top = startOf(n), capacity = capacityOf(n, top);
    auto gradient = measure(n, Activation::Abs, top, 4000).input.mean();
    double total = 0;
    for (const double g : gradient) total += g;
    for (double& g : gradient) g /= total;
    CHECK(totalVariation(gradient, capacity) < 0.05);
}

TEST_CASE("the gain keeps the second moment of a unit's output at 1") {
    CHECK(varianceGain(Activation::Identity, 0) == doctest::Approx(1).epsilon(1e-9));
    CHECK(varianceGain(Activation::Relu, 0) == doctest::Approx(std::sqrt(2)).epsilon(1e-6));
    CHECK(varianceGain(Activation::LeakyRelu, 0.2) == doctest::Approx(std::sqrt(2 / 1.04)).epsilon(1e-6));
    CHECK(varianceGain(Activation::PseudoRandom, 0) == doctest::Approx(1).epsilon(1e-9));
}

#include <doctest/doctest.h>

#include "core/capacity/lower_layers.h"
#include "support/networks.h"

using namespace kappaflow;

TEST_CASE("parameters less hidden units: the examples of P1 App. A, and tanh, which loses nothing") {
    CHECK(*parameterCapacity(smallDenseNetwork({3, 4, 1}, Activation::Relu, 0, 1)) == 12);
    CHECK(*parameterCapacity(smallDenseNetwork({2, 3, 1}, Activation::Abs, 0, 1)) == 6);
    CHECK(*parameterCapacity(smallDenseNetwork({3, 4, 3, 1}, Activation::LeakyRelu, 0.2, 1)) == 20);
    CHECK(*parameterCapacity(smallDenseNetwork({3, 4, 3, 1}, Activation::Tanh, 0, 1)) == 27);
    CHECK(*parameterCapacity(smallConvNetwork({2, 2, 2}, {1, 2, 4}, {2, 2}, Activation::PseudoRandom, 0, 1)) == 12);
}

TEST_CASE("parameters less hidden units are what the function's derivative by its weights spans") {
    for (const Network& network :
         {smallDenseNetwork({3, 4, 1}, Activation::LeakyRelu, 0.2, 1), smallDenseNetwork({2, 3, 1}, Activation::Abs, 0, 1),
          smallDenseNetwork({3, 4, 3, 1}, Activation::LeakyRelu, 0.2, 1), smallDenseNetwork({3, 4, 3, 1}, Activation::Tanh, 0, 1),
          smallConvNetwork({2, 2, 2}, {1, 2, 4}, {2, 2}, Activation::LeakyRelu, 0.2, 1)}) {
        FunctionJacobian jacobian(network, 1, 1);
        jacobian.add(3000);
        CHECK(*parameterCapacity(network) == static_cast<double>(jacobian.rank().rank));
        CHECK(jacobian.rank().gap > 1e5);
    }
}

TEST_CASE("a frozen layer brings nothing, and leaves its neighbours the scales that they shared with it") {
    const Network network = smallDenseNetwork({3, 4, 3, 1}, Activation::Relu, 0, 1);
    const auto with = [&](std::vector<bool> frozen) { return *parameterCapacity(network, frozen); };
    // Layers at 0, 2, 4 have 12, 12 and 3 weights; the 4 and 3 scales lie between them.
    CHECK(with({true, false, false, false, false}) == 12 + 3 - 3);
    CHECK(with({false, false, true, false, false}) == 12 + 3);
    CHECK(with({false, false, false, false, true}) == 12 + 12 - 4);
    CHECK(with({true, false, true, false, true}) == 0);
}

TEST_CASE("networks whose symmetries are more than scales get no number") {
    Network network = smallDenseNetwork({3, 4, 1}, Activation::Relu, 0, 1);
    network.layers[1].as<Pointwise>().activation = Activation::Identity;
    CHECK_FALSE(parameterCapacity(network));
    network.layers.erase(network.layers.begin() + 1);
    CHECK_FALSE(parameterCapacity(network));
    CHECK_FALSE(parameterCapacity(Network{{1, 1, 2}, {}}));
}

#pragma once
#include <cstdint>
#include <string>

namespace kappaflow::random_nets {

enum class Net { Vanilla, BatchNorm, Resnet, ResnetPlain };
enum class Compare { One, All };
enum class Space { Dense, Conv1d, Conv2d };
enum class Boundary { Periodic, Reflect, Zero };
enum class Phi { Relu, Tanh };

/// P3's random networks with their data and draws. A scene's Params derive from it, as their first base; `network` and `compare` stay at
/// their defaults in scenes without such a param.
struct NetParams {
    std::string network;  ///< of the reader's; it takes the place of drawn ones, whose settings then have no say
    Net net = Net::Vanilla;
    Compare compare = Compare::One;
    int width = 128, layers = 100;
    std::string data = "gaussian";
    int samples = 64, draws = 30;
    Space space = Space::Dense;
    int extent = 8, taps = 3;
    Boundary boundary = Boundary::Periodic;
    Phi activation = Phi::Relu;
    int branch = 2;
    double skipScale = 1, weightScale = 1, biasVariance = 0, epsilon = 1e-3;
    std::uint64_t seed = 1;
};

inline bool isResidual(Net net) { return net == Net::Resnet || net == Net::ResnetPlain; }
inline bool isNormalised(Net net) { return net == Net::BatchNorm || net == Net::Resnet; }
inline const char* nameOf(Net net) {
    return net == Net::Vanilla     ? "vanilla network"
           : net == Net::BatchNorm ? "batch-normalised network"
           : net == Net::Resnet    ? "batch-normalised ResNet"
                                   : "ResNet without batch norm";
}

}  // namespace kappaflow::random_nets

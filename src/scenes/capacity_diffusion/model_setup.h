#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/capacity/drawn_network.h"
#include "scenes/scene.h"

namespace kappaflow::diffusion {

/// Where the capacity starts: a share for every top position (total 1), and the unwrapped offset of each from the origin that mean
/// and variance count from (the chosen unit; for painted and even starts their mean).
struct Start {
    std::vector<double> profile, offset;
    double origin = 0;
};

/// A request read once and for all.
struct Setup {
    DrawnNetwork drawn;
    std::optional<Network> file;  ///< in place of the drawn one
    Start start;
    int draws = 1, gradientSamples = 0;  ///< samples 0: no gradient wanted
    Activation activation = Activation::Relu;
    double slope = 0.2;
    bool withNetwork = false;
    std::vector<std::string> warnings;

    bool local() const { return !file && drawn.space != Space::Dense; }
    bool random() const { return !file && drawn.kernel == KernelType::Random; }
};

/// The drawn network of the params, before anything is allocated.
DrawnNetwork drawnNetwork(const Values&);

/// Throws InputError on a network file that cannot be used.
Setup readSetup(const Request&);

}  // namespace kappaflow::diffusion

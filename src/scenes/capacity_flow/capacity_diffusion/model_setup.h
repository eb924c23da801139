#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/capacity/drawn_network.h"
#include "scene/scene.h"

namespace kappaflow::diffusion {

/// Where the capacity starts: a share for every top position (total 1), row by row, and the unwrapped offset of each column and row
/// from the origin that mean and variance count from (the chosen unit; for painted and even starts their mean).
struct Start {
    std::vector<double> profile;
    std::vector<double> offset, offsetY{0};
    double origin = 0, originY = 0;
    int width() const { return static_cast<int>(offset.size()); }
    int height() const { return static_cast<int>(offsetY.size()); }
};

/// A request read once and for all.
struct Setup {
    DrawnNetwork drawn;
    std::optional<Network> file;  ///< in place of the drawn one
    bool filePlane = false;
    Start start;
    int draws = 1, gradientSamples = 0;  ///< samples 0: no gradient wanted
    int channel = -1;                    ///< whose capacity is reported beside the sum; −1: none
    Activation activation = Activation::Relu;
    double slope = 0.2;
    bool withNetwork = false;
    std::vector<std::string> warnings;

    bool local() const { return !file && drawn.space != Space::Dense; }
    /// States have rows and columns: a drawn grid, or a file that begins with an image and something that keeps its places.
    bool plane() const;
    bool random() const { return !file && drawn.kernel == KernelType::Random; }
};

/// The drawn network of the params, before anything is allocated.
DrawnNetwork drawnNetwork(const Values&);
bool isPlane(const Network&);

/// Throws InputError on a network file that cannot be used.
Setup readSetup(const Request&);

}  // namespace kappaflow::diffusion

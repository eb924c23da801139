#pragma once
#include <string>
#include <vector>

#include "core/capacity/lower_layers.h"
#include "scene/scene.h"

namespace kappaflow::lower {

/// What a request asks for, as the core takes it.
struct Setup {
    std::vector<int> widths;  ///< units of each layer, input first; a convolution's channels, with 1 at both ends
    bool convolution = false;
    int taps = 2;
    double slope = 0.2, deviation = 1;
    std::size_t inputs = 3000;  ///< how many inputs are tried
    std::uint64_t seed = 1;
    std::vector<Activation> activations;
    std::vector<std::string> warnings;

    std::size_t layers() const { return widths.size() - 1; }
    double parameters() const;
    double hiddenUnits() const;
    double paths() const;
    /// The leaky ReLU of slope 1 counts as linear.
    bool isLinear(Activation) const;
};

Setup readSetup(const Values&);

/// The network with one of the activations; all share the same weights. Throws InputError when it has more than 512 weights.
Network networkOf(const Setup&, Activation);

/// What theory says the total capacity of all weights is, from the widths alone. Two slopes: parameters − hidden units (P1 App. A).
/// tanh, hard tanh, sigmoid: parameters. Linear: the dimension of what the product of the layers can be, for dense layers that of the
/// matrices of rank at most r = the smallest width, r (inputs + outputs − r), for a dilated tree the tensor train's.
double predictedRank(const Setup&, Activation);

}  // namespace kappaflow::lower

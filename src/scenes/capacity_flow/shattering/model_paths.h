#pragma once
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/capacity/paths.h"
#include "scene/scene.h"

namespace kappaflow::shattering {

/// A request read once and for all.
struct Setup {
    std::vector<std::string> kinds;  ///< "residual", "uniform"
    int layers = 50, taps = 3, extent = 65, strands = 120;
    std::vector<double> epsilon;  ///< [weight layer 1 … L − 1] share a residual unit hands on
    std::uint64_t seed = 1;
    std::vector<std::string> warnings;
};
Setup readSetup(const Values&);

/// D of weight layer l (1 … L) on the ring: (1 − ε_l) I + ε_l Q, or 1/r everywhere in the window.
CapacityLayer layerOf(const Setup&, const std::string& kind, int l);

/// All paths of one kind of layers from the middle unit down, and some of them to draw: the heaviest, and others met by walking down
/// with the probabilities D, so that as many pass a unit as it has capacity; heaviest first.
class PathRun {
public:
    PathRun(const Setup&, std::string kind);
    /// One layer down; false when the input is reached.
    bool descend();

    std::vector<double> logMaxWeight, entropy, total;  ///< [layer 0 … L]
    std::vector<std::vector<double>> capacity;         ///< [layer][position]
    struct Strand {
        std::vector<double> position, logWeight;  ///< [layer], position counted from the start and unwrapped
    };
    std::vector<Strand> strands;  ///< once the input is reached

private:
    struct Walker {
        Rng rng;
        Strand strand;
        std::size_t unit;
    };
    void record(int l);
    void walk(const CapacityLayer&);
    void finish();

    const Setup& setup_;
    std::string kind_;
    int layer_;
    PathStatistics statistics_;
    std::vector<Walker> walkers_;
    std::vector<std::vector<CapacityLayer::Entry>> column_;  ///< [layer from the top] a column's entries, the same for every unit
};

}  // namespace kappaflow::shattering

#pragma once
#include <string>
#include <vector>

#include "scene/table.h"

namespace kappaflow::training_tradeoff {

enum class Show { Length, Transitions };
enum class Rule { Adam, Momentum };

struct Params {
    double weightVariance = 16;
    std::string data = "digits";
    int width = 48, layers = 5, steps = 2000;
    double learningRate = 8e-3;
    Show show = Show::Length;
    double meanImage = 0.6;
    int samples = 200, batch = 20;
    Rule optimiser = Rule::Adam;
    double biasVariance = 0;
    int arcs = 4;
    std::uint64_t seed = 1;
    double at = 10000;
    bool play = false;
    int layer = 12;
    double angle = 45;
    bool operator==(const Params&) const = default;
};

struct Result : Findings {
    std::vector<double> looks, layers;                               ///< axes: steps looked at, layers
    std::vector<double> angles, pixels;                              ///< axes of one arc, in degrees, and of its images
    std::vector<std::string> coordinates, ends;                      ///< axes: "x", "y"; classes of the samples at its ends
    std::vector<double> image;                                       ///< [look][layer][angle][coordinate]
    std::vector<double> endImages;                                   ///< [end][pixel]
    Estimates length, lengthRandom, transitions, transitionsRandom;  ///< [look][layer]
    std::vector<double> accuracy, testAccuracy, loss;                ///< [look]
    double steps = 0;
    std::optional<double> lastLayerChange, lastLayerChangeRandom, firstLayerChange;
    double risingLayers = 0;
};

/// Steps that are looked at on the way to step `last`: none hangs on how far the run will go, so that a longer run has the shorter one's.
std::vector<std::uint64_t> lookedAt(std::uint64_t last);
/// The same of a run that diverged after step `end`: that is its last.
std::vector<std::uint64_t> lookedAtUntil(std::uint64_t last, std::uint64_t end);

/// Hidden layers whose lengths [arc][layer] rose by more than the standard error of their differences, arc by arc.
std::size_t risingLayers(const std::vector<std::vector<double>>& before, const std::vector<std::vector<double>>& after);

/// From the last layer's lengths after training over those before, between samples and between random points.
std::string lengthsInWords(double last, double lastRandom);

extern const SceneTable kScene;

}  // namespace kappaflow::training_tradeoff

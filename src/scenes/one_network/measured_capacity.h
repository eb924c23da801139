#pragma once
#include <string>
#include <vector>

#include "scene/table.h"

namespace kappaflow::measured_capacity {

enum class Bend { Relu, LeakyRelu, Abs, HardTanh, Tanh };

struct Params {
    std::string network{};
    std::string data = "digits";
    std::vector<double> widths{24, 24};
    Bend activation = Bend::Relu;
    double slope = 0.1;
    bool biases = false;
    int side = 7;
    int samples = 500, steps = 1000;
    double learningRate = 3e-3;
    int batch = 32;
    int unit = 0;
    int layer = 0;  ///< looked at; 0: the inputs
    bool diagonal = false;
    int pairs = 200000;
    std::uint64_t seed = 1;
    double at = 0;  ///< the timeline
    bool play = true;
    bool operator==(const Params&) const = default;
};

/// Whether the network is drawn here, and trained.
inline bool isDrawn(const Params& p) { return p.network.empty(); }

struct Result : Findings {
    std::vector<double> looks, layers, gateLayers, units, gateUnits;  ///< axes: steps looked at, layers from the inputs on, from 1 on
    std::vector<double> widths;                                       ///< [layer] units
    Estimates measured;                                               ///< [look][layer][unit]
    std::vector<double> decoupled, channel;                           ///< the same
    Estimates toDecoupled, toChannel;                                 ///< [look][layer]
    std::vector<double> byError;                                      ///< [look][layer]
    std::vector<double> nu, nuSpread, overlap, on;                    ///< [look][gate layer]
    std::vector<double> coactivation;                                 ///< [look][gate layer][unit][unit]
    std::vector<double> accuracy, loss;                               ///< [look]
    double steps = 0, samplesSeen = 0, pairsSeen = 0, allPairs = 0;
    std::optional<Estimate> decoupledFirst, decoupledLast, channelFirst, channelLast;  ///< of the inputs, at the first and the last look
    std::optional<double> errorLast, inputRows;
};

/// Steps that are looked at on the way to step `last`: five a decade, the same for every run through them.
std::vector<std::uint64_t> lookedAt(std::uint64_t last);

/// From distances of two rules and their errors: which is nearer, beyond two errors of their difference taken as independent.
std::string nearerInWords(const Estimate& decoupled, const Estimate& channel);

/// The look nearest to a training step.
std::size_t shownLook(const std::vector<double>& looks, double at);

extern const SceneTable kScene;

}  // namespace kappaflow::measured_capacity

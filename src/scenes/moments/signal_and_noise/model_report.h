#pragma once
#include <vector>

#include "core/moments/layer_moments.h"
#include "scenes/moments/signal_and_noise/model_setup.h"

namespace kappaflow::signal_and_noise {

/// What is known of the network that ends at a layer; curves at every kStride-th point of the grid.
struct LayerResult {
    ScalarSensitivity sensitivity;
    bool shown = true;  ///< the grid's step is fine enough for χ, which is undefined otherwise
    double chiFromJacobian = 1, chiActual = 1;
    std::vector<double> curve, firstOrder, actual;
    OutputDensity out;

    double chi() const { return shown ? sensitivity.chi() : kUndefined; }
};

/// χ of one layer over gains, for the activations in the order of `keys`.
struct GainChart {
    std::vector<double> gains;
    std::vector<Activation> activations;
    std::vector<double> chi;  ///< [activation][gain], as far as computed
};

struct Results {
    ScalarGrid grid;
    std::vector<LayerResult> layers;  ///< 0 is the input
    GainChart chart;
    bool finished = false;
};

Report makeReport(const Setup&, const Results&);
std::string summaryOf(const Setup&, const Results&);

}  // namespace kappaflow::signal_and_noise

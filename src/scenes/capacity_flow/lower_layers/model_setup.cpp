#include "scenes/capacity_flow/lower_layers/model_setup.h"

#include <algorithm>
#include <cmath>

namespace kappaflow::lower {
namespace {

constexpr Activation kCompared[] = {Activation::Identity, Activation::LeakyRelu, Activation::Relu,   Activation::Abs,
                                    Activation::Tanh,     Activation::HardTanh,  Activation::Sigmoid};

/// Dilations 1, taps, taps², …: every path from the output meets an input of its own.
std::vector<int> treeDilations(const Setup& setup) {
    std::vector<int> dilations{1};
    while (dilations.size() < setup.layers()) dilations.push_back(dilations.back() * setup.taps);
    return dilations;
}

/// Σ r_{l−1} t r_l − Σ r_l² over the bonds, r_l = min(c_l, t r_{l−1}, t r_{l+1}).
double tensorTrainDimension(const Setup& setup) {
    std::vector<double> rank(setup.widths.begin(), setup.widths.end());
    const std::size_t last = rank.size() - 1;
    for (std::size_t l = 1; l < last; ++l) rank[l] = std::min(rank[l], setup.taps * rank[l - 1]);
    for (std::size_t l = last; l-- > 1;) rank[l] = std::min(rank[l], setup.taps * rank[l + 1]);
    double dimension = 0;
    for (std::size_t l = 1; l <= last; ++l) dimension += setup.taps * rank[l - 1] * rank[l] - (l < last ? rank[l] * rank[l] : 0);
    return dimension;
}

double linearDimension(const Setup& setup) {
    if (setup.convolution) return tensorTrainDimension(setup);
    const double narrowest = *std::min_element(setup.widths.begin(), setup.widths.end());
    return narrowest * (setup.widths.front() + setup.widths.back() - narrowest);
}

}  // namespace

double Setup::parameters() const {
    double count = 0;
    for (std::size_t l = 1; l < widths.size(); ++l) count += static_cast<double>(widths[l - 1]) * widths[l] * (convolution ? taps : 1);
    return count;
}

double Setup::hiddenUnits() const {
    double count = 0;
    for (std::size_t l = 1; l + 1 < widths.size(); ++l) count += widths[l];
    return count;
}

double Setup::paths() const {
    double count = convolution ? std::pow(taps, static_cast<double>(layers())) : 1;
    for (const int width : widths) count *= width;
    return count;
}

bool Setup::isLinear(Activation activation) const {
    return activation == Activation::Identity || (activation == Activation::LeakyRelu && slope == 1);
}

Setup readSetup(const Values& v) {
    Setup setup;
    for (const double width : v.list("architecture")) setup.widths.push_back(static_cast<int>(width));
    setup.convolution = v.is("layer", "convolution");
    setup.taps = v.integer("taps");
    setup.slope = v.number("slope");
    setup.deviation = v.number("inputDeviation");
    setup.inputs = static_cast<std::size_t>(v.number("inputsTried"));
    setup.seed = v.seed();
    if (setup.convolution && (setup.widths.front() != 1 || setup.widths.back() != 1)) {
        setup.widths.front() = setup.widths.back() = 1;
        setup.warnings.emplace_back("The tree reads one signal and gives one number, so the first and the last width count as 1.");
    }
    for (const Activation activation : kCompared)
        if (v.is("activation", "all") || v.text("activation") == activationKey(activation)) setup.activations.push_back(activation);
    return setup;
}

Network networkOf(const Setup& setup, Activation activation) {
    if (!setup.convolution) return smallDenseNetwork(setup.widths, activation, setup.slope, setup.seed);
    const std::vector<int> taps(setup.layers(), setup.taps), channels(setup.widths.begin() + 1, setup.widths.end() - 1);
    return smallConvNetwork(taps, treeDilations(setup), channels, activation, setup.slope, setup.seed);
}

double predictedRank(const Setup& setup, Activation activation) {
    if (setup.isLinear(activation)) return linearDimension(setup);
    return setup.parameters() - (derivativeIsEta(activation) ? setup.hiddenUnits() : 0);
}

}  // namespace kappaflow::lower

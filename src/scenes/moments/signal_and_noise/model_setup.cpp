#include "scenes/moments/signal_and_noise/model_setup.h"

#include <algorithm>

#include "core/moments/scalar_batch_norm.h"

namespace kappaflow::signal_and_noise {

ScalarGrid Setup::grid() const {
    constexpr double kPictured = 3.3;
    return scalarGrid(mixture, std::max(4 * noise, kPictured - mixture.separation / 2 - 5 * mixture.spread), kPoints);
}

Setup readSetup(const Values& v) {
    Setup s;
    s.mixture = {v.number("separation"), v.number("spread"), v.number("share")};
    s.deep = v.is("net", "batch-norm");
    s.phi = v.is("net", "linear") ? Activation::Identity : activationFromKey(v.text("activation"));
    s.gain = v.number("gain");
    s.noise = v.number("noise");
    s.layers = s.deep ? static_cast<std::size_t>(v.integer("layers")) : 1;
    s.width = s.deep ? static_cast<std::size_t>(v.integer("width")) : 1;
    s.seed = v.seed();
    return s;
}

Cost costOf(const Request& request) {
    const Setup s = readSetup(request.params);
    const double layers = static_cast<double>(s.layers) + 1, points = static_cast<double>(kPoints);
    // Noise: 81 values of the curve at every drawn point; probabilities of every step, for density and chords.
    const double analysis = layers * (81.0 * kDrawn * 12 + points * 250);
    const double net = s.deep ? 2 * ScalarBatchNorm::operations(kPoints, s.width, s.layers) : 3e7;
    return {analysis + net + 1e6, 4e6 + layers * 8 * (3 * kDrawn + 2 * kBins) * 2 +
                                      (s.deep ? 8 * points * (5.0 * static_cast<double>(s.width) + 2 * layers) : 0)};
}

std::string costliestOf(const Request& request) { return request.params.number("width") > 64 ? "width" : "layers"; }

}  // namespace kappaflow::signal_and_noise

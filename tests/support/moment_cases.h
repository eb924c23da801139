#pragma once
#include <cmath>
#include <numbers>

#include "core/base/rng.h"
#include "core/moments/moment_propagation.h"
#include "support/reference.h"

namespace kappaflow {

/// One of the reference's networks of moments: what goes into layer 1, and the weights.
struct MomentCase {
    MomentNet net;
    SignalAndNoise input;
    std::vector<MomentWeights> weights;
    MomentWeights stem;  ///< no values: none
    SignalAndNoise raw;  ///< before the stem

    MomentPropagation propagation() const {
        return MomentPropagation(net, input, [this](std::size_t l) { return weights[l]; });
    }
};

inline MomentNet momentCaseNet(const nlohmann::json& listed) {
    const std::string arch = listed["arch"];
    MomentNet net;
    net.kind = arch == "vanilla" ? MomentKind::Vanilla : arch == "bn_ff" ? MomentKind::BatchNorm : MomentKind::Resnet;
    net.dimensions = listed["dim"], net.extent = listed["n"], net.taps = listed["K"];
    net.layers = listed["L"], net.inner = listed["H"], net.epsilon = listed["eps"];
    return net;
}

inline MomentWeights momentCaseWeights(const nlohmann::json& listed, std::size_t stride = 1) {
    const auto shape = listed["shape"].get<std::vector<std::size_t>>();
    const std::size_t taps = shape.size() == 2 ? 1 : shape[0];
    return {taps, shape[shape.size() - 2], shape.back(), stride, listed["data"].get<std::vector<double>>(), {}};
}

inline PointValues momentTensor(int dimensions, std::size_t samples, std::size_t extent, std::vector<double> values) {
    std::size_t points = samples;
    for (int d = 0; d < dimensions; ++d) points *= extent;
    return {samples, dimensions, extent, Matrix(points, values.size() / points, values)};
}

inline MomentCase explicitMomentCase(const nlohmann::json& listed) {
    MomentCase c{momentCaseNet(listed), {}, {}, {}, {}};
    const std::size_t samples = listed["M"];
    c.raw = {momentTensor(c.net.dimensions, samples, c.net.extent, listed["x0"]),
             momentTensor(c.net.dimensions, samples, c.net.extent, listed["dx0"]), 0};
    for (const auto& w : listed["weights"]) c.weights.push_back(momentCaseWeights(w));
    c.net.inputs = c.weights[0].in, c.net.width = c.weights[0].out;
    c.input = c.raw;
    if (listed["stem"].is_null()) return c;
    const std::size_t stride = listed["stem_stride"];
    c.stem = momentCaseWeights(listed["stem"], stride);
    c.net.extent /= stride;
    c.input = throughStem(c.net, c.raw, c.stem);
    return c;
}

/// N(0, 1) for every number of signal and noise.
inline SignalAndNoise gaussianInput(const MomentNet& net, std::size_t samples, std::uint64_t seed) {
    SignalAndNoise input;
    Rng rng(seed, Purpose::Inputs);
    for (PointValues* t : {&input.signal, &input.noise}) {
        *t = {samples, net.dimensions, net.extent, Matrix(samples * net.positions(), net.inputs)};
        for (double& value : t->values.values) value = rng.gaussian();
    }
    return input;
}

/// A dense vanilla net as wide as its input.
inline MomentNet denseMomentNet(std::size_t width, std::size_t layers = 3, MomentKind kind = MomentKind::Vanilla) {
    MomentNet net;
    net.kind = kind, net.width = net.inputs = width, net.layers = layers;
    return net;
}

/// Through all layers of one draw.
inline MomentPropagation propagated(const MomentNet& net, const SignalAndNoise& input, std::uint64_t seed, std::uint64_t draw = 0) {
    MomentPropagation run(net, input, [net, seed, draw](std::size_t l) { return drawMomentWeights(net, l, seed, draw); });
    while (run.advance()) continue;
    return run;
}

/// The reference's generator: splitmix64, uniform numbers of 53 bits, Box and Muller's method.
class BoxMuller {
public:
    explicit BoxMuller(std::uint64_t seed) : state_(seed) {}
    std::uint64_t bits() { return splitmix64(state_); }
    double next() {
        if (hasSpare_) return hasSpare_ = false, spare_;
        const double u1 = 1 - uniform(), angle = 2 * std::numbers::pi * uniform(), r = std::sqrt(-2 * std::log(u1));
        hasSpare_ = true, spare_ = r * std::sin(angle);
        return r * std::cos(angle);
    }
    std::vector<double> draw(std::size_t count, double scale) {
        std::vector<double> values(count);
        for (double& value : values) value = scale * next();
        return values;
    }

private:
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    std::uint64_t state_;
    double spare_ = 0;
    bool hasSpare_ = false;
};

inline MomentCase seededMomentCase(const nlohmann::json& listed) {
    MomentCase c{momentCaseNet(listed), {}, {}, {}, {}};
    c.net.inputs = listed["N0"], c.net.width = listed["N"];
    const std::size_t samples = listed["M"], points = samples * c.net.positions();
    BoxMuller stream(listed["seed"]);
    for (PointValues* t : {&c.input.signal, &c.input.noise})
        *t = {samples, c.net.dimensions, c.net.extent, Matrix(points, c.net.inputs, stream.draw(points * c.net.inputs, 1))};
    for (std::size_t l = 0; l < c.net.linearLayers(); ++l) {
        const std::size_t in = l ? c.net.width : c.net.inputs, R = in * (c.net.positions() > 1 ? c.net.taps : 1);
        c.weights.push_back({c.net.taps, in, c.net.width, 1, stream.draw(R * c.net.width, std::sqrt(2.0 / static_cast<double>(R))), {}});
    }
    return c;
}

}  // namespace kappaflow

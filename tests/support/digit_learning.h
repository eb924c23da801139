#pragma once
#include <vector>

#include "core/net/data_sets.h"
#include "core/net/trainer.h"

namespace kappaflow {

struct DigitSplit {
    TrainingData train, held;
};

/// The first `train` digits to learn from, the next `held` to be asked about.
inline DigitSplit digitSplit(std::size_t train, std::size_t held, std::uint64_t seed) {
    const LabelledPoints digits = strokeDigits(train + held, seed);
    const auto part = [&](std::size_t from, std::size_t count) {
        TrainingData data{Matrix(digits.points.rows, count), {}};
        for (std::size_t i = 0; i < digits.points.rows; ++i)
            for (std::size_t s = 0; s < count; ++s) data.inputs(i, s) = digits.points(i, from + s);
        const auto first = digits.labels.begin() + static_cast<std::ptrdiff_t>(from);
        data.targets = classTargets(Loss::CrossEntropy, std::vector<int>(first, first + static_cast<std::ptrdiff_t>(count)), 10, 10);
        return data;
    };
    return {part(0, train), part(train, held)};
}

/// Dense layers with `activation` between them, drawn with σ_w² and biases of 0.
inline Network denseNet(const std::vector<int>& widths, Activation activation, double weightVariance, std::uint64_t seed) {
    Network network{{1, 1, widths.front()}, {}};
    for (std::size_t l = 1; l < widths.size(); ++l) {
        const Shape in{1, 1, widths[l - 1]}, out{1, 1, widths[l]};
        network.layers.push_back({in, out, Dense{}});
        if (l + 1 < widths.size()) network.layers.push_back({out, out, Pointwise{.activation = activation}});
    }
    initialise(network, {Initialiser::Gaussian, weightVariance, 0}, seed);
    for (Layer& layer : network.layers)
        if (auto* dense = layer.getIf<Dense>()) dense->bias.assign(layer.out.units(), 0.0);
    return network;
}

/// Share of held-out digits that a ReLU network names after `steps` of Adam with batches of 50.
inline double heldOutAccuracy(const DigitSplit& split, const std::vector<int>& widths, double weightVariance, double learningRate,
                              int steps) {
    TrainingSpec spec;
    spec.optimiser.learningRate = learningRate;
    spec.batch = 50;
    Trainer trainer(denseNet(widths, Activation::Relu, weightVariance, 1), split.train, spec);
    for (int t = 0; t < steps; ++t) trainer.step();
    return accuracyOf(Loss::CrossEntropy, trainer.outputs(split.held.inputs), split.held.targets);
}

}  // namespace kappaflow

#include "core/capacity/parameter_capacity.h"

#include "core/capacity/lower_layers.h"

namespace kappaflow {
namespace {

bool hasWeights(const Layer& layer) { return layer.kind == LayerKind::Dense || layer.kind == LayerKind::Conv; }

double scalesOf(const Layer& layer) {
    const bool shared = layer.kind == LayerKind::Conv && layer.shared;
    return shared ? layer.out.channels : static_cast<double>(layer.out.units());
}

}  // namespace

std::optional<double> parameterCapacity(const Network& network, const std::vector<bool>& frozen) {
    double capacity = 0;
    const Layer *below = nullptr, *bend = nullptr;
    bool belowLearns = false;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const Layer& layer = network.layers[i];
        if (layer.kind == LayerKind::Flatten) continue;
        if (layer.kind == LayerKind::Activation && below && !bend && layer.activation != Activation::Identity) {
            bend = &layer;
            continue;
        }
        if (!hasWeights(layer) || (below && !bend)) return std::nullopt;
        const bool learns = frozen.empty() || !frozen[i];
        if (learns) capacity += static_cast<double>(layer.weights.size() + layer.bias.size());
        if (learns && belowLearns && derivativeIsEta(bend->activation)) capacity -= scalesOf(*below);
        below = &layer;
        bend = nullptr;
        belowLearns = learns;
    }
    if (!below) return std::nullopt;
    return capacity;
}

}  // namespace kappaflow

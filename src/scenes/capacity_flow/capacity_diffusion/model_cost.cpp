#include "scenes/capacity_flow/capacity_diffusion/model_cost.h"

#include <algorithm>

#include "core/capacity/plane_theory.h"
#include "scenes/capacity_flow/capacity_diffusion/model_setup.h"
#include "scenes/chosen_network.h"

namespace kappaflow::diffusion {
namespace {

double gradientSamples(const Values& v) { return v.flag("gradient") ? v.number("gradientSamples") : 0; }

/// What all reports hold for each cell of [layer, position] arrays, copies for sending included.
double bytesPerCell(const Values& v) { return 12 * 8 + (gradientSamples(v) > 0 ? 80 : 0) + (v.number("channel") >= 0 ? 48 : 0); }

bool overLimit(const Cost& cost) { return !(cost.operations <= kCostLimit.operations && cost.bytes <= kCostLimit.bytes); }

Cost bytesCost(const Request& request) {
    const auto& id = request.params.text("network");
    const double size = id != "file"      ? static_cast<double>(sampleNetworkBytes(id).size())
                        : request.network ? static_cast<double>(request.network->bytes.size())
                                          : 0;
    const double weights = id != "file" ? size / 4 : request.network ? weightsAtMost(request.network->bytes) : 0;
    return {weights * (100 + 12 * gradientSamples(request.params)) + 1e6, size + weights * 8 + 2e7};
}

/// Numbers that one step down through a layer needs beside its weights: a copy with its batch norms folded in, or the columns of a
/// block of vectors.
double numbersOfStep(const WeightLayer& part) {
    const double own = part.inFront || !part.behind.empty() ? weightCount(*part.layer) : 0;
    double inside = 0;
    for (const auto* side : {&part.layer->branch, &part.layer->skip})
        for (const WeightLayer& inner : weightLayerParts(*side))
            inside = std::max(inside, weightCount(*inner.layer) + numbersOfStep(inner));
    const bool columns = part.layer->kind == LayerKind::Residual && part.layer->in.height == 1;
    return own + inside + (columns ? 4 * propagationWork(*part.layer) : 0);
}

/// What a file's layers add to that: convolutions use their weights at every position, and planes are stored padded to one size.
Cost layersCost(const Network& network, const Values& values) {
    double connections = 0, units = static_cast<double>(network.input.units());
    double tallest = network.input.height, widest = network.input.width, states = 1, numbers = 0;
    for (const auto& part : weightLayerParts(network.layers)) {
        const Layer& layer = *part.layer;
        numbers = std::max(numbers, numbersOfStep(part));
        connections += propagationWork(layer);
        units += static_cast<double>(layer.out.units());
        tallest = std::max<double>(tallest, layer.out.height);
        widest = std::max<double>(widest, layer.out.width);
        ++states;
    }
    const double cells = isPlane(network) ? states * tallest * widest : units;
    return {connections * (50 + 8 * gradientSamples(values)) + 100 * cells, 8 * numbers + 64 * units + cells * bytesPerCell(values)};
}

Cost fileCost(const Request& request) {
    Cost cost = bytesCost(request);
    if (overLimit(cost)) return cost;
    try {
        const Cost layers = layersCost(chosenNetwork(request, request.params.text("network")), request.params);
        cost.operations += layers.operations;
        cost.bytes += layers.bytes;
    } catch (const InputError&) {
        // Nothing will be computed: the start refuses the file and says why.
    }
    return cost;
}

Cost denseCost(const DrawnNetwork& n, const Values& v) {
    const double pairs = static_cast<double>(n.extent) * n.extent, layers = n.layers, samples = gradientSamples(v);
    const double perDraw = layers * pairs * (130 + 12 * samples);
    const double network = samples > 0 ? 3 * layers * pairs * 8 : 0;
    return {perDraw * v.number("draws") + 1e6, pairs * (n.mixes() ? 56 : 40) + network + (layers + 1) * n.extent * bytesPerCell(v) + 2e7};
}

/// Rings, lines and grids.
Cost localCost(const DrawnNetwork& n, const Values& v) {
    const bool grid = n.space == Space::Grid;
    const double positions = static_cast<double>(n.extent) * (grid ? n.extent : 1), layers = n.layers, channels = n.channels;
    const double samples = gradientSamples(v), draws = v.number("draws"), taps = static_cast<double>(n.tapsOf().size());
    const double pairs = channels * channels * taps, windowPairs = channels * channels * n.taps * (grid ? n.taps : 1);
    const double weights = pairs * (n.alike() ? 1 : positions), moments = n.alike() || !n.periodic() ? 1 : grid ? 6 : 3;
    const double drawing = weights * (n.kernel == KernelType::Random ? 60 : 20);
    const double descending = positions * (2 * moments * pairs + 20 * moments * taps * channels + (grid ? 80 : 30 * taps + 70));
    const double running = samples * positions * (12 * windowPairs + 60 * channels);
    const double theory = grid ? (layers + 1) * diffusedPlaneWork(n.extent, n.extent, n.torus, n.kernel == KernelType::Random)
                               : layers * positions * 2 * (positions + 60);
    const double network = samples > 0 ? 3 * layers * windowPairs * (n.alike() ? 1 : positions) * 8 : 0;
    const double states = samples > 0 ? layers * positions * channels * 40 : 0;
    return {draws * layers * (drawing + descending + running) + theory + 1e6,
            3 * weights * 8 + network + states + (20 + 6 * moments) * positions * channels * 8 +
                (layers + 1) * (positions * bytesPerCell(v) + (grid ? 240 : 120) * draws) + 2e7};
}

}  // namespace

Cost costOf(const Request& request) {
    const Values& values = request.params;
    if (!values.is("network", "")) return fileCost(request);
    const auto n = drawnNetwork(values);
    const bool dense = n.space == Space::Dense;
    Cost cost = dense ? denseCost(n, values) : localCost(n, values);
    if (request.withNetwork) {
        const double positions = static_cast<double>(n.extent) * (n.space == Space::Grid ? n.extent : 1);
        const double window = n.taps * (n.space == Space::Grid ? n.taps : 1.0);
        const double perLayer = dense ? static_cast<double>(n.extent) * n.extent
                                      : static_cast<double>(n.channels) * n.channels * window * (n.shared ? 1 : positions);
        cost.bytes += 3 * 8 * perLayer * n.layers;
    }
    return cost;
}

std::string costliestOf(const Request& request) {
    const Cost cost = costOf(request);
    const bool time = cost.operations / kCostLimit.operations >= cost.bytes / kCostLimit.bytes;
    const auto& declaration = *findDeclaration(request.scene);
    std::string worst = request.params.is("network", "") ? "extent" : "network";
    double least = time ? cost.operations : cost.bytes;
    for (const char* key : {"extent", "layers", "draws", "gradientSamples", "channels", "taps"}) {
        const Value standard = standardBeside(*declaration.param(key), request.params);
        if (request.params.number(key) <= std::get<double>(standard)) continue;
        Request lower = request;
        lower.params.set(key, standard);
        const Cost less = costOf(lower);
        if ((time ? less.operations : less.bytes) >= least) continue;
        least = time ? less.operations : less.bytes;
        worst = key;
    }
    return worst;
}

}  // namespace kappaflow::diffusion

#include "scenes/one_network/network_lens/model_cost.h"

#include <algorithm>

#include "core/base/errors.h"
#include "core/capacity/capacity_network.h"
#include "core/expressivity/principal_plane.h"
#include "core/moments/network_moments.h"
#include "core/net/edits.h"
#include "scenes/one_network/network_lens/model_regions.h"
#include "scenes/one_network/network_lens/model_trajectory.h"

namespace kappaflow::lens {
namespace {

double share(const Cost& cost) { return std::max(cost.operations / kCostLimit.operations, cost.bytes / kCostLimit.bytes); }

double square(double x) { return x * x; }

/// Weights and units of a network and of all inside its blocks, and what drawing them takes.
struct Size {
    double weights = 0, units = 0, widest = 0, drawing = 0, planes = 0;
};

void count(const std::vector<Layer>& layers, bool orthogonal, Size& size) {
    for (const Layer& layer : layers) {
        const double weights = layer.kind == LayerKind::Residual ? 0 : weightCount(layer), out = static_cast<double>(layer.out.units());
        size.weights += weights + out;
        size.units += out;
        size.widest = std::max(size.widest, out);
        // The triangles of an orthogonal draw: each weight once for every row or column, whichever are fewer.
        const double narrow = layer.kind == LayerKind::Dense ? std::min(out, static_cast<double>(layer.in.units())) : layer.out.channels;
        size.drawing += weights * (20 + (orthogonal ? 6 * narrow : 0));
        size.planes += layer.kind == LayerKind::Dense ? workOfPlane(kMostCurvePoints, layer.out.units()) : 0;
        count(layer.branch, orthogonal, size);
        count(layer.skip, orthogonal, size);
    }
}

double capacityWork(const Architecture& network) {
    double work = 0;
    for (const WeightLayer& part : weightLayerParts(network.layers)) work += 15 * propagationWork(*part.layer);
    return std::min(work, kFinalWork) + 1e5;
}

Cost regionsCost(const Architecture& network, double budget) {
    const double regions = whyNoRegions(network).empty() ? regionsWithin(network, kBoundOverWork * kFinalWork, budget) : 0;
    if (regions == 0) return {1e4, 1e4};
    Cost cost = partitionCost(network, partitionOptions(regions));
    const double depths = static_cast<double>(network.layers.size());
    cost.operations = cost.operations / 4 + 200 * regions;
    cost.bytes += 3 * 8 * regions * (30 + depths);
    return cost;
}

/// A curve: its first sample, its images and their planes, its pieces, and sampled lengths.
double curveWork(const Size& size) { return std::min(1600 * size.weights + size.planes, 1.5 * kFinalWork) + 1e6; }

Cost lensesCost(const Request& request, const Architecture& network, const Size& size, double samples) {
    const Values& v = request.params;
    const Cost regions = regionsCost(network, v.number("budget"));
    const Cost moments = costOfNetworkMoments(network, std::min(samples, 128.0));
    Cost cost;
    cost.operations = capacityWork(network) * (v.is("edit", "none") ? 1 : 2) + regions.operations + curveWork(size) +
                      std::min(moments.operations, kFinalWork);
    // Inserted weights are drawn, removed ones multiplied into the next layer's, and the outputs of both networks compared.
    if (!v.is("edit", "none"))
        cost.operations += std::min(size.widest * size.weights, kMostEditWork) + 25 * square(size.widest) + kFinalWork / 4;
    cost.bytes = regions.bytes + std::min(moments.bytes, 3e7) + 3 * 8 * 3e5 + 64 * size.units;
    return cost;
}

Cost wholeCost(const Request& request) {
    const Values& v = request.params;
    const SamplePlan samples = samplePlanOf(request);
    const Architecture network = architectureOf(request, samples);
    const double inputs = static_cast<double>(network.input.units()), drawnSamples = static_cast<double>(samples.count);
    Size size;
    count(network.layers, v.is("initialisation", "orthogonal"), size);
    Cost cost = lensesCost(request, network, size, drawnSamples);
    cost.operations += size.drawing + 90 * inputs * std::min(drawnSamples, 4e6 / inputs) + 4000 * drawnSamples;
    // The network as it was drawn, the copy that is looked at, curves through it, and the edited one with a layer more.
    cost.bytes += 8 * (size.weights * (v.is("edit", "none") ? 3 : 4) + square(v.is("edit", "insert") ? size.widest : 0)) +
                  40 * inputs * std::min(drawnSamples, 4e6 / inputs) + 1e7;
    if (request.network) cost.bytes += static_cast<double>(request.network->bytes.size());
    if (request.data) cost.bytes += static_cast<double>(request.data->bytes.size());
    if (!training(v) || samples.classes == 0 || samples.shape.units() != network.input.units()) return cost;
    const Cost training = training_runs::costOf(v, network, drawnSamples);
    // A third of the time goes to looks on the way.
    cost.operations += 1.5 * training.operations + 5 * kPassingWork;
    cost.bytes += training.bytes + 24 * inputs * drawnSamples;
    return cost;
}

}  // namespace

Cost costOf(const Request& request) {
    try {
        return wholeCost(request);
    } catch (const InputError&) {
        // Nothing will be computed: the start refuses the files and says why.
        return {1e4, 1e5};
    }
}

std::string costliestOf(const Request& request) {
    const Declaration& declaration = *findDeclaration(request.scene);
    const bool ownDraw = drawn(request.params);
    std::string worst = ownDraw ? "widths" : "network";
    double least = share(costOf(request));
    for (const char* key : {"widths", "steps", "samples", "inputs", "outputs", "batch", "budget"}) {
        if (!ownDraw && std::string(key) != "samples" && std::string(key) != "budget") continue;
        Request lower = request;
        lower.params.set(key, declaration.param(key)->standard);
        if (share(costOf(lower)) >= least) continue;
        least = share(costOf(lower));
        worst = key;
    }
    return worst;
}

}  // namespace kappaflow::lens

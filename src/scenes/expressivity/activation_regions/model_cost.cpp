#include <algorithm>
#include <cmath>

#include "core/base/errors.h"
#include "scenes/expressivity/activation_regions/model_setup.h"

namespace kappaflow::regions {
namespace {

/// Numbers of the report for each region (four corners, two edges and a vertex a region, their axes included), and for each layer of it.
constexpr double kDoublesARegion = 40, kDoublesARegionAndLayer = 1;
/// Memory that partition and report share; training has the rest of what a request may take.
constexpr double kMemory = 2e8;

double lines(const Layer& layer) {
    const double thresholds = layer.activation == Activation::HardTanh || layer.activation == Activation::Relu6 ? 2 : 1;
    return thresholds * static_cast<double>(layer.out.units());
}

/// Regions that layers of so many lines can make at the most.
double mostRegions(const Architecture& network) {
    double product = 1;
    for (const Layer& layer : network.layers) {
        const double t = lines(layer);
        if (layer.kind == LayerKind::Activation) product *= 1 + t + t * (t - 1) / 2;
        // Residual branches and pooling bend too; what they can make is left to the budget.
        if (layer.kind == LayerKind::Residual || layer.kind == LayerKind::MaxPool) return 1e300;
    }
    return product;
}

double depthsOf(const Architecture& network) {
    return static_cast<double>(std::count_if(network.layers.begin(), network.layers.end(),
                                             [](const Layer& layer) { return layer.kind == LayerKind::Activation; }));
}

/// Weights as the network has them and as they were read.
double weightBytes(const Architecture& network) {
    double weights = 0;
    for (const Layer& layer : network.layers) weights += layer.kind == LayerKind::Dense ? weightCount(layer) : 0;
    return 16 * weights;
}

double reportBytes(const Architecture& network, double regions) {
    const double states = std::min(regions, 3e4) * depthsOf(network);
    return 8 * (regions * (kDoublesARegion + kDoublesARegionAndLayer * depthsOf(network)) + states) + 1e5;
}

PartitionOptions optionsFor(double regions) {
    PartitionOptions options;
    options.regionBudget = regions;
    options.byteBudget = kPartitionBytes;
    options.snapshotBytes = kSnapshotBytes;
    return options;
}

double bytesOf(const Architecture& network, double regions) {
    return partitionCost(network, optionsFor(regions)).bytes + weightBytes(network) + reportBytes(network, regions);
}

double operationsOf(const Architecture& network, double regions) {
    // Affine pieces take what the cuts take three times over.
    return 4 * partitionCost(network, optionsFor(regions)).operations + 4 * weightBytes(network) + 200 * regions + 1e4;
}

Cost costWith(const Request& request, double budget) {
    const Architecture network = architectureOf(request);
    const double regions = std::min({budget, mostRegions(network), regionsAffordable(network)});
    const Cost training = trainingCost(request, network);
    const double onTheWay =
        trains(request.params) ? 0.3 * training.operations + operationsOf(network, std::min(regions, kRegionsOnTheWay)) : 0;
    // On the way there are the last report, the new one and the one that is handed out; they are gone before the last cut.
    const double fewer = std::min(regions, kRegionsOnTheWay);
    const double bytes = std::max(bytesOf(network, regions), onTheWay > 0 ? bytesOf(network, fewer) + 2 * reportBytes(network, fewer) : 0);
    return {operationsOf(network, regions) + training.operations + onTheWay, bytes + training.bytes};
}

bool over(const Cost& cost) { return !(cost.operations <= kCostLimit.operations && cost.bytes <= kCostLimit.bytes); }

}  // namespace

double regionsAffordable(const Architecture& network) {
    // Linear in their number once values at vertices are held to their own limit; not less than 1000, whose cost then speaks for itself.
    constexpr double kMany = 2e5, kOperations = 1.2e10;
    const double few = bytesOf(network, 1), many = bytesOf(network, kMany), values = kPartitionBytes + kSnapshotBytes;
    const double bytesEach = std::max(400.0, (many - few - values) / kMany);
    const double operationsEach = std::max(1.0, operationsOf(network, kMany) / kMany);
    return std::max(1000.0, std::floor(std::min((kMemory - few - values) / bytesEach, kOperations / operationsEach)));
}

Cost costOf(const Request& request) {
    try {
        return costWith(request, request.params.number("budget"));
    } catch (const InputError&) {
        // Nothing will be computed: the start refuses the network and says why.
        return {1e4, 1e5};
    }
}

std::string costliestOf(const Request& request) {
    try {
        if (!over(costWith(request, std::min(request.params.number("budget"), 1000.0)))) return "budget";
        if (over(trainingCost(request, architectureOf(request)))) return "steps";
    } catch (const InputError&) {
        return "network";
    }
    if (!request.params.is("network", "")) return "network";
    return request.params.list("widths").size() == 1 ? "inputs" : "widths";
}

}  // namespace kappaflow::regions

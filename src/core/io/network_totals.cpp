#include "core/io/network_totals.h"

#include <algorithm>
#include <cmath>

#include "core/io/network_file.h"
#include "core/io/printable.h"

namespace kappaflow {
namespace {

/// A second or two of work, and more than a network within the other limits has by several times.
constexpr double kMaxConstantUnits = 16 * kMaxFileStates;
constexpr double kMaxScale = 1e100;

/// Multiply-adds of one pass through a layer.
double operationsOf(const Layer& layer) {
    const double out = static_cast<double>(layer.out.units()), taps = static_cast<double>(layer.window.size[0]) * layer.window.size[1];
    switch (layer.kind) {
        case LayerKind::Dense:
            return weightCount(layer);
        case LayerKind::Conv:
            return out * taps * layer.in.channels / layer.groups;
        case LayerKind::MaxPool:
        case LayerKind::AveragePool:
            return out * taps;
        default:
            return static_cast<double>(layer.in.units());
    }
}

}  // namespace

std::string NetworkTotals::add(const Layer& layer) {
    weights += static_cast<double>(layer.weights.size());
    units += static_cast<double>(layer.out.units());
    if (units > kMaxFileStates) return "with it the layers have more than " + whole(kMaxFileStates) + " units in all";
    if (layer.kind == LayerKind::Dense || layer.kind == LayerKind::Conv) ++linearLayers;
    operations += operationsOf(layer);
    if (operations <= kMaxFileOperations) return "";
    return "with it one pass through the network takes more than " + whole(kMaxFileOperations) + " multiplications";
}

std::string NetworkTotals::addConstant(double units) {
    constants += units;
    if (constants <= kMaxConstantUnits) return "";
    return "with it constants meet more than " + whole(kMaxConstantUnits) + " units in all";
}

std::string NetworkTotals::addScale(double largest) {
    scale *= std::max(1.0, largest);
    if (scale <= kMaxScale) return "";
    return "with it the scales of the network multiply to more than numbers can hold";
}

std::string NetworkTotals::addScale(const Layer& layer) {
    double largest = 1;
    for (std::size_t i = 0; i < layer.weights.size(); ++i)
        largest = std::max(largest, std::abs(layer.weights[i]) / std::sqrt(layer.variance[i] + layer.batchNormEpsilon));
    return addScale(largest);
}

}  // namespace kappaflow

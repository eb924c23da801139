#include "core/io/file_limits.h"

#include <algorithm>
#include <cmath>

#include "core/base/cost.h"
#include "core/io/printable.h"

namespace kappaflow {

FileLimits fileLimits() {
    const double factor = roomFactor(), some = std::min(64.0, factor);
    FileLimits limits;
    limits.bytes = static_cast<std::size_t>(std::min(2147483648.0, factor * static_cast<double>(limits.bytes)));
    limits.units *= some, limits.cells *= some;
    limits.states *= factor, limits.weights *= factor, limits.operations *= factor;
    return limits;
}

namespace {

/// A second or two of work, and more than a network within the other limits has by several times.
double mostConstantUnits() { return 16 * fileLimits().states; }
constexpr double kMaxScale = 1e100;

}  // namespace

std::string NetworkTotals::add(const Layer& layer) {
    weights += static_cast<double>(weightsOf(layer).weights.size());
    units += static_cast<double>(layer.out.units());
    if (units > fileLimits().states) return "with it the layers have more than " + whole(fileLimits().states) + " units in all";
    if (hasTrainableWeights(layer)) ++linearLayers;
    operations += inputsRead(layer);
    if (operations <= fileLimits().operations) return "";
    return "with it one pass through the network takes more than " + whole(fileLimits().operations) + " multiplications";
}

std::string NetworkTotals::addConstant(double units) {
    constants += units;
    if (constants <= mostConstantUnits()) return "";
    return "with it constants and moves meet more than " + whole(mostConstantUnits()) + " units in all";
}

std::string NetworkTotals::addScale(double largest) {
    scale *= std::max(1.0, largest);
    if (scale <= kMaxScale) return "";
    return "with it the scales of the network multiply to more than numbers can hold";
}

std::string NetworkTotals::addScale(const BatchNorm& norm) {
    double largest = 1;
    for (std::size_t i = 0; i < norm.weights.size(); ++i)
        largest = std::max(largest, std::abs(norm.weights[i]) / std::sqrt(norm.variance[i] + norm.epsilon));
    return addScale(largest);
}

}  // namespace kappaflow

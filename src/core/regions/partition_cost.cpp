#include <algorithm>
#include <cmath>

#include "core/regions/linear_map.h"
#include "core/regions/partition.h"
#include "core/regions/piecewise.h"

namespace kappaflow {
namespace {

constexpr double kBytesPerFace = 400;  ///< mesh, patterns, snapshots and what is handed out
constexpr double kOperationsPerFace = 400;

/// Follows the layers with the most faces there can be: k lines cut a convex face into at most 1 + k + k(k − 1)/2.
class CostSum {
public:
    explicit CostSum(const PartitionOptions& options) : options_(options) {}
    void add(const std::vector<Layer>& layers) {
        for (const Layer& layer : layers) add(layer);
    }
    Cost cost(double outputs) const {
        const double mesh = faces_ * kBytesPerFace + 16 * faces_ * outputs;
        return {operations_ + kOperationsPerFace * faces_,
                maps_ * 3 + std::min(options_.byteBudget + options_.snapshotBytes, rows_) + mesh};
    }

private:
    void add(const Layer& layer) {
        const double units = static_cast<double>(layer.out.units()), bytes = linearMapBytes(layer);
        if (layer.kind == LayerKind::Residual) {
            add(layer.branch);
            add(layer.skip);
        } else if (layer.kind == LayerKind::Activation) {
            if (layer.activation != Activation::Identity)
                cut(units, isPiecewiseLinear(layer) ? piecewiseLinear(layer, 0).thresholds.size() : 0);
        } else if (layer.kind == LayerKind::MaxPool) {
            for (int round = 1; round < layer.window.size[0] * layer.window.size[1] && round < 64; ++round) cut(units, 1);
        } else {
            maps_ += bytes;
            operations_ += 2 * faces_ * bytes / 8;
            rows_ = std::max(rows_, 16 * faces_ * units);
        }
    }
    void cut(double units, std::size_t breakpoints) {
        const double lines = units * static_cast<double>(std::max<std::size_t>(1, breakpoints));
        faces_ = std::max(1.0, std::min(options_.regionBudget, faces_ * (1 + lines + lines * (lines - 1) / 2)));
        operations_ += 16 * faces_ * units;
        rows_ = std::max(rows_, 32 * faces_ * units);
    }

    PartitionOptions options_;
    double faces_ = 1, operations_ = 0, maps_ = 0, rows_ = 0;
};

}  // namespace

Cost partitionCost(const Network& network, const PartitionOptions& options) {
    validate(network);
    CostSum sum(options);
    sum.add(network.layers);
    return sum.cost(std::min(64.0, static_cast<double>(network.output().units())));
}

}  // namespace kappaflow

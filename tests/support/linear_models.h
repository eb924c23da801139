#pragma once
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "core/linalg/decompositions.h"
#include "core/linear/constraints.h"
#include "core/linear/hierarchical_model.h"
#include "core/linear/linear_model.h"
#include "core/linear/subspace.h"
#include "support/matrices.h"

namespace kappaflow {

/// The reference lists the channels of hidden layers only.
inline HierarchicalShape shapeOf(const nlohmann::json& c) {
    HierarchicalShape shape{c["taps"].get<std::vector<int>>(), c["dilations"].get<std::vector<int>>(), {1}};
    for (int channels : c["channels"]) shape.channels.push_back(channels);
    shape.channels.push_back(1);
    return shape;
}

/// Trees and other stacks, of one input a position or several.
inline std::vector<HierarchicalShape> manyShapes() {
    return {dilatedTree(3, 2, 1),
            dilatedTree(4, 2, 3),
            dilatedTree(3, 3, 2, 2),
            dilatedTree(3, 2, 8, 3),
            {{2, 3, 1, 2}, {1, 2, 5, 6}, {1, 2, 3, 2, 1}},
            tiledStack({1, 2, 4}, 2, 2, 2),
            tiledStack({1, 2, 4, 8}, 2, 2, 2),
            repeatedStack({1, 2, 4, 8}, 2, 2, 2),
            repeatedStack({1, 2}, 2, 3, 2, 3),
            tiledStack({1}, 5, 2, 3),
            {{2, 2, 2}, {4, 2, 1}, {2, 3, 2, 1}},
            {{3, 2}, {2, 7}, {1, 4, 1}},
            {{4}, {3}, {2, 1}}};
}

/// Σ of so many samples of the default process.
inline InputCovariance powerLaw(std::size_t samples) { return InputCovariance(autocovariance({}, samples)); }

/// A(lag τ, component) as the sum over all paths of taps and channels of the product of their weights, position-major, oldest first.
inline std::vector<double> slowResponse(const HierarchicalModel& model, const std::vector<double>& weights) {
    const auto& shape = model.shape();
    const std::size_t d = model.components();
    std::vector<double> response(model.inputs());
    const auto descend = [&](const auto& self, std::size_t l, std::size_t out, std::size_t lag, double product) -> void {
        if (l == 0) {
            response[(model.length() - 1 - lag) * d + out] += product;
            return;
        }
        for (std::size_t k = 0; k < static_cast<std::size_t>(shape.taps[l - 1]); ++k)
            for (std::size_t in = 0; in < static_cast<std::size_t>(shape.channels[l - 1]); ++in)
                self(self, l - 1, in, lag + k * static_cast<std::size_t>(shape.dilations[l - 1]),
                     product * weights[model.weightIndex(l, k, out, in)]);
    };
    descend(descend, shape.layers(), 0, 0, 1);
    return response;
}

/// Layers from 0 without those listed from 1.
inline std::vector<std::size_t> layersBut(const std::vector<std::size_t>& frozen, std::size_t layers) {
    std::vector<std::size_t> free;
    for (std::size_t l = 0; l < layers; ++l)
        if (std::find(frozen.begin(), frozen.end(), l + 1) == frozen.end()) free.push_back(l);
    return free;
}

/// ∂A/∂w by central differences of step 1: exact for the hierarchical model, which is linear in each weight.
inline Matrix differenceJacobian(const LinearModel& model, std::vector<double> weights, double step) {
    Matrix J(model.inputs(), model.parameters());
    for (std::size_t p = 0; p < weights.size(); ++p) {
        const double at = weights[p];
        weights[p] = at + step;
        const auto up = model.response(weights);
        weights[p] = at - step;
        const auto down = model.response(weights);
        weights[p] = at;
        for (std::size_t i = 0; i < J.rows; ++i) J(i, p) = (up[i] - down[i]) / (2 * step);
    }
    return J;
}

/// The links of a whole chain, in the order given.
inline std::vector<ChainLink> chainOf(const std::vector<Matrix>& blocks) {
    CapacityChain chain(blocks.at(0).rows);
    std::vector<ChainLink> links;
    for (const Matrix& block : blocks) links.push_back(chain.add(block));
    return links;
}

/// K = orth(Σ J) as the paper reads.
inline Matrix slowConstraints(const LinearModel& model, const std::vector<double>& weights, const InputCovariance& covariance) {
    return spanBasis(slowProduct(covariance.dense(), model.jacobian(weights))).basis;
}

inline double sumOf(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

}  // namespace kappaflow

#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linalg/decompositions.h"
#include "core/net/network.h"

namespace kappaflow::slow {

/// A path from a unit up to the start: the product of its gates for every sample.
struct GatedPath {
    std::size_t unit;
    std::vector<double> gates;
};
/// A connection of one layer, with its gate for every sample.
struct Connection {
    std::size_t from, to;
    std::vector<double> gates;
};
using States = std::vector<std::vector<double>>;  ///< [sample][unit]

inline States behind(const Layer& layer, const States& in) {
    States out;
    for (const auto& x : in) out.push_back(applyLayer(layer, x));
    return out;
}

/// Calls visit(output unit, input unit) for every tap that is not on a padded zero.
template <class Visit>
void eachTap(const Layer& layer, Visit visit) {
    const Window& w = layer.window;
    const bool conv = layer.kind == LayerKind::Conv;
    const int ins = conv ? layer.in.channels / layer.groups : 1, outs = conv ? layer.out.channels / layer.groups : 1;
    for (int o = 0; o < layer.out.channels; ++o)
        for (int y = 0; y < layer.out.height; ++y)
            for (int x = 0; x < layer.out.width; ++x)
                for (int c = 0; c < ins; ++c)
                    for (int ky = 0; ky < w.size[0]; ++ky)
                        for (int kx = 0; kx < w.size[1]; ++kx) {
                            const int sy = paddedSource(y * w.stride[0] + ky * w.dilation[0] - w.before[0], layer.in.height, w.padding);
                            const int sx = paddedSource(x * w.stride[1] + kx * w.dilation[1] - w.before[1], layer.in.width, w.padding);
                            if (sy < 0 || sx < 0) continue;
                            const int from = (o / outs * ins + c) * layer.in.height + sy;
                            visit(static_cast<std::size_t>((o * layer.out.height + y) * layer.out.width + x),
                                  static_cast<std::size_t>(from * layer.in.width + sx));
                        }
}

/// The gate of a unit of an activation layer, from its value: what the slope to (0, φ(0)) is.
inline double gateOf(const Layer& layer, std::size_t unit, double z) {
    std::vector<double> at(layer.in.units(), 0.0), zero = at;
    at[unit] = z;
    return (applyLayer(layer, at)[unit] - applyLayer(layer, zero)[unit]) / z;
}

inline std::vector<Connection> connections(const Layer& layer, const States& in) {
    std::vector<Connection> all;
    const std::vector<double> open(in.size(), 1);
    const std::size_t ins = layer.in.units(), outs = layer.out.units();
    switch (layer.kind) {
        case LayerKind::Dense:
            for (std::size_t j = 0; j < outs; ++j)
                for (std::size_t i = 0; i < ins; ++i) all.push_back({i, j, open});
            break;
        case LayerKind::GlobalAveragePool:
            for (std::size_t i = 0; i < ins; ++i) all.push_back({i, i / (ins / outs), open});
            break;
        case LayerKind::Conv:
        case LayerKind::AveragePool:
            eachTap(layer, [&](std::size_t to, std::size_t from) { all.push_back({from, to, open}); });
            break;
        case LayerKind::MaxPool: {
            std::vector<std::vector<std::size_t>> windows(outs);
            eachTap(layer, [&](std::size_t to, std::size_t from) { windows[to].push_back(from); });
            for (std::size_t to = 0; to < outs; ++to)
                for (const std::size_t from : windows[to]) {
                    Connection tap{from, to, {}};
                    for (const auto& x : in) {
                        const auto largest = std::max_element(windows[to].begin(), windows[to].end(),
                                                              [&x](std::size_t a, std::size_t b) { return x[a] < x[b]; });
                        tap.gates.push_back(*largest == from);
                    }
                    all.push_back(tap);
                }
            break;
        }
        case LayerKind::Activation:
            for (std::size_t i = 0; i < ins; ++i) {
                Connection unit{i, i, {}};
                for (const auto& x : in) unit.gates.push_back(gateOf(layer, i, x[i]));
                all.push_back(unit);
            }
            break;
        case LayerKind::BatchNorm:
        case LayerKind::Flatten:
            for (std::size_t i = 0; i < ins; ++i) all.push_back({i, i, open});
            break;
        case LayerKind::Residual:
            break;
    }
    return all;
}

/// All paths from behind the layers down to their input, one by one.
inline std::vector<GatedPath> descend(const std::vector<Layer>& layers, const States& input, std::vector<GatedPath> paths) {
    std::vector<States> states{input};
    for (const Layer& layer : layers) states.push_back(behind(layer, states.back()));
    for (std::size_t l = layers.size(); l-- > 0;) {
        std::vector<GatedPath> longer;
        if (layers[l].kind == LayerKind::Residual) {
            if (layers[l].branchScale != 0) longer = descend(layers[l].branch, states[l], paths);
            const auto skip = descend(layers[l].skip, states[l], layers[l].skipScale != 0 ? paths : std::vector<GatedPath>());
            longer.insert(longer.end(), skip.begin(), skip.end());
        }
        for (const Connection& c : connections(layers[l], states[l]))
            for (const GatedPath& path : paths) {
                if (path.unit != c.to) continue;
                GatedPath next{c.from, path.gates};
                for (std::size_t s = 0; s < next.gates.size(); ++s) next.gates[s] *= c.gates[s];
                longer.push_back(next);
            }
        paths = longer;
    }
    return paths;
}

/// Capacity of every unit of `state` from the definition: K̃ over all paths, squared rows of an orthonormal basis of its columns.
/// Directions [units of the last state][k]. Without `diagonal` squares of means leave out the products of a sample with itself.
inline std::vector<double> measuredCapacity(const Network& network, const States& samples, std::size_t state, const Matrix& directions,
                                            bool diagonal) {
    const auto middle = network.layers.begin() + static_cast<std::ptrdiff_t>(state);
    States y = samples;
    for (auto layer = network.layers.begin(); layer != middle; ++layer) y = behind(*layer, y);
    const std::vector<Layer> above(middle, network.layers.end());
    States top = y;
    for (const Layer& layer : above) top = behind(layer, top);
    std::vector<GatedPath> paths;
    for (std::size_t j = 0; j < directions.rows; ++j) paths.push_back({j, std::vector<double>(samples.size(), 1)});
    paths = descend(above, y, paths);
    const std::size_t k = directions.columns, units = y[0].size();
    // G of every unit: sums over its paths of outer products of K̃'s rows.
    std::vector<Matrix> grams(units, Matrix(k, k));
    Matrix total(k, k);
    for (const GatedPath& path : paths) {
        Matrix products(k, samples.size());
        std::vector<double> mean(k);
        for (std::size_t r = 0; r < k; ++r)
            for (std::size_t s = 0; s < samples.size(); ++s) {
                double psi = 0;
                for (std::size_t j = 0; j < directions.rows; ++j) psi += directions(j, r) * top[s][j];
                mean[r] += products(r, s) = path.gates[s] * y[s][path.unit] * psi;
            }
        for (std::size_t r = 0; r < k; ++r)
            for (std::size_t q = 0; q < k; ++q) {
                double gram = mean[r] * mean[q];
                for (std::size_t s = 0; s < samples.size() && !diagonal; ++s) gram -= products(r, s) * products(q, s);
                grams[path.unit](r, q) += gram;
                total(r, q) += gram;
            }
    }
    const Matrix inverse = pseudoInverse(total).inverse;
    std::vector<double> capacity(units);
    for (std::size_t i = 0; i < units; ++i)
        for (std::size_t r = 0; r < k; ++r)
            for (std::size_t q = 0; q < k; ++q) capacity[i] += inverse(r, q) * grams[i](r, q);
    return capacity;
}

}  // namespace kappaflow::slow

#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linalg/decompositions.h"
#include "core/net/joins.h"
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

inline States columnsOf(const Matrix& m) {
    States columns(m.columns, std::vector<double>(m.rows));
    for (std::size_t s = 0; s < m.columns; ++s)
        for (std::size_t i = 0; i < m.rows; ++i) columns[s][i] = m(i, s);
    return columns;
}

/// What stands at every place of a chain or of a block's inside.
inline std::vector<States> statesOf(const std::vector<Layer>& layers, const States& input) {
    std::vector<States> at{input};
    for (std::size_t l = 0; l < layers.size(); ++l) {
        States out;
        for (std::size_t s = 0; s < input.size(); ++s) {
            if (!layers[l].is<Join>()) {
                out.push_back(applyLayer(layers[l], at[operandOf(layers, l)][s]));
                continue;
            }
            std::vector<MatrixView> operands;
            for (std::size_t k = 0; k < layers[l].reads.size(); ++k) {
                const auto& x = at[operandOf(layers, l, k)][s];
                operands.emplace_back(x.data(), x.size(), 1);
            }
            out.emplace_back(layers[l].out.units());
            applyJoin(layers[l], operands, out.back().data());
        }
        at.push_back(out);
    }
    return at;
}

/// Whether a value comes straight from a gate's activation, or is one moved about or scaled.
inline bool isGate(const std::vector<Layer>& layers, std::size_t place) {
    if (place == 0) return false;
    const Layer& layer = layers[place - 1];
    if (layer.is<Route, BatchNorm, Flatten>()) return isGate(layers, operandOf(layers, place - 1));
    const auto* f = layer.getIf<Pointwise>();
    return layer.is<Softmax>() || (f && (f->activation == Activation::Sigmoid || f->activation == Activation::HardSigmoid));
}

/// Calls visit(output unit, input unit) for every tap that is not on a padded zero.
template <class Visit>
void eachTap(const Layer& layer, Visit visit) {
    const auto* conv = layer.getIf<Conv>();
    const Window& w = conv ? conv->window : layer.as<Pooling>().window;
    const int ins = conv ? layer.in.channels / conv->groups : 1, outs = conv ? layer.out.channels / conv->groups : 1;
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
    if (z == 0) z = -1e-9;  // the left derivative
    at[unit] = z;
    return (applyLayer(layer, at)[unit] - applyLayer(layer, zero)[unit]) / z;
}

inline std::vector<Connection> connections(const Layer& layer, const States& in) {
    std::vector<Connection> all;
    const std::vector<double> open(in.size(), 1);
    const std::size_t ins = layer.in.units(), outs = layer.out.units();
    if (layer.is<Dense>()) {
        for (std::size_t j = 0; j < outs; ++j)
            for (std::size_t i = 0; i < ins; ++i) all.push_back({i, j, open});
    } else if (layer.is<GlobalAveragePool>()) {
        for (std::size_t i = 0; i < ins; ++i) all.push_back({i, i / (ins / outs), open});
    } else if (layer.is<Conv, AveragePool>()) {
        eachTap(layer, [&](std::size_t to, std::size_t from) { all.push_back({from, to, open}); });
    } else if (layer.is<MaxPool>()) {
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
    } else if (layer.is<Pointwise>()) {
        for (std::size_t i = 0; i < ins; ++i) {
            Connection unit{i, i, {}};
            for (const auto& x : in) unit.gates.push_back(gateOf(layer, i, x[i]));
            all.push_back(unit);
        }
    } else if (layer.is<BatchNorm, Flatten>()) {
        for (std::size_t i = 0; i < ins; ++i) all.push_back({i, i, open});
    } else if (const auto* op = layer.getIf<Route>()) {
        for (std::size_t i = 0; i < outs; ++i)
            if (op->route[i] >= 0) all.push_back({static_cast<std::size_t>(op->route[i]), i, open});
    } else if (const auto* norm = layer.getIf<LayerNorm>()) {
        // η = φ/z, where z is scale·(x − mean) of every unit that is normalised with it: those that move with it.
        Layer plain = layer;
        auto& [weights, bias] = static_cast<Weights&>(plain.as<LayerNorm>());
        bias.assign(bias.size(), 0);
        weights.assign(weights.size(), 1);
        for (std::size_t j = 0; j < outs; ++j) {
            std::vector<double> gates;
            std::vector<std::size_t> together;
            for (std::size_t i = 0; i < ins; ++i) {
                std::vector<double> spike(ins);
                spike[i] = 1;
                if (applyLayer(plain, spike)[j] != 0) together.push_back(i);
            }
            for (const auto& x : in) {
                double mean = 0, variance = 0;
                for (const std::size_t i : together) mean += x[i] / static_cast<double>(together.size());
                for (const std::size_t i : together) variance += (x[i] - mean) * (x[i] - mean) / static_cast<double>(together.size());
                gates.push_back(1 / std::sqrt(variance + norm->epsilon));
            }
            for (const std::size_t i : together) all.push_back({i, j, gates});
        }
    }
    return all;  // of blocks and joins: see descend
}

/// Connections of a join to its operand k.
inline std::vector<Connection> joinConnections(const std::vector<Layer>& layers, std::size_t l, std::size_t k,
                                               const std::vector<States>& at) {
    std::vector<Connection> all;
    const Layer& layer = layers[l];
    const States& own = at[operandOf(layers, l, k)];
    const std::size_t units = own[0].size(), samples = own.size();
    std::vector<double> gates(samples, 1);
    if (layer.is<Sum>())
        for (std::size_t i = 0; i < units && layer.as<Sum>().scales[k] != 0; ++i) all.push_back({i, i, gates});
    if (layer.is<Concat>()) {
        std::size_t first = 0;
        for (std::size_t before = 0; before < k; ++before) first += at[operandOf(layers, l, before)][0].size();
        for (std::size_t i = 0; i < units; ++i) all.push_back({i, first + i, gates});
    }
    if (layer.is<Product>() && !isGate(layers, operandOf(layers, l, k)))
        for (std::size_t i = 0; i < units; ++i) {
            gates.assign(samples, 1);
            for (std::size_t other = 0; other < layer.reads.size(); ++other)
                for (std::size_t s = 0; s < samples && other != k; ++s) gates[s] *= at[operandOf(layers, l, other)][s][i];
            all.push_back({i, i, gates});
        }
    // Softmax attention: row t of the result reads row s of the values through a_ts.
    if (layer.is<MatMul>() && k == 1 && isGate(layers, operandOf(layers, l, 0))) {
        const auto n = static_cast<std::size_t>(layer.in.height), inner = static_cast<std::size_t>(layer.in.width),
                   m = static_cast<std::size_t>(layer.out.width);
        for (std::size_t c = 0; c < static_cast<std::size_t>(layer.in.channels); ++c)
            for (std::size_t t = 0; t < n; ++t)
                for (std::size_t i = 0; i < inner; ++i)
                    for (std::size_t x = 0; x < m; ++x) {
                        for (std::size_t s = 0; s < samples; ++s) gates[s] = at[operandOf(layers, l, 0)][s][(c * n + t) * inner + i];
                        all.push_back({(c * inner + i) * m + x, (c * n + t) * m + x, gates});
                    }
    }
    return all;
}

inline std::vector<GatedPath> lengthened(const std::vector<GatedPath>& paths, const std::vector<Connection>& connections) {
    std::vector<GatedPath> longer;
    for (const Connection& c : connections)
        for (const GatedPath& path : paths) {
            if (path.unit != c.to) continue;
            GatedPath next{c.from, path.gates};
            for (std::size_t s = 0; s < next.gates.size(); ++s) next.gates[s] *= c.gates[s];
            longer.push_back(next);
        }
    return longer;
}

/// All paths from behind the layers down to their input, one by one.
inline std::vector<GatedPath> descend(const std::vector<Layer>& layers, const States& input, std::vector<GatedPath> paths) {
    const std::vector<States> states = statesOf(layers, input);
    std::vector<std::vector<GatedPath>> at(layers.size() + 1);
    at.back() = std::move(paths);
    for (std::size_t l = layers.size(); l-- > 0;) {
        if (at[l + 1].empty()) continue;
        const States& in = states[operandOf(layers, l)];
        for (std::size_t k = 0; k < std::max<std::size_t>(1, layers[l].reads.size()); ++k) {
            const auto longer = layers[l].is<Block>()  ? descend(layers[l].as<Block>().inner, in, at[l + 1])
                                : layers[l].is<Join>() ? lengthened(at[l + 1], joinConnections(layers, l, k, states))
                                                       : lengthened(at[l + 1], connections(layers[l], in));
            auto& below = at[operandOf(layers, l, k)];
            below.insert(below.end(), longer.begin(), longer.end());
        }
    }
    return at.front();
}

/// Capacity of every unit of `state` from the definition: K̃ over all paths, squared rows of an orthonormal basis of its columns.
/// Directions [units of the last state][k]. Without `diagonal` squares of means leave out the products of a sample with itself.
inline std::vector<double> measuredCapacity(const Network& network, const States& samples, std::size_t state, const Matrix& directions,
                                            bool diagonal) {
    const auto middle = network.layers.begin() + static_cast<std::ptrdiff_t>(state);
    const std::vector<Layer> above(middle, network.layers.end());
    const States y = statesOf(std::vector<Layer>(network.layers.begin(), middle), samples).back(), top = statesOf(above, y).back();
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

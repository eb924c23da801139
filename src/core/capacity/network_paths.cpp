#include "core/capacity/network_paths.h"

#include <map>

#include "core/base/rng.h"
#include "core/linalg/modular_rank.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Index = std::uint32_t;

/// What a unit of a layer reads: [output unit] list of (input unit, weight number within the network).
using Reads = std::vector<std::vector<std::pair<Index, Index>>>;

Reads denseReads(const Layer& layer, Index offset) {
    const Index ins = static_cast<Index>(layer.in.units());
    Reads reads(layer.out.units());
    for (Index j = 0; j < reads.size(); ++j)
        for (Index i = 0; i < ins; ++i) reads[j].emplace_back(i, offset + j * ins + i);
    return reads;
}

Reads convReads(const Layer& layer, Index offset) {
    const auto& window = layer.window;
    const auto ins = static_cast<Index>(layer.in.channels), taps = static_cast<Index>(window.size[1]);
    const auto width = static_cast<Index>(layer.out.width), inWidth = static_cast<Index>(layer.in.width);
    Reads reads(layer.out.units());
    for (Index unit = 0; unit < reads.size(); ++unit)
        for (Index in = 0; in < ins; ++in)
            for (Index k = 0; k < taps; ++k) {
                const Index at = unit % width + k * static_cast<Index>(window.dilation[1]);
                reads[unit].emplace_back(in * inWidth + at, offset + (unit / width * ins + in) * taps + k);
            }
    return reads;
}

bool isPlainConv(const Layer& layer) {
    const auto& w = layer.window;
    return layer.kind == LayerKind::Conv && layer.in.height == 1 && w.size[0] == 1 && w.stride[1] == 1 && w.before[1] == 0 &&
           w.after[1] == 0 && layer.groups == 1 && layer.shared;
}

std::vector<Reads> readsOf(const Network& network, Size& parameters) {
    std::vector<Reads> all;
    for (const Layer& layer : network.layers) {
        if (layer.kind == LayerKind::Activation) continue;
        for (double b : layer.bias)
            if (b != 0) throw InputError("Paths are counted for networks without biases.");
        if (layer.kind == LayerKind::Dense)
            all.push_back(denseReads(layer, static_cast<Index>(parameters)));
        else if (isPlainConv(layer))
            all.push_back(convReads(layer, static_cast<Index>(parameters)));
        else
            throw InputError("Paths are counted through dense layers and unpadded 1-D convolutions only.");
        parameters += layer.weights.size();
    }
    return all;
}

double pathCount(const Network& network, const std::vector<Reads>& layers) {
    std::vector<double> below(network.input.units(), 1.0);
    for (const Reads& reads : layers) {
        std::vector<double> counts(reads.size());
        for (Size j = 0; j < reads.size(); ++j)
            for (const auto& read : reads[j]) counts[j] += below[read.first];
        below = counts;
    }
    double count = 0;
    for (double value : below) count += value;
    return count;
}

// Depth first, from the top: `taken` holds the weights of the layers above.
void descend(const std::vector<Reads>& layers, Size layer, Index unit, Index output, std::vector<Index>& taken, NetworkPaths& paths) {
    if (layer == 0) {
        paths.input.push_back(unit);
        paths.output.push_back(output);
        paths.weights.insert(paths.weights.end(), taken.begin(), taken.end());
        return;
    }
    for (const auto& [below, weight] : layers[layer - 1][unit]) {
        taken[layer - 1] = weight;
        descend(layers, layer - 1, below, output, taken, paths);
    }
}

/// Rank modulo the prime, rows with equal keys added.
Size rankOfRows(const NetworkPaths& paths, const std::vector<Size>& rowOf, Size rows, std::uint64_t seed) {
    Rng rng(seed, Purpose::Weights);
    std::vector<std::uint64_t> weights(paths.parameters);
    for (auto& w : weights) w = 1 + rng.below(kModularPrime - 1);
    std::vector<std::uint32_t> matrix(rows * paths.parameters);
    for (Size p = 0; p < paths.count(); ++p) {
        const Index* taken = &paths.weights[p * paths.layers];
        for (Size l = 0; l < paths.layers; ++l) {
            std::uint64_t others = 1;
            for (Size k = 0; k < paths.layers; ++k)
                if (k != l) others = others * weights[taken[k]] % kModularPrime;
            auto& entry = matrix[rowOf[p] * paths.parameters + taken[l]];
            entry = static_cast<std::uint32_t>((entry + others) % kModularPrime);
        }
    }
    return modularRank(std::move(matrix), rows, paths.parameters);
}

}  // namespace

NetworkPaths networkPaths(const Network& network) {
    NetworkPaths paths;
    const auto layers = readsOf(network, paths.parameters);
    paths.layers = layers.size();
    if (pathCount(network, layers) > kMaxNetworkPaths)
        throw InputError("This network has more than 20000 paths from input to output; make it narrower or shallower.");
    std::vector<Index> taken(layers.size());
    for (Index output = 0; output < network.output().units(); ++output) descend(layers, layers.size(), output, output, taken, paths);
    return paths;
}

Matrix pathJacobian(const NetworkPaths& paths, const std::vector<double>& weights) {
    Matrix jacobian(paths.count(), paths.parameters);
    for (Size p = 0; p < paths.count(); ++p) {
        const Index* taken = &paths.weights[p * paths.layers];
        for (Size l = 0; l < paths.layers; ++l) {
            double others = 1;
            for (Size k = 0; k < paths.layers; ++k)
                if (k != l) others *= weights[taken[k]];
            jacobian(p, taken[l]) = others;
        }
    }
    return jacobian;
}

Size genericPathRank(const NetworkPaths& paths, std::uint64_t seed) {
    std::vector<Size> rowOf(paths.count());
    for (Size p = 0; p < rowOf.size(); ++p) rowOf[p] = p;
    return rankOfRows(paths, rowOf, rowOf.size(), seed);
}

Size genericLinearRank(const NetworkPaths& paths, std::uint64_t seed) {
    std::map<std::pair<Index, Index>, Size> ends;
    std::vector<Size> rowOf;
    for (Size p = 0; p < paths.count(); ++p)
        rowOf.push_back(ends.try_emplace({paths.input[p], paths.output[p]}, ends.size()).first->second);
    return rankOfRows(paths, rowOf, ends.size(), seed);
}

NumericalRank pathRank(const NetworkPaths& paths, const std::vector<double>& weights) {
    return numericalRank(singularSpace(triangularFactor(pathJacobian(paths, weights))).values);
}

}  // namespace kappaflow

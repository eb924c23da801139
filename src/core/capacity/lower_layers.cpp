#include "core/capacity/lower_layers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/rng.h"
#include "core/linalg/decompositions.h"
#include "core/net/batch_layers.h"

namespace kappaflow {
namespace {

using Size = std::size_t;
using Index = std::uint32_t;

void requireSmall(double parameters) {
    if (parameters > kMaxSmallParameters)
        throw InputError("This network has more than 512 weights; make it narrower, shallower or give it fewer taps.");
}

Layer activationAfter(const Layer& linear, Activation activation, double slope) {
    return {linear.out, linear.out, Pointwise{.activation = activation, .slope = slope}};
}

Network joined(const std::vector<Layer>& linear, Activation activation, double slope, std::uint64_t seed) {
    Network network{linear.front().in, {}};
    for (Size l = 0; l < linear.size(); ++l) {
        network.layers.push_back(linear[l]);
        if (l + 1 < linear.size()) network.layers.push_back(activationAfter(linear[l], activation, slope));
    }
    initialise(network, {Initialiser::LeCun, 1, 0}, seed);
    validate(network);
    return network;
}

/// Units of a dense layer, channels of a convolution.
Size outputsOf(const Layer& layer) { return layer.is<Dense>() ? layer.out.units() : static_cast<Size>(layer.out.channels); }

}  // namespace

Network smallDenseNetwork(const std::vector<int>& widths, Activation activation, double slope, std::uint64_t seed) {
    if (widths.size() < 2 || *std::min_element(widths.begin(), widths.end()) < 1)
        throw InputError("An architecture names at least two widths, each at least 1, such as 3-4-1.");
    double parameters = 0;
    std::vector<Layer> layers;
    for (Size l = 1; l < widths.size(); ++l) {
        parameters += static_cast<double>(widths[l - 1]) * widths[l];
        layers.push_back({{1, 1, widths[l - 1]}, {1, 1, widths[l]}, Dense{}});
    }
    requireSmall(parameters);
    return joined(layers, activation, slope, seed);
}

Network smallConvNetwork(const std::vector<int>& taps, const std::vector<int>& dilations, const std::vector<int>& channels,
                         Activation activation, double slope, std::uint64_t seed) {
    if (taps.empty() || dilations.size() != taps.size() || channels.size() + 1 != taps.size())
        throw InputError("Give a number of taps and a dilation for each layer, and channels for each but the last.");
    double parameters = 0, length = 1;
    for (Size l = 0; l < taps.size(); ++l) {
        const int in = l == 0 ? 1 : channels[l - 1], out = l + 1 == taps.size() ? 1 : channels[l];
        if (taps[l] < 1 || dilations[l] < 1 || out < 1) throw InputError("Taps, dilations and channels are at least 1.");
        parameters += static_cast<double>(taps[l]) * in * out;
        length += static_cast<double>(taps[l] - 1) * dilations[l];
    }
    requireSmall(parameters);
    if (length > 4096) throw InputError("The output sees more than 4096 inputs; use smaller dilations.");
    std::vector<Layer> layers;
    int width = static_cast<int>(length);
    for (Size l = 0; l < taps.size(); ++l) {
        const Shape in{l == 0 ? 1 : channels[l - 1], 1, width};
        width -= (taps[l] - 1) * dilations[l];
        Conv conv;
        conv.window.size = {1, taps[l]};
        conv.window.dilation = {1, dilations[l]};
        layers.push_back({in, {l + 1 == taps.size() ? 1 : channels[l], 1, width}, conv});
    }
    return joined(layers, activation, slope, seed);
}

std::vector<double> allWeights(const Network& network) {
    std::vector<double> weights;
    for (const Layer& layer : network.layers) {
        const std::vector<double>& own = weightsOf(layer).weights;
        weights.insert(weights.end(), own.begin(), own.end());
    }
    return weights;
}

void setAllWeights(Network& network, const std::vector<double>& weights) {
    if (weights.size() != allWeights(network).size()) throw InputError("The weights are not as many as the network has.");
    auto next = weights.begin();
    for (Layer& layer : network.layers)
        if (auto* own = layer.getIf<Weights>())
            for (double& w : own->weights) w = *next++;
}

std::vector<HiddenUnit> scaleDirections(const Network& network) {
    const auto weights = allWeights(network);
    std::vector<const Layer*> linear;
    for (const Layer& layer : network.layers)
        if (hasTrainableWeights(layer)) linear.push_back(&layer);
    std::vector<HiddenUnit> units;
    Size offset = 0;
    for (Size l = 0; l + 1 < linear.size(); ++l) {
        const Size own = weightsOf(*linear[l]).weights.size(), more = weightsOf(*linear[l + 1]).weights.size();
        const Size outs = outputsOf(*linear[l]), fanIn = own / outs, after = offset + own;
        // Weights of the layer above run [out][in][tap].
        const Size taps = more / outputsOf(*linear[l + 1]) / outs;
        for (Size unit = 0; unit < outs; ++unit) {
            HiddenUnit hidden{l + 1, unit, std::vector<double>(weights.size())};
            for (Size k = 0; k < fanIn; ++k) hidden.direction[offset + unit * fanIn + k] = -weights[offset + unit * fanIn + k];
            for (Size w = 0; w < more; ++w)
                if (w / taps % outs == unit) hidden.direction[after + w] = weights[after + w];
            units.push_back(std::move(hidden));
        }
        offset = after;
    }
    return units;
}

bool derivativeIsEta(Activation activation) {
    return activation == Activation::Identity || activation == Activation::Relu || activation == Activation::LeakyRelu ||
           activation == Activation::Abs || activation == Activation::PseudoRandom;
}

namespace {

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
    const Window& window = layer.as<Conv>().window;
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
    const auto* conv = layer.getIf<Conv>();
    if (!conv) return false;
    const Window& w = conv->window;
    return layer.in.height == 1 && w.size[0] == 1 && w.stride[1] == 1 && w.before[1] == 0 && w.after[1] == 0 && conv->groups == 1 &&
           conv->shared;
}

std::vector<Reads> readsOf(const Network& network, Size& parameters) {
    std::vector<Reads> all;
    for (const Layer& layer : network.layers) {
        if (layer.is<Pointwise>()) continue;
        for (double b : weightsOf(layer).bias)
            if (b != 0) throw InputError("Paths are counted for networks without biases.");
        if (layer.is<Dense>())
            all.push_back(denseReads(layer, static_cast<Index>(parameters)));
        else if (isPlainConv(layer))
            all.push_back(convReads(layer, static_cast<Index>(parameters)));
        else
            throw InputError("Paths are counted through dense layers and unpadded 1-D convolutions only.");
        parameters += weightsOf(layer).weights.size();
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

FunctionJacobian::FunctionJacobian(Network network, double inputDeviation, std::uint64_t seed)
    : network_(std::move(network)), deviation_(inputDeviation), rng_(seed, Purpose::Inputs) {
    for (const Layer& layer : network_.layers) {
        if (!layer.is<Dense, Pointwise>() && !isPlainConv(layer))
            throw InputError("The function's rank is taken of dense layers and unpadded 1-D convolutions only.");
        parameters_ += weightsOf(layer).weights.size();
    }
    if (static_cast<double>(parameters_) > kMaxSmallParameters)
        throw InputError("The function's rank is taken of networks of at most 512 weights.");
    factor_ = Matrix(0, parameters_);
}

void FunctionJacobian::appendRows(const std::vector<double>& input, double* rows) const {
    BatchStates states{{Batch(input.size(), 1, input)}};
    applyChain(network_.layers, states);
    std::vector<LayerParameters> gradients(network_.layers.size());
    for (Size output = 0; output < network_.output().units(); ++output) {
        Batch g(network_.output().units(), 1);
        g(output, 0) = 1;
        pullChain(network_.layers, states, g, gradients, {.inputToo = false});
        for (const LayerParameters& of : gradients) rows = std::copy(of.weights.begin(), of.weights.end(), rows);
    }
}

void FunctionJacobian::add(Size samples) {
    const Size outputs = network_.output().units();
    // Slices a few times as tall as R keep both memory and work small.
    const Size slice = std::max<Size>(1, 2 * parameters_ / outputs);
    while (samples > 0) {
        const Size now = std::min(samples, slice), kept = factor_.rows;
        Matrix stacked(kept + now * outputs, parameters_);
        std::copy(factor_.values.begin(), factor_.values.end(), stacked.values.begin());
        for (Size s = 0; s < now; ++s) {
            std::vector<double> input(network_.input.units());
            for (double& value : input) value = deviation_ * rng_.gaussian();
            appendRows(input, stacked.row(kept + s * outputs));
        }
        factor_ = triangularFactor(stacked);
        samples_ += static_cast<double>(now);
        samples -= now;
    }
}

std::vector<double> FunctionJacobian::singularValues() const {
    Matrix scaled = factor_;
    for (Size j = 0; j < scaled.columns; ++j) {
        double squares = 0;
        for (Size i = 0; i < scaled.rows; ++i) squares += scaled(i, j) * scaled(i, j);
        for (Size i = 0; i < scaled.rows && squares > 0; ++i) scaled(i, j) /= std::sqrt(squares);
    }
    return singularSpace(scaled).values;
}

namespace {

double scalesOf(const Layer& layer) {
    const auto* conv = layer.getIf<Conv>();
    return conv && conv->shared ? layer.out.channels : static_cast<double>(layer.out.units());
}

}  // namespace

std::optional<double> parameterCapacity(const Network& network, const std::vector<bool>& frozen) {
    double capacity = 0;
    const Layer* below = nullptr;
    const Pointwise* bend = nullptr;
    bool belowLearns = false;
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
        const Layer& layer = network.layers[i];
        if (layer.is<Flatten>()) continue;
        const auto* f = layer.getIf<Pointwise>();
        if (f && below && !bend && f->activation != Activation::Identity) {
            bend = f;
            continue;
        }
        if (!hasTrainableWeights(layer) || (below && !bend)) return std::nullopt;
        const auto& own = layer.as<Weights>();
        const bool learns = frozen.empty() || !frozen[i];
        if (learns) capacity += static_cast<double>(own.weights.size() + own.bias.size());
        if (learns && belowLearns && derivativeIsEta(bend->activation)) capacity -= scalesOf(*below);
        below = &layer;
        bend = nullptr;
        belowLearns = learns;
    }
    if (!below) return std::nullopt;
    return capacity;
}

}  // namespace kappaflow

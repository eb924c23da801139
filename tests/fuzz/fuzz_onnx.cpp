// Bytes nobody vouches for → the ONNX reader, weights in another file put inside. What it takes must be a network that `validate` takes
// too; a small one is run and its capacity followed, which must stay complete; and it must come back from a file that the writer writes.
// InputError is the one way out; anything else, a sanitizer's word included, is a finding.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "core/io/onnx.h"
#include "core/net/layer_rows.h"
#include "fuzz/network_checks.h"
#include "fuzz/protobuf_mutator.h"
#include "support/capacity_flow.h"

namespace {

using namespace kappaflow;
using fuzz::require;

/// More multiplications or entries of D than this say nothing new and cost time.
constexpr double kMostWork = 1e5;
/// A block's layers are joined to one map, which costs more than running them.
constexpr double kBlockFactor = 20;

double workOf(const std::vector<Layer>& layers) {
    double work = 0;
    for (const Layer& layer : layers) {
        const Window w = windowOf(layer);
        const auto* conv = layer.getIf<Conv>();
        const auto* block = layer.getIf<Block>();
        const double taps = conv || layer.is<Pooling>() ? static_cast<double>(tapsOf(w)) : 1;
        const double perUnit = layer.is<Dense, LayerNorm>()    ? static_cast<double>(layer.in.units())
                               : conv                          ? taps * layer.in.channels / conv->groups
                               : layer.is<GlobalAveragePool>() ? static_cast<double>(layer.in.height) * layer.in.width
                                                               : taps;
        const double padded = (static_cast<double>(layer.in.height) + w.before[0] + w.after[0]) *
                              (static_cast<double>(layer.in.width) + w.before[1] + w.after[1]) * layer.in.channels;
        work += perUnit * static_cast<double>(layer.out.units()) + padded + (block ? kBlockFactor * workOf(block->inner) : 0);
    }
    return work;
}

void checkForward(const Network& network) {
    const std::vector<double> input(network.input.units(), 0.5);
    const auto states = forward(network, input);
    require(states.size() == network.layers.size() + 1, "a state a layer");
    require(states.back().size() == network.output().units(), "the output's size");
    const auto gradients = backward(network, states, std::vector<double>(network.output().units(), 1));
    require(gradients.front().size() == network.input.units(), "the gradient's size");
}

void checkCapacity(const Network& network) {
    const std::size_t outputs = network.output().units();
    const auto flow = capacityFlow(network, std::vector<double>(outputs, 1.0 / static_cast<double>(outputs)));
    for (std::size_t l = 0; l < flow.capacity.size(); ++l) {
        const double total = std::accumulate(flow.capacity[l].begin(), flow.capacity[l].end(), 0.0) + flow.unattributed[l];
        require(std::abs(total - 1) < 1e-9, "capacity is neither lost nor made");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        // A file beside the model, of as many zeros as it asks for.
        const auto whole = withExternalData({data, size}, [](const std::string&, std::uint64_t, std::optional<std::uint64_t> length) {
            return std::string(length.value_or(24) % 4096, '\0');
        });
        const Network network = whole ? readOnnx(*whole) : readOnnx({data, size});
        validate(network);
        const bool small = workOf(network.layers) <= kMostWork;
        try {
            fuzz::requireWritable(network, small);
        } catch (const InputError&) {
            require(false, "what was read can be written and read");
        }
        if (!small) return 0;
        checkForward(network);
        checkCapacity(network);
    } catch (const InputError& error) {
        fuzz::requireSentence(error);
    }
    return 0;
}

// Three changes in four keep the file a protobuf message.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, most);
    fuzz::ProtobufMutator mutator(seed / 4 + 1, fuzz::changeBytes);
    const std::string file = mutator.mutated(std::string(reinterpret_cast<const char*>(data), size));
    if (file.empty() || file.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, file.data(), file.size());
    return file.size();
}

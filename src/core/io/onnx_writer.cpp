#include "core/io/onnx_writer.h"

#include <algorithm>

#include "core/base/errors.h"
#include "core/io/onnx_layers.h"

namespace kappaflow {
namespace onnx {
namespace {

bool areSingles(const std::vector<double>& values) { return std::all_of(values.begin(), values.end(), isSingle); }

bool areSingles(const std::vector<Layer>& layers) {
    return std::all_of(layers.begin(), layers.end(), [](const Layer& layer) {
        for (const auto* values : {&layer.weights, &layer.bias, &layer.mean, &layer.slopes})
            if (!areSingles(*values)) return false;
        if (layer.kind == LayerKind::BatchNorm && !areSingles(writtenVariances(layer))) return false;
        const bool slope = layer.kind != LayerKind::Activation || layer.activation != Activation::LeakyRelu || layer.slope == 0.01;
        if (!slope && !isSingle(layer.slope)) return false;
        if (layer.kind == LayerKind::Residual && !(isSingle(layer.skipScale) && isSingle(layer.branchScale))) return false;
        return areSingles(layer.branch) && areSingles(layer.skip);
    });
}

/// Dimensions that the first layer with a say in it wants of a tensor of this shape; 0: none has.
std::size_t wantedRank(const std::vector<Layer>& layers, std::size_t least) {
    for (const Layer& layer : layers) {
        if (layer.kind == LayerKind::Flatten || layer.kind == LayerKind::Dense) return least;
        std::size_t rank = layer.kind == LayerKind::Activation ? 0 : rankFor(layer, least);
        if (layer.kind == LayerKind::Residual) {
            rank = wantedRank(layer.branch, least);
            if (rank == 0) rank = wantedRank(layer.skip, least);
        }
        if (rank > 0) return rank;
    }
    return 0;
}

Value inputOf(const Network& network) {
    const std::size_t least = leastRank(network.input);
    return {network.input, std::max(least, wantedRank(network.layers, least))};
}

}  // namespace
}  // namespace onnx

std::vector<unsigned char> writeOnnx(const Network& network) {
    using namespace onnx;
    validate(network);
    if (network.layers.empty()) throw InputError("A network without layers cannot be written to an ONNX file.");
    ModelFile file(areSingles(network.layers));
    const Value input = inputOf(network);
    file.input("x", input.sizes());
    LayerWriter writer(file, {"x", input, 0});
    writer.chain(network.layers, "layer", "Layer ");
    if (writer.here().name == "x") writer.pass();
    file.output(writer.here().name, writer.here().value.sizes());
    return file.finish(writer.operatorSet());
}

}  // namespace kappaflow

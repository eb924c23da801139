#pragma once
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/network_file.h"
#include "scene/typed_model.h"

namespace kappaflow {

/// A network file that is not read yet: a sample's, or the reader's own.
struct NetworkFile {
    std::span<const unsigned char> bytes;
    std::string name;
    bool sample = false;
};
/// Bytes of a file, and the most weights that it may hold.
struct NetworkFileSize {
    double bytes = 0, weights = 0;
};

// Natively what core/io has. A bundle of the page that computes has no readers: another one reads a file there, once, and hands in what it
// found (bindings/bundle_files.cpp).
using TakesFile = std::function<bool(const NetworkFileSize&)>;
/// Nothing where `takes` does not take a file of its size. Throws InputError on a file that is refused. What was assumed of the file comes
/// to `warnings`.
std::optional<Network> read(const NetworkFile&, std::vector<std::string>& warnings, const TakesFile& takes = {});
/// As an ONNX file; throws InputError naming a layer that ONNX has no words for.
std::vector<unsigned char> networkFile(const Network&);

/// Labelled points of an .npz or of JSON as a table in text (core/io/csv.h), made natively or by that bundle. Throws InputError.
std::vector<unsigned char> tableOf(const Attachment&);

/// 64 bits that tell one file's bytes from another's. Cost: some 3 GB a second.
std::uint64_t fingerprint(std::span<const unsigned char>);

/// The file that a param of Kind::Network names. Throws InputError when the request does not carry it.
inline NetworkFile chosenFile(const Request& request, const std::string& id) {
    if (id != "file") return {sampleNetworkBytes(id), id, true};
    if (!request.network) throw InputError("network=file needs the network file itself, which a link does not carry: open it again.");
    return {request.network->bytes, request.network->name};
}

/// Returns how many rows a network's inputs have as an image: the height of up to four channels, one below another, the channels of a
/// signal (of one that a convolution reads: 1), the steps of a sequence or the side of a square. Nothing for fewer than 16 inputs, for
/// another number than the `shown` ones of the lowest layer, and where that layer has them in another order.
inline std::optional<double> inputRows(const Network& network, double shown) {
    const Shape& in = network.input;
    if (in.units() < 16 || static_cast<double>(in.units()) != shown) return {};
    bool convolved = false;
    for (const Layer& layer : network.layers) {
        if (layer.is<Route>()) return {};
        convolved = layer.is<Conv>();
        if (hasTrainableWeights(layer) || layer.is<Block>()) break;
    }
    if (in.height > 1 && in.channels <= 4) return in.channels * in.height;
    if (in.height == 1 && in.width > 1 && (in.channels > 1 || convolved)) return in.channels;
    const double side = std::round(std::sqrt(in.width));
    return in.height * in.channels == 1 && side * side == in.width ? std::optional(side) : std::nullopt;
}

/// For sceneModel: reads the network that Params::network names, if it names one.
template <class Params>
void openNetwork(Opened<Params>& opened, const Request& request) {
    const std::string& id = opened.params.network;
    if (id.empty()) return;
    const NetworkFile file = chosenFile(request, id);
    const auto takes = [&](const NetworkFileSize& size) {
        if (!file.sample) opened.networkFileBytes = size.bytes;
        return true;
    };
    opened.network = std::make_shared<const Network>(*read(file, opened.warnings, takes));
}

}  // namespace kappaflow

#pragma once
#include <string>
#include <vector>

#include "core/io/network_file.h"
#include "scene/typed_model.h"

namespace kappaflow {

/// The network that a param of Kind::Network names: a sample's, or the one in the request's file. What was assumed of the file comes to
/// `warnings`, if they are given. Throws InputError when the file is missing or refused.
inline Network chosenNetwork(const Request& request, const std::string& id, std::vector<std::string>* warnings = nullptr) {
    if (id != "file") return readNetwork(sampleNetworkBytes(id), id);
    if (!request.network) throw InputError("network=file needs the network file itself, which a link does not carry: open it again.");
    return readNetwork(request.network->bytes, request.network->name, warnings);
}

/// For sceneModel: reads the network that Params::network names, if it names one.
template <class Params>
void openNetwork(Opened<Params>& opened, const Request& request) {
    const std::string& id = opened.params.network;
    if (id.empty()) return;
    opened.network = std::make_shared<const Network>(chosenNetwork(request, id, &opened.warnings));
    if (id == "file") opened.networkFileBytes = static_cast<double>(request.network->bytes.size());
}

}  // namespace kappaflow

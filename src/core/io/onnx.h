#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// Reads an ONNX model. Throws InputError with one sentence naming node and operator, tensor, or byte offset; never allocates more than
/// the file's own size justifies.
Network readOnnx(std::span<const unsigned char> bytes);

struct SampleNetwork {
    std::string id, label, about;
};
/// Networks that come with the program, really trained; `sampleNetworkBytes` throws InputError on an unknown id.
const std::vector<SampleNetwork>& sampleNetworks();
std::span<const unsigned char> sampleNetworkBytes(std::string_view id);

inline constexpr std::size_t kMaxNetworkFileBytes = 64u << 20;

}  // namespace kappaflow

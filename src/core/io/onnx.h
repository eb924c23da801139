#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

inline constexpr std::size_t kMaxNetworkFileBytes = 64u << 20;
/// What a network from a file may have: units of one layer, weights of all.
inline constexpr double kMaxFileUnits = 16384, kMaxFileWeights = 1.6e7;

/// Reads an ONNX model: one input, one output, a chain of Gemm, MatMul, Add (a bias), Relu, LeakyRelu, Abs, Tanh, Sigmoid, Clip (-1…1 and
/// 0…6), Identity, Flatten, Constant and a last Softmax, which has no weights and is left out; tensors of FLOAT or DOUBLE, raw or typed.
/// Nodes are taken as data flow, not as they stand in the file. The result passes `validate`. Throws InputError with one sentence naming
/// node and operator, tensor, or byte offset. Every size is compared with what the file holds before anything is allocated for it.
Network readOnnx(std::span<const unsigned char> bytes);

struct SampleNetwork {
    std::string id, label, about;
};
/// Networks that come with the program, really trained; `sampleNetworkBytes` throws InputError on an unknown id.
const std::vector<SampleNetwork>& sampleNetworks();
std::span<const unsigned char> sampleNetworkBytes(std::string_view id);

}  // namespace kappaflow

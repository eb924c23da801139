#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// Reads a network, its format recognised by the file's bytes, and by the end of its name where they tell nothing:
///   ONNX (onnx.h)
///   safetensors (named_tensors.h) and numpy's npz (named_tensors.h): arrays by name, and nothing about what is between them
/// Of the latter only what leaves no doubt is read:
///   names   "1.weight", "fc1.bias", "fc1/kernel", "conv1_weight", "W1", "b1": a layer's name and a part of it. Layers follow their numbers
///           (2 before 10; dense, dense_1); all names are alike but for these, or convolutions and dense layers are each. A batch norm
///           with a name of its own (bn1) follows the layer of the same number, of two the one of its length. arr_0, arr_1, …:
///           matrices and kernels, each with its bias behind it.
///   shapes  a matrix called ".weight" is [out][in], a kernel [in][out], any other whichever makes the shapes fit when only one does.
///           Kernels of convolutions are [out][in / groups][width] or […][height][width]. Batch norm: running_mean and running_var (or
///           moving_…), with or without scale and shift.
///   facts   as texts in __metadata__ or arrays of these names: "activation" (keys of activations: one for all places between layers, or
///           one for each), "input" (sizes of a sample, "1,28,28"; needed when a convolution is first), "stride" and "padding" of
///           convolutions (one, or one for each), "epsilon" of batch norm.
///   else    ReLU between the layers, in front of the next dense layer or convolution, and none behind the last; strides of 1, no
///           padding, 10⁻⁵; no dilation and no pooling in any case: what was taken is told. Numbers that leave room for the activation
///           in front of a batch norm only are refused.
/// What the file leaves open and was assumed in its place comes to `notes` as sentences for the reader, if they are asked for. Throws
/// InputError with one sentence naming the place and the reason.
Network readNetwork(std::span<const unsigned char> bytes, std::string_view fileName = {}, std::vector<std::string>* notes = nullptr);
/// Weights that the file may hold, by its length and its headers, in double. Cost: that of an archive's directory.
double weightsAtMost(std::span<const unsigned char> bytes);

struct SampleNetwork {
    std::string id, label, about;
};
/// Networks that come with the program, really trained; `sampleNetworkBytes` throws InputError on an unknown id.
const std::vector<SampleNetwork>& sampleNetworks();
std::span<const unsigned char> sampleNetworkBytes(std::string_view id);

}  // namespace kappaflow

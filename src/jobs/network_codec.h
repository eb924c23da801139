#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// What was read of a network file, as one bundle of the page hands it to another: the network with what was assumed, or why the file was
/// refused.
struct FoundNetwork {
    double fileBytes = 0, fileWeights = 0;  ///< of the file: its length, and the most weights that it may hold
    std::string refusal;                    ///< empty: the network follows
    std::vector<std::string> notes;
    Network network;
};

/// Four bytes a number where all numbers of a tensor are singles, else eight. Memory beside the network: twice the result.
std::vector<unsigned char> encodeNetwork(const FoundNetwork&);
/// Throws InputError on malformed bytes; the network is not validated.
FoundNetwork decodeNetwork(std::span<const unsigned char>);

/// An ONNX file, or why there is none.
struct WrittenNetwork {
    std::string refusal;
    std::vector<unsigned char> file;
};
std::vector<unsigned char> encodeWritten(const WrittenNetwork&);
WrittenNetwork decodeWritten(std::span<const unsigned char>);

}  // namespace kappaflow

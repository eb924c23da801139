#pragma once
#include <span>
#include <vector>

#include "core/net/network.h"
#include "jobs/runner.h"
#include "scene/report.h"
#include "scene/scene.h"

namespace kappaflow {

/// Requests, events and reports as bytes, little-endian, for a worker's messages: no per-scene code. Decoding never trusts
/// lengths (InputError on anything malformed).
std::vector<unsigned char> encodeRequest(const Request&);
Request decodeRequest(std::span<const unsigned char>);
std::vector<unsigned char> encodeReport(const Report&);
Report decodeReport(std::span<const unsigned char>);
std::vector<unsigned char> encodeEvent(const JobEvent&);
JobEvent decodeEvent(std::span<const unsigned char>);

/// What was read of a network file, as one bundle of the page hands it to another: the network with what was assumed, or why the file was
/// refused. Decoding does not validate the network.
struct FoundNetwork {
    double fileBytes = 0, fileWeights = 0;  ///< of the file: its length, and the most weights that it may hold
    std::string refusal;                    ///< empty: the network follows
    std::vector<std::string> notes;
    Network network;
};
std::vector<unsigned char> encodeFound(const FoundNetwork&);
FoundNetwork decodeFound(std::span<const unsigned char>);

/// An ONNX file, or why there is none.
struct WrittenNetwork {
    std::string refusal;
    std::vector<unsigned char> file;
};
std::vector<unsigned char> encodeWritten(const WrittenNetwork&);
WrittenNetwork decodeWritten(std::span<const unsigned char>);

}  // namespace kappaflow

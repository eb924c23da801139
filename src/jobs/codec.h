#pragma once
#include <concepts>
#include <functional>
#include <span>
#include <vector>

#include "core/net/network.h"
#include "jobs/runner.h"
#include "scene/report.h"
#include "scene/scene.h"

namespace kappaflow {

/// Bytes that are read once, from the first to the last, wherever they lie: a large message need not be copied whole.
struct Stream {
    std::size_t left = 0;                             ///< bytes to come
    std::function<void(void* to, std::size_t)> read;  ///< copies so many of them, of which there are no more than `left`

    Stream(std::size_t size, std::function<void(void*, std::size_t)> reading) : left(size), read(std::move(reading)) {}
    Stream(std::span<const unsigned char>);
    template <std::convertible_to<std::span<const unsigned char>> Bytes>
    Stream(const Bytes& bytes) : Stream(std::span<const unsigned char>(bytes)) {}
};

/// Requests, events and reports as bytes, little-endian, for a worker's messages: no per-scene code. Decoding never trusts
/// lengths (InputError on anything malformed).
std::vector<unsigned char> encodeRequest(const Request&);
Request decodeRequest(std::span<const unsigned char>);
std::vector<unsigned char> encodeReport(const Report&);
/// Hands the bytes of encodeReport, with these params in place of the report's own, to `take` piece by piece: a large report is not held
/// twice.
void writeReport(const Report&, const Values& params, const std::function<void(std::span<const unsigned char>)>& take);
Report decodeReport(std::span<const unsigned char>);
std::vector<unsigned char> encodeEvent(const JobEvent&);
JobEvent decodeEvent(Stream);

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

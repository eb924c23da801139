#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/io/named_tensors.h"
#include "fuzz/network_checks.h"

namespace kappaflow::fuzz {

/// Reads bytes as named tensors and makes a network of them, which must be one that `validate` takes and the ONNX writer writes.
template <class Read>
int checkTensors(std::span<const unsigned char> bytes, Read read) {
    try {
        std::vector<std::string> notes;
        const Network network = tensors::networkOf(read(bytes), notes);
        validate(network);
        require(notes.size() < 2, "one note at the most");
        bool written = false;
        try {
            const std::vector<unsigned char> file = writeOnnx(network);
            written = true;
            require(readOnnx(file).output() == network.output(), "the shapes come back");
        } catch (const InputError&) {
            // Pseudo-random signs have no form there; nothing that was written is refused.
            require(!written, "what was written can be read");
        }
    } catch (const InputError& error) {
        requireSentence(error);
    }
    return 0;
}

}  // namespace kappaflow::fuzz

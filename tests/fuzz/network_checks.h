#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/io/onnx.h"

namespace kappaflow::fuzz {

inline void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "the fuzz target's own check failed: %s\n", what);
    std::abort();
}

inline void requireSentence(const InputError& error) {
    require(std::strlen(error.what()) > 10 && std::strlen(error.what()) < 1000, "a refusal is a sentence");
}

/// What was read can be written, and reading that gives the same outputs, to the bit but for the sign of a zero. A NaN, from
/// weights near the end of the doubles, is one whatever its sign.
inline void requireWritable(const Network& network, bool runs) {
    const std::vector<unsigned char> file = writeOnnx(network);
    const Network back = readOnnx(file);
    require(back.input == network.input && back.output() == network.output(), "the shapes come back");
    if (!runs) return;
    const std::vector<double> input(network.input.units(), 0.5), a = forward(network, input).back(), b = forward(back, input).back();
    require(a.size() == b.size(), "as many outputs");
    for (std::size_t i = 0; i < a.size(); ++i) require(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]), "the outputs come back");
}

}  // namespace kappaflow::fuzz

#pragma once
#include <string>
#include <vector>

#include "core/net/network.h"

namespace kappaflow {

/// A network file as it is shown: its layers with shapes and counts, and what the network made of samples where it was run.
struct DescribedNetwork {
    std::string file;
    Network network;
    std::vector<std::string> warnings;
    bool ran = false;
    std::vector<double> outputs{};  ///< [sample][unit]
};

/// "2 × 24 × 24"; of a vector its length.
std::string textOf(const Shape&);
/// {kappaflow, file, warnings, input, layers: [{layer, name, kind, output, weights, biases, multiplyAdds, activation}], their sums,
/// outputs}: every layer, those inside a block behind it ("3.1" inside "3"). Shapes are [channels, height, width]. Cost: a line a layer.
std::string networkJson(const DescribedNetwork&);
/// The same as one table, or the outputs alone where it ran.
std::string networkCsv(const DescribedNetwork&);
/// The same to be read in a terminal.
std::string networkText(const DescribedNetwork&);

}  // namespace kappaflow

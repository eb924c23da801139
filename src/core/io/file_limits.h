#pragma once
#include <string>

#include "core/net/network.h"

namespace kappaflow {

/// What a network from a file may have where there is the page's memory, and where there is more: bytes of the file, units of one layer
/// and of all, cells of one layer with its padding, weights of all, multiplications of one pass.
struct FileLimits {
    std::size_t bytes = 64u << 20;
    double units = 1 << 18, states = 1 << 22, cells = 1 << 20, weights = 1.7e7, operations = 2e9;
};
FileLimits fileLimits();

/// What the layers that were read from a file hold and take in all, branches included, against fileLimits(). Each addition
/// gives the reason to refuse what was added, for a sentence, or nothing.
struct NetworkTotals {
    double weights = 0, units = 0, operations = 0;
    double constants = 0;  ///< units that constants met, one after another
    double scale = 1;      ///< product of the largest scales of all batch norms
    int linearLayers = 0;  ///< dense layers and convolutions

    [[nodiscard]] std::string add(const Layer&);
    /// A constant that may make no layer, since a bias takes it in, but is read and added for every unit.
    [[nodiscard]] std::string addConstant(double units);
    /// Scales multiply along a chain; as doubles they must stay far from overflow with the weights that they meet.
    [[nodiscard]] std::string addScale(double largest);
    /// A batch norm's largest.
    [[nodiscard]] std::string addScale(const BatchNorm&);
};

}  // namespace kappaflow

#pragma once
#include <string>

#include "core/net/network.h"

namespace kappaflow {

/// The most that a network file may have on the page: bytes of the file, units of one layer and of all, cells of one layer with its
/// padding, weights of all, multiplications of one pass. fileLimits() raises them by roomFactor(), where there is more memory.
struct FileLimits {
    std::size_t bytes = 64u << 20;
    double units = 1 << 18, states = 1 << 22, cells = 1 << 20, weights = 1.7e7, operations = 2e9;
};
FileLimits fileLimits();

/// Adds up the layers that were read from a file, inner layers of blocks included, and compares the sums with fileLimits(). Each addition
/// returns the reason to refuse what was added, for a sentence; empty: there is none.
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

#pragma once
#include <string>

#include "core/net/network.h"

namespace kappaflow {

/// What the layers that were read from a file hold and take in all, branches included, against the limits in network_file.h. Each addition
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
    [[nodiscard]] std::string addScale(const Layer&);
};

}  // namespace kappaflow

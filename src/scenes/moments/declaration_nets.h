#pragma once
#include <vector>

#include "scene/declare.h"

namespace kappaflow::random_nets {

/// A scene's defaults, of dense networks one at a time; those of convolutions and of four networks beside one another are smaller.
struct NetStandards {
    double width = 128, layers = 100, draws = 30;
};

/// The params of P3's random networks with their data and draws, alike in every scene that measures them: `net`, `width`, `layers`,
/// `branch`, `space`, `extent`, `taps`, `boundary`, `samples`, `data`, `activation`, `skipScale`, `weightScale`, `biasVariance`,
/// `epsilon`, `draws`, `seed`. A scene that shows all four kinds beside one another has a choice `compare` with the option `all`.
std::vector<Param> netParams(const NetStandards&, Text figure);

/// Options of `data` that are made here.
std::vector<Option> madeData();

/// "batch-norm" → "batch-normalised network".
const char* nameOfNet(std::string_view key);

}  // namespace kappaflow::random_nets

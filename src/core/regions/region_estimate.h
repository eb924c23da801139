#pragma once
#include "core/regions/partition.h"

namespace kappaflow {

/// The most regions that layers of so many units can make of a plane: each layer of t lines makes 1 + t + t(t − 1)/2 of one. 1e300 with
/// blocks, max pooling or smooth activations. Weights need not be given.
double mostRegions(const Network&);

/// Lines in all directions that cross a straight line c times a unit of length part a square of half side a into about
/// 1 + 4ca + πc²a² regions: an area A of boundary P into 1 + cP/2 + πc²A/4.
double regionsOfLines(double c, double half);

/// countedRegions can count these layers: all activations have straight pieces, and its passes take no more than 3e7 multiply-adds. Weights
/// need not be given.
bool isCountable(const Network&);
/// About how many regions a network makes on a square of the slice: changes of its units' states are counted at points along 24 straight
/// lines through it, and through squares of an eighth and a 64th about the same centre, of which the most count. Pooling's lines are left
/// out; lines nearer to each other than points are missed. 1e300 where it is not countable. Cost: up to 4608 passes.
double countedRegions(const Network&, const Slice&, Vec2 centre, double half);

}  // namespace kappaflow

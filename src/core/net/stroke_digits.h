#pragma once
#include <cstdint>

#include "core/net/data_sets.h"

namespace kappaflow {

/// Side of a digit's image, in pixels; a sample has kDigitSide² of them, row by row from the top.
inline constexpr std::size_t kDigitSide = 28;

/// Ten classes of digits as a hand writes them, sample i of digit i mod 10: a skeleton of strokes (one of two or three ways to write the
/// digit) whose points wobble, turned, sheared, scaled and shifted, drawn by a pen of random width with soft edges, then pixel noise and
/// sometimes a stray dash. Points [784][samples], `standardised`: mean 0 and variance 1 over all pixels of all samples, so that a quarter
/// circle between two of them is about 40 long. Sample i comes from Rng(seed, Data, i) and + - * / sqrt alone: the same bits on every
/// platform. Throws InputError unless 10 <= samples <= kMaxSamples.
/// Cost: about 3000 pixels of strokes and 784 gaussians a sample.
LabelledPoints strokeDigits(std::size_t samples, std::uint64_t seed);

}  // namespace kappaflow

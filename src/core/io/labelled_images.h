#pragma once
#include <span>
#include <string_view>

#include "core/net/data_sets.h"

namespace kappaflow {

/// Limits of labelled images: classes, and values kept as double (64 MB: 10699 images of MNIST, 2730 of CIFAR).
inline constexpr std::size_t kMaxImageClasses = 100, kMaxImageValues = 1u << 23;

/// Images with labels from a file as `readImages` takes it (core/io/images.h): MNIST-like IDX with the file of its labels directly behind
/// (`cat images labels`), CIFAR-10's binary batches, or CIFAR-100's, of which the finer label is read. At most `maxSamples` are kept,
/// evenly spread over a longer file.
/// Points are [channels·side·side][samples], numbered as a Shape is: (c·side + y)·side + x; no two shapes of one or three channels have
/// as many. Values from 0 to 1, then shifted and scaled together, a channel at a time, so that over all its pixels of all samples kept the
/// mean is 0 and the standard deviation 1; a channel of one value becomes 0. (Pixels by themselves, as `standardise` does, would blow up
/// those of the margin that only a few images touch.) Classes: 0 … largest label of the file, CIFAR-10's with their names.
/// Throws InputError with one sentence: what `readImages` refuses, images without labels, labels beyond kMaxImageClasses, fewer than two
/// samples or labels kept, images all of one value. Cost: the bytes, and 8 bytes a value kept.
LabelledPoints readLabelledImages(std::span<const unsigned char> bytes, std::string_view fileName = {},
                                  std::size_t maxSamples = kMaxSamples);

}  // namespace kappaflow

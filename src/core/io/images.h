#pragma once
#include <span>
#include <string_view>

#include "core/net/data_sets.h"

namespace kappaflow {

/// Limits of a file of images: bytes, and sides of a square image in pixels.
inline constexpr std::size_t kMaxImageFileBytes = 64u << 20, kMinImageSide = 8, kMaxImageSide = 64;
/// Most images kept of a file, and their bytes together: spread evenly over a longer one.
inline constexpr std::size_t kMaxImages = 10000, kMaxKeptImageBytes = 32u << 20;

/// Square images from a file, recognised by its bytes:
///   MNIST's IDX (and those of Fashion-MNIST and the like): 0x00000803, count, rows, columns, big-endian, then bytes; one colour; the file
///   of its
///     labels (0x00000801, count, then bytes) may follow directly;
///   CIFAR-10's binary batches: records of a label 0 … 9 and 1024 bytes each of red, green, blue;
///   CIFAR-100's: two labels, 0 … 19 and 0 … 99, before the same.
/// Labels are checked and left out (`readLabelledImages` keeps them). Throws InputError with one sentence that names the place: another
/// format (archives and compressed files by name), a file shorter or longer than its header says, images that are not square or of another
/// side. Cost: the bytes; memory: kMaxKeptImageBytes.
ImageSet readImages(std::span<const unsigned char> bytes, std::string_view fileName = {});

/// Number of images kept of `count`.
std::size_t keptImages(std::size_t count, std::size_t bytesEach);

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

/// Whether the bytes are those of images rather than of a table: these begin with a byte below 9 (magic numbers, labels), or hold a zero
/// byte among the first 65536, which text does not. A name says nothing: the same bytes are the same data under any.
bool holdsImages(std::span<const unsigned char> bytes);

/// Images (`readLabelledImages`) or a table (`readCsv`), told apart by their bytes; throws what the one or the other throws.
/// `maxSamples` is that of images: a table is kept whole.
LabelledPoints readLabelledFile(std::span<const unsigned char> bytes, std::string_view fileName = {}, std::size_t maxSamples = kMaxSamples);

}  // namespace kappaflow

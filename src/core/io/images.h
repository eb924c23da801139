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

}  // namespace kappaflow

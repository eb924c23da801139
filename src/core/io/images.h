#pragma once
#include <span>
#include <string_view>

#include "core/moments/moment_data.h"

namespace kappaflow {

/// Limits of a file of images: bytes, and sides of a square image in pixels.
inline constexpr std::size_t kMaxImageFileBytes = 64u << 20, kMinImageSide = 8, kMaxImageSide = 64;
/// Most images kept of a file, and their bytes together: spread evenly over a longer one.
inline constexpr std::size_t kMaxImages = 10000, kMaxKeptImageBytes = 32u << 20;

/// Square images from a file, recognised by its bytes:
///   MNIST's IDX (and those of Fashion-MNIST and the like): 0x00000803, count, rows, columns, big-endian, then bytes; one colour;
///   CIFAR-10's binary batches: records of a label 0 … 9 and 1024 bytes each of red, green, blue;
///   CIFAR-100's: two labels, 0 … 19 and 0 … 99, before the same.
/// Labels are checked and left out. Throws InputError with one sentence that names the place: another format (archives and compressed
/// files by name), a file shorter or longer than its header says, images that are not square or of another side.
/// Cost: the bytes; memory: kMaxKeptImageBytes.
ImageSet readImages(std::span<const unsigned char> bytes, std::string_view fileName = {});

// The formats by themselves; messages begin with "The file".

/// Whether the bytes begin as an IDX file does.
bool looksLikeIdx(std::span<const unsigned char> bytes);
/// Whether the length is the one that an IDX header of images promises.
bool isWholeIdx(std::span<const unsigned char> bytes);
ImageSet readIdx(std::span<const unsigned char> bytes);

/// Whether there is at least one whole record, and the labels of all whole ones are possible.
bool looksLikeCifar(std::span<const unsigned char> bytes, std::size_t labels);
/// `labels` before an image: 1 in CIFAR-10, 2 in CIFAR-100.
ImageSet readCifar(std::span<const unsigned char> bytes, std::size_t labels);

/// Number of images kept of `count`, and the place of kept image i among them.
std::size_t keptImages(std::size_t count, std::size_t bytesEach);
std::size_t placeOfKept(std::size_t i, std::size_t kept, std::size_t count);

}  // namespace kappaflow

#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kappaflow {

enum class ImageFormat { Idx, Cifar10, Cifar100 };

/// Where the square images of a file stand, and their labels.
struct ImageLayout {
    ImageFormat format = ImageFormat::Idx;
    std::size_t count = 0, side = 0, channels = 1;
    std::size_t firstImage = 0, imageStride = 0;  ///< bytes; an image is [channel][y][x]
    std::size_t firstLabel = 0, labelStride = 0;  ///< one byte each; stride 0: there are none

    std::size_t plane() const { return side * side; }
    std::size_t pixels() const { return plane() * channels; }
    /// Of a file's bytes.
    const unsigned char* image(std::span<const unsigned char> bytes, std::size_t i) const {
        return bytes.data() + firstImage + i * imageStride;
    }
    int label(std::span<const unsigned char> bytes, std::size_t i) const { return bytes[firstLabel + i * labelStride]; }
};

/// Recognises a file by its bytes and checks it whole; formats and refusals are those of `readImages` (core/io/images.h). Cost: the labels.
ImageLayout layoutOfImages(std::span<const unsigned char> bytes, std::string_view fileName = {});
/// How a sentence about a file begins: The file "name", or The file.
std::string theFile(std::string_view fileName);

/// Place of kept image i among `count`: `kept` of them, evenly spread.
std::size_t placeOfKept(std::size_t i, std::size_t kept, std::size_t count);

// The formats by themselves; messages begin with "The file".

/// Whether the bytes begin as an IDX file does; as one of images; as one of labels.
bool looksLikeIdx(std::span<const unsigned char>);
bool looksLikeIdxImages(std::span<const unsigned char>);
bool looksLikeIdxLabels(std::span<const unsigned char>);
/// How many images or labels the header of an IDX file of bytes promises; empty for other files.
std::optional<std::size_t> countOfIdx(std::span<const unsigned char>);
/// The file without what follows the images that its header promises; other files as they are.
std::span<const unsigned char> imagesOfIdx(std::span<const unsigned char>);
/// Whether the length is the one that an IDX header of images promises, or a file of labels follows there.
bool isWholeIdx(std::span<const unsigned char>);
ImageLayout idxLayout(std::span<const unsigned char>);

/// Whether the length is that of whole records, one at least; `labels` before an image: 1 in CIFAR-10, 2 in CIFAR-100.
bool isWholeCifar(std::span<const unsigned char>, std::size_t labels);
/// Whether all labels are possible, those of a record that breaks off too; one record alone must be whole, since any byte may be a label.
bool looksLikeCifar(std::span<const unsigned char>, std::size_t labels);
ImageLayout cifarLayout(std::span<const unsigned char>, std::size_t labels);

}  // namespace kappaflow

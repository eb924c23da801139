#include "core/io/images.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/errors.h"
#include "core/io/image_layout.h"
#include "core/io/printable.h"

namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;
using Size = std::size_t;

bool begins(Bytes bytes, std::string_view start, Size at = 0) {
    return bytes.size() >= at + start.size() && std::memcmp(bytes.data() + at, start.data(), start.size()) == 0;
}

/// Files that readers of these data sets have at hand, but that are not what is read here.
void refuseWrappings(Bytes bytes) {
    if (begins(bytes, "\x1f\x8b"))
        throw InputError("The file is compressed with gzip; unpack it first, with gunzip for instance, and open what comes out.");
    for (const std::string_view start : {"PK\x03\x04", "BZh",
                                         "\xfd"
                                         "7zXZ",
                                         "7z\xbc\xaf", "\x28\xb5\x2f\xfd"})
        if (begins(bytes, start)) throw InputError("The file is a compressed archive; unpack it first and open one of the files inside.");
    if (begins(bytes, "ustar", 257))
        throw InputError("The file is a tar archive; unpack it first and open one of the batches inside, data_batch_1.bin for instance.");
    if (bytes.size() >= 2 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5)
        throw InputError("The file is a Python pickle; take the binary version of the data set.");
    for (const std::string_view start : {"\x89PNG", "\xff\xd8\xff", "GIF8", "BM", "RIFF"})
        if (begins(bytes, start))
            throw InputError("The file is a single picture; it takes a set of them, CIFAR-10's binary batches or MNIST's IDX files.");
}

ImageLayout recognised(Bytes bytes) {
    if (bytes.empty()) throw InputError("The file is empty.");
    if (bytes.size() > kMaxImageFileBytes) throw InputError("The file is larger than " + std::to_string(kMaxImageFileBytes >> 20) + " MB.");
    // Dark images are full of zeros, which are labels too: an IDX file that keeps its header's promise is one, whatever else fits.
    if (isWholeIdx(bytes)) return idxLayout(bytes);
    for (const Size labels : {Size{1}, Size{2}})
        if (isWholeCifar(bytes, labels) && looksLikeCifar(bytes, labels)) return cifarLayout(bytes, labels);
    refuseWrappings(bytes);
    if (looksLikeIdx(bytes)) return idxLayout(bytes);
    for (const Size labels : {Size{1}, Size{2}})
        if (isWholeCifar(bytes, labels) || looksLikeCifar(bytes, labels)) return cifarLayout(bytes, labels);
    throw InputError(
        "The file holds no images that are known here: neither CIFAR-10's binary batches (records of 3073 bytes) nor MNIST's IDX "
        "(which begins with the bytes 0, 0, 8, 3).");
}

}  // namespace

std::string theFile(std::string_view fileName) { return fileName.empty() ? "The file" : "The file " + quoted(fileName); }

ImageLayout layoutOfImages(Bytes bytes, std::string_view fileName) {
    try {
        return recognised(bytes);
    } catch (const InputError& error) {
        throw InputError(theFile(fileName) + (error.what() + std::strlen("The file")));
    }
}

Size keptImages(Size count, Size bytesEach) { return std::min({count, kMaxImages, kMaxKeptImageBytes / bytesEach}); }

Size placeOfKept(Size i, Size kept, Size count) { return static_cast<Size>(static_cast<std::uint64_t>(i) * count / kept); }

ImageSet readImages(Bytes bytes, std::string_view fileName) {
    const ImageLayout layout = layoutOfImages(bytes, fileName);
    ImageSet set{keptImages(layout.count, layout.pixels()), layout.side, layout.channels, {}};
    set.pixels.resize(set.count * layout.pixels());
    unsigned char* out = set.pixels.data();
    for (Size i = 0; i < set.count; ++i) {
        const unsigned char* planes = layout.image(bytes, placeOfKept(i, set.count, layout.count));
        for (Size p = 0; p < layout.plane(); ++p)
            for (Size c = 0; c < layout.channels; ++c) *out++ = planes[c * layout.plane() + p];
    }
    return set;
}

}  // namespace kappaflow

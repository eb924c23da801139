#include "core/io/images.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/base/errors.h"
#include "core/io/csv.h"
#include "core/io/image_layout.h"
#include "core/io/printable.h"

namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;
using Size = std::size_t;
using ByteValues = std::array<double, 256>;

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
            throw InputError("The file is a single picture; a set of them is needed, CIFAR-10's binary batches or MNIST's IDX files.");
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

namespace {

constexpr const char* kCifarClasses[] = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};

/// "train-images-idx3-ubyte" → "train-labels-idx1-ubyte"; the usual name when the file's says nothing.
std::string nameOfLabels(std::string_view imagesName) {
    std::string name(imagesName);
    const auto images = name.find("images"), kind = name.find("idx3");
    if (images == name.npos || kind == name.npos) return "train-labels-idx1-ubyte";
    name.replace(images, 6, "labels");
    return name.replace(kind, 4, "idx1");
}

/// Names of all classes up to the largest label of the file.
std::vector<std::string> classesOf(const ImageLayout& layout, std::span<const unsigned char> bytes) {
    if (layout.format == ImageFormat::Cifar10) return {std::begin(kCifarClasses), std::end(kCifarClasses)};
    int largest = 0;
    for (std::size_t i = 0; i < layout.count; ++i) largest = std::max(largest, layout.label(bytes, i));
    std::vector<std::string> classes;
    for (int label = 0; label <= largest; ++label) classes.push_back(std::to_string(label));
    return classes;
}

/// The images kept, and where they go.
struct Kept {
    const ImageLayout& layout;
    std::span<const unsigned char> bytes;
    std::size_t count;

    std::size_t place(std::size_t i) const { return placeOfKept(i, count, layout.count); }
    const unsigned char* plane(std::size_t i, std::size_t channel) const {
        return layout.image(bytes, place(i)) + channel * layout.plane();
    }
};

std::array<std::uint64_t, 256> histogram(const Kept& kept, std::size_t channel) {
    std::array<std::uint64_t, 256> times{};
    for (std::size_t i = 0; i < kept.count; ++i) {
        const unsigned char* plane = kept.plane(i, channel);
        for (std::size_t p = 0; p < kept.layout.plane(); ++p) ++times[plane[p]];
    }
    return times;
}

/// What every byte of a channel becomes; false when all its bytes are alike.
bool standardised(const Kept& kept, std::size_t channel, ByteValues& values) {
    const auto times = histogram(kept, channel);
    std::uint64_t sum = 0, squares = 0;
    for (std::uint64_t b = 0; b < 256; ++b) sum += b * times[b], squares += b * b * times[b];
    const std::uint64_t count = kept.count * kept.layout.plane();
    // Whole numbers below 2^63, since count <= kMaxImageValues.
    const double mean = static_cast<double>(sum) / static_cast<double>(count);
    const double deviation = std::sqrt(static_cast<double>(count * squares - sum * sum)) / static_cast<double>(count);
    const bool spread = std::count(times.begin(), times.end(), 0) < 255;
    for (int b = 0; b < 256; ++b) values[static_cast<std::size_t>(b)] = spread ? (b - mean) / deviation : 0;
    return spread;
}

/// Throws when nothing is to be seen in any channel.
void fillPoints(const Kept& kept, std::string_view fileName, Matrix& points) {
    const std::size_t plane = kept.layout.plane();
    bool any = false;
    for (std::size_t c = 0; c < kept.layout.channels; ++c) {
        ByteValues values;
        any = standardised(kept, c, values) || any;
        for (std::size_t p = 0; p < plane; ++p)
            for (std::size_t i = 0; i < kept.count; ++i) points(c * plane + p, i) = values[kept.plane(i, c)[p]];
    }
    if (!any) throw InputError(theFile(fileName) + " holds images of one brightness everywhere; there is nothing to tell apart.");
}

void checkLabelled(const ImageLayout& layout, std::string_view fileName) {
    if (layout.labelStride == 0)
        throw InputError(theFile(fileName) + " holds images without their labels; add the file of the labels, " +
                         quoted(nameOfLabels(fileName)) + ", too.");
}

void fillLabels(const Kept& kept, std::string_view fileName, LabelledPoints& set) {
    if (set.classes.size() > kMaxImageClasses)
        throw InputError(theFile(fileName) + " has labels up to " + set.classes.back() + "; they go up to " +
                         std::to_string(kMaxImageClasses - 1) + " here.");
    for (std::size_t i = 0; i < kept.count; ++i) set.labels.push_back(kept.layout.label(kept.bytes, kept.place(i)));
    if (std::all_of(set.labels.begin(), set.labels.end(), [&](int label) { return label == set.labels.front(); }))
        throw InputError(theFile(fileName) + " has images of one label only, " + std::to_string(set.labels.front()) +
                         "; at least two classes are needed.");
}

}  // namespace

LabelledPoints readLabelledImages(std::span<const unsigned char> bytes, std::string_view fileName, std::size_t maxSamples) {
    const ImageLayout layout = layoutOfImages(bytes, fileName);
    checkLabelled(layout, fileName);
    const Kept kept{layout, bytes, std::min({layout.count, std::max<std::size_t>(maxSamples, 2), kMaxImageValues / layout.pixels()})};
    LabelledPoints set{{}, {}, classesOf(layout, bytes)};
    fillLabels(kept, fileName, set);
    set.points = Matrix(layout.pixels(), kept.count);
    fillPoints(kept, fileName, set.points);
    return set;
}

bool holdsImages(std::span<const unsigned char> bytes) {
    const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(bytes.size(), 65536));
    return !bytes.empty() && (bytes.front() < 9 || std::find(bytes.begin(), end, 0) != end);
}

LabelledPoints readLabelledFile(std::span<const unsigned char> bytes, std::string_view fileName, std::size_t maxSamples) {
    return holdsImages(bytes) ? readLabelledImages(bytes, fileName, maxSamples) : readCsv(bytes, fileName);
}

}  // namespace kappaflow

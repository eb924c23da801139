#include "core/io/image_layout.h"

#include <array>
#include <string>

#include "core/base/errors.h"
#include "core/io/images.h"
#include "core/io/printable.h"
#include "core/io/stored_numbers.h"

namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;
using Size = std::size_t;

constexpr Size kHeader = 16, kLabelHeader = 8;
constexpr unsigned char kUnsignedBytes = 8;

double bigEndian(Bytes bytes, Size at) { return static_cast<double>(wholeAt(bytes, at, 4, true)); }

/// Count, rows and columns, in double: their product overflows integers.
std::array<double, 3> sizesOf(Bytes bytes) { return {bigEndian(bytes, 4), bigEndian(bytes, 8), bigEndian(bytes, 12)}; }

bool hasDimensions(Bytes bytes, unsigned char dimensions) {
    return looksLikeIdx(bytes) && bytes[2] == kUnsignedBytes && bytes[3] == dimensions;
}

double promisedBytes(Bytes bytes) {
    const auto [count, rows, columns] = sizesOf(bytes);
    return static_cast<double>(kHeader) + count * rows * columns;
}

void checkKind(Bytes bytes) {
    if (bytes[2] != kUnsignedBytes)
        throw InputError("The file's IDX header names numbers of type " + std::to_string(bytes[2]) +
                         " at byte 2; images are unsigned bytes, type 8.");
    if (bytes[3] == 1)
        throw InputError(
            "The file begins with labels (IDX of one dimension); the file of the images beside it comes first, its labels behind it.");
    if (bytes[3] != 3)
        throw InputError("The file's IDX header names " + std::to_string(bytes[3]) +
                         " dimensions at byte 3; grey images have three: image, row and column.");
    if (bytes.size() < kHeader)
        throw InputError("The file ends after " + std::to_string(bytes.size()) + " bytes, inside the 16 bytes of its IDX header.");
}

void checkSizes(Bytes bytes) {
    const auto [count, rows, columns] = sizesOf(bytes);
    if (count < 1) throw InputError("The file's IDX header promises no image at all.");
    if (rows != columns)
        throw InputError("The file's images have " + whole(rows) + " rows and " + whole(columns) + " columns; square ones are needed.");
    if (rows < kMinImageSide || rows > kMaxImageSide)
        throw InputError("The file's images have " + whole(rows) + " pixels a side; they should have from " +
                         std::to_string(kMinImageSide) + " to " + std::to_string(kMaxImageSide) + ".");
    const double promised = promisedBytes(bytes), there = static_cast<double>(bytes.size());
    const std::string header = "; its header promises " + whole(count) + " images of " + whole(rows) + " × " + whole(columns) +
                               " pixels, " + whole(promised) + " bytes.";
    if (there < promised)
        throw InputError("The file ends after " + whole(there) + " bytes, in image " +
                         std::to_string((bytes.size() - kHeader) / static_cast<Size>(rows * rows) + 1) + header);
    if (there > promised && !looksLikeIdxLabels(bytes.subspan(static_cast<Size>(promised))))
        throw InputError("The file goes on for " + whole(there - promised) + " bytes after its last image" + header);
}

/// Of the file of labels behind `count` images.
void checkLabels(Bytes bytes, double count) {
    const double labels = bytes.size() < kLabelHeader ? 0 : bigEndian(bytes, 4), there = static_cast<double>(bytes.size()) - kLabelHeader;
    if (labels != count)
        throw InputError("The file's images are followed by " + whole(labels) + " labels; there are " + whole(count) +
                         " images, and each needs one.");
    if (there != labels)
        throw InputError("The file's " + whole(labels) + " labels take " + whole(labels) + " bytes, but " + whole(there) +
                         " follow their IDX header.");
}

}  // namespace

bool looksLikeIdx(Bytes bytes) {
    return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0 && bytes[2] >= 8 && bytes[2] <= 14 && bytes[3] >= 1 && bytes[3] <= 8;
}

bool looksLikeIdxImages(Bytes bytes) { return hasDimensions(bytes, 3); }
bool looksLikeIdxLabels(Bytes bytes) { return hasDimensions(bytes, 1); }

std::optional<Size> countOfIdx(Bytes bytes) {
    const bool counts = looksLikeIdx(bytes) && bytes[2] == kUnsignedBytes && bytes.size() >= kLabelHeader;
    return counts ? std::optional(static_cast<Size>(wholeAt(bytes, 4, 4, true))) : std::nullopt;
}

Bytes imagesOfIdx(Bytes bytes) {
    if (bytes.size() < kHeader || !looksLikeIdxImages(bytes)) return bytes;
    const double promised = promisedBytes(bytes);
    return promised < static_cast<double>(bytes.size()) ? bytes.first(static_cast<Size>(promised)) : bytes;
}

bool isWholeIdx(Bytes bytes) {
    if (bytes.size() < kHeader || !looksLikeIdxImages(bytes)) return false;
    const double promised = promisedBytes(bytes), there = static_cast<double>(bytes.size());
    return there == promised || (there > promised && looksLikeIdxLabels(bytes.subspan(static_cast<Size>(promised))));
}

ImageLayout idxLayout(Bytes bytes) {
    checkKind(bytes);
    checkSizes(bytes);
    const auto sizes = sizesOf(bytes);
    ImageLayout layout{ImageFormat::Idx, static_cast<Size>(sizes[0]), static_cast<Size>(sizes[1]), 1};
    layout.firstImage = kHeader;
    layout.imageStride = layout.plane();
    const Size end = kHeader + layout.count * layout.plane();
    if (bytes.size() == end) return layout;
    checkLabels(bytes.subspan(end), sizes[0]);
    layout.firstLabel = end + kLabelHeader;
    layout.labelStride = 1;
    return layout;
}

namespace {

constexpr Size kSide = 32, kColours = 3;

Size recordBytes(Size labels) { return labels + kColours * kSide * kSide; }

const char* nameOf(Size labels) { return labels == 1 ? "CIFAR-10" : "CIFAR-100"; }

/// Largest label at place `which` of a record.
int largestLabel(Size labels, Size which) { return labels == 1 ? 9 : which == 0 ? 19 : 99; }

/// Records whose labels are there, the image behind them whole or not.
Size labelledRecords(Bytes bytes, Size labels) {
    const Size each = recordBytes(labels);
    return bytes.size() / each + (bytes.size() % each >= labels ? 1 : 0);
}

/// The first record that cannot be, or the number of those with labels.
Size firstImpossible(Bytes bytes, Size labels) {
    const Size records = labelledRecords(bytes, labels);
    for (Size r = 0; r < records; ++r)
        for (Size i = 0; i < labels; ++i)
            if (bytes[r * recordBytes(labels) + i] > largestLabel(labels, i)) return r;
    return records;
}

void refuseBroken(Bytes bytes, Size labels) {
    const Size each = recordBytes(labels), record = bytes.size() / each + 1;
    // Labels of zeros fit both: then either may be what broke off.
    const std::string either = labels == 1 && looksLikeCifar(bytes, 2) ? ", CIFAR-100's 3074" : "";
    throw InputError("The file breaks off in record " + std::to_string(record) + ", " + std::to_string(bytes.size() % each) +
                     " bytes into it; " + nameOf(labels) + "'s binary batches have " + std::to_string(each) + " bytes a record" + either +
                     ".");
}

void check(Bytes bytes, Size labels) {
    const Size each = recordBytes(labels), bad = firstImpossible(bytes, labels);
    if (bad < labelledRecords(bytes, labels))
        throw InputError("The file's record " + std::to_string(bad + 1) + ", at byte " + std::to_string(bad * each) +
                         ", has a label that " + nameOf(labels) + " does not have; its binary batches begin every record with " +
                         (labels == 1 ? "one from 0 to 9." : "one from 0 to 19 and one from 0 to 99."));
    if (!isWholeCifar(bytes, labels)) refuseBroken(bytes, labels);
}

}  // namespace

bool isWholeCifar(Bytes bytes, Size labels) { return !bytes.empty() && bytes.size() % recordBytes(labels) == 0; }

bool looksLikeCifar(Bytes bytes, Size labels) {
    const Size records = labelledRecords(bytes, labels);
    return (records > 1 || isWholeCifar(bytes, labels)) && firstImpossible(bytes, labels) == records;
}

ImageLayout cifarLayout(Bytes bytes, Size labels) {
    check(bytes, labels);
    const Size each = recordBytes(labels);
    ImageLayout layout{labels == 1 ? ImageFormat::Cifar10 : ImageFormat::Cifar100, bytes.size() / each, kSide, kColours};
    layout.firstImage = labels;
    layout.firstLabel = labels - 1;
    layout.imageStride = layout.labelStride = each;
    return layout;
}

}  // namespace kappaflow

#include <string>

#include "core/base/errors.h"
#include "core/io/image_layout.h"

namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;
using Size = std::size_t;

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

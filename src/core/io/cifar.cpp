#include <string>

#include "core/base/errors.h"
#include "core/io/images.h"

namespace kappaflow {
namespace {

using Bytes = std::span<const unsigned char>;
using Size = std::size_t;

constexpr Size kSide = 32, kPixels = kSide * kSide, kColours = 3;

Size recordBytes(Size labels) { return labels + kColours * kPixels; }

/// Largest label at place `which` of a record.
int largestLabel(Size labels, Size which) { return labels == 1 ? 9 : which == 0 ? 19 : 99; }

/// The first record that cannot be, or the number of whole records.
Size firstImpossible(Bytes bytes, Size labels) {
    const Size records = bytes.size() / recordBytes(labels);
    for (Size r = 0; r < records; ++r)
        for (Size i = 0; i < labels; ++i)
            if (bytes[r * recordBytes(labels) + i] > largestLabel(labels, i)) return r;
    return records;
}

void check(Bytes bytes, Size labels) {
    const Size each = recordBytes(labels), records = bytes.size() / each, over = bytes.size() % each, bad = firstImpossible(bytes, labels);
    const std::string name = labels == 1 ? "CIFAR-10" : "CIFAR-100";
    if (bad < records)
        throw InputError("The file's record " + std::to_string(bad + 1) + ", at byte " + std::to_string(bad * each) +
                         ", has a label that " + name + " does not have; its binary batches begin every record with " +
                         (labels == 1 ? "one from 0 to 9." : "one from 0 to 19 and one from 0 to 99."));
    if (over > 0 || records == 0)
        throw InputError("The file breaks off in record " + std::to_string(records + 1) + ", " + std::to_string(over) + " bytes into it; " +
                         name + "'s binary batches have " + std::to_string(each) + " bytes a record.");
}

}  // namespace

bool looksLikeCifar(Bytes bytes, Size labels) {
    const Size records = bytes.size() / recordBytes(labels);
    return records > 0 && firstImpossible(bytes, labels) == records;
}

ImageSet readCifar(Bytes bytes, Size labels) {
    check(bytes, labels);
    const Size each = recordBytes(labels), count = bytes.size() / each;
    ImageSet set{keptImages(count, kColours * kPixels), kSide, kColours, {}};
    set.pixels.resize(set.count * kColours * kPixels);
    unsigned char* out = set.pixels.data();
    for (Size i = 0; i < set.count; ++i) {
        const unsigned char* planes = bytes.data() + placeOfKept(i, set.count, count) * each + labels;
        for (Size p = 0; p < kPixels; ++p)
            for (Size c = 0; c < kColours; ++c) *out++ = planes[c * kPixels + p];
    }
    return set;
}

}  // namespace kappaflow

#include "core/io/labelled_file.h"

#include <algorithm>

#include "core/base/errors.h"
#include "core/io/csv.h"
#include "core/io/image_layout.h"
#include "core/io/labelled_images.h"

namespace kappaflow {
namespace {

std::size_t classesIn(const ImageLayout& layout, std::span<const unsigned char> bytes) {
    if (layout.format == ImageFormat::Cifar10) return 10;
    int largest = 0;
    for (std::size_t i = 0; i < layout.count; ++i) largest = std::max(largest, layout.label(bytes, i));
    return static_cast<std::size_t>(largest) + 1;
}

}  // namespace

bool holdsImages(std::span<const unsigned char> bytes) {
    const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(bytes.size(), 65536));
    return !bytes.empty() && (bytes.front() < 9 || std::find(bytes.begin(), end, 0) != end);
}

LabelledPoints readLabelledFile(std::span<const unsigned char> bytes, std::string_view fileName, std::size_t maxSamples) {
    return holdsImages(bytes) ? readLabelledImages(bytes, fileName, maxSamples) : readCsv(bytes, fileName);
}

LabelledSizes sizesOfLabelledFile(std::span<const unsigned char> bytes, std::string_view fileName, std::size_t maxSamples) {
    if (!holdsImages(bytes)) {
        const LabelledPoints table = readCsv(bytes, fileName);
        return {table.points.rows, table.classes.size(), table.points.columns};
    }
    const ImageLayout layout = layoutOfImages(bytes, fileName);
    if (layout.labelStride == 0) throw InputError(theFile(fileName) + " holds images without their labels.");
    return {layout.pixels(), classesIn(layout, bytes), std::min({layout.count, maxSamples, kMaxImageValues / layout.pixels()})};
}

}  // namespace kappaflow

#pragma once
#include <span>
#include <string_view>

#include "core/net/data_sets.h"

namespace kappaflow {

/// Whether the bytes are those of images rather than of a table: these begin with a byte below 9 (magic numbers, labels), or hold a zero
/// byte among the first 65536, which text does not. A name says nothing: the same bytes are the same data under any.
bool holdsImages(std::span<const unsigned char> bytes);

/// Images (`readLabelledImages`) or a table (`readCsv`), told apart by their bytes; throws what the one or the other throws.
/// `maxSamples` is that of images: a table is kept whole.
LabelledPoints readLabelledFile(std::span<const unsigned char> bytes, std::string_view fileName = {}, std::size_t maxSamples = kMaxSamples);

/// What `readLabelledFile` would give, for costs: of images only sizes and labels are looked at, so that it may still refuse them.
struct LabelledSizes {
    std::size_t inputs = 0, classes = 0, samples = 0;
};
/// Throws InputError where no number of samples could be read. Cost: the labels of images, the bytes of a table.
LabelledSizes sizesOfLabelledFile(std::span<const unsigned char> bytes, std::string_view fileName = {},
                                  std::size_t maxSamples = kMaxSamples);

}  // namespace kappaflow

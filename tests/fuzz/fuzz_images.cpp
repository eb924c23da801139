// Bytes nobody vouches for → the readers of image files, without their labels and with them. What they take must be images that networks
// take too. InputError is the one way out; anything else, a sanitizer's word included, is a finding.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/base/errors.h"
#include "core/io/images.h"

namespace {

using namespace kappaflow;

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "the fuzz target's own check failed: %s\n", what);
    std::abort();
}

void check(const ImageSet& set) {
    require(set.count >= 1 && set.count <= kMaxImages, "images, and not too many");
    require(set.extent >= kMinImageSide && set.extent <= kMaxImageSide, "a side as it may be");
    require(set.pixels.size() == set.count * set.extent * set.extent * set.channels, "a byte a pixel and colour");
}

void check(const LabelledPoints& set) {
    const Matrix& points = set.points;
    require(points.columns >= 2 && points.columns == set.labels.size(), "a label an image");
    require(points.values.size() == points.rows * points.columns && points.values.size() <= kMaxImageValues, "values, and not too many");
    require(std::all_of(points.values.begin(), points.values.end(), [](double x) { return std::isfinite(x); }), "finite values");
    const int classes = static_cast<int>(set.classes.size());
    require(std::all_of(set.labels.begin(), set.labels.end(), [&](int l) { return l >= 0 && l < classes; }), "classes for all labels");
}

/// Whether a reader takes the bytes, and what it takes is sound.
template <typename Read>
bool takes(Read&& read) {
    try {
        check(read());
        return true;
    } catch (const InputError& error) {
        require(std::strlen(error.what()) > 10 && std::strlen(error.what()) < 500, "a refusal is a sentence");
    }
    return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const unsigned char> bytes(data, size);
    const bool images = takes([&] { return readImages(bytes); }), labelled = takes([&] { return readLabelledImages(bytes); });
    require(images || !labelled, "images with labels are images");
    return 0;
}

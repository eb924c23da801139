// Bytes nobody vouches for → the reader of image files. What it takes must be images that networks take too. InputError is the one way
// out; anything else, a sanitizer's word included, is a finding.
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        check(readImages({data, size}));
    } catch (const InputError& error) {
        require(std::strlen(error.what()) > 10 && std::strlen(error.what()) < 500, "a refusal is a sentence");
    }
    return 0;
}

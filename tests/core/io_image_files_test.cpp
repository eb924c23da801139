#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/io/image_layout.h"
#include "core/io/images.h"
#include "support/image_checks.h"

using namespace kappaflow;

namespace {

bool soundImages(const ImageSet& set) {
    return set.count >= 1 && set.count <= kMaxImages && set.extent >= kMinImageSide && set.extent <= kMaxImageSide &&
           set.pixels.size() == set.count * set.extent * set.extent * set.channels;
}

/// Pixels that cannot be taken for labels.
ImageBytes bright(ImageBytes cifar, std::size_t labels) {
    for (std::size_t i = 0; i < cifar.size(); ++i)
        if (i % (labels + 3072) >= labels) cifar[i] = 200;
    return cifar;
}

}  // namespace

TEST_CASE("an IDX file of images is read pixel by pixel") {
    const ImageSet set = readImages(idxFile(5, 28), "train-images-idx3-ubyte");
    CHECK(set.count == 5);
    CHECK(set.extent == 28);
    CHECK(set.channels == 1);
    REQUIRE(soundImages(set));
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t p = 0; p < 784; ++p) REQUIRE(set.pixels[i * 784 + p] == static_cast<unsigned char>(7 * i + p));
}

TEST_CASE("CIFAR's planes of colours become pixels of three channels, with one label or two before them") {
    for (const std::size_t labels : {1, 2}) {
        const ImageSet set = readImages(cifarFile(21, labels));
        CHECK(set.count == 21);
        CHECK(set.extent == 32);
        CHECK(set.channels == 3);
        REQUIRE(soundImages(set));
        for (std::size_t i = 0; i < 21; ++i)
            for (std::size_t p = 0; p < 1024; ++p) {
                const unsigned char* pixel = set.pixels.data() + (i * 1024 + p) * 3;
                REQUIRE(pixel[0] == static_cast<unsigned char>(p + i));
                REQUIRE(pixel[1] == static_cast<unsigned char>(2 * p));
                REQUIRE(pixel[2] == static_cast<unsigned char>(255 - p % 256));
            }
    }
}

TEST_CASE("a long file is kept in part, evenly spread from its first image on") {
    CHECK(keptImages(60000, 784) == kMaxImages);
    CHECK(keptImages(50, 784) == 50);
    CHECK(placeOfKept(0, 10000, 60000) == 0);
    CHECK(placeOfKept(9999, 10000, 60000) == 59994);
    CHECK(placeOfKept(49, 50, 50) == 49);
    const ImageSet set = readImages(idxFile(20000, 8));
    CHECK(set.count == 10000);
    REQUIRE(soundImages(set));
    for (std::size_t i = 0; i < set.count; ++i) REQUIRE(set.pixels[i * 64] == static_cast<unsigned char>(14 * i));
}

TEST_CASE("every wrong file is refused in one sentence that says what is wrong and where") {
    auto wrongLabel = cifarFile(12);
    wrongLabel[7 * 3073] = 10;
    auto longer = idxFile(3, 8);
    longer.push_back(0);
    auto tar = ImageBytes(1024, 200);
    for (std::size_t i = 0; i < 5; ++i) tar[257 + i] = static_cast<unsigned char>("ustar"[i]);
    const BadImages bads[] = {
        {{}, "is empty"},
        {{0x1f, 0x8b, 8, 0}, "compressed with gzip; unpack it first"},
        {{'P', 'K', 3, 4, 0}, "compressed archive; unpack"},
        {{0x80, 4, 0, 0}, "Python pickle; take the binary version"},
        {{0x89, 'P', 'N', 'G', 13}, "a single picture"},
        {tar, "tar archive"},
        {{1, 2, 3}, "neither CIFAR-10's"},
        {ImageBytes(5000, 77), "neither CIFAR-10's"},
        {cut(idxFile(5, 28), 16 + 3 * 784 + 5), "ends after 2373 bytes, in image 4; its header promises 5 images of 28 × 28"},
        {cut(idxFile(5, 28), 10), "ends after 10 bytes, inside the 16 bytes"},
        {longer, "goes on for 1 bytes after its last image"},
        {idxHeader(0x801, {10}), "begins with labels"},
        {idxHeader(0x802, {10, 10}), "2 dimensions at byte 3"},
        {idxHeader(0xd03, {1, 8, 8}), "type 13 at byte 2"},
        {idxHeader(0x803, {0, 28, 28}), "no image at all"},
        {idxHeader(0x803, {1, 28, 27}), "28 rows and 27 columns"},
        {idxHeader(0x803, {1, 7, 7}), "7 pixels a side; they should have from 8 to 64"},
        {idxHeader(0x803, {1, 65, 65}), "65 pixels a side"},
        {idxHeader(0x803, {0xffffffff, 64, 64}), "promises 4294967295 images"},
        {idxHeader(0x803, {0xffffffff, 0xffffffff, 0xffffffff}), "4294967295 pixels a side"},
        {cut(bright(cifarFile(4), 1), 3 * 3073 + 100),
         "breaks off in record 4, 100 bytes into it; CIFAR-10's binary batches have 3073 bytes a record."},
        {cut(bright(cifarFile(4, 2), 2), 3 * 3074 + 100),
         "breaks off in record 4, 100 bytes into it; CIFAR-100's binary batches have 3074"},
        {cut(bright(cifarFile(2, 2), 2), 3074 + 2), "breaks off in record 2, 2 bytes into it; CIFAR-100's"},
        {ImageBytes(2 * 3074 + 9), "CIFAR-10's binary batches have 3073 bytes a record, CIFAR-100's 3074."},
        {cut(cifarFile(1), 3073 - 1), "neither CIFAR-10's"},
        {cut(bright(cifarFile(1, 2), 2), 3074 + 1), "neither CIFAR-10's"},
        {wrongLabel, "record 8, at byte 21511, has a label that CIFAR-10 does not have"},
        {ImageBytes(3 * 3074, 55), "record 1, at byte 0, has a label that CIFAR-100 does not have"},
        {cut(idxFile(1, 8), kMaxImageFileBytes + 1), "larger than 64 MB"}};
    checkRefused(bads, [](const ImageBytes& bytes, std::string_view name) { readImages(bytes, name); });
}

TEST_CASE("images followed by the file of their labels are the same images") {
    const ImageSet alone = readImages(idxFile(5, 28)), both = readImages(joined(idxFile(5, 28), labelFile(5)));
    CHECK(both.count == 5);
    CHECK(both.extent == 28);
    CHECK(both.pixels == alone.pixels);
}

TEST_CASE("dark images whose length also fits CIFAR are what their header says") {
    // 16 + 64 · 48 = 3088; 64 n + 16 is a multiple of 3073 for n = 768: 3073 · 16 = 49168.
    ImageBytes bytes = idxHeader(0x803, {768, 8, 8});
    bytes.resize(49168);
    CHECK(readImages(bytes).extent == 8);
}

TEST_CASE("image files with changed, cut, grown or random bytes are images or are refused") {
    const ImageBytes seeds[] = {idxFile(3, 8), joined(idxFile(2, 28), labelFile(2)), cifarFile(2), cifarFile(2, 2)};
    // Half the changes fall on the first bytes, where headers and labels stand.
    const auto place = [](const ImageBytes& bytes, Rng& rng) {
        const bool early = rng.below(2) == 1;
        return rng.below(early ? std::min<std::size_t>(bytes.size(), 20) : bytes.size());
    };
    checkChanged(seeds, 20000, 1000, Rng(3, Purpose::Data), place, [](const ImageBytes& bytes) { return soundImages(readImages(bytes)); });
}

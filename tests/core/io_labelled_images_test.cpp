#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/io/images.h"
#include "support/image_checks.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

/// Whether rows from … to hold mean 0 and standard deviation 1 together.
bool isStandard(const Matrix& points, std::size_t from, std::size_t to) {
    double sum = 0, squares = 0;
    for (std::size_t r = from; r < to; ++r)
        for (std::size_t s = 0; s < points.columns; ++s) sum += points(r, s), squares += points(r, s) * points(r, s);
    const double count = static_cast<double>((to - from) * points.columns);
    return std::abs(sum / count) < 1e-9 && std::abs(squares / count - 1) < 1e-9;
}

bool soundSet(const LabelledPoints& set) {
    const bool fits = set.labels.size() == set.points.columns && set.points.rows * set.points.columns <= kMaxImageValues &&
                      set.classes.size() >= 2 && set.classes.size() <= kMaxImageClasses;
    return fits && std::all_of(set.points.values.begin(), set.points.values.end(), [](double x) { return std::isfinite(x); }) &&
           std::all_of(set.labels.begin(), set.labels.end(), [&](int l) { return l >= 0 && l < static_cast<int>(set.classes.size()); });
}

}  // namespace

TEST_CASE("IDX images with their labels behind become standardised points with those labels") {
    const ImageBytes images = idxFile(7, 28);
    const LabelledPoints set = readLabelledImages(joined(images, labelFile(7)), "both");
    REQUIRE(set.points.rows == 784);
    REQUIRE(set.points.columns == 7);
    CHECK(set.labels == std::vector<int>{0, 1, 2, 3, 4, 5, 6});
    CHECK(set.classes == std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6"});
    CHECK(isStandard(set.points, 0, 784));
    // One shift and one scale for all pixels.
    const double step = (set.points(1, 0) - set.points(0, 0));
    CHECK(step > 0);
    for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t p = 0; p < 784; ++p)
            REQUIRE(set.points(p, i) == doctest::Approx(set.points(0, 0) + step * images[16 + i * 784 + p]).epsilon(1e-12));
}

TEST_CASE("CIFAR's records become points channel by channel, CIFAR-100's with the finer label") {
    const LabelledPoints ten = readLabelledImages(cifarFile(12)), hundred = readLabelledImages(cifarFile(12, 2));
    REQUIRE(ten.points.rows == 3072);
    REQUIRE(ten.points.columns == 12);
    CHECK(ten.classes.size() == 10);
    CHECK(ten.classes[0] == "airplane");
    CHECK(ten.classes[9] == "truck");
    CHECK(ten.labels == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1});
    for (std::size_t c = 0; c < 3; ++c) CHECK(isStandard(ten.points, c * 1024, (c + 1) * 1024));
    // Green of pixel p is 2 p in every image, so it rises along a row of the second channel's plane; blue falls.
    CHECK(ten.points(1024 + 1, 5) > ten.points(1024, 5));
    CHECK(ten.points(2048 + 1, 5) < ten.points(2048, 5));
    CHECK(hundred.points.values == ten.points.values);
    CHECK(hundred.labels == ten.labels);
    CHECK(hundred.classes.size() == 10);
}

TEST_CASE("of many images some are kept with their own labels, spread over the file") {
    const ImageBytes file = joined(idxFile(2002, 8), labelFile(2002));
    const LabelledPoints set = readLabelledImages(file, {}, 300);
    REQUIRE(set.points.columns == 300);
    for (std::size_t i = 0; i < 300; ++i) REQUIRE(set.labels[i] == static_cast<int>(i * 2002 / 300 % 10));
    // The first pixel of image n is 7 n mod 256.
    const double step = set.points(1, 0) - set.points(0, 0);
    for (std::size_t i = 0; i < 300; ++i)
        REQUIRE((set.points(0, i) - set.points(0, 0)) / step == doctest::Approx(7 * (i * 2002 / 300) % 256).epsilon(1e-9));
    CHECK(readLabelledImages(file, {}, 0).points.columns == 2);
}

TEST_CASE("no more values than the limit are kept as doubles") {
    ImageBytes file = joined(idxFile(2100, 64), labelFile(2100));
    const LabelledPoints set = readLabelledImages(file);
    CHECK(set.points.columns == kMaxImageValues / 4096);
    CHECK(isStandard(set.points, 0, 4096));
}

TEST_CASE("a channel of one value is nothing, the others are themselves") {
    ImageBytes file = cifarFile(3);
    for (std::size_t i = 0; i < 3; ++i) std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(i * 3073 + 1), 1024, 77);
    const LabelledPoints set = readLabelledImages(file);
    CHECK(std::all_of(set.points.row(0), set.points.row(1024), [](double x) { return x == 0; }));
    CHECK(isStandard(set.points, 1024, 2048));
}

TEST_CASE("every file that does not teach anything is refused in one sentence that says why") {
    const ImageBytes images = idxFile(5, 28);
    ImageBytes grey = joined(idxFile(5, 8), labelFile(5)), same = joined(idxFile(5, 8), labelFile(5)), far = grey;
    std::fill_n(grey.begin() + 16, 5 * 64, 200);
    std::fill(same.end() - 5, same.end(), 4);
    far.back() = 100;
    const BadImages bads[] = {{images, "without their labels; add the file of the labels, \"train-labels-idx1-ubyte\", too"},
                              {labelFile(5), "begins with labels"},
                              {joined(labelFile(5), images), "begins with labels"},
                              {joined(images, labelFile(4)), "followed by 4 labels; there are 5 images"},
                              {joined(images, idxHeader(0x801, {0xffffffff})), "followed by 4294967295 labels"},
                              {joined(images, {0, 0, 8, 1, 0, 0}), "followed by 0 labels"},
                              {cut(joined(images, labelFile(5)), 16 + 5 * 784 + 8 + 3), "5 labels take 5 bytes, but 3 follow"},
                              {joined(images, cut(labelFile(5), 20)), "but 12 follow"},
                              {joined(images, images), "goes on for"},
                              {grey, "one brightness"},
                              {same, "one label only, 4"},
                              {far, "labels up to 100; they go up to 99"},
                              {cifarFile(1), "one label only"}};
    checkRefused(bads, [](const ImageBytes& bytes, std::string_view name) { readLabelledImages(bytes, name); });
    CHECK(refusal([&] { readLabelledImages(images, "t10k-images-idx3-ubyte"); }).find("\"t10k-labels-idx1-ubyte\"") != std::string::npos);
}

TEST_CASE("labelled files with changed, cut, grown or random bytes are sound sets or are refused") {
    const ImageBytes seeds[] = {joined(idxFile(3, 8), labelFile(3)), joined(idxFile(2, 12), labelFile(2)), cifarFile(2), cifarFile(2, 2)};
    // Headers and labels stand at both ends of an IDX file with labels.
    const auto place = [](const ImageBytes& bytes, Rng& rng) {
        const std::size_t near = rng.below(std::min<std::size_t>(bytes.size(), 20)), where = rng.below(3);
        return where == 0 ? near : where == 1 ? bytes.size() - 1 - near : rng.below(bytes.size());
    };
    checkChanged(seeds, 8000, 500, Rng(5, Purpose::Data), place,
                 [](const ImageBytes& bytes) { return soundSet(readLabelledImages(bytes)); });
}

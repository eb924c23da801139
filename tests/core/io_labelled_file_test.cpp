#include <doctest/doctest.h>

#include <string>

#include "core/io/csv.h"
#include "core/io/images.h"
#include "support/image_files.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

ImageBytes bytesOf(const std::string& text) { return {text.begin(), text.end()}; }

void checkSizes(const ImageBytes& bytes, std::size_t most) {
    const LabelledPoints points = readLabelledFile(bytes, "data", most);
    const LabelledSizes sizes = sizesOfLabelledFile(bytes, "data", most);
    CHECK(sizes.inputs == points.points.rows);
    CHECK(sizes.classes == points.classes.size());
    CHECK(sizes.samples == points.points.columns);
}

}  // namespace

TEST_CASE("a labelled file is images or a table by its bytes, whatever its name") {
    const ImageBytes table = bytesOf("1,2,a\n3,4,b\n5,7,a\n"), digits = joined(idxFile(7, 28), labelFile(7));
    for (const char* name : {"", "data", "a.csv", "a.idx"}) {
        CHECK(readLabelledFile(table, name).points.values == readCsv(table).points.values);
        CHECK(readLabelledFile(digits, name).points.values == readLabelledImages(digits).points.values);
    }
    CHECK(readLabelledFile(cifarFile(12), "points.txt").points.rows == 3072);
    CHECK(isOneSentence(refusal([] { readLabelledFile({}); })));
}

TEST_CASE("a labelled file's sizes are those of what it gives, known where its samples are refused too") {
    checkSizes(bytesOf("1,2,a\n3,4,b\n5,7,a\n"), 100);
    checkSizes(joined(idxFile(7, 28), labelFile(7)), 100);
    checkSizes(joined(idxFile(30, 12), labelFile(30)), 8);
    checkSizes(cifarFile(12), 100);
    checkSizes(cifarFile(12, 2), 5);
    // Of 20 images two are kept, both labelled 0.
    const ImageBytes alike = joined(idxFile(20, 28), labelFile(20));
    CHECK(isOneSentence(refusal([&] { readLabelledFile(alike, "", 2); })));
    CHECK(sizesOfLabelledFile(alike, "", 2).classes == 10);
    CHECK(isOneSentence(refusal([] { sizesOfLabelledFile(idxFile(7, 28)); })));
    CHECK(isOneSentence(refusal([] { sizesOfLabelledFile({}); })));
}

#include <doctest/doctest.h>

#include <string>

#include "core/io/csv.h"
#include "core/io/images.h"
#include "support/image_files.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

ImageBytes bytesOf(const std::string& text) { return {text.begin(), text.end()}; }

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

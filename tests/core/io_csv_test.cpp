#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/base/rng.h"
#include "core/io/csv.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

LabelledPoints read(const std::string& text, std::string_view name = {}) {
    return readCsv({reinterpret_cast<const unsigned char*>(text.data()), text.size()}, name);
}

std::string complaint(const std::string& text, std::string_view name = {}) {
    return refusal([&] { read(text, name); });
}

void checkSame(const LabelledPoints& a, const LabelledPoints& b) {
    CHECK(a.points.values == b.points.values);
    CHECK(a.labels == b.labels);
    CHECK(a.classes == b.classes);
}

using Names = std::vector<std::string>;
const std::string kPlain = "0,0,red\n1,2,blue\n2,1,red\n3,3,blue\n";

}  // namespace

TEST_CASE("points are read, standardised, and labelled in the order of the words") {
    const LabelledPoints set = read(kPlain);
    CHECK(set.classes == Names{"red", "blue"});
    CHECK(set.labels == std::vector<int>{0, 1, 0, 1});
    // Mean 1.5, variance 1.25 in either coordinate.
    const double d = std::sqrt(1.25);
    const double x[] = {-1.5 / d, -0.5 / d, 0.5 / d, 1.5 / d}, y[] = {-1.5 / d, 0.5 / d, -0.5 / d, 1.5 / d};
    for (std::size_t s = 0; s < 4; ++s) {
        CHECK(set.points(0, s) == doctest::Approx(x[s]));
        CHECK(set.points(1, s) == doctest::Approx(y[s]));
    }
}

TEST_CASE("the same table is read however it is written") {
    const LabelledPoints plain = read(kPlain);
    for (const std::string& text :
         {std::string("x,y,colour\n") + kPlain, std::string("\xEF\xBB\xBF") + kPlain,
          std::string("0,0,red\r\n1,2,blue\r\n2,1,red\r\n3,3,blue"), std::string("0,0,red\r1,2,blue\r2,1,red\r3,3,blue\r"),
          std::string("\n\n0,0,red\n\n   \n1,2,blue\n2,1,red\n\n3,3,blue\n\n"), std::string("0;0;red\n1;2;blue\n2;1;red\n3;3;blue\n"),
          std::string("0\t0\tred\n1\t2\tblue\n2\t1\tred\n3\t3\tblue\n"), std::string(" 0 , 0 , red \n 1,2 ,blue\n2,1,red\n3,3,blue\n"),
          std::string("\"0\",\"0\",\"red\"\n1,2,\"blue\"\n2,1,red\n3,3,blue\n"),
          std::string("0,0;0;red\n1,0;2e0;blue\n+2;1;red\n3,;3.;blue\n"), std::string("-0,0e5,red\n1.0,20e-1,blue\n2,1,red\n3,3,blue\n")}) {
        CAPTURE(text);
        checkSame(read(text), plain);
    }
}

TEST_CASE("quotes keep separators and double quotes; names of classes are shown as they may be") {
    const LabelledPoints set = read("0,0,\"a, \"\"b\"\"\"\n1,1,\"\x01\xFF\"\n");
    CHECK(set.classes == Names{"a, \"b\"", "\uFFFD\uFFFD"});
}

TEST_CASE("labels that are numbers stand in ascending order, whichever way they are written") {
    const LabelledPoints set = read("0,0,10\n1,0,-1\n2,1,1e1\n3,1,2\n");
    CHECK(set.classes == Names{"-1", "2", "10"});
    CHECK(set.labels == std::vector<int>{2, 0, 2, 1});
    CHECK(read("0,0,10\n1,0,2\n2,1,x\n").classes == Names{"10", "2", "x"});
}

TEST_CASE("what cannot be used is refused in one sentence that names the line") {
    struct Bad {
        std::string text, part;
    };
    const std::string row = "1,2,a\n";
    for (const Bad& bad : {Bad{"", "no line"},
                           Bad{"\n\n \n", "no line"},
                           Bad{"x,y,label\n", "no line"},
                           Bad{"hello", "Line 1 has no commas"},
                           Bad{"1,2\n", "Line 1 has 2 columns"},
                           Bad{row + "1,2,3,4\n", "Line 2 has 4 columns"},
                           Bad{row + "\n1,x,b\n", "Line 3 has \"x\""},
                           Bad{"x,1,a\n" + row, "Line 1 has \"x\""},
                           Bad{row + "nan,1,b\n", "Line 2 has \"nan\""},
                           Bad{"nan,NaN,a\n" + row, "Line 1 has \"nan\""},
                           Bad{"NA,,a\n" + row, "Line 1 has \"NA\""},
                           Bad{row + "1e999,1,b\n", "Line 2 has \"1e999\", which is too large"},
                           Bad{row + "1e101,1,b\n", "too large"},
                           Bad{row + "inf,1,b\n", "Line 2 has \"inf\""},
                           Bad{row + "0x10,1,b\n", "\"0x10\""},
                           Bad{row + ",1,b\n", "Line 2 has \"\""},
                           Bad{row + "1,1,\n", "Line 2 has no label"},
                           Bad{row + row, "one label only, \"a\""},
                           Bad{row + "1,\"2,b\n", "Line 2 opens a quotation mark"},
                           Bad{row + "\"1\"2,2,b\n", "Line 2 has text after"},
                           Bad{row + std::string(5000, ' ') + "1,1,b\n", "Line 2 is longer than 4096"},
                           Bad{row + std::string("1,1,b\0", 6), "bytes that are zero"},
                           Bad{"\xFF\xFE" + std::string("1\0,\0", 4), "not text"},
                           Bad{row + "1;1;b\n", "Line 2 has 1 column"},
                           Bad{row + "1,1.5.5,b\n", "1.5.5"},
                           Bad{"1,5;2;a\n1,5,5;2;b\n", "1,5,5"},
                           Bad{"1,2,a\n1,2,b\n" + std::string(70, '1') + ",1,b\n", "Line 3"}}) {
        const std::string sentence = complaint(bad.text);
        CAPTURE(bad.text);
        CAPTURE(sentence);
        CHECK(isOneSentence(sentence));
        CHECK(sentence.find(bad.part) != sentence.npos);
    }
    CHECK(complaint("hello", "my \"x\".csv").rfind("In \"my", 0) == 0);
    CHECK(complaint("", "points.csv") == "The file \"points.csv\" has no line with a sample: x, y, label.");
}

TEST_CASE("files are limited in bytes, samples and classes") {
    std::string classes, samples;
    for (int c = 0; c < 11; ++c) classes += "1," + std::to_string(c) + ",word" + std::to_string(c) + "\n";
    CHECK(complaint(classes).find("more than 10 different labels") != std::string::npos);
    for (std::size_t s = 0; s < kMaxSamples; ++s) samples += std::to_string(s) + ",1," + std::to_string(s % 3) + "\n";
    CHECK(read(samples).points.columns == kMaxSamples);
    CHECK(complaint(samples + "1,1,1\n").find("Line 20001 is one more than") != std::string::npos);
    CHECK(complaint(std::string(kMaxDataFileBytes + 1, '\n')).find("at most") != std::string::npos);
    CHECK(complaint(std::string(kMaxDataFileBytes, '\n')).find("no line") != std::string::npos);
}

TEST_CASE("a file with changed, cut or random bytes is points or is refused") {
    const std::string seeds[] = {kPlain, "x;y;z\n1,5;\"2\";a\n-1e3;,5;\"b\"\"\"\n", "1\t2\t3\r\n4\t5\t6\r\n"};
    const std::string alphabet = "0123456789+-.eE,;\t\"\r\n ax";
    Rng rng(1, Purpose::Data);
    int taken = 0, refused = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text = seeds[rng.below(3)];
        for (std::uint64_t changes = 1 + rng.below(5); changes > 0; --changes) {
            const std::size_t at = rng.below(text.size());
            const char c = rng.below(4) ? alphabet[rng.below(alphabet.size())] : static_cast<char>(rng.below(256));
            if (rng.below(3) == 0)
                text.insert(at, 1, c);
            else if (rng.below(2) && text.size() > 1)
                text.erase(at, 1);
            else
                text[at] = c;
        }
        const std::string sentence = refusal([&] {
            const LabelledPoints set = read(text);
            REQUIRE(set.labels.size() == set.points.columns);
            for (const double x : set.points.values) REQUIRE(std::isfinite(x));
            for (const int label : set.labels) REQUIRE((label >= 0 && label < static_cast<int>(set.classes.size())));
        });
        (sentence.empty() ? taken : refused) += 1;
        REQUIRE((sentence.empty() || isOneSentence(sentence)));
    }
    CHECK(taken > 1000);
    CHECK(refused > 1000);
}

// Labelled points from JSON and from numpy's archives: the same set as from a table in text, and refusals that name the place.

#include <doctest/doctest.h>

#include <random>

#include "core/io/csv.h"
#include "support/sentence.h"
#include "support/tensor_files.h"

using namespace kappaflow;
using namespace kappaflow::tensor_files;

namespace {

std::span<const unsigned char> bytesOf(const std::string& text) {
    return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

LabelledPoints pointsOf(std::span<const unsigned char> bytes) { return readCsvAsWritten(bytesOf(pointsAsTable(bytes))); }

void checkSame(const LabelledPoints& a, const LabelledPoints& b) {
    CHECK(a.points.values == b.points.values);
    CHECK(a.labels == b.labels);
    CHECK(a.classes == b.classes);
}

const std::string kTable = "0,0.5,red\n-1,2,blue\n2,1e-3,red\n3,3,blue\n";
LabelledPoints wanted() { return readCsvAsWritten(bytesOf(kTable)); }

template <class T>
Bytes raw(const std::vector<T>& values) {
    Bytes bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

Bytes words(const std::vector<std::u32string>& all, std::size_t width) {
    std::vector<char32_t> letters;
    for (std::u32string word : all) {
        word.resize(width, U'\0');
        letters.insert(letters.end(), word.begin(), word.end());
    }
    return raw(letters);
}

const std::vector<double> kX{0, -1, 2, 3}, kY{0.5, 2, 1e-3, 3};
const Bytes kWords = npy("<U4", {4}, words({U"red", U"blue", U"red", U"blue"}, 4));

}  // namespace

TEST_CASE("JSON as rows, records and columns gives the points of the table") {
    for (const std::string& text :
         {std::string(R"([[0, 0.5, "red"], [-1, 2, "blue"], [2, 1e-3, "red"], [3, 3, "blue"]])"),
          std::string("\xEF\xBB\xBF[\n[0,5E-1,\"red\"],\r\n[-1,2.0,\"blue\"],[2,0.001,\"r\\u0065d\"],[3,3,\"blue\"]]\n"),
          std::string(R"([{"x": 0, "y": 0.5, "label": "red", "id": [1, {"a": null}]}, {"y": 2, "class": "blue", "x": -1},
                          {"target": "red", "x": 2, "y": 0.001}, {"x": 3, "y": 3, "label": "blue"}])"),
          std::string(R"({"x": [0, -1, 2, 3], "y": [0.5, 2, 0.001, 3], "label": ["red", "blue", "red", "blue"], "about": "made by hand"})"),
          std::string(R"({"labels": ["red", "blue", "red", "blue"], "points": [[0, 0.5], [-1, 2], [2, 0.001], [3, 3]]})"),
          std::string(
              R"({"X": [[0, 0.5], [-1, 2], [2, 0.001], [3, 3]], "y": ["red", "blue", "red", "blue"], "noise": 0.1, "ok": true})")}) {
        CAPTURE(text);
        REQUIRE(needsTable(bytesOf(text)));
        checkSame(pointsOf(bytesOf(text)), wanted());
    }
    const std::string numbers = R"([[0, 0, 10], [1, 1, -2], [2, 0, 10]])",
                      accents = R"({"x":[0,1],"y":[0,1],"label":["\u00e9t\u00e9","a \"b\",c"]})";
    CHECK(pointsOf(bytesOf(numbers)).classes == std::vector<std::string>{"-2", "10"});
    CHECK(pointsOf(bytesOf(accents)).classes == std::vector<std::string>{"été", "a \"b\",c"});
}

TEST_CASE("archives of numpy give the points of the table: any width of numbers, rows or columns first, words and whole labels") {
    std::vector<double> rows, columns;
    for (std::size_t i = 0; i < 4; ++i) rows.insert(rows.end(), {kX[i], kY[i]});
    columns.insert(columns.end(), kX.begin(), kX.end());
    columns.insert(columns.end(), kY.begin(), kY.end());
    const Entry label{"label.npy", kWords}, other{"weights.npy", npy("<f8", {2}, raw(std::vector<double>{1, 2}))};
    for (const Bytes& archive :
         {npz({{"x.npy", npy("<f8", {4}, raw(kX))}, {"y.npy", npy("<f8", {4}, raw(kY))}, label}),
          npz({{"X.npy", npy("<f8", {4, 2}, raw(rows))}, {"y.npy", kWords}, other}),
          npz({{"points.npy", npy("<f8", {4, 2}, raw(columns), true)},
               {"classes.npy",
                npy("|S4", {4}, raw(std::vector<char>{'r', 'e', 'd', 0, 'b', 'l', 'u', 'e', 'r', 'e', 'd', 0, 'b', 'l', 'u', 'e'}))}})}) {
        REQUIRE(needsTable(archive));
        CHECK(namesPoints(archive));
        checkSame(pointsOf(archive), wanted());
    }
    const Bytes small =
        npz({{"X.npy", npy("|i1", {3, 2}, {0, 255, 1, 2, 3, 4})}, {"y.npy", npy("<i8", {3}, raw(std::vector<std::int64_t>{7, -7, 7}))}});
    const LabelledPoints set = pointsOf(small);
    CHECK(set.points(1, 0) == -1);
    CHECK(set.classes == std::vector<std::string>{"-7", "7"});
    const Bytes truths = npz({{"X.npy", npy("|u1", {2, 2}, {0, 1, 2, 3})}, {"y.npy", npy("|b1", {2}, {1, 0})}});
    CHECK(pointsOf(truths).classes == std::vector<std::string>{"0", "1"});
    // A network's file is not taken for points.
    CHECK_FALSE(namesPoints(npz({{"0.weight.npy", npy("<f8", {2}, raw(std::vector<double>{1, 2}))}, {"data.npy", kWords}})));
    CHECK_FALSE(namesPoints(bytesOf(kTable)));
    CHECK_FALSE(needsTable(bytesOf(kTable)));
}

TEST_CASE("what cannot be used is refused in one sentence that names line and column, or array and row") {
    struct Bad {
        std::string text, part;
    };
    for (const Bad& bad : {Bad{"[[0,0,1],\n [1, oops, 2]]", "Line 2, column 6"},
                           Bad{"[[0,0,1],\n[1,2,3] [4,5,6]]", "Line 2, column 9: a comma"},
                           Bad{"[[0,0,1],[1,2]]", "three entries"},
                           Bad{"[[0,0,1],[1,2,3,4]]", "column 17: a row has three"},
                           Bad{"[[0,0,1]] x", "follows the end"},
                           Bad{"[[0,0,\"a\"],[1,1,2]]", "mixed"},
                           Bad{"[[0,0,\"a\"],[1,1,\"b]]", "does not end"},
                           Bad{"[[0,0,\"a\"],[1,1,\"\\q\"]]", "escape"},
                           Bad{"[[0,0,1],[1,null,1]]", "number"},
                           Bad{"[[0,0,1],[1,1e999,1]]", "number"},
                           Bad{"[{\"x\":1,\"x\":2,\"label\":1}]", "comes twice"},
                           Bad{"{\"x\":[1,2],\"y\":[1,2]}", "needed are points"},
                           Bad{"{\"x\":[1,2],\"y\":[1,2,3],\"label\":[1,2]}", "3 in \"y\""},
                           Bad{"{\"X\":[[1,2,3],[1,2,3]],\"y\":[1,2]}", "two coordinates"},
                           Bad{"{\"X\":[[1,2],3],\"y\":[1,2]}", "all alike"},
                           Bad{"{\"x\":[\"a\",\"b\"],\"y\":[1,2],\"label\":[1,2]}", "\"x\" has \"a\" where a number is needed in row 1"},
                           Bad{"{\"x\":[1,2],\"y\":[1,2],\"label\":[\"a\",\"\"]}", "no label in row 2"},
                           Bad{"{", "name in quotes"},
                           Bad{"[", "should begin here"},
                           Bad{"[]", "no line with a sample"},
                           Bad{"{\"a\":[[[[[[[[[[[1]]]]]]]]]]]}", "nested too deeply"}}) {
        CAPTURE(bad.text);
        const std::string said = refusal([&] { pointsOf(bytesOf(bad.text)); });
        CAPTURE(said);
        CHECK(isOneSentence(said));
        CHECK(said.find(bad.part) != said.npos);
    }
    CHECK(refusal([&] { pointsAsTable(bytesOf("[[0,0,1]\n,[1,x,1]]"), "moons.json"); }) ==
          "In \"moons.json\" line 2, column 5: a number or a text in quotes should stand here.");
    const std::string row = "[0.5,1,2],", many = [&] {
        std::string text = "[";
        for (int i = 0; i < 20000; ++i) text += row;
        return text + "[0,0,1]]";
    }();
    CHECK(refusal([&] { pointsOf(bytesOf(many)); }).find("one more than the 20000 samples") != std::string::npos);

    const Bytes nans = npy("<f8", {4}, raw(std::vector<double>{0, NAN, 1, 2})), x = npy("<f8", {4}, raw(kX));
    for (const auto& [archive, part] :
         {std::pair{npz({{"x.npy", x}, {"y.npy", x}}), "needed are"},
          {npz({{"x.npy", nans}, {"y.npy", x}, {"label.npy", kWords}}), "\"x\""},
          {npz({{"x.npy", x}, {"y.npy", x}, {"label.npy", npy("<U4", {3}, words({U"a", U"b", U"c"}, 4))}}), "3 entries"},
          {npz({{"x.npy", x}, {"y.npy", x}, {"label.npy", npy("|O", {4}, kWords)}}), "where a text or numbers"},
          {npz({{"x.npy", npy("<f8", {9}, raw(kX))}, {"y.npy", x}, {"label.npy", kWords}}), "length"},
          {npz({{"x.npy", npy("|u1", {50000}, Bytes(50000, 1))}, {"y.npy", x}, {"label.npy", kWords}}), "50000 entries; at most 40000"}}) {
        const std::string said = refusal([&bytes = archive] { pointsOf(bytes); });
        CAPTURE(said);
        CHECK(isOneSentence(said));
        CHECK(said.find(part) != said.npos);
    }
}

TEST_CASE("sets of random points come back from JSON and from archives to the bit") {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (int draw = 0; draw < 20; ++draw) {
        const std::size_t samples = 2 + random() % 40;
        std::vector<double> flat;
        std::vector<std::int64_t> labels;
        std::string json = "[", csv;
        for (std::size_t i = 0; i < samples; ++i) {
            char line[160];
            const double x = normal(random) * 1e3, y = normal(random) * 1e-7;
            const int label = i < 2 ? static_cast<int>(i) : static_cast<int>(random() % 5);
            std::snprintf(line, sizeof line, "%.17g,%.17g,%d", x, y, label);
            csv += std::string(line) + "\n";
            json += (i ? ",[" : "[") + std::string(line) + "]";
            flat.insert(flat.end(), {x, y});
            labels.push_back(label);
        }
        const LabelledPoints plain = readCsvAsWritten(bytesOf(csv));
        const auto n = static_cast<std::int64_t>(samples);
        checkSame(pointsOf(bytesOf(json + "]")), plain);
        checkSame(pointsOf(npz({{"X.npy", npy("<f8", {n, 2}, raw(flat))}, {"y.npy", npy("<i8", {n}, raw(labels))}})), plain);
    }
}

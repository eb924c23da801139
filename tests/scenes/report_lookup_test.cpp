#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "scene/report.h"

using namespace kappaflow;

namespace {

TEST_CASE("what is counted is plural but for one") {
    CHECK(counted(1, "layer") == "1 layer");
    CHECK(counted(0, "layer") == "0 layers");
    CHECK(counted(123456, "layer") == "123456 layers");
}

TEST_CASE("a row of an array spans all axes but the first") {
    Array array;
    CHECK(array.rowLength() == 1);
    array.axes = {{"layer", {0, 1}, {}}, {"kind", {}, {"a", "b", "c"}}, {"position", {0, 1, 2, 3}, {}}};
    for (int i = 0; i < 24; ++i) array.values.push_back(i);
    CHECK(array.rowLength() == 12);
    CHECK(array.row(1)[0] == 12);
    CHECK(array.row(1)[11] == 23);
}

TEST_CASE("a number in words has the digits that were asked for and no more") {
    const struct {
        double value;
        int digits;
        const char* words;
    } cases[] = {{0, 3, "0"},
                 {-0.0, 3, "0"},
                 {32.0000001, 3, "32"},
                 {5.65685, 3, "5.66"},
                 {12345, 2, "12000"},
                 {1.4e-24, 2, "1.4e-24"},
                 {-2.0 / 3, 4, "-0.6667"},
                 {999.9996, 6, "1000"},
                 {std::numeric_limits<double>::quiet_NaN(), 3, "undefined"},
                 {-std::numeric_limits<double>::infinity(), 3, "minus infinite"}};
    for (const auto& c : cases) CHECK(inWords(c.value, c.digits) == c.words);
}

TEST_CASE("powers of ten are written as a reader writes them, also beyond a double") {
    CHECK(powerInWords(-23.856062735983127) == "1.39·10⁻²⁴");
    CHECK(powerInWords(-477.1212547196624) == "7.56·10⁻⁴⁷⁸");
    CHECK(powerInWords(std::log10(0.25)) == "0.25");
    CHECK(powerInWords(std::log10(9.999e7)) == "1·10⁸");
    CHECK(powerInWords(12) == "1·10¹²");
}

}  // namespace

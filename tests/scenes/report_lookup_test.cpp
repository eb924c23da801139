#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "scene/report.h"

using namespace kappaflow;

namespace {

TEST_CASE("a row of an array spans all axes but the first") {
    Array array;
    CHECK(array.rowLength() == 1);
    array.axes = {{"layer", {0, 1}, {}}, {"kind", {}, {"a", "b", "c"}}, {"position", {0, 1, 2, 3}, {}}};
    for (int i = 0; i < 24; ++i) array.values.push_back(i);
    CHECK(array.rowLength() == 12);
    CHECK(array.row(1)[0] == 12);
    CHECK(array.row(1)[11] == 23);
}

TEST_CASE("fields are found by their whole name") {
    Report report;
    report.scalars = {{"drift", 1.5, "v", "", {}, 0}};
    report.arrays.resize(2);
    report.arrays[1].name = "capacity";
    CHECK(report.scalar("drift")->value == 1.5);
    CHECK(report.scalar("dri") == nullptr);
    CHECK(report.array("capacity") == &report.arrays[1]);
    CHECK(report.array("total") == nullptr);
}

TEST_CASE("a number in words has the digits that were asked for and no more") {
    CHECK(inWords(0) == "0");
    CHECK(inWords(-0.0) == "0");
    CHECK(inWords(32.0000001) == "32");
    CHECK(inWords(5.65685) == "5.66");
    CHECK(inWords(12345, 2) == "12000");
    CHECK(inWords(0.36787944) == "0.368");
    CHECK(inWords(1.4e-24, 2) == "1.4e-24");
    CHECK(inWords(-2.0 / 3, 4) == "-0.6667");
    CHECK(inWords(999.9996, 6) == "1000");
    CHECK(inWords(std::numeric_limits<double>::quiet_NaN()) == "undefined");
    CHECK(inWords(-std::numeric_limits<double>::infinity()) == "minus infinite");
}

TEST_CASE("powers of ten are written as a reader writes them, also beyond a double") {
    CHECK(powerInWords(-23.856062735983127) == "1.39·10⁻²⁴");
    CHECK(powerInWords(-477.1212547196624) == "7.56·10⁻⁴⁷⁸");
    CHECK(powerInWords(std::log10(0.25)) == "0.25");
    CHECK(powerInWords(std::log10(9.999e7)) == "1·10⁸");
    CHECK(powerInWords(12) == "1·10¹²");
}

}  // namespace

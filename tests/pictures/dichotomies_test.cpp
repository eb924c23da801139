// Handles of the dichotomies' picture, what its strips say, and that its panels fit without covering one another.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/picture_checks.h"

using namespace kappaflow;

TEST_CASE("dichotomies: strips have a stretch of either label for every flip, and one present label a sample") {
    Shown shown("dichotomies", {{"shown", 3.0}, {"at", 100.0}});
    shown.draw();
    const auto& offsets = shown.report.array("labelFlipsOffsets")->values;
    const double flips = offsets[4 * 15] - offsets[3 * 15];
    CHECK(static_cast<double>(shown.recorder.find("strips/label").size()) == flips + 15);
    CHECK(shown.recorder.find("strips/now").size() == 15);
    const auto& changes = shown.report.array("changesOffsets")->values;
    const auto& distinct = shown.report.array("distinct")->values;
    const double met = distinct[static_cast<std::size_t>(changes[4]) - 1];
    CHECK(static_cast<double>(shown.recorder.find("strips/new").size()) == met - 1);
    CHECK(shown.says(inWords(met, 6) + " dichotomies"));
    CHECK(shown.says("*r* = 3 layers after"));
}

TEST_CASE("dichotomies: hovering a strip tells its sample's label") {
    Shown shown("dichotomies", {});
    shown.draw();
    const auto first = *shown.recorder.find("strips/label")[0];
    Pointer pointer;
    pointer.inside = true;
    pointer.at = (first.points[0] + first.points[1]) * 0.5;
    shown.draw(pointer);
    CHECK(shown.says("sample 1 at"));
    CHECK(shown.says("flips in the whole turn"));
}

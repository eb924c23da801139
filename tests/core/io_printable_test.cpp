#include "core/io/printable.h"

#include <doctest/doctest.h>

using namespace kappaflow;

TEST_CASE("valid text of every length of character is shown as it stands") {
    for (const char* text : {"", "fc1.weight", "κ→ü", "日本", "\U0001F600 end"}) CHECK(printable(text) == text);
    CHECK(quoted("κ") == "\"κ\"");
}

TEST_CASE("each byte that is no UTF-8 becomes one replacement character") {
    CHECK(printable("a\xFFz") == "a\uFFFDz");
    CHECK(printable("\x80") == "\uFFFD");                                // stray continuation
    CHECK(printable("\xC3") == "\uFFFD");                                // cut off
    CHECK(printable("\xE2\x82") == "\uFFFD\uFFFD");                      // cut off
    CHECK(printable("\xC0\xAF") == "\uFFFD\uFFFD");                      // overlong
    CHECK(printable("\xE0\x80\xAF") == "\uFFFD\uFFFD\uFFFD");            // overlong
    CHECK(printable("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");            // surrogate
    CHECK(printable("\xF4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");  // above U+10FFFF
}

TEST_CASE("control characters are not shown") {
    CHECK(printable(std::string("a\0b\n\x7F", 5)) == "a\uFFFDb\uFFFD\uFFFD");
    CHECK(printable("\xC2\x85") == "\uFFFD");
}

TEST_CASE("whole numbers are written in full, whatever their size") {
    CHECK(whole(0) == "0");
    CHECK(whole(-3) == "-3");
    CHECK(whole(1e22) == "10000000000000000000000");
    CHECK(whole(1e308).size() == 309);
}

TEST_CASE("long text is cut after 60 characters, not bytes") {
    std::string sixty;
    for (int i = 0; i < 60; ++i) sixty += "κ";
    CHECK(printable(sixty) == sixty);
    CHECK(printable(sixty + "κ") == sixty + "…");
}

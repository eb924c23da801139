#include "draw/number_text.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace kappaflow;

TEST_CASE("numbers carry the digits that mean something") {
    CHECK(numberText(0) == "0");
    CHECK(numberText(-0.0) == "0");
    CHECK(numberText(12) == "12");
    CHECK(numberText(-1.25) == "−1.25");
    CHECK(numberText(0.0372) == "0.0372");
    CHECK(numberText(1.0 / 3) == "0.3333");
    CHECK(numberText(9.99996) == "10");
    CHECK(numberText(99999.9) == "10^{5}");
    CHECK(numberText(3.2e-7) == "3.2·10^{−7}");
    CHECK(numberText(-1e-12) == "−10^{−12}");
    CHECK(numberText(123456789, 3) == "1.23·10^{8}");
    CHECK(numberText(1e308) == "10^{308}");
    CHECK(numberText(std::nan("")) == "–");
    CHECK(numberText(-std::numeric_limits<double>::infinity()) == "−∞");
}

TEST_CASE("fixed decimals have no negative zero") {
    CHECK(fixedText(-0.001, 2) == "0.00");
    CHECK(fixedText(-0.5, 1) == "−0.5");
    CHECK(fixedText(1e300, 0).size() == 301);
}

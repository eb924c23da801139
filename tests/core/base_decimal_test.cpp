#include "core/base/decimal.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/base/rng.h"

using namespace kappaflow;

TEST_CASE("a decimal number comes back as the nearest double, and what is none is not a number") {
    const std::pair<const char*, double> known[] = {{"0", 0.0},
                                                    {"-0", -0.0},
                                                    {"1", 1},
                                                    {"+5", 5},
                                                    {".5", 0.5},
                                                    {"5.", 5},
                                                    {"-1.5e-3", -1.5e-3},
                                                    {"1E3", 1000},
                                                    {"4.9e-324", 5e-324},
                                                    {"2.4e-324", 0.0},
                                                    {"1e400", HUGE_VAL},
                                                    {"0.1", 0.1},
                                                    {"9007199254740993", 9007199254740992.0}};
    for (const auto& each : known) {
        INFO(each.first);
        const double found = decimalNumber(each.first);
        CHECK(found == each.second);
        CHECK(std::signbit(found) == std::signbit(each.second));
    }
    for (const char* none : {"", ".", "e5", "1e", "1e+", "--1", "1-2", "1.2.3", "+-1", "1e5.5"}) {
        INFO(none);
        CHECK(std::isnan(decimalNumber(none)));
    }
    Rng rng(3, Purpose::Data);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t bits = rng.bits();
        double x;
        std::memcpy(&x, &bits, sizeof x);
        if (!std::isfinite(x)) continue;
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", x);
        CHECK(decimalNumber(text) == x);
    }
}

#include "app/panels.h"

#include <doctest/doctest.h>

#include <cmath>

#include "scene/scene.h"

using namespace kappaflow;

namespace {

template <class Check>
void forEveryNumber(Check&& check) {
    for (const auto& scene : declarations())
        for (const auto& param : scene.params)
            if (param.kind == Kind::Number || param.kind == Kind::Integer || param.kind == Kind::Seed) {
                CAPTURE(scene.id);
                CAPTURE(param.key);
                check(param);
            }
}

}  // namespace

TEST_CASE("every place on a slider is a value its param admits, and values grow along it") {
    forEveryNumber([](const Param& param) {
        double before = -1e300;
        for (int i = 0; i <= 1000; ++i) {
            const double value = sliderValue(param, i / 1000.0);
            CHECK(value >= before);
            before = value;
            const ParsedValue admitted = admitValue(param, value);
            CHECK(std::get<double>(admitted.value) == value);
            CHECK(admitted.warning.empty());
        }
    });
}

TEST_CASE("a slider reaches both ends and stays within a hair of where it was put") {
    forEveryNumber([](const Param& param) {
        CHECK(sliderValue(param, 0) == param.min);
        CHECK(sliderValue(param, 1) >= param.max - (param.odd ? 1 : 0));
        for (const double position : {0.1, 0.37, 0.5, 0.83}) {
            const double there = sliderPosition(param, sliderValue(param, position));
            const double grain = param.kind == Kind::Number
                                     ? 0.01
                                     : 0.6 * (param.odd ? 2 : 1) / std::max(1.0, param.logarithmic ? 1 : param.max - param.min);
            CHECK(std::abs(there - position) <= std::max(0.01, grain));
        }
    });
}

TEST_CASE("a logarithmic slider moves in equal ratios") {
    Param param;
    param.min = 1;
    param.max = 10000;
    param.logarithmic = true;
    CHECK(sliderValue(param, 0.5) == doctest::Approx(100).epsilon(0.01));
    CHECK(sliderPosition(param, 10) == doctest::Approx(0.25));
    param.min = 0;  // has no beginning in ratios: equal steps then
    CHECK(sliderPosition(param, 5000) == doctest::Approx(0.5));
}

TEST_CASE("a drag gives no more digits than it can mean") {
    Param param;
    param.max = 1;
    for (int i = 1; i < 200; ++i) CHECK(formatNumber(sliderValue(param, i / 200.0)).size() <= 5);
}

TEST_CASE("a value has three digits beside its name, and all before the point") {
    const Param param;
    CHECK(valueLabel(param, 0.47236) == "0.472");
    CHECK(valueLabel(param, 12.3456) == "12.3");
    CHECK(valueLabel(param, 1024.4) == "1024");
    CHECK(valueLabel(param, -20513.7) == "-20514");
}

TEST_CASE("named values are shown by their name") {
    Param param;
    param.kind = Kind::Integer;
    param.max = 100;
    param.options = {{"centre", "centre", -1}};
    CHECK(valueLabel(param, -1) == "centre");
    CHECK(valueLabel(param, 17) == "17");
}

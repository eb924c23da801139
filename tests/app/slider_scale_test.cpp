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

TEST_CASE("every place on a slider is a value its param admits, near where it was put, and values grow from end to end") {
    forEveryNumber([](const Param& param) {
        double before = -1e300;
        const double wholes = param.logarithmic ? 1 : std::max(1.0, param.max - param.min);
        const double hair = param.kind == Kind::Number ? 0.01 : std::max(0.01, 0.6 * (param.odd ? 2 : 1) / wholes);
        for (int i = 0; i <= 1000; ++i) {
            const double position = i / 1000.0, value = sliderValue(param, position);
            CHECK(value >= before);
            before = value;
            const ParsedValue admitted = admitValue(param, value);
            CHECK(std::get<double>(admitted.value) == value);
            CHECK(admitted.warning.empty());
            if (i % 100 == 37) CHECK(std::abs(sliderPosition(param, value) - position) <= hair);
        }
        CHECK(sliderValue(param, 0) == param.min);
        CHECK(sliderValue(param, 1) >= param.max - (param.odd ? 1 : 0));
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

TEST_CASE("a drag gives no more digits than it can mean; beside its name a value has three, and all before the point, or its name") {
    static constexpr OptionRow kNames[] = {{"centre", "centre", -1}};
    const Param param{{.options = kNames}};
    for (int i = 1; i < 200; ++i) CHECK(formatNumber(sliderValue(param, i / 200.0)).size() <= 5);
    CHECK(valueLabel(param, 0.47236) == "0.472");
    CHECK(valueLabel(param, 12.3456) == "12.3");
    CHECK(valueLabel(param, 1024.4) == "1024");
    CHECK(valueLabel(param, -20513.7) == "-20514");
    CHECK(valueLabel(param, -1) == "centre");
}

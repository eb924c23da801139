#include "jobs/export.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/rng.h"

using namespace kappaflow;

namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string textOf(double x) { return std::move(JsonText(false).number(x)).take(); }
std::string textOf(std::string_view text) { return std::move(JsonText(false).text(text)).take(); }

std::string nested(bool indented) {
    JsonText json(indented);
    json.open('{').text("a", "b").number("n", 0.5).name("none").open('[').close(']').name("empty").open('{').close('}');
    json.name("list").open('[').flag(true).open('{').name("x").numbers({1, -2.5}).close('}').open('[').close(']').close(']');
    json.name("words").texts({"α", ""}).close('}');
    return std::move(json).take();
}

TEST_CASE("nested lists and objects are written as nlohmann writes them, indented and on one line") {
    Json expected = {{"a", "b"}, {"n", 0.5}, {"none", Json::array()}, {"empty", Json::object()}};
    expected["list"] = {true, {{"x", {1, -2.5}}}, Json::array()};
    expected["words"] = {"α", ""};
    CHECK(nested(true) == dumped(expected, 2));
    CHECK(nested(false) == dumped(expected, -1));
}

TEST_CASE("whole numbers have no point, minus zero keeps its sign, what is not finite is null") {
    CHECK(textOf(-3.0) == "-3\n");
    CHECK(textOf(999999999999999.0) == "999999999999999\n");
    CHECK(textOf(-0.0) == "-0.0\n");
    CHECK(textOf(0.1) == "0.1\n");
    CHECK(textOf(std::numeric_limits<double>::infinity()) == "null\n");
    CHECK(textOf(std::numeric_limits<double>::quiet_NaN()) == "null\n");
}

TEST_CASE("random bytes become the same valid UTF-8 that nlohmann makes of them") {
    Rng rng(7, Purpose::Data);
    // Few values, so that whole, cut and overlong characters, surrogates and escapes all come up.
    constexpr std::string_view kBytes = "a\"\\\n\x01\x7f\x80\xbf\xa0\x9f\x90\x8f\xc1\xc3\xe0\xe2\xed\xf0\xf1\xf4\xf5\xff";
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (int length = static_cast<int>(rng.uniform() * 7); length > 0; --length)
            text += kBytes[static_cast<std::size_t>(rng.uniform() * static_cast<double>(kBytes.size()))];
        REQUIRE(textOf(text) == dumped(Json(text), -1));
    }
}

}  // namespace

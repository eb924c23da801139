#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/rng.h"
#include "scene/param.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace {

Param integerParam() {
    Param p;
    p.key = "layers";
    p.kind = Kind::Integer;
    p.standard = 24.0;
    p.min = 1;
    p.max = 400;
    return p;
}

Param oddParam() {
    Param p = integerParam();
    p.key = "taps";
    p.max = 16;
    p.odd = true;
    return p;
}

Param namedParam() {
    Param p;
    p.key = "epsilon";
    p.standard = -1.0;
    p.options = {{"1/L", "1/L", -1}};
    return p;
}

Param profileParam() {
    Param p;
    p.key = "start";
    p.kind = Kind::Profile;
    p.standard = std::vector<double>{1};
    p.max = 10;
    p.maxLength = 4;
    return p;
}

Param choiceParam() {
    Param p;
    p.key = "space";
    p.kind = Kind::Choice;
    p.standard = std::string("ring");
    p.options = {{"ring", "Ring"}, {"line", "Line"}, {"dense", "Dense"}};
    return p;
}

double number(const ParsedValue& parsed) { return std::get<double>(parsed.value); }

TEST_CASE("a number's text reads back as the same double, whatever its bits") {
    Rng rng(7, Purpose::Data);
    int finite = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t bits = rng.bits();
        double x;
        std::memcpy(&x, &bits, sizeof x);
        if (!std::isfinite(x)) continue;
        ++finite;
        REQUIRE(parseNumber(formatNumber(x)) == x);
    }
    CHECK(finite > 19000);
    for (double x : {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(), -std::numeric_limits<double>::min(),
                     0.1, 1.0 / 3, 4294967295.0})
        CHECK(parseNumber(formatNumber(x)) == x);
}

TEST_CASE("a number is written with as few digits as will do, plainly while it is of common size") {
    CHECK(formatNumber(0) == "0");
    CHECK(formatNumber(0.1) == "0.1");
    CHECK(formatNumber(-2.5) == "-2.5");
    CHECK(formatNumber(100000) == "100000");
    CHECK(formatNumber(4294967295.0) == "4294967295");
    CHECK(formatNumber(1e15) == "1000000000000000");
    CHECK(formatNumber(1e16) == "1e16");
    CHECK(formatNumber(1.5e300) == "1.5e300");
    CHECK(formatNumber(0.00001) == "0.00001");
    CHECK(formatNumber(1e-6) == "1e-6");
    CHECK(formatNumber(1.0 / 3) == "0.3333333333333333");
    CHECK(formatNumber(123.456) == "123.456");
}

TEST_CASE("only a whole finite decimal number is a number") {
    CHECK(parseNumber("1e3") == 1000);
    CHECK(parseNumber("+.5") == 0.5);
    CHECK(std::signbit(parseNumber("-0")) == false);
    for (const char* text :
         {"", " 1", "1 ", "1x", "0x10", "nan", "inf", "infinity", "1e999", "1,5", "--1", "1e", ".", "e5", "1 2", "1_000", "٣"})
        CHECK_MESSAGE(isOneSentence(refusal([&] { parseNumber(text); })), text);
}

TEST_CASE("a refusal names the key, what would be right, and what was given") {
    CHECK(refusal([] { parseValue(integerParam(), "many"); }) == "layers takes a whole number from 1 to 400, not \"many\".");
    CHECK(refusal([] { parseValue(integerParam(), "3.5"); }) == "layers takes a whole number from 1 to 400, not \"3.5\".");
    CHECK(refusal([] { parseValue(oddParam(), "4"); }) == "taps takes an odd whole number from 1 to 15, not \"4\".");
    CHECK(refusal([] { parseValue(oddParam(), "100"); }) == "taps takes an odd whole number from 1 to 15, not \"100\".");
    CHECK(refusal([] { parseValue(namedParam(), "L"); }) == "epsilon takes a number from 0 to 1 or 1/L, not \"L\".");
    CHECK(refusal([] { parseValue(choiceParam(), "cube"); }) == "space takes ring, line or dense, not \"cube\".");
    CHECK(refusal([] { parseValue(profileParam(), "1,-1"); }) == "start takes up to 4 numbers from 0 up by commas, not \"-1\".");
    CHECK(refusal([] { parseValue(profileParam(), "1,2,"); }) == "start takes up to 4 numbers from 0 up by commas, not \"1,2,\".");
    CHECK(refusal([] { parseValue(profileParam(), "1,2,3,4,5"); }) == "start takes at most 4 numbers, not 5.");
    CHECK(isOneSentence(refusal([] { parseValue(profileParam(), ""); })));
}

TEST_CASE("a number outside the range is clamped and the warning says from where to where") {
    const auto high = parseValue(integerParam(), "1000");
    CHECK(number(high) == 400);
    CHECK(high.warning == "layers was lowered from 1000 to 400, the largest it takes.");
    const auto low = parseValue(integerParam(), "-3");
    CHECK(number(low) == 1);
    CHECK(low.warning == "layers was raised from -3 to 1, the smallest it takes.");
    CHECK(number(parseValue(oddParam(), "101")) == 15);
    CHECK(number(parseValue(integerParam(), "400")) == 400);
    CHECK(parseValue(integerParam(), "400").warning.empty());
}

TEST_CASE("a named value is read from its name and written as its name, also outside the range") {
    CHECK(number(parseValue(namedParam(), "1/L")) == -1);
    CHECK(formatValue(namedParam(), -1.0) == "1/L");
    CHECK(number(parseValue(namedParam(), "-1")) == -1);
    CHECK(number(admitValue(namedParam(), -1.0)) == -1);
    CHECK(number(parseValue(namedParam(), "-2")) == 0);
    CHECK(formatValue(namedParam(), 0.5) == "0.5");
}

TEST_CASE("a seed is a whole number of 32 bits") {
    Param seed;
    seed.key = "seed";
    seed.kind = Kind::Seed;
    CHECK(number(parseValue(seed, "4294967295")) == 4294967295.0);
    CHECK(number(parseValue(seed, "4294967296")) == 4294967295.0);
    CHECK(number(parseValue(seed, "-1")) == 0);
    CHECK(isOneSentence(refusal([&] { parseValue(seed, "1.5"); })));
}

TEST_CASE("a boolean is true or false and nothing else") {
    Param flag;
    flag.key = "shared";
    flag.kind = Kind::Boolean;
    CHECK(std::get<bool>(parseValue(flag, "true").value));
    CHECK(!std::get<bool>(parseValue(flag, "false").value));
    for (const char* text : {"", "1", "0", "yes", "True", "TRUE", "on"})
        CHECK(refusal([&] { parseValue(flag, text); }).find("shared takes true or false") == 0);
}

TEST_CASE("a profile above its largest peak keeps its shape") {
    const auto parsed = parseValue(profileParam(), "5,20,0");
    CHECK(std::get<std::vector<double>>(parsed.value) == std::vector<double>{2.5, 10, 0});
    CHECK(isOneSentence(parsed.warning));
    CHECK(parseValue(profileParam(), "5,10,0").warning.empty());
    const auto huge = std::get<std::vector<double>>(parseValue(profileParam(), "1e308,1e308").value);
    CHECK(huge == std::vector<double>{10, 10});
}

TEST_CASE("a list's numbers are clamped one by one and may stand apart") {
    Param list = profileParam();
    list.kind = Kind::List;
    list.min = 2;
    const auto parsed = parseValue(list, "1, 5 ,99");
    CHECK(std::get<std::vector<double>>(parsed.value) == std::vector<double>{2, 5, 10});
    CHECK(isOneSentence(parsed.warning));
    for (const char* text : {",", "1,,2", "1;2", "nan", ",1", "1,2,x"}) CHECK(isOneSentence(refusal([&] { parseValue(list, text); })));
}

TEST_CASE("an architecture is two or more whole widths by dashes, input first") {
    Param architecture;
    architecture.key = "architecture";
    architecture.kind = Kind::Architecture;
    architecture.min = 1;
    architecture.max = 8;
    architecture.maxLength = 4;
    const auto parsed = parseValue(architecture, "3-4-1");
    CHECK(std::get<std::vector<double>>(parsed.value) == std::vector<double>{3, 4, 1});
    CHECK(parsed.warning.empty());
    CHECK(formatValue(architecture, parsed.value) == "3-4-1");
    CHECK(admitValue(architecture, std::vector<double>{2, 2}).value == parseValue(architecture, "2-2").value);
    const auto wide = parseValue(architecture, "0-9-1");
    CHECK(std::get<std::vector<double>>(wide.value) == std::vector<double>{1, 8, 1});
    CHECK(isOneSentence(wide.warning));
    CHECK(refusal([&] { parseValue(architecture, "3"); }) == "architecture takes 2 to 4 widths from 1 to 8 by dashes, not \"3\".");
    for (const char* text : {"", "-", "3-", "-3-1", "3--1", "3,4,1", "3-2.5-1", "3-x-1", "1-2-3-4-5", "1e400-1"})
        CHECK_MESSAGE(isOneSentence(refusal([&] { parseValue(architecture, text); })), text);
    CHECK(isOneSentence(refusal([&] { admitValue(architecture, std::vector<double>{3, std::nan("")}); })));
}

TEST_CASE("a network is none, a sample or the file") {
    Param network;
    network.key = "network";
    network.kind = Kind::Network;
    network.options = {{"", "drawn"}, {"shapes", "Shapes"}};
    for (const char* text : {"", "file", "shapes"}) CHECK(std::get<std::string>(parseValue(network, text).value) == text);
    CHECK(refusal([&] { parseValue(network, "a.onnx"); }) == "network takes file or shapes, not \"a.onnx\".");
}

TEST_CASE("data are one of the sets made here or the file") {
    Param data;
    data.key = "data";
    data.kind = Kind::Data;
    data.options = {{"none", "none"}, {"moons", "moons"}};
    for (const char* text : {"none", "file", "moons"}) CHECK(std::get<std::string>(parseValue(data, text).value) == text);
    for (const char* text : {"", "a.csv"})
        CHECK(refusal([&] { parseValue(data, text); }) == "data takes file, none or moons, not \"" + std::string(text) + "\".");
}

TEST_CASE("typed values are admitted as texts are") {
    CHECK(number(admitValue(integerParam(), 1000.0)) == 400);
    CHECK(number(admitValue(integerParam(), std::string("12"))) == 12);
    for (double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 2.5})
        CHECK(isOneSentence(refusal([&] { admitValue(integerParam(), bad); })));
    CHECK(isOneSentence(refusal([] { admitValue(integerParam(), true); })));
    CHECK(isOneSentence(refusal([] { admitValue(choiceParam(), 1.0); })));
    CHECK(isOneSentence(refusal([] { admitValue(integerParam(), std::vector<double>{1}); })));
    CHECK(isOneSentence(refusal([] { admitValue(profileParam(), std::vector<double>{1, std::nan("")}); })));
}

TEST_CASE("a reader's text is quoted on one line, short, and cut between characters") {
    CHECK(quote("a\nb\tc") == "\"a b c\"");
    std::string greek;
    for (int i = 0; i < 50; ++i) greek += "κ";
    for (int lead = 0; lead < 2; ++lead) {
        const std::string text = quote(std::string(static_cast<std::size_t>(lead), 'x') + greek);
        CHECK(text.size() < 50);
        // Behind the opening quotation mark: whole characters of two bytes, then the ellipsis.
        CHECK((text.size() - 2 - std::string("…").size() - static_cast<std::size_t>(lead)) % 2 == 0);
    }
}

}  // namespace

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/rng.h"
#include "scene/param.h"
#include "support/sentence.h"

using namespace kappaflow;

namespace param_text {

constexpr OptionRow kNames[] = {{"1/L", "1/L", -1}}, kSpaces[] = {{"ring"}, {"line"}, {"dense"}}, kNetworks[] = {{""}, {"shapes"}},
                    kSets[] = {{"none"}, {"moons"}};
const Param kLayers{{.key = "layers", .min = 1, .max = 400, .kind = Kind::Integer}, 24.0},
    kTaps{{.key = "taps", .min = 1, .max = 16, .odd = true, .kind = Kind::Integer}, 9.0},
    kEpsilon{{.key = "epsilon", .options = kNames}, -1.0},
    kProfile{{.key = "start", .max = 10, .maxLength = 4, .kind = Kind::Profile}, std::vector<double>{1}},
    kList{{.key = "list", .min = 2, .max = 10, .maxLength = 4, .kind = Kind::List}, std::vector<double>{2}},
    kSpace{{.key = "space", .options = kSpaces, .kind = Kind::Choice}, std::string("ring")},
    kSeed{{.key = "seed", .max = 4294967295.0, .kind = Kind::Seed}, 1.0}, kShared{{.key = "shared", .kind = Kind::Boolean}, false},
    kArchitecture{{.key = "architecture", .min = 1, .max = 8, .maxLength = 4, .kind = Kind::Architecture}, std::vector<double>{2, 2}},
    kNetwork{{.key = "network", .options = kNetworks, .kind = Kind::Network}, std::string()},
    kData{{.key = "data", .options = kSets, .kind = Kind::Data}, std::string("none")};

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
    const struct {
        const Param& param;
        const char *text, *sentence;
    } cases[] = {{kLayers, "many", "layers takes a whole number from 1 to 400, not \"many\"."},
                 {kLayers, "3.5", "layers takes a whole number from 1 to 400, not \"3.5\"."},
                 {kTaps, "4", "taps takes an odd whole number from 1 to 15, not \"4\"."},
                 {kTaps, "100", "taps takes an odd whole number from 1 to 15, not \"100\"."},
                 {kEpsilon, "L", "epsilon takes a number from 0 to 1 or 1/L, not \"L\"."},
                 {kSpace, "cube", "space takes ring, line or dense, not \"cube\"."},
                 {kProfile, "1,-1", "start takes up to 4 numbers from 0 up by commas, not \"-1\"."},
                 {kProfile, "1,2,", "start takes up to 4 numbers from 0 up by commas, not \"1,2,\"."},
                 {kProfile, "1,2,3,4,5", "start takes at most 4 numbers, not 5."},
                 {kArchitecture, "3", "architecture takes 2 to 4 widths from 1 to 8 by dashes, not \"3\"."},
                 {kNetwork, "a.onnx", "network takes file or shapes, not \"a.onnx\"."},
                 {kData, "", "data takes file, none or moons, not \"\"."}};
    for (const auto& c : cases) CHECK(refusal([&] { parseValue(c.param, c.text); }) == c.sentence);
    CHECK(isOneSentence(refusal([] { parseValue(kProfile, ""); })));
}

TEST_CASE("a number outside the range is clamped and the warning says from where to where") {
    const auto high = parseValue(kLayers, "1000");
    CHECK(number(high) == 400);
    CHECK(high.warning == "layers was lowered from 1000 to 400, the largest it takes.");
    const auto low = parseValue(kLayers, "-3");
    CHECK(number(low) == 1);
    CHECK(low.warning == "layers was raised from -3 to 1, the smallest it takes.");
    CHECK(number(parseValue(kTaps, "101")) == 15);
    CHECK(number(parseValue(kLayers, "400")) == 400);
    CHECK(parseValue(kLayers, "400").warning.empty());
}

TEST_CASE("a named value is read from its name and written as its name, also outside the range") {
    CHECK(number(parseValue(kEpsilon, "1/L")) == -1);
    CHECK(formatValue(kEpsilon, -1.0) == "1/L");
    CHECK(number(parseValue(kEpsilon, "-1")) == -1);
    CHECK(number(admitValue(kEpsilon, -1.0)) == -1);
    CHECK(number(parseValue(kEpsilon, "-2")) == 0);
    CHECK(formatValue(kEpsilon, 0.5) == "0.5");
}

TEST_CASE("a seed is a whole number of 32 bits") {
    CHECK(number(parseValue(kSeed, "4294967295")) == 4294967295.0);
    CHECK(number(parseValue(kSeed, "4294967296")) == 4294967295.0);
    CHECK(number(parseValue(kSeed, "-1")) == 0);
    CHECK(isOneSentence(refusal([&] { parseValue(kSeed, "1.5"); })));
}

TEST_CASE("a boolean is true or false and nothing else") {
    CHECK(std::get<bool>(parseValue(kShared, "true").value));
    CHECK(!std::get<bool>(parseValue(kShared, "false").value));
    for (const char* text : {"", "1", "0", "yes", "True", "TRUE", "on"})
        CHECK(refusal([&] { parseValue(kShared, text); }).find("shared takes true or false") == 0);
}

TEST_CASE("a profile above its largest peak keeps its shape") {
    const auto parsed = parseValue(kProfile, "5,20,0");
    CHECK(std::get<std::vector<double>>(parsed.value) == std::vector<double>{2.5, 10, 0});
    CHECK(isOneSentence(parsed.warning));
    CHECK(parseValue(kProfile, "5,10,0").warning.empty());
    const auto huge = std::get<std::vector<double>>(parseValue(kProfile, "1e308,1e308").value);
    CHECK(huge == std::vector<double>{10, 10});
}

TEST_CASE("a list's numbers are clamped one by one and may stand apart") {
    const auto parsed = parseValue(kList, "1, 5 ,99");
    CHECK(std::get<std::vector<double>>(parsed.value) == std::vector<double>{2, 5, 10});
    CHECK(isOneSentence(parsed.warning));
    for (const char* text : {",", "1,,2", "1;2", "nan", ",1", "1,2,x"}) CHECK(isOneSentence(refusal([&] { parseValue(kList, text); })));
}

TEST_CASE("an architecture is two or more whole widths by dashes, input first") {
    const auto parsed = parseValue(kArchitecture, "3-4-1");
    CHECK(std::get<std::vector<double>>(parsed.value) == std::vector<double>{3, 4, 1});
    CHECK(parsed.warning.empty());
    CHECK(formatValue(kArchitecture, parsed.value) == "3-4-1");
    CHECK(admitValue(kArchitecture, std::vector<double>{2, 2}).value == parseValue(kArchitecture, "2-2").value);
    const auto wide = parseValue(kArchitecture, "0-9-1");
    CHECK(std::get<std::vector<double>>(wide.value) == std::vector<double>{1, 8, 1});
    CHECK(isOneSentence(wide.warning));
    for (const char* text : {"", "-", "3-", "-3-1", "3--1", "3,4,1", "3-2.5-1", "3-x-1", "1-2-3-4-5", "1e400-1"})
        CHECK_MESSAGE(isOneSentence(refusal([&] { parseValue(kArchitecture, text); })), text);
    CHECK(isOneSentence(refusal([&] { admitValue(kArchitecture, std::vector<double>{3, std::nan("")}); })));
}

TEST_CASE("a network is none, a sample or the file, and data are one of the sets made here or the file") {
    for (const char* text : {"", "file", "shapes"}) CHECK(std::get<std::string>(parseValue(kNetwork, text).value) == text);
    for (const char* text : {"none", "file", "moons"}) CHECK(std::get<std::string>(parseValue(kData, text).value) == text);
}

TEST_CASE("typed values are admitted as texts are") {
    CHECK(number(admitValue(kLayers, 1000.0)) == 400);
    CHECK(number(admitValue(kLayers, std::string("12"))) == 12);
    for (double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 2.5})
        CHECK(isOneSentence(refusal([&] { admitValue(kLayers, bad); })));
    CHECK(isOneSentence(refusal([] { admitValue(kLayers, true); })));
    CHECK(isOneSentence(refusal([] { admitValue(kSpace, 1.0); })));
    CHECK(isOneSentence(refusal([] { admitValue(kLayers, std::vector<double>{1}); })));
    CHECK(isOneSentence(refusal([] { admitValue(kProfile, std::vector<double>{1, std::nan("")}); })));
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

}  // namespace param_text

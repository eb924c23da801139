#include "draw/svg_text.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "draw/random.h"
#include "support/svg.h"

using namespace kappaflow;

TEST_CASE("numbers are rounded, short, and never in exponents") {
    CHECK(svgNumber(0) == "0");
    CHECK(svgNumber(-0.001) == "0");
    CHECK(svgNumber(-0.004) == "0");
    CHECK(svgNumber(1.005, 1) == "1");
    CHECK(svgNumber(-12.5) == "-12.5");
    CHECK(svgNumber(0.05) == "0.05");
    CHECK(svgNumber(3.14159, 4) == "3.1416");
    CHECK(svgNumber(99.999) == "100");
    CHECK(svgNumber(1e300) == "1000000");
    CHECK(svgNumber(-std::numeric_limits<double>::infinity()) == "-1000000");
    CHECK(svgNumber(std::nan("")) == "0");
}

TEST_CASE("a number reads back to half a unit of its last decimal") {
    Random random(7);
    for (int i = 0; i < 2000; ++i)
        for (int decimals = 0; decimals <= 4; ++decimals) {
            const double value = (random.uniform() - 0.5) * std::pow(10, 6 * random.uniform());
            CHECK(std::abs(std::stod(svgNumber(value, decimals)) - value) <= 0.5001 * std::pow(10, -decimals));
        }
}

TEST_CASE("colours are six digits") {
    CHECK(svgColor(hex(0x1d5fbf)) == "#1d5fbf");
    CHECK(svgColor({2, -1, 0.5f, 1}) == "#ff0080");
}

TEST_CASE("whatever text is given, what is written is well-formed and says the same") {
    for (const std::string text : {"a < b && c > \"d\"", "κ^{l} = Σ 𝒟", "tab\tand\nline", "]]>", ""}) {
        const XmlElement read = XmlReader::read("<a b=\"" + xmlText(text) + "\">" + xmlText(text) + "</a>");
        CHECK(read.text == text);
        CHECK(read.attribute("b") == text);
    }
    Random random(7);
    for (int i = 0; i < 500; ++i) {
        std::string bytes;
        for (int k = 0; k < 20; ++k) bytes += static_cast<char>(static_cast<unsigned char>(256 * random.uniform()));
        CHECK_NOTHROW(XmlReader::read("<a b=\"" + xmlText(bytes) + "\">" + xmlText(bytes) + "</a>"));
    }
    CHECK(xmlText(std::string("a\0b\x1b\xff", 5)) == "a\uFFFDb\uFFFD\uFFFD");
    CHECK(xmlText("\xEF\xBF\xBE") == "\uFFFD");
}

TEST_CASE("a path walks where it was told to, its errors not adding up") {
    Random random(7);
    const auto point = [&] { return Vec2{random.uniform() * 900 - 100, random.uniform() * 900 - 100}; };
    for (int trial = 0; trial < 50; ++trial) {
        SvgPath path(2);
        std::vector<PathPart> expected;
        for (int part = 0; part < 4; ++part) {
            expected.push_back({{point()}, part % 2 == 0});
            path.move(expected.back().points[0]);
            for (int i = 0; i < 40; ++i) {
                Vec2 to = point();
                const Vec2 before = expected.back().points.back();
                if (i % 5 == 1) to.x = before.x;
                if (i % 5 == 2) to.y = before.y;
                if (i % 5 == 3) {
                    const Vec2 first = point(), second = point();
                    path.curve(first, second, to);
                    expected.back().points.insert(expected.back().points.end(), {first, second, to});
                    continue;
                }
                path.line(to);
                expected.back().points.push_back(to);
            }
            if (part % 2 == 0) path.close();
        }
        const auto read = PathReader::read(path.data());
        REQUIRE(read.size() == expected.size());
        for (std::size_t part = 0; part < read.size(); ++part) {
            REQUIRE(read[part].points.size() == expected[part].points.size());
            CHECK(read[part].closed == expected[part].closed);
            for (std::size_t i = 0; i < read[part].points.size(); ++i) {
                CHECK(std::abs(read[part].points[i].x - expected[part].points[i].x) < 0.00501);
                CHECK(std::abs(read[part].points[i].y - expected[part].points[i].y) < 0.00501);
            }
        }
    }
}

TEST_CASE("a path of points that round to the same place stays short") {
    SvgPath path(1);
    path.move({10, 10});
    for (int i = 0; i < 1000; ++i) path.line({10 + 0.00001 * i, 10});
    CHECK(path.data() == "m10 10");
}

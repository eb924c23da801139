#include "draw/svg_text.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>

#include "draw/random.h"
#include "support/svg.h"

using namespace kappaflow;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const Rect kDest{{20, 30}, {140, 110}};

struct Cells {
    std::size_t rows, cols;
    std::vector<double> values;
    Field2D field(double lo = 0, double hi = 1) const { return {.rows = rows, .cols = cols, .values = values, .lo = lo, .hi = hi}; }
};

Cells randomCells(std::size_t rows, std::size_t cols, std::uint64_t seed, double holes = 0.1) {
    Random random(seed);
    Cells cells{rows, cols, {}};
    for (std::size_t i = 0; i < rows * cols; ++i) cells.values.push_back(random.uniform() < holes ? kNan : random.uniform());
    return cells;
}

template <class Write>
XmlElement written(Write&& write) {
    SvgWriter out;
    out.raw("<svg>");
    write(out);
    out.raw("</svg>");
    return XmlReader::read(out.written());
}

/// Even-odd rule: the colours of all paths that cover a point.
std::vector<std::string> colorsAt(const XmlElement& root, Vec2 at) {
    std::vector<std::string> colors;
    for (const auto* path : root.named("path"))
        for (const auto& part : PathReader::read(path->attribute("d"))) {
            bool inside = false;
            for (std::size_t i = 0; i < part.points.size(); ++i) {
                const Vec2 a = part.points[i], b = part.points[(i + 1) % part.points.size()];
                if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x)) inside = !inside;
            }
            if (inside) colors.push_back(path->attribute("fill"));
        }
    return colors;
}

double colorDistance(const std::string& written, Color color) {
    const auto channel = [&](std::size_t i) { return std::stoi(written.substr(1 + 2 * i, 2), nullptr, 16) / 255.0; };
    return std::max({std::abs(channel(0) - color.r), std::abs(channel(1) - color.g), std::abs(channel(2) - color.b)});
}

}  // namespace

TEST_CASE("every cell of a small field has its own colour, undefined ones none") {
    for (const ColorMap map : {ColorMap::Capacity, ColorMap::Viridis, ColorMap::Diverging})
        for (const bool dark : {false, true}) {
            const Cells cells = randomCells(12, 17, 3);
            Field2D field = cells.field(map == ColorMap::Diverging ? -1 : 0, 1);
            field.map = map;
            const XmlElement root = written([&](SvgWriter& out) { CHECK(writeField(out, "heat", kDest, field, dark, 100000) == 12 * 17); });
            REQUIRE(root.children.size() == 1);
            CHECK(root.children[0].attribute("data-mark") == "heat");
            for (std::size_t row = 0; row < 12; ++row)
                for (std::size_t col = 0; col < 17; ++col) {
                    const double value = cells.values[row * 17 + col];
                    const Vec2 centre{20 + 120 * (col + 0.5) / 17, 30 + 80 * (row + 0.5) / 12};
                    const auto colors = colorsAt(root, centre);
                    REQUIRE(colors.size() == (std::isnan(value) ? 0 : 1));
                    if (colors.empty()) continue;
                    const Color expected = sample(map, mapPosition(map, value, field.lo, field.hi, false), dark);
                    CHECK(colorDistance(colors[0], expected) < 3.0 / 255);
                }
        }
}

TEST_CASE("a field of one colour is one rectangle a row") {
    const Cells cells{3, 50, std::vector<double>(150, 0.4)};
    const XmlElement root = written([&](SvgWriter& out) { writeField(out, "", kDest, cells.field(), false, 1000); });
    REQUIRE(root.named("path").size() == 1);
    CHECK(PathReader::read(root.named("path")[0]->attribute("d")).size() == 3);
    CHECK(boundsOfPath(root.named("path")[0]->attribute("d")).lo == kDest.lo);
    CHECK(boundsOfPath(root.named("path")[0]->attribute("d")).hi == kDest.hi);
}

TEST_CASE("a field of many colours is an image of its cells in the same place") {
    const Cells cells = randomCells(70, 90, 4);
    const XmlElement root = written([&](SvgWriter& out) { writeField(out, "heat", kDest, cells.field(), false, 100000); });
    REQUIRE(root.children.size() == 1);
    const XmlElement& image = root.children[0];
    CHECK(image.name == "image");
    CHECK(image.attribute("data-mark") == "heat");
    CHECK(image.number("x") == 20);
    CHECK(image.number("y") == 30);
    CHECK(image.number("width") == 120);
    CHECK(image.number("height") == 80);
    const std::string prefix = "data:image/png;base64,", data = image.attribute("xlink:href");
    REQUIRE(data.substr(0, prefix.size()) == prefix);
    CHECK(fromBase64(data.substr(prefix.size())) == pngOf(paletteImage(cells.field(), false, 70, 90, 255)));
}

TEST_CASE("cells finer than a pixel, or more than allowed, are skipped") {
    const Cells cells = randomCells(500, 700, 5, 0);
    SvgWriter out;
    CHECK(writeField(out, "", kDest, cells.field(), false, 1000000) == 120 * 80);
    CHECK(writeField(out, "", kDest, cells.field(), false, 3000) <= 3000);
    CHECK(writeField(out, "", kDest, cells.field(), false, 1) == 1);
}

TEST_CASE("a plane's cells lie where perspective puts them") {
    const Cells cells = randomCells(10, 14, 8);
    // A trapezium whose upper edge is twice as far away as the lower one.
    const PlaneCorners corners{{{{150, 100}, 2}, {{250, 100}, 2}, {{300, 300}, 1}, {{100, 300}, 1}}};
    const XmlElement root =
        written([&](SvgWriter& out) { CHECK(writePlane(out, "plane", corners, cells.field(), 0.5, false, 2500) > 100); });
    REQUIRE(root.children.size() == 1);
    CHECK(root.children[0].number("opacity") == 0.5);
    for (std::size_t row = 0; row < 10; ++row)
        for (std::size_t col = 0; col < 14; ++col) {
            // Straight down the middle the far half of the plane covers a third of the height: v' = v / (2 - v).
            const double u = (col + 0.5) / 14, v = (row + 0.5) / 10, down = v / (2 - v), half = 50 + 50 * down;
            const auto colors = colorsAt(root, {200 + (2 * u - 1) * half, 100 + 200 * down});
            const double value = cells.values[row * 14 + col];
            REQUIRE(colors.size() == (std::isnan(value) ? 0 : 1));
            if (!colors.empty()) CHECK(colorDistance(colors[0], sample(ColorMap::Capacity, value, false)) < 3.0 / 255 + 0.5 / 63);
        }
}

TEST_CASE("a plane keeps to the runs it is given, its mean colour staying what it was") {
    const Cells cells = randomCells(128, 128, 9, 0);
    const PlaneCorners corners{{{{0, 0}, 1}, {{600, 0}, 1}, {{600, 600}, 1}, {{0, 600}, 1}}};
    for (const std::size_t most : {2500u, 300u, 1u}) {
        SvgWriter out;
        CHECK(writePlane(out, "", corners, cells.field(), 1, false, most) <= most);
        CHECK(out.size() < 200 + 150 * most);
    }
    const XmlElement root = written([&](SvgWriter& out) { writePlane(out, "", corners, cells.field(), 1, false, 1); });
    const auto paths = root.named("path");
    REQUIRE(paths.size() == 1);
    CHECK(colorDistance(paths[0]->attribute("fill"), sample(ColorMap::Capacity, 0.5, false)) < 0.05);
}

TEST_CASE("a plane with nothing to be seen on it leaves no mark") {
    Cells cells{4, 4, std::vector<double>(16, 0.0)};
    Field2D field = cells.field();
    field.fadesOut = true;
    SvgWriter out;
    CHECK(writePlane(out, "plane", {{{{0, 0}, 1}, {{60, 0}, 1}, {{60, 60}, 1}, {{0, 60}, 1}}}, field, 1, false, 100) == 0);
    CHECK(out.written().empty());
}

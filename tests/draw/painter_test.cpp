// What every painter does by itself: meshes, what a figure makes of very many cells, places on whole pixels.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "draw/painter.h"
#include "draw/svg_text.h"

using namespace kappaflow;

namespace {

/// A square of side × side cells, in steps of 1.
struct Grid {
    std::vector<Vec2> points;
    std::vector<std::uint32_t> corners, ends;
    std::vector<Color> colors;
    explicit Grid(std::uint32_t side, std::size_t palette = 3) {
        for (std::uint32_t y = 0; y <= side; ++y)
            for (std::uint32_t x = 0; x <= side; ++x) points.push_back({double(x), double(y)});
        for (std::uint32_t y = 0; y < side; ++y)
            for (std::uint32_t x = 0; x < side; ++x) {
                const std::uint32_t at = y * (side + 1) + x;
                corners.insert(corners.end(), {at, at + 1, at + side + 2, at + side + 1});
                ends.push_back(static_cast<std::uint32_t>(corners.size()));
                colors.push_back(hex(static_cast<std::uint32_t>(0x404040 * (1 + ends.size() % palette))));
            }
    }
    CellMesh mesh(double scale = 1) const {
        CellMesh m;
        m.points = points, m.corners = corners, m.ends = ends, m.colors = colors;
        m.place = {{10, 20}, {scale, -scale}};
        return m;
    }
};

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

/// A back end that knows no meshes: takes them as the painter does by itself.
struct Plain final : NullPainter {
    Recorder inner;
    using Painter::line;
    void line(std::string_view id, std::span<const Vec2> p, const Stroke& s, bool closed) override { inner.line(id, p, s, closed); }
    void polygon(std::string_view id, std::span<const Vec2> p, Color c) override { inner.polygon(id, p, c); }
    void cells(std::string_view id, const CellMesh& mesh) override { Painter::cells(id, mesh); }
    void segments(std::string_view id, const SegmentMesh& mesh) override { Painter::segments(id, mesh); }
};

}  // namespace

TEST_CASE("a mesh whose indices lie elsewhere, or with too few colours, is not sound") {
    Grid grid(3);
    CHECK(grid.mesh().sound());
    Grid far(3);
    far.corners[5] = 16;
    CHECK_FALSE(far.mesh().sound());
    Grid falling(3);
    falling.ends[2] = falling.ends[1] - 1;
    CHECK_FALSE(falling.mesh().sound());
    Grid beyond(3);
    beyond.ends.back() += 1;
    CHECK_FALSE(beyond.mesh().sound());
    CellMesh pale = grid.mesh();
    pale.colors = pale.colors.first(8);
    CHECK_FALSE(pale.sound());
    pale = grid.mesh();
    pale.shaded = true;  // one colour a point is wanted: 16, not 9
    CHECK_FALSE(pale.sound());
}

TEST_CASE("a painter without meshes draws cells as polygons and segments as lines, in the same places as the recorder notes them") {
    const Grid grid(2);
    Plain plain;
    Recorder recorder;
    plain.cells("c", grid.mesh(5));
    recorder.cells("c", grid.mesh(5));
    std::vector<Vec2> corners;
    for (const auto& mark : plain.inner.marks) corners.insert(corners.end(), mark.points.begin(), mark.points.end());
    CHECK(corners == recorder.marks.at(0).points);
    CHECK(plain.inner.marks.at(1).color == grid.colors[1]);
    CHECK(corners[0] == Vec2{10, 20});
    CHECK(corners[2] == Vec2{15, 15});

    const std::vector<Vec2> ends{{0, 0}, {4, 0}, {0, 2}, {0, 0}};
    const SegmentMesh half{ends, hex(0x123456), 2, 0.5, {{0, 0}, {1, 1}}, 0};
    plain.inner.marks.clear();
    plain.segments("s", half);
    REQUIRE(plain.inner.marks.size() == 2);
    CHECK(plain.inner.marks[0].points == std::vector<Vec2>{{1, 0}, {3, 0}});
    CHECK(plain.inner.marks[1].points == std::vector<Vec2>{{0, 1.5}, {0, 0.5}});
}

TEST_CASE("a shaded cell has the mean colour of its corners") {
    const Grid grid(1);
    const std::vector<Color> corners{{0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 0}};
    CellMesh mesh = grid.mesh();
    mesh.colors = corners, mesh.shaded = true;
    CHECK(mesh.colorOf(0) == Color{0.25f, 0.25f, 0.25f, 0.75f});
}

TEST_CASE("figures write one path a colour, and of too many cells and lines the largest that fit") {
    const Grid grid(10);
    SvgWriter all, some;
    writeCells(all, "c", grid.mesh(20), 1'000'000);
    CHECK(count(all.written(), "<path") == 3);
    CHECK(count(all.written(), "<rect") == 0);
    Grid uneven(10);
    for (Vec2& p : uneven.points)
        if (p.x > 9) p.x = 40;  // the last column is 31 wide
    writeCells(some, "c", uneven.mesh(2), 36 * 10);
    CHECK(count(some.written(), "<rect") == 1);
    CHECK(count(some.written(), "z") == 10);
    CHECK(some.size() < 1200);

    std::vector<Vec2> ends;
    for (int i = 0; i < 1000; ++i) ends.insert(ends.end(), {{0, double(i)}, {i < 5 ? 50.0 : 1.0, double(i)}});
    SvgWriter lines;
    writeSegments(lines, "s", {ends, hex(0), 1, 1, {}, 0}, 20 * 5);
    CHECK(lines.size() < 300);
    CHECK(count(lines.written(), "50") >= 5);
}

TEST_CASE("crisp places put a line on whole device pixels at any ratio") {
    struct Ratio final : NullPainter {
        double ratio = 1;
        double pixelRatio() const override { return ratio; }
    } painter;
    for (const double ratio : {1.0, 1.25, 2.0, 3.0})
        for (const double at : {10.0, 10.3, 10.77}) {
            painter.ratio = ratio;
            const double width = std::round(ratio), edge = painter.crisp(at) * ratio - width / 2;
            CHECK(edge == doctest::Approx(std::round(edge)));
            CHECK(std::abs(painter.crisp(at) - at) <= 0.5 / ratio + 1e-9);
        }
}

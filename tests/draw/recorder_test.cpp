#include <doctest/doctest.h>

#include "draw/painter.h"

using namespace kappaflow;

TEST_CASE("the recorder remembers every mark with what tells it apart") {
    Recorder recorder;
    Painter& painter = recorder;
    painter.line("a/line", Vec2{1, 2}, Vec2{3, 4}, {hex(0xff0000), 2, Dash::Dotted});
    painter.rect("a/rect", {{0, 0}, {5, 6}}, hex(0x00ff00));
    painter.text("b/text", {7, 8}, "κ", {});
    const double values[] = {1, 2, 3, 4};
    painter.field("b/field", {{0, 0}, {2, 2}}, {2, 2, values, 0, 4});
    painter.plane("b/plane", {{{{0, 0}, 2}, {{1, 0}, 2}, {{2, 2}, 1}, {{-1, 2}, 1}}}, {2, 2, values, 0, 4}, 0.5);
    const Ribbon ribbons[] = {{{0, 0}, {1, 1}, 2, 3, {}, 0.5}, {{0, 0}, {2, 1}, 2, 3, {}, 0.5}};
    painter.ribbons("c/flow", ribbons, {0, 1});
    painter.pushClip({{0, 0}, {1, 1}});
    painter.popClip();
    REQUIRE(recorder.marks.size() == 9);
    REQUIRE(recorder.find("a/").size() == 2);
    CHECK(recorder.find("a/")[0]->dash == Dash::Dotted);
    CHECK(recorder.find("a/")[0]->points == std::vector<Vec2>{{1, 2}, {3, 4}});
    CHECK(recorder.find("b/text")[0]->text == "κ");
    CHECK(recorder.find("b/field")[0]->numbers.size() == 8);
    REQUIRE(recorder.find("b/plane").size() == 1);
    CHECK(recorder.find("b/plane")[0]->points[2] == Vec2{2, 2});
    CHECK(recorder.find("b/plane")[0]->numbers == std::vector<double>{2, 2, 0, 4, 0.5, 2, 2, 1, 1, 1, 2, 3, 4});
    CHECK(recorder.find("c/flow").size() == 2);
    CHECK(recorder.find("nothing").empty());
}

TEST_CASE("the same drawing compares equal, another one does not") {
    const auto drawn = [](double x) {
        Recorder recorder;
        recorder.marker("m", {x, 1}, 3, MarkerShape::Circle, hex(0x112233), {});
        return recorder.marks;
    };
    CHECK(drawn(1) == drawn(1));
    CHECK(drawn(1) != drawn(2));
}

TEST_CASE("recorded text is measured without its markup, turned text stands upright") {
    Recorder recorder;
    TextStyle style;
    style.size = 10;
    CHECK(recorder.measure("abcd", style).x == doctest::Approx(20));
    CHECK(recorder.measure("*ab*cd", style).x == doctest::Approx(20));
    CHECK(recorder.measure("ab_{cd}", style).x < 20);
    style.upright = false;
    CHECK(recorder.measure("abcd", style).y == doctest::Approx(20));
}

TEST_CASE("crisp places put a line on whole device pixels at any ratio") {
    struct Ratio final : Painter {
        double ratio = 1;
        double pixelRatio() const override { return ratio; }
        void line(std::string_view, std::span<const Vec2>, const Stroke&, bool) override {}
        void polygon(std::string_view, std::span<const Vec2>, Color) override {}
        void strip(std::string_view, std::span<const Vec2>, std::span<const Vec2>, Color) override {}
        void rect(std::string_view, Rect, Color, double) override {}
        void frame(std::string_view, Rect, const Stroke&, double) override {}
        void marker(std::string_view, Vec2, double, MarkerShape, Color, std::optional<Stroke>) override {}
        void text(std::string_view, Vec2, std::string_view, const TextStyle&) override {}
        Vec2 measure(std::string_view, const TextStyle&) override { return {}; }
        void field(std::string_view, Rect, const Field2D&) override {}
        void plane(std::string_view, const PlaneCorners&, const Field2D&, double) override {}
        void ribbons(std::string_view, std::span<const Ribbon>, Vec2) override {}
        void points(std::string_view, std::span<const PointMark>) override {}
        void pushClip(Rect) override {}
        void popClip() override {}
    } painter;
    for (const double ratio : {1.0, 1.25, 2.0, 3.0})
        for (const double at : {10.0, 10.3, 10.77}) {
            painter.ratio = ratio;
            const double width = std::round(ratio), edge = painter.crisp(at) * ratio - width / 2;
            CHECK(edge == doctest::Approx(std::round(edge)));
            CHECK(std::abs(painter.crisp(at) - at) <= 0.5 / ratio + 1e-9);
        }
}

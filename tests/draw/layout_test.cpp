#include "draw/layout.h"

#include <doctest/doctest.h>

#include <map>

using namespace kappaflow;

namespace {

/// Where the panels a, b, c, d of so little room each lie, by their names; those without room are missing. Rank 0 is a's.
std::map<char, Rect> drawn(Vec2 area, Vec2 least, const std::function<Layout(std::vector<Layout>)>& arranged) {
    std::map<char, Rect> places;
    std::vector<Layout> panels;
    for (const char name : {'a', 'b', 'c', 'd'})
        panels.emplace_back(name - 'a', least, [&places, name](Rect rect) { places[name] = rect; });
    arranged(std::move(panels)).draw({{0, 0}, area});
    return places;
}

Layout twoByTwo(std::vector<Layout> p) { return Layout::rows({Layout::columns({p[0], p[1]}), Layout::columns({p[2], p[3]})}); }

}  // namespace

TEST_CASE("panels fill the area beside each other, by their shares and never below their least sizes") {
    const auto places = drawn({618, 208}, {150, 90}, twoByTwo);
    CHECK(places.at('a') == Rect{{0, 0}, {300, 100}});
    CHECK(places.at('d') == Rect{{318, 108}, {618, 208}});
    const auto shared = drawn({918, 300}, {150, 90}, [](std::vector<Layout> p) {
        return Layout::columns({std::move(p[0]).share(9), std::move(p[1]).share(1)});
    });
    CHECK(shared.at('b').width() == doctest::Approx(150));
    CHECK(shared.at('a').width() == doctest::Approx(750));
}

TEST_CASE("columns without room stand one below the other, rows side by side, and then the last panels go") {
    const auto upright = drawn({200, 500}, {150, 90}, twoByTwo), low = drawn({700, 100}, {150, 90}, twoByTwo);
    CHECK(upright.size() == 4);
    CHECK(upright.at('b').lo.y > upright.at('a').hi.y);
    CHECK(low.size() == 4);
    CHECK(low.at('c').lo.x > low.at('b').hi.x);
    CHECK(low.at('c').lo.y == 0);
    const auto small = drawn({330, 100}, {150, 90}, twoByTwo);
    CHECK(small.size() == 2);
    CHECK(small.at('b').hi == Vec2{330, 100});
    CHECK(drawn({20, 20}, {150, 90}, twoByTwo).size() == 1);
    // Headlines stay above what they head.
    CHECK(drawn({700, 60}, {150, 40}, twoByTwo).size() == 2);
}

#include "draw/plot.h"

#include <doctest/doctest.h>

#include <cmath>

#include "draw/random.h"

using namespace kappaflow;

namespace {

const Rect kArea{{0, 0}, {300, 200}};

std::vector<Vec2> level(double y) { return {{0, y}, {150, y}, {300, y}}; }

}  // namespace

TEST_CASE("a lone label stands above its line's end") {
    const LabelWish wish{{40, 12}, level(100)};
    const auto places = placeLabels(kArea, {&wish, 1}, {}, {});
    REQUIRE(places[0]);
    CHECK(places[0]->hi.x == doctest::Approx(300));
    CHECK(places[0]->hi.y < 100);
    CHECK(places[0]->hi.y > 90);
}

TEST_CASE("labels never overlap each other or what is taken, and never leave the area") {
    Random rng(4);
    for (int round = 0; round < 200; ++round) {
        std::vector<LabelWish> wishes;
        std::vector<std::vector<Vec2>> lines;
        for (std::uint64_t k = rng.below(12); k > 0; --k) {
            std::vector<Vec2> line;
            double y = 200 * rng.uniform();
            for (int i = 0; i <= 50; ++i, y += 20 * (rng.uniform() - 0.5)) line.push_back({6.0 * i, y});
            wishes.push_back({{20 + 100 * rng.uniform(), 12}, line});
            lines.push_back(line);
        }
        const Rect taken[] = {{{200, 0}, {260, 20}}};
        const auto places = placeLabels(kArea, wishes, lines, taken);
        REQUIRE(places.size() == wishes.size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (!places[i]) continue;
            CHECK_FALSE(overlap(*places[i], taken[0]));
            CHECK(places[i]->lo.x >= -1e-9);
            CHECK(places[i]->hi.x <= 300 + 1e-9);
            CHECK(places[i]->lo.y >= -1e-9);
            CHECK(places[i]->hi.y <= 200 + 1e-9);
            for (std::size_t j = 0; j < i; ++j)
                if (places[j]) CHECK_FALSE(overlap(*places[i], *places[j]));
        }
    }
}

TEST_CASE("many labels on one line all find a place while there is room, and are left out when there is none") {
    std::vector<LabelWish> wishes(10, {{80, 12}, level(100)});
    for (const auto& place : placeLabels(kArea, wishes, {}, {})) CHECK(place.has_value());
    wishes.assign(200, {{280, 12}, level(100)});
    const auto places = placeLabels(kArea, wishes, {}, {});
    CHECK(places.front().has_value());
    CHECK_FALSE(places.back().has_value());
    const LabelWish tooWide{{400, 12}, level(100)};
    CHECK_FALSE(placeLabels(kArea, {&tooWide, 1}, {}, {})[0].has_value());
}

TEST_CASE("a label avoids crossing another line when it can") {
    const LabelWish wish{{40, 12}, level(100)};
    // Runs just above the right half of the labelled line.
    const std::vector<Vec2> lines[] = {level(100), {{150, 92}, {300, 92}}};
    const auto places = placeLabels(kArea, {&wish, 1}, lines, {});
    REQUIRE(places[0]);
    const bool clear = places[0]->lo.y > 100 || places[0]->hi.x < 150;
    CHECK(clear);
}

TEST_CASE("the label of a steep line that ends inside stands behind its end") {
    const LabelWish wish{{60, 12}, {{0, 2}, {20, 198}}};
    const auto places = placeLabels(kArea, {&wish, 1}, {}, {});
    REQUIRE(places[0]);
    CHECK(places[0]->lo.x > 20);
    CHECK(places[0]->lo.x < 30);
    CHECK(places[0]->hi.y > 180);
}

#include "app/layout.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kappaflow;

namespace {

struct Named {
    std::string name;
    Rect rect;
};

std::vector<Named> shown(const Layout& layout) {
    std::vector<Named> all;
    for (const auto& named : {Named{"sceneList", layout.sceneList}, Named{"toolbar", layout.toolbar}, Named{"heading", layout.heading},
                              Named{"picture", layout.picture}, Named{"timeline", layout.timeline}, Named{"params", layout.params}})
        if (named.rect.width() > 0 && named.rect.height() > 0) all.push_back(named);
    return all;
}

struct Size {
    double width, height;
};
const std::vector<Size> kScreens = {{360, 640}, {390, 844}, {768, 1024}, {1280, 800}, {1920, 1080}};
const std::vector<Size> kOdd = {{1, 1},     {200, 200}, {759, 300},  {760, 300},   {761, 90},  {320, 2000},
                                {5000, 50}, {844, 390}, {1024, 768}, {3840, 1600}, {360, 120}, {1000.5, 333.25}};

template <class Check>
void forEveryLayout(Check&& check) {
    auto sizes = kScreens;
    sizes.insert(sizes.end(), kOdd.begin(), kOdd.end());
    for (const auto& size : sizes)
        for (const UiMode ui : {UiMode::Full, UiMode::Lesson, UiMode::Figure})
            for (const bool timeline : {true, false})
                for (const bool folded : {true, false})
                    for (const bool words : {true, false}) {
                        CAPTURE(size.width);
                        CAPTURE(size.height);
                        CAPTURE(static_cast<int>(ui));
                        check(computeLayout({size.width, size.height, ui, timeline, folded, words}), size);
                    }
}

}  // namespace

TEST_CASE("nothing overlaps, everything lies inside, and there is always a picture, at any size") {
    forEveryLayout([](const Layout& layout, Size size) {
        const auto regions = shown(layout);
        CHECK(layout.picture.width() > 0);
        CHECK(layout.picture.height() > 0);
        for (std::size_t i = 0; i < regions.size(); ++i) {
            CAPTURE(regions[i].name);
            const Rect rect = regions[i].rect;
            CHECK(rect.lo.x >= 0);
            CHECK(rect.lo.y >= 0);
            CHECK(rect.hi.x <= size.width);
            CHECK(rect.hi.y <= size.height);
            for (std::size_t k = 0; k < i; ++k) {
                CAPTURE(regions[k].name);
                CHECK_FALSE(overlap(rect, regions[k].rect));
            }
        }
    });
}

TEST_CASE("beside its panels the picture keeps 60 % of the width") {
    for (double width = 760; width < 2600; width += 7) {
        CAPTURE(width);
        CHECK(computeLayout({width, 800}).picture.width() >= 0.6 * width);
    }
}

TEST_CASE("a list that would press the picture is folded, and folds when asked") {
    CHECK_FALSE(computeLayout({1280, 800}).listFolded);
    CHECK(computeLayout({1280, 800, UiMode::Full, true, true}).listFolded);
    const Layout tablet = computeLayout({768, 1024});
    CHECK(tablet.listFolded);
    CHECK_FALSE(tablet.canUnfold);
    CHECK_FALSE(tablet.compact);
}

TEST_CASE("on a phone the picture takes about half the height and the params the rest") {
    for (const Size size : {Size{360, 640}, Size{390, 844}}) {
        const Layout layout = computeLayout({size.width, size.height});
        CHECK(layout.compact);
        CHECK(layout.picture.width() == size.width);
        CHECK(layout.picture.height() >= 0.45 * size.height);
        CHECK(layout.picture.height() <= 0.6 * size.height);
        CHECK(layout.params.height() >= 100);
        CHECK(layout.timeline.lo.y == layout.picture.hi.y);
    }
}

TEST_CASE("a figure is its picture and its timeline and nothing else; a lesson has no list and no toolbar") {
    const Layout lesson = computeLayout({1280, 800, UiMode::Lesson});
    CHECK(shown(lesson).size() == 4);
    CHECK(lesson.sceneList.width() == 0);
    CHECK(lesson.toolbar.width() == 0);
    for (const auto& size : kScreens) {
        const Layout layout = computeLayout({size.width, size.height, UiMode::Figure});
        CHECK(shown(layout).size() == 2);
        CHECK(layout.picture.height() + layout.timeline.height() == size.height);
        CHECK(computeLayout({size.width, size.height, UiMode::Figure, false}).picture == layout.frame);
    }
}

TEST_CASE("what to look at is 16 px at 1280, grows with the window to 22, and is never below 14") {
    CHECK(computeLayout({1280, 800}).lookAtSize == 16);
    CHECK(computeLayout({1920, 1080}).lookAtSize == 20);
    CHECK(computeLayout({3840, 2160}).lookAtSize == 22);
    forEveryLayout([](const Layout& layout, Size) {
        CHECK(layout.lookAtSize >= 14);
        CHECK(layout.lookAtSize <= 22);
    });
}

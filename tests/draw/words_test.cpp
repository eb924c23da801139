#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "draw/markup.h"
#include "draw/svg_painter.h"

using namespace kappaflow;

namespace {

/// Every text backwards for as long as this lives; which were asked for.
struct Backwards {
    std::vector<std::string> asked;
    Backwards() {
        setTranslation([this](std::string_view english) {
            asked.emplace_back(english);
            return english == "long" ? std::string("one two three four") : std::string(english.rbegin(), english.rend());
        });
    }
    ~Backwards() { setTranslation(nullptr); }
};
const MeasureText kHalf = [](std::string_view text, double size, bool, bool) { return 0.5 * size * static_cast<double>(text.size()); };

}  // namespace

TEST_CASE("texts are laid out in the language that is set, each asked for once") {
    const TextStyle style{.size = 10};
    CHECK(layOut("abc", style, kHalf).runs.at(0).text == "abc");
    {
        const Backwards words;
        for (int i = 0; i < 3; ++i) CHECK(layOut("abc", style, kHalf).runs.at(0).text == "cba");
        CHECK(layOut("long", style, kHalf).width == 90);
        CHECK(words.asked == std::vector<std::string>{"abc", "long"});
        CHECK(inWords("") == "");
    }
    CHECK(layOut("abc", style, kHalf).runs.at(0).text == "abc");
}

TEST_CASE("a text is translated before it is broken or cut, and its pieces are not looked up again") {
    const TextStyle style{.size = 10};
    SvgPainter painter(Theme::light(), kHalf, "words");
    const Backwards words;
    const double width = painter.measure("long", style).x;
    const auto lines = wrapText(painter, "long", style, 0.6 * width);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] + " " + lines[1] == "one two three four");
    for (const std::string& line : lines) CHECK(inWords(line) == line);
    for (const std::string& line : wrapText(painter, "long", style, 0.45 * width)) CHECK(inWords(line) == line);  // the last a word alone
    const std::string cut = elide(painter, "long", style, 0.7 * width);
    CHECK(cut.starts_with("one two"));
    CHECK(cut.ends_with("…"));
    CHECK(inWords(cut) == cut);
    const auto shortened = wrapText(painter, "long", style, 0.4 * width, 1);
    REQUIRE(shortened.size() == 1);
    CHECK(inWords(shortened[0]) == shortened[0]);
    CHECK(words.asked == std::vector<std::string>{"long"});
}

TEST_CASE("texts that change for ever do not fill the memory") {
    const Backwards words;
    for (int i = 0; i < 60000; ++i) inWords("layer " + std::to_string(i));
    CHECK(inWords("layer 7") == "7 reyal");
}

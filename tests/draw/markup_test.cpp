#include "draw/markup.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "draw/random.h"

using namespace kappaflow;

namespace {

// Every character half its size wide.
double halfSize(std::string_view utf8, double size, bool, bool) {
    double count = 0;
    for (std::size_t at = 0; at < utf8.size(); ++count) nextCodePoint(utf8, at);
    return 0.5 * size * count;
}

TextLayout laidOut(std::string_view text, double size = 10) {
    TextStyle style;
    style.size = size;
    return layOut(text, style, halfSize);
}

}  // namespace

TEST_CASE("plain text is one run at the start") {
    const TextLayout layout = laidOut("layer 12");
    REQUIRE(layout.runs.size() == 1);
    CHECK(layout.runs[0].text == "layer 12");
    CHECK(layout.runs[0].x == 0);
    CHECK(layout.width == doctest::Approx(40));
}

TEST_CASE("stars switch italics, escapes are taken literally") {
    const TextLayout layout = laidOut("a*b*c");
    REQUIRE(layout.runs.size() == 3);
    CHECK_FALSE(layout.runs[0].italic);
    CHECK(layout.runs[1].italic);
    CHECK_FALSE(layout.runs[2].italic);
    CHECK(layout.runs[2].x == doctest::Approx(10));
    CHECK(withoutMarkup(R"(a\*b\_{c\^ \\ d)") == R"(a*b_{c^ \ d)");
    CHECK(withoutMarkup("x_1 ^ _y") == "x_1 ^ _y");
}

TEST_CASE("scripts are smaller, raised or lowered, and what follows stands behind them") {
    const TextLayout layout = laidOut("x_{ij}y^{2}");
    REQUIRE(layout.runs.size() == 4);
    CHECK(layout.runs[1].text == "ij");
    CHECK(layout.runs[1].size < 10);
    CHECK(layout.runs[1].rise < 0);
    CHECK(layout.runs[2].x == doctest::Approx(layout.runs[1].x + layout.runs[1].width));
    CHECK(layout.runs[3].rise > 0);
    CHECK(layout.width == doctest::Approx(layout.runs[3].x + layout.runs[3].width));
}

TEST_CASE("a tilde stands over what is before it and takes no room") {
    const TextLayout layout = laidOut("Y^{~}^{T}c");
    REQUIRE(layout.runs.size() == 4);
    const TextRun &base = layout.runs[0], &tilde = layout.runs[1];
    CHECK(tilde.text == "~");
    CHECK(tilde.rise > 0);
    CHECK(tilde.x + 0.5 * tilde.width == doctest::Approx(base.x + 0.5 * base.width));
    CHECK(layout.runs[2].x == doctest::Approx(base.x + base.width));
    CHECK(laidOut("^{~}").runs.empty());
}

TEST_CASE("a raised script after a lowered one stands above it") {
    for (const char* text : {"κ_{i}^{long}x", "κ^{long}_{i}x"}) {
        const TextLayout layout = laidOut(text);
        REQUIRE(layout.runs.size() == 4);
        CHECK(layout.runs[1].x == doctest::Approx(layout.runs[2].x));
        const double end = std::max(layout.runs[1].x + layout.runs[1].width, layout.runs[2].x + layout.runs[2].width);
        CHECK(layout.runs[3].x == doctest::Approx(end));
    }
}

TEST_CASE("nested scripts shrink and rise further, and italics end with their group") {
    const TextLayout layout = laidOut("e^{−*x^{2}}y");
    REQUIRE(layout.runs.size() == 5);
    CHECK(layout.runs[3].text == "2");
    CHECK(layout.runs[3].size < layout.runs[2].size);
    CHECK(layout.runs[3].rise > layout.runs[2].rise);
    CHECK_FALSE(layout.runs[4].italic);
}

TEST_CASE("any bytes are laid out, as wide as their runs, and escaping gives text back") {
    Random rng(3);
    const std::string letters = "a*_^{}\\ κ\xff\xc3\xe2\x82";
    for (int round = 0; round < 4000; ++round) {
        std::string text;
        for (std::uint64_t i = rng.below(24); i > 0; --i) text += letters[rng.below(letters.size())];
        const TextLayout layout = laidOut(text);
        double furthest = 0;
        for (const TextRun& run : layout.runs) furthest = std::max(furthest, run.x + run.width);
        CHECK(layout.width == doctest::Approx(furthest));
        CHECK(withoutMarkup(escapeMarkup(text)) == text);
    }
    CHECK(laidOut(std::string(200000, '_').append("{")).runs.size() == 1);
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "^{";
    CHECK(laidOut(deep + "x").width > 0);
}

TEST_CASE("elided text fits, keeps its beginning and says that it goes on") {
    Recorder recorder;
    TextStyle style;
    style.size = 10;
    CHECK(elide(recorder, "capacity", style, 40) == "capacity");
    CHECK(elide(recorder, "capacity", style, 25) == "capa…");
    CHECK(elide(recorder, "capacity", style, 2) == "");
    for (double width = 0; width < 80; width += 1.7) {
        const std::string text = elide(recorder, "share *D*_{*ij*} of κ^{*l*−1}", style, width);
        CHECK(recorder.measure(text, style).x <= width);
        const bool closed = std::count(text.begin(), text.end(), '{') == std::count(text.begin(), text.end(), '}');
        CHECK(closed);
    }
}

TEST_CASE("lines break at blanks, none is wider than it may be, and the last one says where something is missing") {
    Recorder painter;
    const TextStyle style{.size = 10};  // the recorder's letters are half as wide as high
    const auto lines = wrapText(painter, "one two three four", style, 45);
    CHECK(lines == std::vector<std::string>{"one two", "three", "four"});
    CHECK(wrapText(painter, "incomprehensible", style, 20).size() == 1);
    CHECK(wrapText(painter, "", style, 20).empty());
    const auto cut = wrapText(painter, "one two three four five six", style, 60, 2);
    REQUIRE(cut.size() == 2);
    CHECK(cut[1].find("…") != std::string::npos);
    CHECK(painter.measure(cut[1], style).x <= 60);
    for (const double width : {20.0, -5.0})
        CHECK(wrapText(painter, "incomprehensible models", style, width, 1) == std::vector<std::string>{"incomprehensible …"});
}

TEST_CASE("symbols are set as the papers print them, and powers in sentences are raised") {
    const std::pair<const char*, const char*> symbols[] = {{"L", "*L*"},
                                                           {"ε", "*ε*"},
                                                           {"κ^L", "*κ*^{*L*}"},
                                                           {"n_l", "*n*_{*l*}"},
                                                           {"D_{ij}", "*D*_{ij}"},
                                                           {"x_{i", "*x*_{*i*}"},
                                                           {"w_max", "*w*_{max}"},
                                                           {"log₁₀ w", "log₁₀ *w*"},
                                                           {"σ²", "*σ*²"},
                                                           {"a^", "*a*\\^"},
                                                           {"", ""}};
    for (const auto& [symbol, text] : symbols) CHECK(symbolText(symbol) == text);
    const std::pair<const char*, const char*> sentences[] = {{"10^−24 of it", "10^{−24} of it"},
                                                             {"e^−1 and x^2.", "e^{−1} and x^{2}."},
                                                             {"κ^L, e^∫Δ, ^", "κ\\^L, e\\^∫Δ, \\^"},
                                                             {"r^−(L − l)", "r\\^−(L − l)"},
                                                             {"‖KᵀX‖ is 1", "‖K^{T}X‖ is 1"}};
    for (const auto& [sentence, text] : sentences) CHECK(proseText(sentence) == text);
}

TEST_CASE("bytes that are not UTF-8 read as the replacement character and nothing is read twice") {
    const auto all = [](std::string_view bytes) {
        std::vector<char32_t> codes;
        for (std::size_t at = 0; at < bytes.size();) codes.push_back(nextCodePoint(bytes, at));
        return codes;
    };
    CHECK(all("aκ𝒟") == std::vector<char32_t>{'a', 0x3BA, 0x1D49F});
    CHECK(all("\xC0\x80") == std::vector<char32_t>{0xFFFD, 0xFFFD});
    CHECK(all("\xED\xA0\x80") == std::vector<char32_t>{0xFFFD});
    CHECK(all("\xE2\x82") == std::vector<char32_t>{0xFFFD});
    CHECK(all("\xF5") == std::vector<char32_t>{0xFFFD});
}

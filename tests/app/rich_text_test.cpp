#include "app/rich_text.h"

#include <doctest/doctest.h>

using namespace kappaflow;

TEST_CASE("plain words stay plain") {
    CHECK(plainText("a_b * c^2 \\ d") == "a\\_b \\* c\\^2 \\\\ d");
    CHECK(plainText("P∘P") == "P∘P");
}

TEST_CASE("numbers in notes stand without what computes them") {
    CHECK(withoutSources("at $[[0.37 ← shattering: limit]]$ and [[7 ← a b=1: c]].") == "at $0.37$ and 7.");
    CHECK(withoutSources("[[1.5\\cdot10^{-3} ← s: f(x=1)]]|[[2]]|[[3") == "1.5\\cdot10^{-3}|[[2]]|[[3");
    CHECK(withoutSources("") == "");
    const auto lines = readNotes("A *limit* of [[0.368 ← shattering: limit]] stays.");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].text.find("0.368") != std::string::npos);
    CHECK(lines[0].text.find("shattering") == std::string::npos);
}

TEST_CASE("symbols are set as the papers print them") {
    CHECK(symbolText("L") == "*L*");
    CHECK(symbolText("ε") == "*ε*");
    CHECK(symbolText("κ^L") == "*κ*^{*L*}");
    CHECK(symbolText("n_l") == "*n*_{*l*}");
    CHECK(symbolText("D_{ij}") == "*D*_{ij}");
    CHECK(symbolText("w_max") == "*w*_{max}");
    CHECK(symbolText("log₁₀ w") == "log₁₀ *w*");
    CHECK(symbolText("σ²") == "*σ*²");
    CHECK(symbolText("a^") == "*a*\\^");
    CHECK(symbolText("").empty());
}

TEST_CASE("lines break at blanks and none is wider than it may be") {
    Recorder painter;
    const TextStyle style{.size = 10};  // the recorder's letters are half as wide as high
    const auto lines = wrapText(painter, "one two three four", style, 45);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "one two");
    for (const auto& line : lines) CHECK(painter.measure(line, style).x <= 45);
    CHECK(wrapText(painter, "incomprehensible", style, 20).size() == 1);
    CHECK(wrapText(painter, "", style, 20).empty());
}

TEST_CASE("what does not fit into the last line ends in an ellipsis") {
    Recorder painter;
    const TextStyle style{.size = 10};
    const auto lines = wrapText(painter, "one two three four five six", style, 60, 2);
    REQUIRE(lines.size() == 2);
    CHECK(lines[1].find("…") != std::string::npos);
    CHECK(painter.measure(lines[1], style).x <= 60);
    CHECK(wrapText(painter, "incomprehensible models", style, 20, 1) == std::vector<std::string>{"incomprehensible …"});
    CHECK(wrapText(painter, "incomprehensible models", style, -5, 1).size() == 1);
}

TEST_CASE("notes lose their marks and keep their shape") {
    const auto notes = readNotes(
        "# A *title*\n\nSome **bold** words\non two lines with $x^2$ and [a link](http://x).\n\n- first\n  goes on\n- second\n\n$$\na = "
        "b\n$$\n");
    REQUIRE(notes.size() == 5);
    CHECK(notes[0].what == NoteLine::What::Heading);
    CHECK(notes[0].text == "A title");
    CHECK(notes[1].text == "Some bold words on two lines with *x*^{2} and a link.");
    CHECK(notes[2].what == NoteLine::What::Item);
    CHECK(notes[2].text == "first goes on");
    CHECK(notes[3].text == "second");
    CHECK(notes[4].what == NoteLine::What::Formula);
    CHECK(notes[4].text == "*a* = *b*");
}

TEST_CASE("notes that end in the middle of a mark are read to their end") {
    for (const char* text : {"$", "$$", "a $x", "[a](b", "*", "#", "- ", "\n\n", "$$$$", "]("}) {
        CAPTURE(text);
        CHECK_NOTHROW(readNotes(text));
    }
}

TEST_CASE("powers in sentences are raised, other carets stay") {
    CHECK(proseText("10^−24 of it") == "10^{−24} of it");
    CHECK(proseText("e^−1 and x^2.") == "e^{−1} and x^{2}.");
    CHECK(proseText("κ^L, e^∫Δ, ^") == "κ\\^L, e\\^∫Δ, \\^");
    CHECK(proseText("r^−(L − l)") == "r\\^−(L − l)");
}

TEST_CASE("formulas on one line, over several, and at the end of another are all formulas") {
    for (const char* text : {"$$a$$", "$$\na\n$$", "$$a\n$$", "$$\na\n$$\n"}) {
        CAPTURE(text);
        const auto notes = readNotes(text);
        REQUIRE(notes.size() == 1);
        CHECK(notes[0].what == NoteLine::What::Formula);
        CHECK(notes[0].text == "*a*");
    }
}

#include "draw/notes.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace kappaflow;

TEST_CASE("notes: formulas stand in one line") {
    const std::pair<const char*, const char*> cases[] = {{"\\kappa^{l-1} = D_l\\,\\kappa^l", "*κ*^{*l*−1} = *D*_{*l*}*κ*^{*l*}"},
                                                         {"\\phi(Y) = f(P^T Y)", "*φ*(*Y*) = *f*(*P*^{*T*} *Y*)"},
                                                         {"\\mathcal{D} = \\tfrac12\\sum_k k^2\\Delta_k", "𝒟 = ½∑_{*k*} *k*^{2}Δ_{*k*}"},
                                                         {"\\sigma = \\sqrt{2\\mathcal{D}t}", "*σ* = √(2𝒟*t*)"},
                                                         {"\\sqrt2", "√2"},
                                                         {"P_l \\circ P_l, \\qquad x", "*P*_{*l*} ∘ *P*_{*l*}, *x*"},
                                                         {"\\frac{a+b}{c}", "(*a*+*b*)/*c*"},
                                                         {"\\bigl\\{ \\log w_{\\max} \\bigr\\}", "{ log *w*_{max} }"},
                                                         {"e^{-\\int \\Delta}", "*e*^{−∫Δ}"}};
    for (const auto& [tex, text] : cases) CHECK(latexText(tex) == text);
}

TEST_CASE("notes: TeX and markdown that break off are read as far as they go") {
    std::string deep;
    for (int i = 0; i < 5000; ++i) deep += "x^{";
    for (const std::string text :
         {"\\", "{", "}",  "^",    "_",     "\\frac", "\\frac{a", "\\sqrt", "x^{",  "\\mathcal", "a_{b_{c", "{{{{", "\\left(",
          "^^", "$", "$$", "a $x", "[a](b", "*",      "#",        "- ",     "\n\n", "$$$$",      "](",      "[[1 ←"}) {
        CAPTURE(text);
        CHECK_NOTHROW(latexText(text));
        CHECK_NOTHROW(readNotes(text));
    }
    CHECK_NOTHROW(latexText(std::string(100000, '{')));
    CHECK_NOTHROW(latexText(deep));
}

TEST_CASE("notes: no scene's leave TeX behind") {
    int read = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(KAPPAFLOW_SOURCE_DIR "/src/scenes")) {
        if (entry.path().extension() != ".md") continue;
        std::ifstream in(entry.path());
        for (const auto& line : readNotes(std::string(std::istreambuf_iterator<char>(in), {}))) {
            CAPTURE(line.text);
            for (const char* left : {"$", "varepsilon", "mathcal", "qquad", "tfrac", "bigl"})
                CHECK(line.text.find(left) == std::string::npos);
        }
        ++read;
    }
    CHECK(read >= 27);
}

TEST_CASE("notes: numbers stand without what computes them") {
    CHECK(withoutSources("at $[[0.37 ← shattering: limit]]$ and [[7 ← a b=1: c]].") == "at $0.37$ and 7.");
    CHECK(withoutSources("[[1.5\\cdot10^{-3} ← s: f(x=1)]]|[[2]]|[[3") == "1.5\\cdot10^{-3}|[[2]]|[[3");
    CHECK(withoutSources("") == "");
    CHECK(readNotes("A *limit* of [[0.368 ← shattering: limit]] stays.").at(0).text == "A limit of 0.368 stays.");
}

TEST_CASE("notes: they lose their marks and keep their shape") {
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
    for (const char* text : {"$$a$$", "$$\na\n$$", "$$a\n$$", "$$\na\n$$\n"}) {
        CAPTURE(text);
        const auto formula = readNotes(text);
        REQUIRE(formula.size() == 1);
        CHECK(formula[0].what == NoteLine::What::Formula);
        CHECK(formula[0].text == "*a*");
    }
}

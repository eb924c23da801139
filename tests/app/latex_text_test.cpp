#include "app/rich_text.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace kappaflow;

TEST_CASE("formulas of the notes in one line") {
    CHECK(latexText("\\kappa^{l-1} = D_l\\,\\kappa^l") == "*κ*^{*l*−1} = *D*_{*l*}*κ*^{*l*}");
    CHECK(latexText("\\phi(Y) = f(P^T Y)") == "*φ*(*Y*) = *f*(*P*^{*T*} *Y*)");
    CHECK(latexText("\\mathcal{D} = \\tfrac12\\sum_k k^2\\Delta_k") == "𝒟 = ½∑_{*k*} *k*^{2}Δ_{*k*}");
    CHECK(latexText("\\sigma = \\sqrt{2\\mathcal{D}t}") == "*σ* = √(2𝒟*t*)");
    CHECK(latexText("\\sqrt2") == "√2");
    CHECK(latexText("P_l \\circ P_l, \\qquad x") == "*P*_{*l*} ∘ *P*_{*l*}, *x*");
    CHECK(latexText("\\frac{a+b}{c}") == "(*a*+*b*)/*c*");
    CHECK(latexText("\\log w_{\\max}") == "log *w*_{max}");
    CHECK(latexText("e^{-\\int \\Delta}") == "*e*^{−∫Δ}");
    CHECK(latexText("r^{-(L - l)}") == "*r*^{−(*L*−*l*)}");
}

TEST_CASE("source that breaks off is read as far as it goes") {
    for (const char* tex :
         {"\\", "{", "}", "^", "_", "\\frac", "\\frac{a", "\\sqrt", "x^{", "\\mathcal", "a_{b_{c", "{{{{", "\\left(", "^^", "$"}) {
        CAPTURE(tex);
        CHECK_NOTHROW(latexText(tex));
    }
    CHECK_NOTHROW(latexText(std::string(100000, '{')));
    std::string deep;
    for (int i = 0; i < 5000; ++i) deep += "x^{";
    CHECK_NOTHROW(latexText(deep));
}

TEST_CASE("no scene's notes leave TeX behind") {
    const std::filesystem::path scenes = std::filesystem::path(KAPPAFLOW_SOURCE_DIR) / "src" / "scenes";
    int read = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scenes)) {
        if (entry.path().extension() != ".md") continue;
        std::ifstream in(entry.path());
        const std::string text((std::istreambuf_iterator<char>(in)), {});
        for (const auto& line : readNotes(text)) {
            CAPTURE(line.text);
            CHECK(line.text.find('$') == std::string::npos);
            for (const char* left : {"\\varepsilon", "varepsilon", "mathcal", "qquad", "tfrac", "bigl"})
                CHECK(line.text.find(left) == std::string::npos);
        }
        ++read;
    }
    CHECK(read >= 2);
}

// Every figure and theorem of the four papers is to become a scene. This is the list of those that no scene serves yet: it may only
// shrink. Serving one without taking it off fails as well, so the list stays true.
#include <doctest/doctest.h>

#include <regex>
#include <set>
#include <string>

#include "scene/scene.h"

using namespace kappaflow;

namespace {

// Adds "P1 Fig 4" for every figure or theorem named in a text such as "P1 Figs 1–2; Eqs 4–9" or "P3 Fig 1; P3 Theorem 2".
void collect(const std::string& text, std::set<std::string>& served) {
    static const std::regex mention("(P[1-4]) (?:[^;]*?)(Fig|Theorem)s? ([0-9]+)(?:(?:–|-)([0-9]+))?");
    for (std::sregex_iterator it(text.begin(), text.end(), mention), end; it != end; ++it) {
        const int first = std::stoi((*it)[3]), last = (*it)[4].matched ? std::stoi((*it)[4]) : first;
        for (int n = first; n <= last; ++n) served.insert((*it)[1].str() + " " + (*it)[2].str() + " " + std::to_string(n));
    }
}

// Adds the number of every equation of P1 named in a text such as "P1 Figs 1–2; Eqs 4–9, 16–18 (later version Eqs 4–9)": numbers are
// those of the first version, in brackets the later one's, which do not count.
void collectEquations(const std::string& whole, std::set<int>& served) {
    static const std::regex later("\\(later version[^)]*\\)");
    const std::string text = std::regex_replace(whole, later, "");
    static const std::regex list("Eqs? ([0-9]+(?:(?:–|-|, )[0-9]+)*)"), range("([0-9]+)(?:(?:–|-)([0-9]+))?");
    if (text.rfind("P1 ", 0) != 0) return;
    for (std::sregex_iterator it(text.begin(), text.end(), list), end; it != end; ++it) {
        const std::string numbers = (*it)[1];
        for (std::sregex_iterator part(numbers.begin(), numbers.end(), range); part != end; ++part)
            for (int n = std::stoi((*part)[1]), last = (*part)[2].matched ? std::stoi((*part)[2]) : n; n <= last; ++n) served.insert(n);
    }
}

void add(std::set<std::string>& all, const std::string& prefix, int first, int last) {
    for (int n = first; n <= last; ++n) all.insert(prefix + " " + std::to_string(n));
}

}  // namespace

TEST_CASE("the figures and theorems that no scene serves yet are exactly these") {
    std::set<std::string> all;
    add(all, "P1 Fig", 1, 4);
    add(all, "P2 Fig", 1, 15);
    add(all, "P3 Fig", 1, 5);
    add(all, "P4 Fig", 1, 6);
    add(all, "P3 Theorem", 1, 4);
    add(all, "P4 Theorem", 1, 1);

    std::set<std::string> served;
    for (const auto& declaration : declarations()) {
        collect(declaration.source, served);
        for (const auto& param : declaration.params) collect(param.serves, served);
    }

    std::set<std::string> waiting;

    for (const auto& name : all) {
        CAPTURE(name);
        CHECK((served.count(name) == 1) != (waiting.count(name) == 1));
    }
}

TEST_CASE("every numbered equation of P1 after its definitions is served by a scene") {
    std::set<int> served;
    for (const auto& declaration : declarations()) collectEquations(declaration.source, served);
    for (int equation = 4; equation <= 37; ++equation) {
        CAPTURE(equation);
        CHECK(served.count(equation) == 1);
    }
    // Beyond 37 are the later version's alone.
    for (const int equation : served) CHECK(equation <= 37);
}

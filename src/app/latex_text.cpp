#include "app/latex_text.h"

#include <algorithm>
#include <utility>

#include "app/rich_text.h"

namespace kappaflow {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;

constexpr Entry kGreek[] = {{"alpha", "α"}, {"beta", "β"},   {"gamma", "γ"}, {"delta", "δ"}, {"epsilon", "ϵ"}, {"varepsilon", "ε"},
                            {"zeta", "ζ"},  {"eta", "η"},    {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"},  {"mu", "μ"},
                            {"nu", "ν"},    {"xi", "ξ"},     {"pi", "π"},    {"rho", "ρ"},   {"sigma", "σ"},   {"tau", "τ"},
                            {"phi", "φ"},   {"varphi", "φ"}, {"chi", "χ"},   {"psi", "ψ"},   {"omega", "ω"},   {"ell", "ℓ"}};
constexpr Entry kSigns[] = {{"Gamma", "Γ"},
                            {"Delta", "Δ"},
                            {"Theta", "Θ"},
                            {"Lambda", "Λ"},
                            {"Pi", "Π"},
                            {"Sigma", "Σ"},
                            {"Phi", "Φ"},
                            {"Psi", "Ψ"},
                            {"Omega", "Ω"},
                            {"sum", "∑"},
                            {"prod", "∏"},
                            {"int", "∫"},
                            {"partial", "∂"},
                            {"nabla", "∇"},
                            {"infty", "∞"},
                            {"circ", " ∘ "},
                            {"cdot", "·"},
                            {"cdots", " ⋯ "},
                            {"dots", " … "},
                            {"ldots", " … "},
                            {"times", " × "},
                            {"pm", " ± "},
                            {"approx", " ≈ "},
                            {"sim", " ∼ "},
                            {"neq", " ≠ "},
                            {"le", " ≤ "},
                            {"leq", " ≤ "},
                            {"ge", " ≥ "},
                            {"geq", " ≥ "},
                            {"propto", " ∝ "},
                            {"to", " → "},
                            {"rightarrow", " → "},
                            {"longrightarrow", " → "},
                            {"mapsto", " ↦ "},
                            {"in", " ∈ "},
                            {"ast", " ∗ "},
                            {"langle", "⟨"},
                            {"rangle", "⟩"},
                            {"|", "‖"},
                            {"{", "{"},
                            {"}", "}"},
                            {"%", "%"},
                            {"quad", "   "},
                            {"qquad", "   "},
                            {" ", " "},
                            {"\\", "   "}};
constexpr std::string_view kSilent[] = {"left",         "right",  "bigl", "bigr",         "big", "Big", "Bigl", "Bigr",
                                        "displaystyle", "mathrm", "text", "operatorname", ",",   ";",   ":",    "!"};
constexpr Entry kScript[] = {{"D", "𝒟"}, {"N", "𝒩"}, {"C", "𝒞"}, {"O", "𝒪"}, {"L", "ℒ"}, {"H", "ℋ"}};
constexpr Entry kDouble[] = {{"R", "ℝ"}, {"N", "ℕ"}, {"Z", "ℤ"}, {"C", "ℂ"}, {"P", "ℙ"}, {"E", "𝔼"}};

template <std::size_t N>
const std::string_view* lookUp(const Entry (&table)[N], std::string_view name) {
    const auto found = std::find_if(std::begin(table), std::end(table), [&](const Entry& entry) { return entry.first == name; });
    return found == std::end(table) ? nullptr : &found->second;
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Reads TeX from left to right; malformed input ends early, it never fails.
class Reader {
public:
    explicit Reader(std::string_view tex, int depth = 0) : tex_(tex), depth_(depth) {}

    std::string all() {
        std::string out;
        while (at_ < tex_.size()) out += next();
        return out;
    }

private:
    static constexpr int kDeepest = 20;

    std::string inner(std::string_view tex) const { return depth_ < kDeepest ? Reader(tex, depth_ + 1).all() : std::string(); }

    // The source of one argument: a group without its braces, a command, or a single character.
    std::string_view argument() {
        while (at_ < tex_.size() && isSpace(tex_[at_])) ++at_;
        const std::size_t start = at_;
        if (at_ >= tex_.size()) return {};
        if (tex_[at_] == '\\') {
            command();
            return tex_.substr(start, at_ - start);
        }
        if (tex_[at_++] != '{') return tex_.substr(start, 1);
        for (int open = 1; at_ < tex_.size(); ++at_) {
            open += tex_[at_] == '{' ? 1 : tex_[at_] == '}' ? -1 : 0;
            if (open == 0) return tex_.substr(start + 1, at_++ - start - 1);
        }
        return tex_.substr(start + 1);
    }

    std::string_view command() {
        const std::size_t start = ++at_;
        while (at_ < tex_.size() && isLetter(tex_[at_])) ++at_;
        if (at_ == start && at_ < tex_.size()) ++at_;
        return tex_.substr(start, at_ - start);
    }

    std::string afterCommand(std::string_view name) {
        if (const auto* greek = lookUp(kGreek, name)) return "*" + std::string(*greek) + "*";
        if (const auto* sign = lookUp(kSigns, name)) return std::string(*sign);
        if (name == "mathcal" || name == "mathbb") {
            const std::string_view letter = argument();
            const auto* sign = name == "mathcal" ? lookUp(kScript, letter) : lookUp(kDouble, letter);
            return sign ? std::string(*sign) : inner(letter);
        }
        if (name == "sqrt") return root(argument());
        if (name == "frac" || name == "tfrac" || name == "dfrac") {
            const std::string_view above = argument();
            return fraction(above, argument());
        }
        if (std::find(std::begin(kSilent), std::end(kSilent), name) != std::end(kSilent)) return {};
        return plainText(name);
    }

    std::string root(std::string_view under) const { return under.size() > 1 ? "√(" + inner(under) + ")" : "√" + inner(under); }

    std::string fraction(std::string_view above, std::string_view below) const {
        if (above == "1" && below == "2") return "½";
        const auto part = [&](std::string_view tex) { return tex.size() > 1 ? "(" + inner(tex) + ")" : inner(tex); };
        return part(above) + "/" + part(below);
    }

    // Raised and lowered text must not be broken over two lines: its blanks go.
    std::string script(char mark) {
        std::string text = inner(argument());
        text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
        return std::string(1, mark) + "{" + text + "}";
    }

    std::string next() {
        const char c = tex_[at_];
        if (c == '\\') return afterCommand(command());
        if (c == '{') return inner(argument());
        ++at_;
        if (c == '^' || c == '_') return script(c);
        if (c == '-') return "−";
        if (c == '&' || c == '}') return {};
        if (isSpace(c)) return " ";
        return isLetter(c) ? "*" + std::string(1, c) + "*" : plainText(std::string_view(&c, 1));
    }

    std::string_view tex_;
    std::size_t at_ = 0;
    int depth_;
};

}  // namespace

std::string latexText(std::string_view tex) {
    const std::string all = Reader(tex).all();
    std::string out;
    for (const char c : all)
        if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

}  // namespace kappaflow

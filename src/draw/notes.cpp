#include "draw/notes.h"

#include <algorithm>

#include "draw/markup.h"

namespace kappaflow {
namespace {

// Commands and what they stand for, each followed by a blank.
constexpr std::string_view kItalic =
    R"(\alpha α \beta β \gamma γ \delta δ \epsilon ϵ \varepsilon ε \zeta ζ \eta η \theta θ \kappa κ \lambda λ \mu μ \nu ν \xi ξ )"
    R"(\pi π \rho ρ \sigma σ \tau τ \phi φ \varphi φ \chi χ \psi ψ \omega ω \ell ℓ )";
constexpr std::string_view kUpright =
    R"(\Gamma Γ \Delta Δ \Theta Θ \Lambda Λ \Pi Π \Sigma Σ \Phi Φ \Psi Ψ \Omega Ω \sum ∑ \prod ∏ \int ∫ \partial ∂ \nabla ∇ )"
    R"(\infty ∞ \cdot · \langle ⟨ \rangle ⟩ \| ‖ )";
constexpr std::string_view kSpaced =
    R"(\circ ∘ \cdots ⋯ \dots … \ldots … \times × \pm ± \approx ≈ \sim ∼ \neq ≠ \le ≤ \leq ≤ \ge ≥ \geq ≥ \propto ∝ \to → )"
    R"(\rightarrow → \longrightarrow → \mapsto ↦ \in ∈ \ast ∗ )";
constexpr std::string_view kScript = R"(\D 𝒟 \N 𝒩 \C 𝒞 \O 𝒪 \L ℒ \H ℋ )", kDouble = R"(\R ℝ \N ℕ \Z ℤ \C ℂ \P ℙ \E 𝔼 )";
constexpr std::string_view kSilent =
    R"(\left \right \bigl \bigr \big \Big \Bigl \Bigr \displaystyle \mathrm \text \operatorname \, \; \: \! )";

/// What stands behind a name in such a table, "" where it has none.
std::string lookUp(std::string_view table, std::string_view name) {
    const std::string key = "\\" + std::string(name) + " ";
    const std::size_t at = table.find(key);
    if (at == table.npos) return {};
    return std::string(table.substr(at + key.size(), table.find(' ', at + key.size()) - at - key.size()));
}

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Reads TeX from left to right; malformed input ends early, it never fails.
class TexReader {
public:
    explicit TexReader(std::string_view tex, int depth = 0) : tex_(tex), depth_(depth) {}

    std::string all() {
        std::string out;
        while (at_ < tex_.size()) out += next();
        return out;
    }

private:
    static constexpr int kDeepest = 20;

    std::string inner(std::string_view tex) const { return depth_ < kDeepest ? TexReader(tex, depth_ + 1).all() : std::string(); }

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
        if (const std::string letter = lookUp(kItalic, name); !letter.empty()) return "*" + letter + "*";
        if (const std::string sign = lookUp(kUpright, name); !sign.empty()) return sign;
        if (const std::string sign = lookUp(kSpaced, name); !sign.empty()) return " " + sign + " ";
        if (name == "mathcal" || name == "mathbb") {
            const std::string_view letter = argument();
            const std::string sign = lookUp(name == "mathcal" ? kScript : kDouble, letter);
            return sign.empty() ? inner(letter) : sign;
        }
        if (name == "sqrt") return root(argument());
        if (name == "frac" || name == "tfrac" || name == "dfrac") {
            const std::string_view above = argument();
            return fraction(above, argument());
        }
        if (name == "quad" || name == "qquad" || name == "\\" || name == " ") return " ";
        return kSilent.find("\\" + std::string(name) + " ") != kSilent.npos ? "" : escapeMarkup(name);
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
        return isLetter(c) ? "*" + std::string(1, c) + "*" : escapeMarkup(std::string_view(&c, 1));
    }

    std::string_view tex_;
    std::size_t at_ = 0;
    int depth_;
};

}  // namespace

std::string latexText(std::string_view tex) {
    const std::string all = TexReader(tex).all();
    std::string out;
    for (const char c : all)
        if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

namespace {

bool blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

// **bold**, *italic*, `code` and [text](address) lose their marks; $formulas$ are set in one line.
std::string withoutMarks(std::string_view line) {
    std::string words, out;
    const auto flush = [&] {
        out += proseText(words);
        words.clear();
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '$') {
            const std::size_t end = std::min(line.find('$', i + 1), line.size());
            flush();
            out += latexText(line.substr(i + 1, end - i - 1));
            i = end;
        } else if (line[i] == ']' && i + 1 < line.size() && line[i + 1] == '(') {
            i = std::min(line.find(')', i), line.size() - 1);
        } else if (line[i] != '*' && line[i] != '`' && line[i] != '[') {
            words += line[i];
        }
    }
    flush();
    return out;
}

// One line of markdown, its blanks in front removed, onto the notes.
class NoteReader {
public:
    std::vector<NoteLine> notes;

    void read(std::string_view line) {
        if (line.substr(0, 2) == "$$") return readFence(line.substr(2));
        if (inFormula_) return add(NoteLine::What::Formula, latexText(line), false);
        if (line[0] == '#')
            return add(NoteLine::What::Heading, withoutMarks(line.substr(std::min(line.find_first_not_of("# "), line.size()))), false);
        if (line.substr(0, 2) == "- " || line.substr(0, 2) == "* ") return add(NoteLine::What::Item, withoutMarks(line.substr(2)), true);
        if (!joins_) return add(NoteLine::What::Text, withoutMarks(line), true);
        notes.back().text += " " + withoutMarks(line);
    }
    void endParagraph() { joins_ = false; }

private:
    void add(NoteLine::What what, std::string text, bool joins) {
        notes.push_back({what, std::move(text)});
        joins_ = joins;
    }
    void readFence(std::string_view rest) {
        const std::size_t end = rest.find("$$");
        if (!rest.empty() && !inFormula_) add(NoteLine::What::Formula, latexText(rest.substr(0, end)), false);
        if (rest.empty() || end == std::string_view::npos) inFormula_ = !inFormula_;
        joins_ = false;
    }

    bool inFormula_ = false, joins_ = false;
};

}  // namespace

std::string withoutSources(std::string_view markdown) {
    constexpr std::string_view kFrom = " ← ", kOpen = "[[", kClose = "]]";
    std::string out;
    for (std::size_t at = 0; at < markdown.size();) {
        const std::size_t open = markdown.find(kOpen, at), from = markdown.find(kFrom, open), close = markdown.find(kClose, open);
        if (open == std::string_view::npos || close == std::string_view::npos) return out += markdown.substr(at);
        const std::size_t end = close + kClose.size();
        out += markdown.substr(at, open - at);
        out += from < close ? markdown.substr(open + kOpen.size(), from - open - kOpen.size()) : markdown.substr(open, end - open);
        at = end;
    }
    return out;
}

std::vector<NoteLine> readNotes(std::string_view written) {
    const std::string text = withoutSources(written);
    const std::string_view markdown = text;
    NoteReader reader;
    for (std::size_t i = 0; i < markdown.size();) {
        const std::size_t end = std::min(markdown.find('\n', i), markdown.size());
        const std::string_view line = markdown.substr(i, end - i);
        i = end + 1;
        if (blank(line))
            reader.endParagraph();
        else
            reader.read(line.substr(line.find_first_not_of(" \t")));
    }
    return std::move(reader.notes);
}

}  // namespace kappaflow

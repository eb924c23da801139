#include "app/rich_text.h"

#include <algorithm>
#include <utility>

#include "app/latex_text.h"

namespace kappaflow {
namespace {

bool isMark(char c) { return c == '*' || c == '_' || c == '^' || c == '\\'; }
bool isLetter(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// First byte of a two-byte character in the Greek block (U+0370 … U+03FF).
bool isGreek(unsigned char c) { return c == 0xCD || c == 0xCE || c == 0xCF; }

std::size_t lettersFrom(std::string_view text, std::size_t i) {
    std::size_t n = 0;
    while (i + n < text.size() && isLetter(static_cast<unsigned char>(text[i + n]))) ++n;
    return n;
}

// One letter, Greek or Latin, is a symbol; several in a row are a word (log, max, TV).
std::string italicRun(std::string_view text, std::size_t& i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (isGreek(c) && i + 1 < text.size()) {
        i += 2;
        return "*" + std::string(text.substr(i - 2, 2)) + "*";
    }
    const std::size_t letters = lettersFrom(text, i);
    if (letters == 1) return "*" + std::string(1, text[i++]) + "*";
    if (letters > 1) {
        i += letters;
        return std::string(text.substr(i - letters, letters));
    }
    return plainText(text.substr(i++, 1));
}

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

std::string plainText(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (isMark(c)) out += '\\';
        out += c;
    }
    return out;
}

std::string proseText(std::string_view text) {
    constexpr std::string_view kMinus = "−";
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::size_t end = i + 1;
        if (text[i] == '^' && text.substr(end, kMinus.size()) == kMinus) end += kMinus.size();
        const std::size_t digits = end;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        if (text[i] != '^' || end == digits) {
            out += plainText(text.substr(i, 1));
            continue;
        }
        out += "^{" + std::string(text.substr(i + 1, end - i - 1)) + "}";
        i = end - 1;
    }
    return out;
}

std::string symbolText(std::string_view symbol) {
    std::string out;
    for (std::size_t i = 0; i < symbol.size();) {
        const char c = symbol[i];
        if ((c != '^' && c != '_') || i + 1 == symbol.size()) {
            out += italicRun(symbol, i);
            continue;
        }
        const bool braced = symbol[++i] == '{';
        const std::size_t close = braced ? std::min(symbol.find('}', i), symbol.size()) : i;
        out += std::string(1, c) + "{";
        if (braced) {
            for (++i; i < close;) out += italicRun(symbol, i);
            i = close + 1;
        } else {
            const std::size_t word = lettersFrom(symbol, i);
            for (const std::size_t end = i + std::max<std::size_t>(word, 1); i < end;) out += italicRun(symbol, i);
        }
        out += "}";
    }
    return out;
}

std::vector<NoteLine> readNotes(std::string_view markdown) {
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

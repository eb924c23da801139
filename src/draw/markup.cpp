#include "draw/markup.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "draw/fonts.h"

namespace kappaflow {
namespace {

// Proportions of TeX's first-order scripts, a little larger because screens are coarser than paper.
constexpr double kScriptSize = 0.72, kRaise = 0.38, kLower = 0.17;
constexpr std::string_view kTilde = "^{~}";
constexpr int kDeepest = 6;  // deeper groups are taken literally: text may come from anywhere

/// Walks through marked-up text; everything the layout needs hangs on three events.
class Reader {
public:
    Reader(std::string_view text, const TextStyle& style, const MeasureText& measure)
        : text_(text), style_(style), measure_(measure), italic_(style.italic) {}

    TextLayout read() {
        group(style_.size, 0, false);
        layout_.width = std::max(x_, furthest_);
        return std::move(layout_);
    }

private:
    // A script that has just ended, where one of the other kind may be stacked on it.
    struct Script {
        char kind = 0;
        double start = 0;
    };

    bool opensScript(std::size_t at) const {
        return depth_ < kDeepest && at + 1 < text_.size() && (text_[at] == '_' || text_[at] == '^') && text_[at + 1] == '{';
    }

    void group(double size, double rise, bool nested) {
        Script last;
        const bool italicBefore = italic_;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (nested && c == '}') {
                ++at_;
                break;
            }
            if (opensScript(at_)) {
                flush(size, rise);
                if (text_.substr(at_).starts_with(kTilde)) {
                    at_ += kTilde.size();
                    tilde(size, rise);
                    continue;
                }
                last = script(size, rise, last);
                continue;
            }
            if (c == '*') {
                flush(size, rise);
                italic_ = !italic_;
                ++at_;
                continue;
            }
            x_ = std::max(x_, std::exchange(furthest_, 0.0));
            last = {};
            take();
        }
        flush(size, rise);
        if (nested) italic_ = italicBefore;
    }

    /// Over what stands before it.
    void tilde(double size, double rise) {
        if (layout_.runs.empty()) return;
        const TextRun& below = layout_.runs.back();
        const double width = measure_("~", size, false, style_.bold), lean = below.italic ? 0.07 * size : 0;
        layout_.runs.push_back({"~", size, below.x + 0.5 * (below.width - width) + lean, rise + 0.46 * size, width, false});
    }

    Script script(double size, double rise, Script last) {
        const char kind = text_[at_];
        at_ += 2;
        const bool stacked = last.kind != 0 && last.kind != kind;
        if (stacked) {
            furthest_ = std::max(furthest_, x_);
            x_ = last.start;
        } else {
            x_ = std::max(x_, std::exchange(furthest_, 0.0));
        }
        const double start = x_, before = std::exchange(furthest_, 0.0);
        ++depth_;
        group(size * kScriptSize, rise + size * (kind == '^' ? kRaise : -kLower), true);
        --depth_;
        x_ = std::max(x_, std::exchange(furthest_, before));
        return {stacked ? '\0' : kind, start};
    }

    void take() {
        if (text_[at_] == '\\' && at_ + 1 < text_.size() && std::string_view("*_^\\{}").find(text_[at_ + 1]) != std::string_view::npos)
            ++at_;
        const std::size_t begin = at_;
        nextCodePoint(text_, at_);
        pending_ += text_.substr(begin, at_ - begin);
    }

    void flush(double size, double rise) {
        if (pending_.empty()) return;
        const double width = measure_(pending_, size, italic_, style_.bold);
        layout_.runs.push_back({std::exchange(pending_, {}), size, x_, rise, width, italic_});
        x_ += width;
    }

    std::string_view text_;
    const TextStyle& style_;
    const MeasureText& measure_;
    TextLayout layout_;
    std::string pending_;
    std::size_t at_ = 0;
    double x_ = 0, furthest_ = 0;  ///< furthest_: end of a script that a stacked one goes back behind
    int depth_ = 0;
    bool italic_;
};

constexpr std::size_t kMostKnown = 20000;  // texts with numbers in them come and go
std::function<std::string(std::string_view)> translation;
std::unordered_map<std::string, std::string> known;  // what stands for a text

std::string& entryFor(std::string_view text) {
    if (known.size() >= kMostKnown) known.clear();
    return known[std::string(text)];
}
/// A piece of a translated text is not looked up again.
void keepAsIs(std::string_view translated) {
    if (translation) entryFor(translated) = translated;
}

}  // namespace

void setTranslation(std::function<std::string(std::string_view)> translate) {
    translation = std::move(translate);
    known.clear();
}

std::string_view inWords(std::string_view english) {
    if (!translation || english.empty()) return english;
    if (const auto found = known.find(std::string(english)); found != known.end()) return found->second;
    std::string translated = translation(english);
    return entryFor(english) = std::move(translated);
}

TextLayout layOut(std::string_view utf8, const TextStyle& style, const MeasureText& measure) {
    return Reader(inWords(utf8), style, measure).read();
}

Vec2 textStart(Vec2 at, double width, const TextStyle& style) {
    // Along and across the reading direction.
    const double along = style.h == AlignH::Left ? 0 : style.h == AlignH::Centre ? -0.5 * width : -width;
    const double top = style.v == AlignV::Top ? 0 : style.v == AlignV::Middle ? -0.5 * FontSet::kLineHeight : -FontSet::kLineHeight;
    const double down = (top + FontSet::kAscent) * style.size;
    return style.upright ? at + Vec2{along, down} : at + Vec2{down, -along};
}

std::string withoutMarkup(std::string_view utf8) {
    std::string plain;
    for (const TextRun& run : layOut(utf8, {}, [](std::string_view, double, bool, bool) { return 0.0; }).runs) plain += run.text;
    return plain;
}

std::string escapeMarkup(std::string_view plain) {
    std::string escaped;
    for (const char c : plain) {
        if (std::string_view("*_^\\").find(c) != std::string_view::npos) escaped += '\\';
        escaped += c;
    }
    return escaped;
}

std::string proseText(std::string_view text) {
    constexpr std::string_view kMinus = "−", kTransposed = "ᵀ";
    std::string out;
    while (!text.empty()) {
        const std::size_t first = text.substr(1).starts_with(kMinus) ? 1 + kMinus.size() : 1;
        const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
        const bool power = text[0] == '^' && end > first;
        if (text.starts_with(kTransposed)) {  // no letter of the fonts
            out += "^{T}";
            text.remove_prefix(kTransposed.size());
            continue;
        }
        const std::string_view piece = text.substr(0, power ? end : 1);
        out += power ? "^{" + std::string(piece.substr(1)) + "}" : escapeMarkup(piece);
        text.remove_prefix(piece.size());
    }
    return out;
}

namespace {

// First byte of a two-byte character in the Greek block (U+0370 … U+03FF).
bool isGreek(char c) { return c == '\xCD' || c == '\xCE' || c == '\xCF'; }

// The Greek letter, the word or the sign that the text begins with.
std::string_view firstRun(std::string_view text) {
    const auto letters = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isLetter) - text.begin());
    return text.substr(0, isGreek(text[0]) ? 2 : std::max<std::size_t>(letters, 1));
}

// One letter, Greek or Latin, is a symbol; several in a row are a word (log, max, TV).
std::string italicised(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::string_view run = firstRun(text);
        text.remove_prefix(run.size());
        const bool symbol = (run.size() == 1 && isLetter(run[0])) || (run.size() == 2 && isGreek(run[0]));
        out += symbol ? "*" + std::string(run) + "*" : escapeMarkup(run);
    }
    return out;
}

}  // namespace

std::string symbolText(std::string_view symbol) {
    std::string out;
    while (!symbol.empty()) {
        const bool script = (symbol[0] == '^' || symbol[0] == '_') && symbol.size() > 1, braced = script && symbol[1] == '{';
        const std::size_t open = braced ? 2 : script ? 1 : 0;
        const std::string_view part = braced ? symbol.substr(open, symbol.find('}') - open) : firstRun(symbol.substr(open));
        out += script ? std::string(1, symbol[0]) + "{" + italicised(part) + "}" : italicised(part);
        symbol.remove_prefix(std::min(symbol.size(), open + part.size() + (braced ? 1 : 0)));
    }
    return out;
}

std::string elide(Painter& painter, std::string_view english, const TextStyle& style, double width) {
    const std::string utf8(inWords(english));
    keepAsIs(utf8);
    if (painter.measure(utf8, style).x <= width) return utf8;
    // Places where the text may be cut: not inside an escape. What a cut leaves open closes itself, but for the ellipsis, which
    // belongs on the base line: count the open groups and close them.
    std::string best;
    int open = 0;
    for (std::size_t at = 0; at < utf8.size();) {
        std::string candidate(utf8.substr(0, at));
        while (!candidate.empty() && candidate.back() == ' ') candidate.pop_back();
        candidate.append(static_cast<std::size_t>(open), '}');
        candidate += "…";
        keepAsIs(candidate);
        if (painter.measure(candidate, style).x > width) break;
        best = std::move(candidate);
        if (utf8[at] == '\\' && at + 1 < utf8.size())
            ++at;
        else if ((utf8[at] == '_' || utf8[at] == '^') && at + 1 < utf8.size() && utf8[at + 1] == '{')
            ++open, ++at;
        else if (utf8[at] == '}' && open > 0)
            --open;
        nextCodePoint(utf8, at);
    }
    return best;
}

std::vector<std::string> wrapText(Painter& painter, std::string_view english, const TextStyle& style, double width, std::size_t maxLines) {
    const std::string text(inWords(english));
    std::vector<std::string> lines;
    std::string line;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.find(' ', i), text.size());
        const std::string word(text.substr(i, end - i));
        i = end + 1;
        const std::string longer = line.empty() ? word : line + " " + word;
        keepAsIs(longer);
        if (line.empty() || painter.measure(longer, style).x <= width) {
            line = longer;
            continue;
        }
        if (lines.size() + 1 == maxLines) {
            // A word that is too long by itself stays.
            for (auto cut = line.rfind(' '); cut != line.npos; cut = line.rfind(' ')) {
                keepAsIs(line + " …");
                if (painter.measure(line + " …", style).x <= width) break;
                line.erase(cut);
            }
            lines.push_back(line + " …");
            keepAsIs(lines.back());
            return lines;
        }
        lines.push_back(line);
        line = word;
        keepAsIs(line);
    }
    if (!line.empty()) lines.push_back(line);
    return lines;
}

char32_t nextCodePoint(std::string_view utf8, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
    const unsigned first = byte(at++);
    if (first < 0x80) return first;
    const int more = first >= 0xF0 && first < 0xF5 ? 3 : first >= 0xE0 && first < 0xF0 ? 2 : first >= 0xC2 && first < 0xE0 ? 1 : 0;
    if (more == 0) return 0xFFFD;
    char32_t code = first & (0x3Fu >> more);
    for (int i = 0; i < more; ++i) {
        if (at >= utf8.size() || (byte(at) & 0xC0) != 0x80) return 0xFFFD;
        code = code << 6 | (byte(at++) & 0x3F);
    }
    const bool overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
    return overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0xFFFD : code;
}

}  // namespace kappaflow

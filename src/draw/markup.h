#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "draw/painter.h"

namespace kappaflow {

/// A piece of marked-up text in one style. `x` from the start of the text, `rise` of its baseline above the text's, both in pixels.
struct TextRun {
    std::string text;
    double size = 0, x = 0, rise = 0, width = 0;
    bool italic = false;
};
struct TextLayout {
    std::vector<TextRun> runs;
    double width = 0;
};
/// Advance width of plain text at a size.
using MeasureText = std::function<double(std::string_view utf8, double size, bool italic, bool bold)>;

/// TextStyle's markup laid out on one line. `_{}` and `^{}` may nest and hold `*`; a raised group right after a lowered one (or the
/// other way round) stands above it. `^{~}` is a tilde over what stands before. Groups and italics left open end with the text, a closing
/// brace too many is taken literally.
TextLayout layOut(std::string_view utf8, const TextStyle&, const MeasureText&);

/// Where the baseline of a line of text begins that is so wide and stands at `at` as its style says.
Vec2 textStart(Vec2 at, double width, const TextStyle&);

/// The program's texts are English. With a translation set, `layOut`, `elide` and `wrapText` look each text up, whole, before it is
/// measured or broken into lines. A text is asked for once and then remembered; nullptr: English again. One translation for the whole
/// program.
void setTranslation(std::function<std::string(std::string_view english)>);
/// Gives the text that stands on the screen for an English one: itself without a translation. The view is valid until the next call.
std::string_view inWords(std::string_view english);

/// Every piece of text without its markup, in reading order: "κ^{*l*}" gives "κl".
std::string withoutMarkup(std::string_view utf8);
/// Text that is shown as it is: names from files.
std::string escapeMarkup(std::string_view plain);
/// The same for declared sentences, whose powers ("10^−24") are raised.
std::string proseText(std::string_view);
/// A declared symbol ("κ^L", "σ²", "log₁₀ w") as Painter text in italics, words and digits upright, ^ and _ raised and lowered.
std::string symbolText(std::string_view symbol);

/// The longest beginning of the text, with "…" where something is missing, that is at most `width` wide; "" when not even that fits.
std::string elide(Painter&, std::string_view utf8, const TextStyle&, double width);

/// Breaks Painter text at blanks so that every line fits `width`; a longer word stands alone. At most `maxLines` (the last one
/// then ends in an ellipsis).
std::vector<std::string> wrapText(Painter&, std::string_view, const TextStyle&, double width, std::size_t maxLines = 1000);

/// Of the Latin alphabet.
inline bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Reads one code point and moves `at` behind it; U+FFFD for bytes that are not UTF-8.
char32_t nextCodePoint(std::string_view utf8, std::size_t& at);

}  // namespace kappaflow
